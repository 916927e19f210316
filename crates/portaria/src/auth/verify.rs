//! `POST /verify`: exchange the token of a mailed link for a session.

use std::sync::Arc;

use axum::{
    Json as Answer,
    extract::State,
    http::{HeaderMap, header::USER_AGENT},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    AuthError,
    body::Json,
    one_time::{self, Purpose},
    tokens,
};
use crate::{app::App, clock::stamp, db::Tx, users};

/// The token and what it is for.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    token_hash: Option<String>,
    #[serde(default, rename = "type")]
    purpose: Option<String>,
}

/// Answers with a session. The token is spent, and the address it was mailed to is proved.
///
/// # Errors
/// `otp_expired` for a token that is wrong, spent, replaced or older than an hour, alike.
pub async fn handler(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let token = body.token_hash.filter(|token| !token.is_empty());
    let token = token.ok_or_else(|| AuthError::validation("Verify requires a token_hash"))?;
    let purpose = body.purpose.as_deref().and_then(Purpose::read);
    let purpose =
        purpose.ok_or_else(|| AuthError::validation("Verify requires a verification type"))?;
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).map(str::to_owned);
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let now = inner.clock.now();
        let expired =
            || AuthError::forbidden("otp_expired", "Email link is invalid or has expired");
        let id = one_time::spend(tx, &token, purpose, now)?.ok_or_else(expired)?;
        let mut user = users::by_id(tx, id)?.ok_or_else(expired)?;
        if user.is_banned(now) {
            return Err(AuthError::forbidden("user_banned", "User is banned"));
        }
        user.email_confirmed_at.get_or_insert_with(|| stamp(now));
        tokens::begin(tx, &inner, &mut user, "recovery", agent.as_deref())
    };
    app.db.write(write).await.map(Answer)
}
