//! `POST /recover`: ask for a link to set a new password.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    AuthError, attempts,
    body::Json,
    mailing::{self, Ask},
    one_time::Purpose,
    pkce,
    redirect::Redirect,
    rules,
};
use crate::{
    app::App,
    db::Tx,
    events,
    limits::{self, Origin},
    users,
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
    let email = body.email.filter(|email| !email.trim().is_empty());
    let email = rules::email(
        &email.ok_or_else(|| AuthError::validation("Password recovery requires an email"))?,
    )?;
    let ask = Ask { redirect, challenge: body.pkce.challenge()? };
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        if attempts::may_mail(tx, &inner, &email)?.is_err() {
            return Ok(());
        }
        match users::by_email(tx, &email)? {
            Some(mut user) => mailing::send(tx, &inner, &mut user, Purpose::Recovery, &ask),
            None => Ok(events::prove_to_nobody(tx, &inner, &email)?),
        }
    };
    app.db.write(write).await?;
    Ok(Answer(json!({})))
}
