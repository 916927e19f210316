//! `POST /recover`: ask for a link to set a new password.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    AuthError,
    body::{Json, given},
    mailing::{self, Ask},
    one_time::Purpose,
    pkce,
    redirect::Redirect,
    rules,
};
use crate::{
    app::App,
    db::Tx,
    limits::{self, Origin},
};

/// Whose password is forgotten.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(flatten)]
    pkce: pkce::Fields,
}

/// Always answers `{}`: whether the account exists, or was mailed a moment ago, is told to nobody (behaviour A6).
///
/// # Errors
/// `validation_failed` for what is no address; `over_request_rate_limit`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<Origin>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(limits::Ask::Recover, origin)?;
    let email = given(body.email)
        .ok_or_else(|| AuthError::validation("Password recovery requires an email"))?;
    let email = rules::email(&email)?;
    let ask = Ask { redirect, challenge: body.pkce.challenge()? };
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        mailing::to_address(tx, &inner, &email, |tx, account| {
            let Some(mut user) = account else { return Ok(false) };
            mailing::send(tx, &inner, &mut user, Purpose::Recovery, &ask)?;
            Ok(true)
        })
    };
    app.db.write(write).await?;
    Ok(Answer(json!({})))
}
