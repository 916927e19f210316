//! One-time tokens: the credentials in mailed links and codes.
//!
//! A token is stored as a hash, is deleted when it is consumed, and replaces the previous token of the same purpose
//! (`docs/protocol/auth.md`, section 5.3).

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, OnConflict, Query};
use subtle::ConstantTimeEq;

use crate::accounts::{
    login_attempts,
    pkce::{Challenge, Method},
};
use crate::{
    accounts::user,
    app::App,
    clock::format_timestamp,
    config::Config,
    db::{Error, Row, Tx},
    security::{ids::UserId, keys},
};

/// Time for which an invitation is valid: people who were not expecting it open it days later.
const INVITATION_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Time for which a token is kept.
const RETENTION: SignedDuration = SignedDuration::from_hours(24);
/// Time for which an invitation is kept, so that its link can request a new one.
const INVITATION_RETENTION: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Prefix of tokens that belong to a PKCE flow. It identifies the flow even if the token is invalid or expired.
const PKCE_PREFIX: &str = "pkce_";

/// Purpose of a token. A user has at most one token per purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenPurpose {
    Signup,
    Invite,
    MagicLink,
    Recovery,
    /// Sent to the old address of an e-mail change.
    EmailChangeCurrent,
    /// Sent to the new address of an e-mail change.
    EmailChangeNew,
    Reauthentication,
}

impl TokenPurpose {
    const ALL: [Self; 7] = [
        Self::Signup,
        Self::Invite,
        Self::MagicLink,
        Self::Recovery,
        Self::EmailChangeCurrent,
        Self::EmailChangeNew,
        Self::Reauthentication,
    ];

    /// Purposes that the `type` of a verification request covers.
    pub(crate) fn of_type(text: &str) -> Option<&'static [Self]> {
        Some(match text {
            "signup" => &[Self::Signup],
            "invite" => &[Self::Invite],
            "magiclink" => &[Self::MagicLink],
            "recovery" => &[Self::Recovery],
            "email" => &[Self::Signup, Self::MagicLink],
            "email_change" => &[Self::EmailChangeCurrent, Self::EmailChangeNew],
            "email_change_current" => &[Self::EmailChangeCurrent],
            "email_change_new" => &[Self::EmailChangeNew],
            _ => return None,
        })
    }

    /// Value of `type` in links that verify the token.
    pub(crate) fn verification_type(self) -> &'static str {
        match self {
            Self::EmailChangeCurrent | Self::EmailChangeNew => "email_change",
            other => other.as_str(),
        }
    }

    /// Value of `amr` in a session that begins with a PKCE flow.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Signup => "email/signup",
            other => other.verification_type(),
        }
    }

    /// Time for which a token is valid.
    pub(crate) fn life(self, config: &Config) -> SignedDuration {
        if self == Self::Invite { INVITATION_LIFE } else { config.mail_link_life }
    }

    /// Name of the purpose. A request to verify the token accepts it as `type`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Invite => "invite",
            Self::MagicLink => "magiclink",
            Self::Recovery => "recovery",
            Self::EmailChangeCurrent => "email_change_current",
            Self::EmailChangeNew => "email_change_new",
            Self::Reauthentication => "reauthentication",
        }
    }
}

/// An issued token, in plain text. Only its hash is stored.
#[derive(Debug)]
pub(crate) struct IssuedToken {
    /// Token for the link.
    pub(crate) value: String,
    /// Code of six digits, for manual entry.
    pub(crate) code: String,
}

/// A consumed token.
#[derive(Debug)]
pub(crate) struct ConsumedToken {
    pub(crate) user: UserId,
    pub(crate) purpose: TokenPurpose,
    /// E-mail address that the token verifies.
    pub(crate) email: String,
    pub(crate) challenge: Option<Challenge>,
}

/// Issues a token. It replaces the user's previous token for the same purpose.
pub(crate) fn issue(
    tx: &mut Tx<'_>,
    app: &App,
    user: UserId,
    purpose: TokenPurpose,
    email: &str,
    challenge: Option<&Challenge>,
) -> Result<IssuedToken, Error> {
    let prefix = if challenge.is_some() { PKCE_PREFIX } else { "" };
    let text = format!("{prefix}{}", keys::new_token());
    let hash = keys::sha256_hex(&text);
    let code = app.keys.otp_code(&hash);

    let columns = [
        "user_id",
        "type",
        "hash",
        "email",
        "code_challenge",
        "code_challenge_method",
        "created_at",
    ];
    tx.execute(
        Query::insert()
            .into_table("one_time_tokens")
            .columns(columns)
            .values_panic([
                user.into(),
                purpose.as_str().into(),
                hash.into(),
                email.into(),
                challenge.map(|challenge| challenge.value.clone()).into(),
                challenge.map(|challenge| challenge.method.as_str().to_owned()).into(),
                format_timestamp(app.clock.now()).into(),
            ])
            .on_conflict(
                OnConflict::columns(["user_id", "type"])
                    .update_columns(columns.into_iter().skip(2))
                    .to_owned(),
            ),
    )?;
    Ok(IssuedToken { value: text, code })
}

/// Returns whether a link's token belongs to a PKCE flow.
pub(crate) fn is_pkce(token: &str) -> bool {
    token.starts_with(PKCE_PREFIX)
}

/// Consumes a link's token, if it is valid for one of these purposes.
pub(crate) fn consume(
    tx: &mut Tx<'_>,
    app: &App,
    token: &str,
    purposes: &[TokenPurpose],
) -> Result<Option<ConsumedToken>, Error> {
    let by_hash = Condition::all().add(Expr::col("hash").eq(keys::sha256_hex(token)));
    consume_where(tx, by_hash.add(valid_for(app, purposes)))
}

/// Consumes the code that was mailed to an address, if it is valid for one of these purposes. A wrong code is recorded
/// as a failure, whether or not the address has a token.
pub(crate) fn consume_code(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
    code: &str,
    purposes: &[TokenPurpose],
) -> Result<Option<ConsumedToken>, Error> {
    let mut query = Query::select();
    query.columns(["hash", "created_at"]).from("one_time_tokens").cond_where(
        Condition::all().add(Expr::col("email").eq(email)).add(valid_for(app, purposes)),
    );
    for row in tx.rows(&query)?.iter() {
        let hash = row.text(0)?;
        let is_match = bool::from(app.keys.otp_code(hash).as_bytes().ct_eq(code.as_bytes()));
        if login_attempts::check_otp(tx, email, row.text(1)?)? && is_match {
            return consume_where(tx, Condition::all().add(Expr::col("hash").eq(hash)));
        }
    }
    login_attempts::record_otp_failure(tx, email, app.clock.now())?;
    Ok(None)
}

/// Revokes all outstanding tokens and PKCE codes of a user.
pub(crate) fn revoke_all(tx: &mut Tx<'_>, user: UserId) -> Result<(), Error> {
    for table in ["one_time_tokens", "auth_codes"] {
        let by_user = Expr::col("user_id").eq(user);
        tx.execute(Query::delete().from_table(table).and_where(by_user))?;
    }
    Ok(())
}

/// Revokes a user's outstanding tokens for these purposes.
pub(crate) fn revoke(
    tx: &mut Tx<'_>,
    user: UserId,
    purposes: &[TokenPurpose],
) -> Result<(), Error> {
    let mut statement = Query::delete();
    statement
        .from_table("one_time_tokens")
        .and_where(Expr::col("user_id").eq(user))
        .and_where(Expr::col("type").is_in(purposes.iter().map(|purpose| purpose.as_str())));
    tx.execute(&statement).map(drop)
}

/// Returns the account that an invitation was sent to, also after it expired.
pub(crate) fn invitee(tx: &mut Tx<'_>, token: &str) -> Result<Option<UserId>, Error> {
    let mut query = Query::select();
    query.column("user_id").from("one_time_tokens");
    query.and_where(Expr::col("hash").eq(keys::sha256_hex(token)));
    query.and_where(Expr::col("type").eq(TokenPurpose::Invite.as_str()));
    tx.rows(&query)?.first().map(|row| row.parse(0)).transpose()
}

/// Deletes tokens that are of no more use.
pub(crate) fn delete_expired(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let is_invitation = || Expr::col("type").eq(TokenPurpose::Invite.as_str());
    let older_than = |age| Expr::col("created_at").lt(format_timestamp(now - age));
    let is_useless = Condition::any()
        .add(is_invitation().not().and(older_than(RETENTION)))
        .add(older_than(INVITATION_RETENTION));
    tx.execute(Query::delete().from_table("one_time_tokens").cond_where(is_useless)).map(drop)
}

fn valid_for(app: &App, purposes: &[TokenPurpose]) -> Condition {
    let now = app.clock.now();
    purposes.iter().fold(Condition::any(), |any, purpose| {
        let oldest = format_timestamp(now - purpose.life(&app.config));
        any.add(Expr::col("type").eq(purpose.as_str()).and(Expr::col("created_at").gt(oldest)))
    })
}

fn consume_where(tx: &mut Tx<'_>, condition: Condition) -> Result<Option<ConsumedToken>, Error> {
    // Lock order: the account before its tokens, as in every change of an account.
    let mut owners = Query::select();
    owners.column("user_id").from("one_time_tokens").cond_where(condition.clone());
    for row in tx.rows(&owners)?.iter() {
        let id = row.text(0)?.parse().ok();
        id.map(|id| user::locked_by_id(tx, id)).transpose()?;
    }

    let mut statement = Query::delete();
    statement.from_table("one_time_tokens").cond_where(condition).returning(
        Query::returning().columns([
            "user_id",
            "type",
            "email",
            "code_challenge",
            "code_challenge_method",
        ]),
    );
    tx.rows(&statement)?.first().map(from_row).transpose()
}

fn from_row(row: Row<'_>) -> Result<ConsumedToken, Error> {
    let purpose = row.text(1)?;
    let purpose = TokenPurpose::ALL.into_iter().find(|candidate| candidate.as_str() == purpose);
    let challenge = row.opt_text(3)?.zip(row.opt_text(4)?.and_then(Method::parse));
    Ok(ConsumedToken {
        user: row.parse(0)?,
        purpose: purpose.ok_or_else(|| Error::Internal("a token of an unknown type".into()))?,
        email: row.text(2)?.to_owned(),
        challenge: challenge.map(|(text, method)| Challenge { value: text.to_owned(), method }),
    })
}
