//! `POST /setup`: creates the first administrator with the one-time token that each start prints until there is one.
//! `POST /setup/check`: checks the token without consuming it.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use sea_query::{Expr, ExprTrait, OnConflict, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::{one_time_token, passkeys, session, user, validation},
    api::auth::{AuthError, extract::Json},
    app::App,
    audit,
    clock::format_timestamp,
    db::Tx,
    display_name,
    security::{
        caller::Caller,
        keys,
        rate_limit::{AccountAction, ClientAddr},
    },
};

/// Row of the table `system_state` with the seed of the token, while there is no administrator. The token is derived from
/// the seed and the portal secret, so every node prints the same one.
const SETUP_TOKEN_KEY: &str = "setup_token";

/// Request body.
#[derive(Deserialize)]
pub struct Body {
    token: String,
    email: String,
    password: String,
    #[serde(default)]
    full_name: String,
}

/// Returns `{}` and consumes the token.
///
/// # Errors
/// 403 `setup_token_invalid` if the token is wrong or consumed; `weak_password`, `validation_failed`, `email_exists`,
/// `over_request_rate_limit`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(AccountAction::Setup, origin)?;
    let token = body.token;
    let seed = app.read(move |tx, app| find_seed(tx, app, &token)).await?;

    let email = validation::email(&body.email)?;
    validation::password(&body.password, &app.config)?;
    let hash = app.passwords.hash(body.password).await?;
    app.write(move |tx, app| {
        // Of two concurrent requests with the same token, only one deletes the row and creates the administrator.
        let mut consume = Query::delete();
        consume.from_table("system_state").and_where(Expr::col("name").eq(SETUP_TOKEN_KEY));
        if tx.execute(consume.and_where(Expr::col("value").eq(&seed)))? == 0 {
            return Err(AuthError::setup_token_invalid());
        }
        create_admin(tx, app, email, Some(hash), body.full_name.trim())?;
        Ok(Answer(json!({})))
    })
    .await
}

/// Request body of the check.
#[derive(Deserialize)]
pub struct CheckBody {
    token: String,
}

/// Returns `{}` for a valid token. The web app asks before it shows the form.
///
/// # Errors
/// 403 `setup_token_invalid` if the token is wrong or consumed; `over_request_rate_limit`.
pub async fn check(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    Json(body): Json<CheckBody>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(AccountAction::Setup, origin)?;
    app.read(move |tx, app| find_seed(tx, app, &body.token)).await?;
    Ok(Answer(json!({})))
}

/// Returns the seed of a token, if it is valid.
fn find_seed(tx: &mut Tx<'_>, app: &App, token: &str) -> Result<String, AuthError> {
    let seed = read_seed(tx)?.ok_or_else(AuthError::setup_token_invalid)?;
    // The comparison of hashes reveals by its time nothing of the token.
    let is_valid = keys::sha256_hex(token) == keys::sha256_hex(&app.keys.setup_token(&seed));
    if is_valid { Ok(seed) } else { Err(AuthError::setup_token_invalid()) }
}

fn read_seed(tx: &mut Tx<'_>) -> Result<Option<String>, AuthError> {
    let mut query = Query::select();
    query.column("value").from("system_state").and_where(Expr::col("name").eq(SETUP_TOKEN_KEY));
    Ok(tx.rows(&query)?.first().map(|row| row.text(0).map(str::to_owned)).transpose()?)
}

/// Returns the set-up token if there is no administrator. It is the same on all nodes and at each start, until it is used.
pub async fn issue_setup_token(app: &Arc<App>) -> Result<Option<String>, AuthError> {
    app.write(|tx, app| {
        if user::count_admins(tx)? > 0 {
            return Ok(None);
        }
        tx.execute(
            Query::insert()
                .into_table("system_state")
                .columns(["name", "value"])
                .values_panic([SETUP_TOKEN_KEY.into(), keys::new_token().into()])
                .on_conflict(OnConflict::column("name").do_nothing().to_owned()),
        )?;
        Ok(read_seed(tx)?.map(|seed| app.keys.setup_token(&seed)))
    })
    .await
}

/// Creates an administrator, or gives the role and, if given, the password to an existing account. A new password ends
/// the account's sessions and removes its passkeys. Lifts a ban of the account, and returns whether there was one.
pub fn create_admin(
    tx: &mut Tx<'_>,
    app: &App,
    email: String,
    password_hash: Option<String>,
    full_name: &str,
) -> Result<bool, AuthError> {
    let now = app.clock.now();
    let existing = user::locked_by_email(tx, &email)?;
    let is_new = existing.is_none();
    let before = existing.as_ref().map(user::User::as_caller);

    let mut user = existing.unwrap_or_else(|| user::User::new(email, now));
    user.make_admin();
    let was_banned = user.is_banned(now);
    user.banned_until = None;
    user.email_confirmed_at.get_or_insert_with(|| format_timestamp(now));
    if password_hash.is_some() {
        user.password_hash = password_hash;
        // The operator chooses a password to shut others out of the account.
        one_time_token::revoke_all(tx, user.id)?;
        session::end_others(tx, user.id, None)?;
        passkeys::remove_all(tx, app, Caller::Service, &user)?;
    }
    if !full_name.is_empty() {
        user.user_metadata
            .insert("full_name".into(), display_name::sanitize_display_name(full_name).into());
    }

    if is_new {
        validation::require_ascii_local_part(&user.email)?;
        user::insert(tx, &mut user, &app.config)?;
    } else {
        user::update(tx, &mut user, &app.config, now)?;
    }
    let unbanned = was_banned.then(|| {
        user.audit_event(audit::EventName::AccountChanged)
            .detail(json!({"columns": ["banned_until"]}))
    });
    let role = user.role_change_event(before.unwrap_or(Caller::own_account(user.id)));
    audit::record(tx, app, Caller::Service, unbanned.into_iter().chain(role));
    Ok(was_banned)
}
