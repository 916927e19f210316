//! `POST /setup`: the first administrator, created with the one-time link that the first start printed.

use std::sync::Arc;

use axum::{Json as Answer, extract::State};
use sea_query::{Expr, ExprTrait, OnConflict, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::user, app::App, audit, clock::format_timestamp, db::Tx, display_name, policy::Caller,
    security::keys,
};
use crate::{
    accounts::validation,
    api::auth::{AuthError, extract::Json},
};

/// The fact that holds the token's hash while there is no administrator.
const FACT: &str = "setup_token";

/// The form of the set-up page.
#[derive(Deserialize)]
pub struct Body {
    token: String,
    email: String,
    password: String,
    #[serde(default)]
    full_name: String,
}

/// Answers `{}`; the token is spent.
///
/// # Errors
/// 403 `setup_token_invalid` when the token is wrong or spent; `weak_password`, `validation_failed`, `email_exists`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let token_hash = keys::hash(&body.token);
    let asked = token_hash.clone();
    app.db.read(move |tx| check(tx, &asked)).await?;
    let email = validation::email(&body.email)?;
    validation::password(&body.password, &app.config)?;
    let hash = app.passwords.hash(body.password).await?;
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        // Of two browsers only one finds the token still there, and creates the administrator.
        let mut spend = Query::delete();
        spend.from_table("facts").and_where(Expr::col("name").eq(FACT));
        if tx.execute(spend.and_where(Expr::col("value").eq(&token_hash)))? == 0 {
            return Err(AuthError::setup_token_invalid());
        }
        create_admin(tx, &inner, email, Some(hash), body.full_name.trim())?;
        Ok(Answer(json!({})))
    };
    app.db.write(write).await
}

fn check(tx: &mut Tx<'_>, token_hash: &str) -> Result<(), AuthError> {
    let mut query = Query::select();
    query.column("value").from("facts").and_where(Expr::col("name").eq(FACT));
    let rows = tx.rows(&query)?;
    let stored = rows.first().map(|row| row.text(0)).transpose()?;
    if stored == Some(token_hash) { Ok(()) } else { Err(AuthError::setup_token_invalid()) }
}

/// A fresh set-up token, if there is no administrator yet. An older token is worth nothing from then on.
pub async fn offer(app: &Arc<App>) -> Result<Option<String>, AuthError> {
    app.db
        .write(|tx| {
            if user::count_admins(tx)? > 0 {
                return Ok(None);
            }
            let token = keys::new_token();
            tx.execute(
                Query::insert()
                    .into_table("facts")
                    .columns(["name", "value"])
                    .values_panic([FACT.into(), keys::hash(&token).into()])
                    .on_conflict(OnConflict::column("name").update_column("value").to_owned()),
            )?;
            Ok(Some(token))
        })
        .await
}

/// Creates an administrator, or gives the role (and, if given, the password) to an existing account.
pub fn create_admin(
    tx: &mut Tx<'_>,
    app: &App,
    email: String,
    password_hash: Option<String>,
    full_name: &str,
) -> Result<(), AuthError> {
    let now = app.clock.now();
    let existing = user::locked_by_email(tx, &email)?;
    let is_new = existing.is_none();
    let was_admin = existing.as_ref().is_some_and(user::User::is_admin);
    let mut user = existing.unwrap_or_else(|| user::User::new(email, now));
    user.make_admin();
    user.email_confirmed_at.get_or_insert_with(|| format_timestamp(now));
    if password_hash.is_some() {
        user.password_hash = password_hash;
        crate::accounts::session::end_others(tx, user.id, None)?;
    }
    if !full_name.is_empty() {
        user.user_metadata
            .insert("full_name".into(), display_name::sanitize_display_name(full_name).into());
    }
    if is_new {
        user::insert(tx, &mut user, &app.config)?;
    } else {
        user::update(tx, &mut user, &app.config, now)?;
    }
    audit::record(tx, app, Caller::Service, audit::role_change(was_admin, &user));
    Ok(())
}
