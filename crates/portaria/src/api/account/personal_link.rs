//! `/account/v1/documents/{id}/links`: the personal links of a document, for staff; and `/account/v1/links/{token}`, by
//! which a recipient opens the document without a session.
//!
//! `GET` changes nothing, because mail scanners open links.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::to_bytes,
    extract::{Path, Request, State},
    http::{HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    accounts::authenticate::Credential,
    api::{
        account::{AccountError, require_staff_for},
        json_body::{self, MAX_ANONYMOUS_BYTES},
    },
    app::App,
    db::Tx,
    documents::personal_link::{
        self, LinkState, PersonalLink,
        opening::{self, Opening},
    },
    policy::{self, Action},
    schema::TableId,
    security::{caller::Caller, ids::DocumentId, rate_limit::ClientAddr},
};

/// Answers with the newest links of a document, newest first. Their addresses open the document in the client's name, so
/// a reader does not get them.
///
/// # Errors
/// `not_admin` for clients and during impersonation, `not_found` for an unknown document.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Json<Value>, AccountError> {
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (caller, document) = staff_and_document(tx, app, &credential, Action::Select, &id)?;
        let may_write = policy::access(caller, TableId::Documents, Action::Update).is_ok();
        let links = personal_link::of_document(tx, document)?;
        let described = links.iter().map(|link| {
            let mut link = describe(tx, app, link)?;
            if !may_write {
                link["url"] = Value::Null;
            }
            Ok(link)
        });
        described.collect::<Result<Vec<Value>, AccountError>>()
    };
    Ok(Json(json!({"links": app.read(read).await?})))
}

/// Answers with the live link of a document, which is created if there is none.
///
/// # Errors
/// Those of [`list`]; `no_recipient` if no client may open the document.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Json<Value>, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (caller, document) = staff_and_document(tx, app, &credential, Action::Update, &id)?;
        let link = personal_link::create(tx, app, caller, document)?;
        describe(tx, app, &link.ok_or_else(AccountError::no_recipient)?)
    };
    Ok(Json(app.write(write).await?))
}

/// Revokes a link. A repeated request has no effect.
///
/// # Errors
/// Those of [`list`]; `not_found` for an unknown link.
pub async fn revoke(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path((id, link)): Path<(String, String)>,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (caller, document) = staff_and_document(tx, app, &credential, Action::Update, &id)?;
        let link: Uuid = link.parse().map_err(|_| AccountError::not_found())?;
        let is_known = personal_link::revoke(tx, app, caller, document, link)?;
        is_known.then_some(()).ok_or_else(AccountError::not_found)
    };
    app.write(write).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Answers with the state of a link and its question, without anything about document and recipient.
///
/// # Errors
/// `not_found` for an unknown token.
pub async fn challenge(
    State(app): State<Arc<App>>,
    Path(token): Path<String>,
) -> Result<Response, AccountError> {
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        opening::challenge(tx, app, &token)?.ok_or_else(AccountError::not_found)
    };
    let challenge = app.read(read).await?;
    Ok(unlisted(json!({
        "state": challenge.state.as_str(),
        "check": challenge.check.as_str(),
        "answers_left": challenge.answers_left,
    })))
}

/// Mails a code to the recipient of a link that asks for one.
///
/// # Errors
/// `link_closed`, also for an unknown token; `over_request_rate_limit`.
pub async fn send_code(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    Path(token): Path<String>,
) -> Result<StatusCode, AccountError> {
    app.limits.verify(origin)?;
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let is_open = opening::send_code(tx, app, &token)?;
        is_open.then_some(()).ok_or_else(AccountError::link_closed)
    };
    app.write(write).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The body of [`open`].
#[derive(Debug, Deserialize)]
struct Answer {
    answer: String,
}

/// Opens the document of a link after the right answer. A wrong one is counted.
///
/// # Errors
/// `validation_failed` without an answer, `not_found` for an unknown token, `wrong_answer`, `link_closed`,
/// `over_request_rate_limit`.
pub async fn open(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    Path(token): Path<String>,
    request: Request,
) -> Result<Response, AccountError> {
    app.limits.verify(origin)?;
    let body = to_bytes(request.into_body(), MAX_ANONYMOUS_BYTES).await;
    let body = body.ok().and_then(|bytes| json_body::parse(&bytes).ok());
    let answer = body.and_then(|body| serde_json::from_value::<Answer>(body).ok());
    let Answer { answer } = answer.ok_or_else(|| {
        AccountError::invalid("Request body must be a JSON object with the answer")
    })?;
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        // A refusal is no error here, because its count must be committed.
        Ok::<_, AccountError>(opening::open(tx, app, &token, &answer)?)
    };
    match app.write(write).await?.ok_or_else(AccountError::not_found)? {
        Opening::Opened(document) => Ok(unlisted(json!({"document": document}))),
        Opening::Wrong => Err(AccountError::wrong_answer()),
        Opening::Closed => Err(AccountError::link_closed()),
    }
}

/// An answer that search engines do not list.
fn unlisted(body: Value) -> Response {
    let mut response = Json(body).into_response();
    response.headers_mut().insert("x-robots-tag", HeaderValue::from_static("none"));
    response
}

fn describe(tx: &mut Tx<'_>, app: &App, link: &PersonalLink) -> Result<Value, AccountError> {
    let state = link.state(tx, app.clock.now())?;
    Ok(json!({
        "id": link.id,
        "state": state.as_str(),
        "url": (state == LinkState::Ready).then(|| link.url(app)).flatten(),
        "created_at": link.created_at,
        "expires_at": link.expires_at,
        "opened_at": link.opened_at,
        "wrong_answers": link.wrong_answers,
    }))
}

/// Requires staff, and parses the id of an existing document.
fn staff_and_document(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
    action: Action,
    id: &str,
) -> Result<(Caller, DocumentId), AccountError> {
    let (caller, id) = require_staff_for(tx, credential, app, action, id)?;
    let exists = personal_link::document_exists(tx, id)?;
    exists.then_some((caller, id)).ok_or_else(AccountError::not_found)
}
