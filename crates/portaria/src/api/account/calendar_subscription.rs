//! `/account/v1/calendar`: the secret address of the caller's calendar. It is derived from the portal secret, and the
//! database stores its hash (`docs/decisions/0020-secrets-in-links-are-derived.md`).

use std::sync::Arc;

use axum::{Extension, Json, extract::State, http::StatusCode};
use sea_query::{Expr, ExprTrait, OnConflict, Query};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::api::account::{AccountError, require_person};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    clock::format_timestamp,
    db::{self, Tx},
    security::keys,
};

/// `GET`: returns `{url, created_at, with_payments}`, the first two null without a subscription.
///
/// # Errors
/// As `require_person`.
pub async fn show(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Json<Value>, AccountError> {
    let find = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let owner = require_person(tx, &credential, app)?;
        let mut query = Query::select();
        query.columns(["id", "token_hash", "created_at", "with_payments"]).from("calendar_feeds");
        query.and_where(Expr::col("client_id").eq(owner.id));
        let rows = tx.rows(&query)?;
        let Some(row) = rows.first() else { return Ok(None) };
        let token = Uuid::parse_str(row.text(0)?).map(|id| app.keys.calendar_token(id));
        // After a change of the portal secret the old address still works, but it cannot be derived again.
        let token =
            token.ok().filter(|token| row.text(1).is_ok_and(|h| h == keys::sha256_hex(token)));
        Ok::<_, AccountError>(Some((token, row.text(2)?.to_owned(), row.bool(3)?)))
    };
    let Some((token, created_at, with_payments)) = app.read(find).await? else {
        return Ok(Json(json!({"url": null, "created_at": null, "with_payments": false})));
    };
    let url = token.map(|token| address(&app, &token));
    Ok(Json(json!({"url": url, "created_at": created_at, "with_payments": with_payments})))
}

/// `PUT …/payments`: the calendar contains amounts and payment lines. Without a subscription nothing happens.
///
/// # Errors
/// As `require_person`.
pub async fn add_payments(
    app: State<Arc<App>>,
    credential: Extension<Credential>,
) -> Result<StatusCode, AccountError> {
    set_payments(app, credential, true).await
}

/// `DELETE …/payments`: the calendar contains no amounts and payment lines, as at its creation.
///
/// # Errors
/// As `require_person`.
pub async fn remove_payments(
    app: State<Arc<App>>,
    credential: Extension<Credential>,
) -> Result<StatusCode, AccountError> {
    set_payments(app, credential, false).await
}

async fn set_payments(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    with_payments: bool,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let owner = require_person(tx, &credential, app)?;
        let mut update = Query::update();
        update.table("calendar_feeds").value("with_payments", with_payments);
        tx.execute(update.and_where(Expr::col("client_id").eq(owner.id)))?;
        Ok::<_, AccountError>(())
    };
    app.write(write).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST`: creates a new address, which invalidates the previous one. The choice of its content stays.
///
/// # Errors
/// As `require_person`.
pub async fn renew(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Json<Value>, AccountError> {
    let now = app.clock.now();
    let id = keys::new_api_secret_id();
    let token = app.keys.calendar_token(id);
    let hash = keys::sha256_hex(&token);
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let owner = require_person(tx, &credential, app)?;
        let mut statement = Query::insert();
        statement.into_table("calendar_feeds");
        statement.columns(["client_id", "id", "token_hash", "created_at"]);
        statement.values_panic([
            owner.id.into(),
            id.to_string().into(),
            hash.into(),
            format_timestamp(now).into(),
        ]);
        let replace = OnConflict::column("client_id")
            .update_columns(["id", "token_hash", "created_at"])
            .to_owned();
        match tx.execute(statement.on_conflict(replace)) {
            // The account was deleted since it was read.
            Err(db::Error::ForeignKey(_)) => Err(AccountError::session_ended()),
            done => Ok(done.map(drop)?),
        }
    };
    app.write(write).await?;
    Ok(Json(json!({"url": address(&app, &token), "created_at": format_timestamp(now)})))
}

/// `DELETE`: removes the address.
///
/// # Errors
/// As `require_person`.
pub async fn revoke(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let owner = require_person(tx, &credential, app)?;
        let is_owner = Expr::col("client_id").eq(owner.id);
        tx.execute(Query::delete().from_table("calendar_feeds").and_where(is_owner))?;
        Ok::<_, AccountError>(())
    };
    app.write(write).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn address(app: &App, token: &str) -> String {
    format!("{}/calendario/{token}.ics", app.config.site_url)
}
