//! `/account/v1/calendar`: the secret address of the caller's calendar. It is derived from the portal secret, and the
//! database stores its hash (`docs/decisions/0020-secrets-in-links-are-derived.md`).

use std::sync::Arc;

use axum::{Extension, Json, extract::State, http::StatusCode};
use sea_query::{Expr, ExprTrait, OnConflict, Query};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::api::account::{AccountError, require_person};
use crate::{
    accounts::authenticate::Credential, app::App, clock::format_timestamp, db::Tx, security::keys,
};

/// `GET`: returns `{url, created_at}`, both null without a subscription.
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
        query.columns(["id", "token_hash", "created_at"]).from("calendar_feeds");
        query.and_where(Expr::col("client_id").eq(owner.id));
        let rows = tx.rows(&query)?;
        let Some(row) = rows.first() else { return Ok(None) };
        let token = Uuid::parse_str(row.text(0)?).map(|id| app.keys.calendar_token(id));
        // After a change of the portal secret the old address still works, but it cannot be derived again.
        let token =
            token.ok().filter(|token| row.text(1).is_ok_and(|h| h == keys::sha256_hex(token)));
        Ok::<_, AccountError>(Some((token, row.text(2)?.to_owned())))
    };
    let (token, created_at) = app.read(find).await?.unzip();
    let url = token.flatten().map(|token| address(&app, &token));
    Ok(Json(json!({"url": url, "created_at": created_at})))
}

/// `POST`: creates a new address, which invalidates the previous one.
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
        tx.execute(statement.on_conflict(replace))?;
        Ok::<_, AccountError>(())
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
