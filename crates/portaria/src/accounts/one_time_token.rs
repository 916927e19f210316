//! One-time tokens: what a mailed link or code proves. Stored as a hash, spent by use, replaced by the next.

use sea_query::{Condition, Expr, ExprTrait, OnConflict, Query};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::accounts::{
    login_attempts,
    pkce::{Challenge, Method},
};
use crate::{
    accounts::user,
    app::App,
    clock::format_timestamp,
    db::{Error, Row, Tx},
    security::keys,
};

/// How a link's token begins whose session waits for a program (contract §1.4).
const PKCE_PREFIX: &str = "pkce_";

/// What a token is for. One of each kind at most is good for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenPurpose {
    Signup,
    Invite,
    MagicLink,
    Recovery,
    /// The half of a change of address that is mailed to the old one.
    EmailChangeCurrent,
    /// The half that is mailed to the new one.
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

    /// What the `type` of a verification can mean.
    pub(crate) fn of_type(text: &str) -> Option<&'static [Self]> {
        Some(match text {
            "signup" => &[Self::Signup],
            "invite" => &[Self::Invite],
            "magiclink" => &[Self::MagicLink],
            "recovery" => &[Self::Recovery],
            "email" => &[Self::Signup, Self::MagicLink],
            "email_change" => &[Self::EmailChangeCurrent, Self::EmailChangeNew],
            _ => return None,
        })
    }

    /// The `type` under which it is verified.
    pub(crate) fn verification_type(self) -> &'static str {
        match self {
            Self::EmailChangeCurrent | Self::EmailChangeNew => "email_change",
            other => other.as_str(),
        }
    }

    /// How the session of a PKCE flow says that its person proved who they are.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Signup => "email/signup",
            other => other.verification_type(),
        }
    }

    fn as_str(self) -> &'static str {
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

/// A token as it leaves the house.
#[derive(Debug)]
pub(crate) struct Token {
    /// For the link.
    pub(crate) text: String,
    /// Six digits, for those who type.
    pub(crate) code: String,
}

/// A token that came back.
#[derive(Debug)]
pub(crate) struct ConsumedToken {
    pub(crate) user: Uuid,
    pub(crate) purpose: TokenPurpose,
    /// The address that is proved.
    pub(crate) email: String,
    pub(crate) challenge: Option<Challenge>,
}

/// A fresh token; an earlier one for the same purpose is worth nothing from then on.
pub(crate) fn issue(
    tx: &mut Tx<'_>,
    app: &App,
    user: Uuid,
    purpose: TokenPurpose,
    email: &str,
    challenge: Option<&Challenge>,
) -> Result<Token, Error> {
    let prefix = if challenge.is_some() { PKCE_PREFIX } else { "" };
    let text = format!("{prefix}{}", keys::new_token());
    let hash = keys::hash(&text);
    let code = app.keys.code(&hash);
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
                user.to_string().into(),
                purpose.as_str().into(),
                hash.into(),
                email.into(),
                challenge.map(|challenge| challenge.text.clone()).into(),
                challenge.map(|challenge| challenge.method.as_str().to_owned()).into(),
                format_timestamp(app.clock.now()).into(),
            ])
            .on_conflict(
                OnConflict::columns(["user_id", "type"])
                    .update_columns(columns.into_iter().skip(2))
                    .to_owned(),
            ),
    )?;
    Ok(Token { text, code })
}

/// Whether the token of a link belongs to a PKCE flow.
pub(crate) fn is_pkce(token: &str) -> bool {
    token.starts_with(PKCE_PREFIX)
}

/// Spends a link's token, if it is good for one of these purposes.
pub(crate) fn consume(
    tx: &mut Tx<'_>,
    app: &App,
    token: &str,
    purposes: &[TokenPurpose],
) -> Result<Option<ConsumedToken>, Error> {
    let of = Condition::all().add(Expr::col("hash").eq(keys::hash(token)));
    take(tx, of.add(good(app, purposes)))
}

/// Spends the code that was mailed to an address, if it is good for one of these purposes. A wrong one is
/// counted, whether or not one was ever mailed.
pub(crate) fn consume_code(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
    code: &str,
    purposes: &[TokenPurpose],
) -> Result<Option<ConsumedToken>, Error> {
    let mut query = Query::select();
    query
        .columns(["hash", "created_at"])
        .from("one_time_tokens")
        .cond_where(Condition::all().add(Expr::col("email").eq(email)).add(good(app, purposes)));
    for row in tx.rows(&query)?.iter() {
        let hash = row.text(0)?;
        let right = bool::from(app.keys.code(hash).as_bytes().ct_eq(code.as_bytes()));
        if login_attempts::check_otp(tx, email, row.text(1)?)? && right {
            return take(tx, Condition::all().add(Expr::col("hash").eq(hash)));
        }
    }
    login_attempts::record_otp_failure(tx, email, app.clock.now())?;
    Ok(None)
}

/// Makes every outstanding token of a person worthless.
pub(crate) fn revoke_all(tx: &mut Tx<'_>, user: Uuid) -> Result<(), Error> {
    for table in ["one_time_tokens", "auth_codes"] {
        let mine = Expr::col("user_id").eq(user.to_string());
        tx.execute(Query::delete().from_table(table).and_where(mine))?;
    }
    Ok(())
}

/// Makes a person's outstanding tokens for these purposes worthless.
pub(crate) fn revoke(tx: &mut Tx<'_>, user: Uuid, purposes: &[TokenPurpose]) -> Result<(), Error> {
    let mut statement = Query::delete();
    statement
        .from_table("one_time_tokens")
        .and_where(Expr::col("user_id").eq(user.to_string()))
        .and_where(Expr::col("type").is_in(purposes.iter().map(|purpose| purpose.as_str())));
    tx.execute(&statement).map(drop)
}

fn good(app: &App, purposes: &[TokenPurpose]) -> Condition {
    let oldest = format_timestamp(app.clock.now() - app.config.mail_link_life);
    Condition::all()
        .add(Expr::col("type").is_in(purposes.iter().map(|purpose| purpose.as_str())))
        .add(Expr::col("created_at").gt(oldest))
}

fn take(tx: &mut Tx<'_>, which: Condition) -> Result<Option<ConsumedToken>, Error> {
    // Whoever changes an account has it first, and its tokens then.
    let mut whose = Query::select();
    whose.column("user_id").from("one_time_tokens").cond_where(which.clone());
    for row in tx.rows(&whose)?.iter() {
        let id = Uuid::parse_str(row.text(0)?).ok();
        id.map(|id| user::locked_by_id(tx, id)).transpose()?;
    }
    let mut statement = Query::delete();
    statement.from_table("one_time_tokens").cond_where(which).returning(
        Query::returning().columns([
            "user_id",
            "type",
            "email",
            "code_challenge",
            "code_challenge_method",
        ]),
    );
    tx.rows(&statement)?.first().map(read).transpose()
}

fn read(row: Row<'_>) -> Result<ConsumedToken, Error> {
    let purpose = row.text(1)?;
    let purpose = TokenPurpose::ALL.into_iter().find(|one| one.as_str() == purpose);
    let challenge = row.opt_text(3)?.zip(row.opt_text(4)?.and_then(Method::read));
    Ok(ConsumedToken {
        user: Uuid::parse_str(row.text(0)?).map_err(|error| Error::Internal(error.to_string()))?,
        purpose: purpose.ok_or_else(|| Error::Internal("a token of an unknown type".into()))?,
        email: row.text(2)?.to_owned(),
        challenge: challenge.map(|(text, method)| Challenge { text: text.to_owned(), method }),
    })
}
