//! Challenges of passkeys: the state of an open ceremony, in the database, so that any node can complete it. A challenge
//! is bound to a purpose and, except for a sign-in, to a person; it serves once and for five minutes.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Query};
use uuid::Uuid;

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    security::{ids::UserId, keys},
};

/// Lifetime of a challenge.
pub(crate) const CHALLENGE_TTL: SignedDuration = SignedDuration::from_mins(5);

/// Purpose of a challenge.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    /// A person adds a passkey.
    Registration(UserId),
    /// An unknown person signs in.
    Authentication,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::Registration(_) => "registration",
            Self::Authentication => "authentication",
        }
    }

    fn user(self) -> Option<UserId> {
        match self {
            Self::Registration(user) => Some(user),
            Self::Authentication => None,
        }
    }
}

/// A challenge that was opened.
#[derive(Debug)]
pub(crate) struct Challenge {
    pub(crate) id: Uuid,
    pub(crate) expires_at: Timestamp,
}

/// Result of consuming a challenge.
#[derive(Debug)]
pub(crate) enum Consumed {
    /// The state with which the ceremony continues.
    State(String),
    /// The challenge was older than [`CHALLENGE_TTL`].
    Expired,
    /// No such challenge: unknown, used, of another person, or for another purpose.
    NotFound,
}

/// Stores the state of a ceremony.
pub(crate) fn open(
    tx: &mut Tx<'_>,
    app: &App,
    purpose: Purpose,
    state: &str,
) -> Result<Challenge, Error> {
    let now = app.clock.now();
    let id = keys::new_id(now);
    tx.insert(
        "passkey_challenges",
        [
            ("id", id.to_string().into()),
            ("user_id", purpose.user().into()),
            ("purpose", purpose.as_str().into()),
            ("state", state.into()),
            ("created_at", format_timestamp(now).into()),
        ],
    )?;
    Ok(Challenge { id, expires_at: now + CHALLENGE_TTL })
}

/// Deletes a challenge and returns its state. The transaction must commit even if the ceremony fails, so that no
/// challenge serves twice.
pub(crate) fn consume(
    tx: &mut Tx<'_>,
    app: &App,
    purpose: Purpose,
    id: Uuid,
) -> Result<Consumed, Error> {
    let mut query = Query::select();
    query.columns(["state", "created_at"]).from("passkey_challenges");
    query.and_where(Expr::col("id").eq(id.to_string()));
    query.and_where(Expr::col("purpose").eq(purpose.as_str()));
    match purpose.user() {
        Some(user) => query.and_where(Expr::col("user_id").eq(user)),
        None => query.and_where(Expr::col("user_id").is_null()),
    };
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(Consumed::NotFound) };

    let mut statement = Query::delete().from_table("passkey_challenges").take();
    let deleted = tx.execute(statement.and_where(Expr::col("id").eq(id.to_string())))?;
    // Of two concurrent requests with the same challenge, only one deletes the row.
    if deleted != 1 {
        return Ok(Consumed::NotFound);
    }
    if row.text(1)? <= format_timestamp(app.clock.now() - CHALLENGE_TTL).as_str() {
        return Ok(Consumed::Expired);
    }
    Ok(Consumed::State(row.text(0)?.to_owned()))
}
