//! From a bearer token to a [`Caller`]: what a token says, and whether its session still stands.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, IntoColumnRef, JoinType, Query};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    clock::format_timestamp,
    config::Config,
    db::{self, Tx},
    policy::Caller,
    security::keys::{Claims, Keys},
};

/// How far two machines' clocks may differ. Seconds.
const LEEWAY: i64 = 30;

/// A session ends so long after it began, however busy.
pub const ABSOLUTE_TIMEOUT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// A session ends when it was not refreshed for so long.
pub const IDLE_TIMEOUT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The role in the token of an administrator who looks at the portal as a client sees it. No other program knows it,
/// so nobody takes the token for the client's own or for the administrator's.
pub const VIEWER: &str = "viewer";

/// What a request showed for itself.
#[derive(Debug, Clone)]
pub enum Credential {
    /// Nothing but, at most, the public key beside the request.
    Nothing,
    /// The public key in the place of a token.
    Anon,
    /// The office's own key.
    Service,
    /// The token of a signed-in person; whether it still stands is asked of the database.
    Person {
        /// Whose it is.
        user: Uuid,
        /// The session that it was issued for; a token minted by the office's own programs has none.
        session: Option<Uuid>,
    },
    /// The token of an administrator who looks at the portal as a client sees it.
    Viewer {
        /// Who looks.
        admin: Uuid,
        /// Their own session: when it ends, so does the looking.
        session: Uuid,
        /// Whose portal it is.
        client: Uuid,
    },
    /// A token that proves nothing.
    Invalid(TokenError),
}

/// Why a token proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TokenError {
    Malformed,
    Signature,
    Expired,
    NotYetValid,
    Audience,
    NoRole,
    NoSubject,
}

/// Why a person's token is worth nothing at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionError {
    /// Signed out, revoked or expired.
    SessionEnded,
    /// The account no longer exists.
    User,
    /// The account is banned.
    Banned,
    /// The session stands, but this administrator has yet to show their second step, or to set one up.
    MfaRequired {
        /// Who that is.
        admin: Uuid,
        /// Whether they have one.
        enrolled: bool,
    },
    /// The session stands, but whoever's it is has yet to choose a password that the office does not know.
    PasswordChangeRequired {
        /// Who that is.
        user: Uuid,
    },
}

impl Credential {
    /// Reads a bearer token (or API key).
    #[must_use]
    pub fn from_token(token: &str, keys: &Keys, now: Timestamp) -> Self {
        if token == keys.anon {
            return Self::Anon;
        }
        if token == keys.service_role {
            return Self::Service;
        }
        if token.split('.').count() != 3 {
            return Self::Invalid(TokenError::Malformed);
        }
        let Ok(claims) = keys.verify_token(token) else {
            return Self::Invalid(TokenError::Signature);
        };
        Self::from_claims(&claims, now).unwrap_or_else(Self::Invalid)
    }

    fn from_claims(claims: &Claims, now: Timestamp) -> Result<Self, TokenError> {
        let now = now.as_second();
        if claims.exp.is_some_and(|exp| exp.saturating_add(LEEWAY) <= now) {
            return Err(TokenError::Expired);
        }
        if [claims.nbf, claims.iat]
            .into_iter()
            .flatten()
            .any(|from| from.saturating_sub(LEEWAY) > now)
        {
            return Err(TokenError::NotYetValid);
        }
        let audience = match &claims.aud {
            None | Some(Value::Null) => true,
            Some(Value::String(one)) => one == "authenticated",
            Some(Value::Array(many)) => many.iter().any(|one| one == "authenticated"),
            Some(_) => false,
        };
        match claims.role.as_deref() {
            Some("anon") => Ok(Self::Anon),
            Some("service_role" | "supabase_admin") => Ok(Self::Service),
            Some("authenticated") if !audience => Err(TokenError::Audience),
            Some("authenticated") => {
                let id = |text: &Option<String>| text.as_deref().map(Uuid::parse_str).transpose();
                let user = id(&claims.sub).ok().flatten().ok_or(TokenError::NoSubject)?;
                let session = id(&claims.session_id).map_err(|_| TokenError::Malformed)?;
                Ok(Self::Person { user, session })
            }
            Some(VIEWER) => {
                let id = |text: &Option<String>| Uuid::parse_str(text.as_deref()?).ok();
                let ids = (id(&claims.sub), id(&claims.session_id), id(&claims.client_id));
                let (Some(admin), Some(session), Some(client)) = ids else {
                    return Err(TokenError::NoSubject);
                };
                Ok(Self::Viewer { admin, session, client })
            }
            _ => Err(TokenError::NoRole),
        }
    }

    /// Who that is at this moment: roles, sessions and what was shown for them are read from the database, never from
    /// the token. Who owes a second step or a password of their own is nobody, not even a client.
    ///
    /// # Errors
    /// [`Barred`] inside, the database's own error outside.
    pub fn caller(
        &self,
        tx: &mut Tx<'_>,
        config: &Config,
        now: Timestamp,
    ) -> Result<Result<Caller, SessionError>, db::Error> {
        let (user, session) = match self {
            Self::Nothing | Self::Anon | Self::Invalid(_) => return Ok(Ok(Caller::Anon)),
            Self::Service => return Ok(Ok(Caller::Service)),
            Self::Person { user, session } => (user, session),
            Self::Viewer { admin, session, client } => {
                return viewer(tx, config, now, (*admin, *session), *client);
            }
        };
        let mut query = Query::select();
        query.columns([("users", "is_admin"), ("users", "banned_until")]).from("users");
        query.and_where(Expr::col(("users", "id").into_column_ref()).eq(user.to_string()));
        if let Some(session) = session {
            // A left join tells a signed-out session from a deleted account in one statement.
            query.columns([
                ("sessions", "id"),
                ("sessions", "factor_id"),
                ("users", "second_step"),
                ("users", "must_change_password"),
            ]);
            query.join(
                JoinType::LeftJoin,
                "sessions",
                Expr::col(("sessions", "user_id").into_column_ref())
                    .equals(("users", "id"))
                    .and(Expr::col(("sessions", "id").into_column_ref()).eq(session.to_string())),
            );
        }
        let rows = tx.rows(&query)?;
        let Some(row) = rows.first() else {
            // A token without a session was minted with the portal's secret: its subject need not have an account.
            return Ok(if session.is_none() {
                Ok(Caller::Client(*user))
            } else {
                Err(SessionError::User)
            });
        };
        if session.is_some() && row.opt_text(2)?.is_none() {
            return Ok(Err(SessionError::SessionEnded));
        }
        if row.opt_text(1)?.is_some_and(|until| until > format_timestamp(now).as_str()) {
            return Ok(Err(SessionError::Banned));
        }
        let is_admin = row.bool(0)?;
        let who = if is_admin { Caller::Admin(*user) } else { Caller::Client(*user) };
        // A token without a session was minted with the portal's secret, which is worth more than any factor.
        if session.is_none() {
            return Ok(Ok(who));
        }
        if is_admin && row.opt_text(3)?.is_none() {
            let enrolled = row.bool(4)?;
            if enrolled || config.require_second_step {
                return Ok(Err(SessionError::MfaRequired { admin: *user, enrolled }));
            }
        }
        Ok(if row.bool(5)? {
            Err(SessionError::PasswordChangeRequired { user: *user })
        } else {
            Ok(who)
        })
    }
}

/// An administrator whose own session stands, and the client whose portal they look at.
fn viewer(
    tx: &mut Tx<'_>,
    config: &Config,
    now: Timestamp,
    (admin, session): (Uuid, Uuid),
    client: Uuid,
) -> Result<Result<Caller, SessionError>, db::Error> {
    let own = Credential::Person { user: admin, session: Some(session) };
    match own.caller(tx, config, now)? {
        Ok(Caller::Admin(_)) => {}
        // The role was taken since.
        Ok(_) => return Ok(Err(SessionError::SessionEnded)),
        Err(barred) => return Ok(Err(barred)),
    }
    let mut query = Query::select();
    query.column("id").from("clients").and_where(Expr::col("id").eq(client.to_string()));
    let found = !tx.rows(&query)?.is_empty();
    Ok(if found { Ok(Caller::Viewer { client, admin }) } else { Err(SessionError::User) })
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use serde_json::json;

    use crate::accounts::authenticate::{Credential, TokenError};
    use crate::security::keys::Keys;

    #[test]
    fn a_token_counts_only_with_role_subject_and_time() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let second = now.as_second();
        let id = "019b7600-0000-7000-8000-000000000001";
        for (claims, expected) in [
            (json!({"role": "authenticated", "sub": id, "exp": second + 1}), None),
            (json!({"role": "authenticated", "sub": id, "exp": second - 29}), None),
            (
                json!({"role": "authenticated", "sub": id, "exp": second - 30}),
                Some(TokenError::Expired),
            ),
            (
                json!({"role": "authenticated", "sub": id, "nbf": second + 31}),
                Some(TokenError::NotYetValid),
            ),
            (
                json!({"role": "authenticated", "sub": id, "aud": "other"}),
                Some(TokenError::Audience),
            ),
            (json!({"role": "authenticated", "sub": "x"}), Some(TokenError::NoSubject)),
            (json!({"role": "authenticated"}), Some(TokenError::NoSubject)),
            (json!({"role": "root", "sub": id}), Some(TokenError::NoRole)),
            (json!({"sub": id}), Some(TokenError::NoRole)),
            (
                json!({"role": "authenticated", "sub": id, "exp": "soon"}),
                Some(TokenError::Signature),
            ),
        ] {
            let token = keys.sign_token(&claims);
            // The second time it is known.
            for _ in 0..2 {
                let found = match Credential::from_token(&token, &keys, now) {
                    Credential::Invalid(why) => Some(why),
                    _ => None,
                };
                assert_eq!(found, expected, "{claims}");
            }
        }
        assert!(matches!(
            Credential::from_token(&keys.service_role, &keys, now),
            Credential::Service
        ));
        assert!(matches!(
            Credential::from_token("a.b", &keys, now),
            Credential::Invalid(TokenError::Malformed)
        ));
    }

    #[test]
    fn a_known_token_is_worth_what_it_is_worth_now() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let claims = json!({
            "role": "authenticated", "sub": "019b7600-0000-7000-8000-000000000001", "exp": now.as_second() + 60,
        });
        let token = keys.sign_token(&claims);
        let at = |now| Credential::from_token(&token, &keys, now);
        assert!(matches!(at(now), Credential::Person { .. }));
        let later = now + SignedDuration::from_secs(60 + 30);
        assert!(matches!(at(later), Credential::Invalid(TokenError::Expired)));
        assert!(matches!(at(now), Credential::Person { .. }));
        // Another signature makes it another token.
        let (head, _) = token.rsplit_once('.').unwrap();
        let other = Keys::from_secret("another secret of thirty-two bytes").sign_token(&claims);
        let forged = format!("{head}.{}", other.rsplit_once('.').unwrap().1);
        let forged = Credential::from_token(&forged, &keys, now);
        assert!(matches!(forged, Credential::Invalid(TokenError::Signature)));
    }
}
