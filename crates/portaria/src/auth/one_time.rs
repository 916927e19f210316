//! One-time tokens: what a mailed link proves. Stored as a hash, spent by use, replaced by the next.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Query};
use uuid::Uuid;

use super::AuthError;
use crate::{clock::stamp, db::Tx, keys};

/// How long a link is good for.
const LIFE: SignedDuration = SignedDuration::from_hours(1);
/// So long after one mail nobody gets the next.
const INTERVAL: SignedDuration = SignedDuration::from_secs(60);

/// What a token is for: a word of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Recovery,
}

impl Purpose {
    pub(super) fn read(text: &str) -> Option<Self> {
        (text == "recovery").then_some(Self::Recovery)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
        }
    }
}

/// A fresh token; an earlier one for the same purpose is worth nothing from then on.
/// `None` when the last one is less than a minute old.
pub(super) fn issue(
    tx: &mut Tx<'_>,
    user: Uuid,
    purpose: Purpose,
    now: Timestamp,
) -> Result<Option<String>, AuthError> {
    let mine =
        || Expr::col("user_id").eq(user.to_string()).and(Expr::col("type").eq(purpose.as_str()));
    let recent = Expr::col("created_at").gt(stamp(now - INTERVAL));
    let mut query = Query::select();
    query.column("hash").from("one_time_tokens").and_where(mine()).and_where(recent);
    if !tx.rows(&query)?.is_empty() {
        return Ok(None);
    }
    tx.execute(Query::delete().from_table("one_time_tokens").and_where(mine()))?;
    let token = keys::new_token();
    tx.insert(
        "one_time_tokens",
        [
            ("hash", keys::hash(&token).into()),
            ("user_id", user.to_string().into()),
            ("type", purpose.as_str().into()),
            ("created_at", stamp(now).into()),
        ],
    )?;
    Ok(Some(token))
}

/// Spends a token: whose it was, if it was good.
pub(super) fn spend(
    tx: &mut Tx<'_>,
    token: &str,
    purpose: Purpose,
    now: Timestamp,
) -> Result<Option<Uuid>, AuthError> {
    let mut statement = Query::delete();
    statement
        .from_table("one_time_tokens")
        .and_where(Expr::col("hash").eq(keys::hash(token)))
        .and_where(Expr::col("type").eq(purpose.as_str()))
        .and_where(Expr::col("created_at").gt(stamp(now - LIFE)))
        .returning_col("user_id");
    let rows = tx.rows(&statement)?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Uuid::parse_str(row.text(0)?).ok())
}

/// Makes every outstanding token of a person worthless.
pub(super) fn revoke_all(tx: &mut Tx<'_>, user: Uuid) -> Result<(), AuthError> {
    tx.execute(
        Query::delete()
            .from_table("one_time_tokens")
            .and_where(Expr::col("user_id").eq(user.to_string())),
    )?;
    Ok(())
}
