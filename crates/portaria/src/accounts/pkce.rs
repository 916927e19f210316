//! PKCE (RFC 7636): an opened link returns a code, which only the program that requested the mail can exchange for a
//! session, because it holds the code verifier.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jiff::SignedDuration;
use sea_query::{Expr, ExprTrait, Query};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    accounts::{
        AccountError,
        one_time_token::TokenPurpose,
        user::{self, User},
    },
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    security::{ids::UserId, keys},
};

/// Lifetime of a code.
const CODE_TTL: SignedDuration = SignedDuration::from_mins(5);

/// Fields that start a PKCE flow in a request for a mail.
#[derive(Debug, Deserialize)]
pub(crate) struct PkceParams {
    #[serde(default)]
    code_challenge: Option<String>,
    #[serde(default)]
    code_challenge_method: Option<String>,
}

/// Code challenge of the requesting program.
#[derive(Debug, Clone)]
pub(crate) struct Challenge {
    pub(crate) value: String,
    pub(crate) method: Method,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Plain,
    S256,
}

impl Method {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::S256 => "s256",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Plain, Self::S256]
            .into_iter()
            .find(|method| text.eq_ignore_ascii_case(method.as_str()))
    }
}

impl PkceParams {
    /// Validates the challenge (RFC 7636, section 4.2). Returns `None` if the request has none.
    pub(crate) fn challenge(self) -> Result<Option<Challenge>, AccountError> {
        let non_empty = |field: Option<String>| field.filter(|text| !text.is_empty());
        match (non_empty(self.code_challenge), non_empty(self.code_challenge_method)) {
            (None, None) => Ok(None),
            (Some(text), Some(method)) => {
                if !(43..=128).contains(&text.len()) {
                    return Err(AccountError::Invalid(
                        "code challenge has to be between 43 and 128 characters",
                    ));
                }
                if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
                {
                    return Err(AccountError::Invalid(
                        "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes",
                    ));
                }
                let method = Method::parse(&method);
                let method =
                    method.ok_or(AccountError::Invalid("code challenge method not supported"))?;
                Ok(Some(Challenge { value: text, method }))
            }
            _ => Err(AccountError::Invalid(
                "PKCE flow requires code_challenge_method and code_challenge",
            )),
        }
    }
}

/// Issues the code that an opened link returns.
pub(crate) fn issue(
    tx: &mut Tx<'_>,
    app: &App,
    user: UserId,
    purpose: TokenPurpose,
    challenge: &Challenge,
) -> Result<String, Error> {
    let now = app.clock.now();
    let code = keys::new_api_secret_id().to_string();
    tx.insert(
        "auth_codes",
        [
            ("hash", keys::sha256_hex(&code).into()),
            ("user_id", user.into()),
            ("method", purpose.method().into()),
            ("code_challenge", challenge.value.as_str().into()),
            ("code_challenge_method", challenge.method.as_str().into()),
            ("created_at", format_timestamp(now).into()),
        ],
    )?;
    Ok(code)
}

/// Redeems a code with its verifier, once. Returns the account, locked, and the value of `amr` for its session.
///
/// # Errors
/// [`AccountError::FlowStateNotFound`], [`AccountError::FlowStateExpired`], [`AccountError::BadCodeVerifier`].
pub(crate) fn redeem(
    tx: &mut Tx<'_>,
    app: &App,
    code: &str,
    verifier: &str,
) -> Result<(User, String), AccountError> {
    let hash = keys::sha256_hex(code);
    let mut query = Query::select();
    query
        .columns(["user_id", "method", "code_challenge", "code_challenge_method", "created_at"])
        .from("auth_codes")
        .and_where(Expr::col("hash").eq(&hash));

    let rows = tx.rows(&query)?;
    let row = rows.first().ok_or(AccountError::FlowStateNotFound)?;
    if row.text(4)? <= format_timestamp(app.clock.now() - CODE_TTL).as_str() {
        return Err(AccountError::FlowStateExpired);
    }
    if !verifier_matches(row.text(3)?, row.text(2)?, verifier) {
        return Err(AccountError::BadCodeVerifier);
    }

    let user = row.text(0)?.parse().ok();
    let user = user.map(|id| user::locked_by_id(tx, id)).transpose()?.flatten();
    let deleted = tx
        .execute(Query::delete().from_table("auth_codes").and_where(Expr::col("hash").eq(&hash)))?;
    // Of two concurrent requests with the same code, only one deletes the row.
    let user = user.filter(|_| deleted == 1).ok_or(AccountError::FlowStateNotFound)?;
    Ok((user, row.text(1)?.to_owned()))
}

fn verifier_matches(method: &str, challenge: &str, verifier: &str) -> bool {
    let derived = match Method::parse(method) {
        Some(Method::Plain) => verifier.to_owned(),
        Some(Method::S256) => BASE64.encode(Sha256::digest(verifier.as_bytes())),
        None => return false,
    };
    derived.as_bytes().ct_eq(challenge.as_bytes()).into()
}
