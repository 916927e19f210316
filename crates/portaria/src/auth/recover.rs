//! `POST /recover`: ask for a link to set a new password.

use std::sync::Arc;

use axum::{Json as Answer, extract::State};
use sea_query::{OnConflict, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    AuthError,
    body::Json,
    one_time::{self, Purpose},
    rules,
};
use crate::{app::App, clock::stamp, db::Tx, events, users};

/// Whose password is forgotten.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
}

/// Always answers `{}`: whether the account exists, or was mailed a moment ago, is told to nobody (behaviour A6).
///
/// # Errors
/// `validation_failed` for what is no address.
pub async fn handler(
    State(app): State<Arc<App>>,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let email = body.email.filter(|email| !email.trim().is_empty());
    let email = rules::email(
        &email.ok_or_else(|| AuthError::validation("Password recovery requires an email"))?,
    )?;
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let now = inner.clock.now();
        // Written for every address, so that an unknown one waits for the disk as long as a known one.
        tx.execute(
            Query::insert()
                .into_table("facts")
                .columns(["name", "value"])
                .values_panic(["last_recovery".into(), stamp(now).into()])
                .on_conflict(OnConflict::column("name").update_column("value").to_owned()),
        )?;
        let Some(user) = users::by_email(tx, &email)? else { return Ok(()) };
        if let Some(token) = one_time::issue(tx, user.id, Purpose::Recovery, now)? {
            events::password_reset(tx, &inner, &user, &token)?;
        }
        Ok::<_, AuthError>(())
    };
    app.db.write(write).await?;
    Ok(Answer(json!({})))
}
