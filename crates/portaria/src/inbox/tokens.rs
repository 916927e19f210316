//! Tokens that add files to the inbox and permit nothing else, for scanners and scripts
//! (`docs/decisions/0136-tokens-of-the-inbox.md`). The database stores their hashes.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jiff::Timestamp;
use sea_query::{Alias, Expr, ExprTrait, JoinType, Order, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    office,
    security::{
        caller::Caller,
        ids::InboxTokenId,
        keys::{random_bytes, sha256_hex},
    },
};

/// Start of every token, by which people and scanners for leaked secrets recognize it. A token has no dots, so it cannot
/// pass as a JWT.
const PREFIX: &str = "portaria_inbox_";
/// Number of random bytes of a token.
const SECRET_BYTES: usize = 32;
/// Maximum number of tokens of an office.
const MAX_TOKENS: usize = 50;
/// Maximum number of characters of a token's name.
const MAX_NAME_CHARS: usize = 80;

/// The hash of a presented token.
#[derive(Debug, Clone)]
pub(crate) struct TokenHash(String);

impl TokenHash {
    /// Returns the hash of a bearer token, if it has the form of a token of the inbox.
    pub(crate) fn of(bearer: &str) -> Option<Self> {
        let secret = bearer.strip_prefix(PREFIX)?;
        (BASE64.decode(secret).ok()?.len() == SECRET_BYTES).then(|| Self(sha256_hex(bearer)))
    }
}

/// A token that is in force.
#[derive(Debug)]
pub(crate) struct InboxToken {
    pub(crate) id: String,
    pub(crate) name: String,
    /// E-mail address and metadata of the administrator who created it. `None` after the removal of the account, and for
    /// a token of a program.
    pub(crate) creator: Option<Creator>,
    pub(crate) created_at: String,
    pub(crate) last_used_at: Option<String>,
}

/// The creator of a token.
#[derive(Debug)]
pub(crate) struct Creator {
    pub(crate) email: String,
    pub(crate) metadata: String,
}

/// The office has the maximum number of tokens.
#[derive(Debug)]
pub(crate) struct TooManyTokens;

/// Returns the name of a new token without surrounding spaces. `None` if it is empty, too long, or contains control
/// characters.
pub(crate) fn parse_name(name: &str) -> Option<String> {
    let name = name.trim();
    let is_name = !name.is_empty()
        && name.chars().count() <= MAX_NAME_CHARS
        && !name.chars().any(char::is_control);
    is_name.then(|| name.to_owned())
}

/// Returns the tokens of the office, oldest first.
pub(crate) fn all(tx: &mut Tx<'_>) -> Result<Vec<InboxToken>, Error> {
    select(tx, None)
}

/// Finds the token in force with this hash.
pub(crate) fn find(
    tx: &mut Tx<'_>,
    TokenHash(hash): &TokenHash,
) -> Result<Option<InboxToken>, Error> {
    Ok(select(tx, Some(hash))?.pop())
}

fn select(tx: &mut Tx<'_>, hash: Option<&str>) -> Result<Vec<InboxToken>, Error> {
    let column = |name: &'static str| Expr::col(("inbox_tokens", name));
    let mut query = Query::select();
    query.columns(["id", "name", "created_at", "last_used_at"].map(|name| ("inbox_tokens", name)));
    query.columns(["email", "user_metadata"].map(|name| ("users", name)));
    query.from("inbox_tokens").join(
        JoinType::LeftJoin,
        "users",
        Expr::col(("users", Alias::new("id"))).equals(("inbox_tokens", "created_by_id")),
    );
    if let Some(hash) = hash {
        query.and_where(column("token_hash").eq(hash));
    }
    query.order_by(("inbox_tokens", "created_at"), Order::Asc);
    query.order_by(("inbox_tokens", "id"), Order::Asc);
    let token = |row: crate::db::Row<'_>| {
        let creator = row.opt_text(4)?.zip(row.opt_text(5)?);
        let creator = creator.map(|(email, metadata)| Creator {
            email: email.to_owned(),
            metadata: metadata.to_owned(),
        });
        Ok(InboxToken {
            id: row.text(0)?.to_owned(),
            name: row.text(1)?.to_owned(),
            creator,
            created_at: row.text(2)?.to_owned(),
            last_used_at: row.opt_text(3)?.map(str::to_owned),
        })
    };
    tx.rows(&query)?.iter().map(token).collect()
}

/// Creates a token and returns its id with the secret, which is stored nowhere.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    name: &str,
) -> Result<Result<(InboxTokenId, String), TooManyTokens>, Error> {
    office::lock(tx)?;
    if all(tx)?.len() >= MAX_TOKENS {
        return Ok(Err(TooManyTokens));
    }
    let now = app.clock.now();
    let id = InboxTokenId::new(now);
    let mut bytes = [0; SECRET_BYTES];
    random_bytes(&mut bytes);
    let secret = format!("{PREFIX}{}", BASE64.encode(bytes));
    tx.insert(
        "inbox_tokens",
        [
            ("id", id.into()),
            ("name", name.into()),
            ("token_hash", sha256_hex(&secret).into()),
            ("created_by_id", caller.user().into()),
            ("created_at", format_timestamp(now).into()),
        ],
    )?;
    let event = AuditEvent::new(EventName::InboxTokenCreated);
    let event = event.subject(Some(id.to_string()), Some(name.to_owned()));
    audit::record(tx, app, caller, [event]);
    Ok(Ok((id, secret)))
}

/// Revokes a token. Returns whether there was one.
pub(crate) fn revoke(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    id: InboxTokenId,
) -> Result<bool, Error> {
    let mut query = Query::select();
    query.column("name").from("inbox_tokens").and_where(Expr::col("id").eq(id));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(false) };
    let mut delete = Query::delete();
    delete.from_table("inbox_tokens").and_where(Expr::col("id").eq(id));
    if tx.execute(&delete)? == 0 {
        return Ok(false);
    }
    let event = AuditEvent::new(EventName::InboxTokenRevoked);
    let event = event.subject(Some(id.to_string()), Some(row.text(0)?.to_owned()));
    audit::record(tx, app, caller, [event]);
    Ok(true)
}

/// Records the use of a token. Returns whether it is still in force.
pub(crate) fn record_use(
    tx: &mut Tx<'_>,
    token: &InboxToken,
    now: Timestamp,
) -> Result<bool, Error> {
    let mut update = Query::update();
    update.table("inbox_tokens").value("last_used_at", format_timestamp(now));
    Ok(tx.execute(update.and_where(Expr::col("id").eq(token.id.as_str())))? > 0)
}

#[cfg(test)]
mod tests {
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};

    use crate::inbox::tokens::{TokenHash, parse_name};

    #[test]
    fn hash_exists_for_whole_tokens_only() {
        let secret = BASE64.encode([7; 32]);
        assert!(TokenHash::of(&format!("portaria_inbox_{secret}")).is_some());
        for other in [secret.as_str(), "portaria_inbox_", "portaria_inbox_AAAA", ""] {
            assert!(TokenHash::of(other).is_none(), "{other}");
        }
    }

    #[test]
    fn name_has_one_to_eighty_characters() {
        assert_eq!(parse_name(" Scanner ").as_deref(), Some("Scanner"));
        assert!(parse_name(&"é".repeat(80)).is_some());
        for bad in ["", " ", "a\nb", &"x".repeat(81)] {
            assert!(parse_name(bad).is_none(), "{bad}");
        }
    }
}
