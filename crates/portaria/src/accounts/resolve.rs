//! Resolution of a [`Credential`] to a [`Caller`].
//!
//! Roles, bans and sessions come from the database on every request; the token's claims are not trusted for them
//! (`docs/protocol/auth.md`, section 1.2).

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, IntoColumnRef, JoinType, Query, SelectStatement};

use crate::{
    accounts::{
        authenticate::{AuthenticationError, Credential, SessionError},
        office_role::OfficeRole,
        passkeys,
    },
    clock::format_timestamp,
    config::Config,
    db::{Counted, Error, Row, Rows, Tx},
    policy::members,
    security::{
        caller::Caller,
        ids::{SessionId, UserId},
        last_callers::LastCallers,
    },
};

impl Credential {
    /// Resolves the credential to a caller. Roles, bans, sessions and verified factors are read from the database,
    /// never from the token. A restricted session (`docs/protocol/auth.md`, section 4.5) resolves to an error, not to a
    /// client without the role.
    ///
    /// # Errors
    /// A [`SessionError`] if the session grants no access, or the database's error.
    pub fn caller(
        &self,
        tx: &mut Tx<'_>,
        config: &Config,
        now: Timestamp,
    ) -> Result<Caller, AuthenticationError> {
        let (user, session) = match self {
            Self::Nothing | Self::Anon | Self::Invalid(_) => return Ok(Caller::Anon),
            Self::Service => return Ok(Caller::Service),
            Self::Person { user, session, .. } => (user, session),
            Self::Viewer { admin, session, client } => {
                return resolve_viewer(tx, config, now, *admin, *session, *client);
            }
        };

        let rows = tx.rows(&account_query(*user, *session))?;
        let caller = resolve_account(config, now, *user, *session, rows.first(), || {
            passkeys::exists_for(tx, *user)
        })?;
        let client = acting_for(*session, rows.first())?;
        match (caller, client) {
            (Caller::Client { person, .. }, Some(client)) => {
                Ok(members::acting_for(tx, person, client, now)?.unwrap_or(caller))
            }
            _ => Ok(caller),
        }
    }

    /// Remembers the caller to whom a person's session resolved, for [`Self::predict`].
    pub(crate) fn remember(&self, last: &LastCallers, caller: Caller) {
        if let Self::Person { session: Some(session), .. } = *self {
            last.remember(session, caller);
        }
    }

    /// Predicts the caller of a session. `None` for credentials that need no session, and for a person who acts for
    /// another client, which another statement decides.
    pub(crate) fn predict(&self, last: &LastCallers) -> Option<Prediction> {
        let (user, session, caller) = match *self {
            Self::Person { user, session: Some(session), was_admin } => {
                let own = Caller::own_account(user);
                let of_token = if was_admin { Caller::Admin(user) } else { own };
                match last.get(session).unwrap_or(of_token) {
                    other @ Caller::Client { .. } if other != own => return None,
                    caller => (user, session, caller),
                }
            }
            Self::Viewer { admin, session, client } => {
                (admin, session, Caller::Viewer { client, admin })
            }
            _ => return None,
        };
        let (mut query, mut columns) = (account_query(user, Some(session)), ACCOUNT_COLUMNS);
        if let Caller::Viewer { client, .. } = caller {
            query.expr_as(Expr::exists(client_query(client)), "client_exists");
            columns += 1;
        }
        Some(Prediction { caller, user, session, query, columns })
    }
}

/// The caller that a token predicts. It grants nothing before it is confirmed: it only decides which statement is sent
/// together with the one that reads the session.
pub(crate) struct Prediction {
    pub(crate) caller: Caller,
    user: UserId,
    session: SessionId,
    query: SelectStatement,
    columns: usize,
}

impl Prediction {
    /// The statement that reads the account and its session.
    pub(crate) fn statement(&self) -> Counted<'_> {
        Counted { statement: &self.query, columns: self.columns }
    }

    /// Returns whether the rows of [`Self::statement`] resolve to the predicted caller without further statements.
    /// Otherwise [`Credential::caller`] decides.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn is_confirmed(
        &self,
        config: &Config,
        now: Timestamp,
        rows: &Rows,
    ) -> Result<bool, Error> {
        let (row, session) = (rows.first(), Some(self.session));
        let account = resolve_account(config, now, self.user, session, row, || Ok(false));
        if acting_for(session, row)?.is_some() {
            // Another statement decides whether the person may still act for that client.
            return Ok(false);
        }
        match (account, self.caller, row) {
            (Ok(Caller::Admin(_)), Caller::Viewer { .. }, Some(row)) => row.bool(ACCOUNT_COLUMNS),
            (Ok(account), predicted, _) => Ok(account == predicted),
            (Err(AuthenticationError::Session(_)), ..) => Ok(false),
            (Err(AuthenticationError::Database(error)), ..) => Err(error),
        }
    }
}

/// Number of columns of [`account_query`] for a session.
const ACCOUNT_COLUMNS: usize = 10;

/// Selects an account and, if the token names one, its session.
fn account_query(user: UserId, session: Option<SessionId>) -> SelectStatement {
    let mut query = Query::select();
    query.columns([
        ("users", "is_admin"),
        ("users", "banned_until"),
        ("users", "office_role"),
        ("users", "assigned_clients_only"),
    ]);
    query.from("users");
    query.and_where(Expr::col(("users", "id").into_column_ref()).eq(user));
    if let Some(session) = session {
        // The left join distinguishes an ended session from a deleted account in one statement.
        query.columns([
            ("sessions", "id"),
            ("sessions", "factor_id"),
            ("users", "second_step"),
            ("users", "must_change_password"),
            ("sessions", "passkey_id"),
            ("sessions", "client_id"),
        ]);
        query.join(
            JoinType::LeftJoin,
            "sessions",
            Expr::col(("sessions", "user_id").into_column_ref())
                .equals(("users", "id"))
                .and(Expr::col(("sessions", "id").into_column_ref()).eq(session)),
        );
    }
    query
}

/// Returns the client for whom a session acts, if not for the person's own account, from the row of [`account_query`].
fn acting_for(session: Option<SessionId>, row: Option<Row<'_>>) -> Result<Option<UserId>, Error> {
    match (session, row) {
        (Some(_), Some(row)) => row.opt_parse(9),
        _ => Ok(None),
    }
}

/// Resolves the row of [`account_query`] to a caller who acts for their own account.
fn resolve_account(
    config: &Config,
    now: Timestamp,
    user: UserId,
    session: Option<SessionId>,
    row: Option<Row<'_>>,
    has_passkey: impl FnOnce() -> Result<bool, Error>,
) -> Result<Caller, AuthenticationError> {
    let Some(row) = row else {
        // A token without a session was signed with the portal's secret: its subject need not have an account.
        return if session.is_none() {
            Ok(Caller::own_account(user))
        } else {
            Err(SessionError::UserNotFound.into())
        };
    };

    if session.is_some() && row.opt_text(4)?.is_none() {
        return Err(SessionError::SessionEnded.into());
    }
    if row.opt_text(1)?.is_some_and(|until| until > format_timestamp(now).as_str()) {
        return Err(SessionError::Banned.into());
    }

    let is_admin = row.bool(0)?;
    let caller = if is_admin {
        let role = row.opt_text(2)?.map(OfficeRole::parse_stored).transpose()?;
        OfficeRole::caller(user, role, row.bool(3)?)
    } else {
        Caller::own_account(user)
    };
    // A token without a session was signed with the portal's secret. It needs no MFA.
    if session.is_none() {
        return Ok(caller);
    }

    let must_change_password = row.bool(7)?;
    if row.opt_text(5)?.is_none() && row.opt_text(8)?.is_none() {
        let enrolled = row.bool(6)?;
        if enrolled || (is_admin && config.require_second_step) {
            // Where MFA is required, a passkey is enough. Then the password alone must not enroll anything else.
            let enrolled = enrolled || has_passkey()?;
            // The person who chose the password for the user must not enroll MFA that outlives it.
            if enrolled || !must_change_password {
                return Err(SessionError::MfaRequired { user, enrolled }.into());
            }
        }
    }

    if must_change_password {
        return Err(SessionError::PasswordChangeRequired { user }.into());
    }
    Ok(caller)
}

fn client_query(client: UserId) -> SelectStatement {
    let mut query = Query::select();
    query.column("id").from("clients").and_where(Expr::col("id").eq(client));
    query
}

/// Resolves an impersonation token: the administrator's own session must be active, and the client must exist.
fn resolve_viewer(
    tx: &mut Tx<'_>,
    config: &Config,
    now: Timestamp,
    admin: UserId,
    session: SessionId,
    client: UserId,
) -> Result<Caller, AuthenticationError> {
    let admin_credential =
        Credential::Person { user: admin, session: Some(session), was_admin: true };
    if !matches!(admin_credential.caller(tx, config, now)?, Caller::Admin(_)) {
        // The administrator lost the role after the token was issued.
        return Err(SessionError::SessionEnded.into());
    }
    let client_exists = !tx.rows(&client_query(client))?.is_empty();
    if client_exists {
        Ok(Caller::Viewer { client, admin })
    } else {
        Err(SessionError::UserNotFound.into())
    }
}
