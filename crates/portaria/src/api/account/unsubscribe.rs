//! `/cancelar-avisos/{token}`: the page on which the recipient of a notification ends its topic, without a session.
//!
//! `GET` changes nothing, because mail scanners open links. `POST` ends the topic, from the page's button or from a
//! mail program (one-click unsubscribe, RFC 8058). The page is independent of the web app and has no script, because
//! its link may be used years later.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use sea_query::{Expr, ExprTrait, OnConflict, Query};
use sha2::{Digest, Sha256};

use crate::api::account::AccountError;
use crate::{
    app::App,
    clock::format_timestamp,
    config::pages::Page,
    db::Tx,
    mail,
    notifications::unsubscribe_token,
    security::{ids::UserId, keys},
};

const PAGE: &str = include_str!("../../../templates/unsubscribe/page.html");
const STYLE: &str = include_str!("../../../templates/unsubscribe/style.css");
const ASK: &str = include_str!("../../../templates/unsubscribe/ask.html");
const DONE: &str = include_str!("../../../templates/unsubscribe/done.html");
const UNKNOWN: &str = include_str!("../../../templates/unsubscribe/unknown.html");

/// `GET`: shows the topic and the button. The page does not reveal whether the topic was ended before, because the link
/// may have been forwarded.
pub async fn show(State(app): State<Arc<App>>, Path(token): Path<String>) -> Response {
    match unsubscribe_token::verify(&app, &token) {
        Some((_, topic)) => page(&app, StatusCode::OK, ASK, topic).await,
        None => page(&app, StatusCode::NOT_FOUND, UNKNOWN, "").await,
    }
}

/// `POST`: ends the topic. A repeated request, and one for a deleted account, succeed.
///
/// # Errors
/// A database error.
pub async fn unsubscribe(
    State(app): State<Arc<App>>,
    Path(token): Path<String>,
) -> Result<Response, AccountError> {
    let Some((user, topic)) = unsubscribe_token::verify(&app, &token) else {
        return Ok(page(&app, StatusCode::NOT_FOUND, UNKNOWN, "").await);
    };
    let now = app.clock.now();
    let mute = move |tx: &mut Tx<'_>| {
        if !exists(tx, user)? {
            return Ok::<_, AccountError>(());
        }
        let mut statement = Query::insert();
        statement.into_table("muted_topics").columns(["id", "client_id", "topic", "created_at"]);
        statement.values_panic([
            keys::new_id(now).to_string().into(),
            user.into(),
            topic.into(),
            format_timestamp(now).into(),
        ]);
        let ignore = OnConflict::columns(["client_id", "topic"]).do_nothing().to_owned();
        tx.execute(statement.on_conflict(ignore))?;
        Ok(())
    };
    app.db.write(mute).await?;
    Ok(page(&app, StatusCode::OK, DONE, topic).await)
}

/// Whether the account exists. Locks it, so that it is not deleted before the transaction ends.
fn exists(tx: &mut Tx<'_>, user: UserId) -> Result<bool, AccountError> {
    let mut query = Query::select();
    query.column("id").from("users").and_where(Expr::col("id").eq(user));
    Ok(!tx.rows(query.lock_exclusive())?.is_empty())
}

/// Renders the page around `content`.
async fn page(app: &Arc<App>, status: StatusCode, content: &str, topic: &str) -> Response {
    let topic = unsubscribe_token::TOPICS.iter().find(|(name, _)| *name == topic);
    let office = app.office().await;
    let style = STYLE.replace("{{color}}", office.color());
    let style = style.replace("{{dark_color}}", office.dark_color());
    let values = [
        ("office.name", office.name.clone()),
        ("topic", topic.map_or_else(String::new, |(_, label)| (*label).to_owned())),
        ("profile", app.config.page_url(Page::Profile)),
        ("portal", app.config.site_url.clone()),
    ];
    let html = PAGE.replace("{{style}}", &style).replace("{{content}}", content.trim_end());
    let mut response = (status, Html(mail::render(&html, &values.into()))).into_response();
    set_security_headers(response.headers_mut(), &style);
    response
}

/// Sets a content security policy that permits the page's own style sheet and a form to the portal, and nothing else.
fn set_security_headers(headers: &mut HeaderMap, style: &str) {
    let style = BASE64_STANDARD.encode(Sha256::digest(style));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert("x-robots-tag", HeaderValue::from_static("none"));
}
