//! `/account/v1/documents/{id}`: the timeline of a document and its proof of delivery, for staff; and
//! `/account/v1/proofs/{code}`, by which anybody checks a proof without a session.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use crate::{
    accounts::authenticate::Credential,
    api::account::{AccountError, require_staff_for},
    app::App,
    config::pages::Page,
    db::Tx,
    documents::proof::{
        self, LogState, Proof,
        pdf::{self, Issue},
        timeline::Entry,
    },
    policy::Action,
    security::{caller::Caller, keys, rate_limit::ClientAddr},
};

/// Answers with the timeline of a document, oldest entry first.
///
/// # Errors
/// `not_admin` for clients and during impersonation, `not_found` for an unknown document.
pub async fn timeline(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Json<Value>, AccountError> {
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| load(tx, app, &credential, &id);
    let (_, proof) = app.read(read).await?;
    let entries: Vec<Value> = proof.entries.iter().map(entry).collect();
    Ok(Json(json!({"entries": entries})))
}

fn entry(entry: &Entry) -> Value {
    json!({
        "at": entry.at,
        "title": entry.title,
        "person": entry.person,
        "detail": entry.detail,
        "number": entry.audit.as_ref().map(|place| place.number),
    })
}

/// Issues a proof of delivery, and sends its PDF.
///
/// # Errors
/// Those of [`timeline`].
pub async fn issue(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Response, AccountError> {
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| load(tx, app, &credential, &id);
    let (caller, proof) = app.read(read).await?;
    let office = app.office().await;
    let (pdf, hash, code, proof) = {
        let app = Arc::clone(&app);
        let write = move || {
            let code = proof::new_code();
            let url = app.config.page_url(Page::Proof(&code));
            let (zone, at) = (&app.config.time_zone, app.clock.now());
            let pdf =
                pdf::write(&proof, &Issue { office: &office, zone, at, code: &code, url: &url })?;
            let hash = keys::hex(&Sha256::digest(&pdf));
            anyhow::Ok((pdf, hash, code, proof))
        };
        let written = spawn_blocking(write).await.map_err(anyhow::Error::from).flatten();
        written.map_err(|error| AccountError::internal(&error))?
    };
    let record = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        proof::record(tx, app, caller, &proof, &code, &hash).map_err(AccountError::from)
    };
    app.write(record).await?;
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/pdf"));
    let name = HeaderValue::from_static("attachment; filename=\"comprovante-de-entrega.pdf\"");
    headers.insert(header::CONTENT_DISPOSITION, name);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok((headers, pdf).into_response())
}

/// Confirms a proof without personal data: times and hashes, and whether the audit log still has its last event.
///
/// # Errors
/// `not_found` for an unknown code, `over_request_rate_limit`.
pub async fn check(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    Path(code): Path<String>,
) -> Result<Json<Value>, AccountError> {
    app.limits.verify(origin)?;
    let read =
        move |tx: &mut Tx<'_>, _: &Arc<App>| proof::check(tx, &code).map_err(AccountError::from);
    let proof = app.read(read).await?.ok_or_else(AccountError::not_found)?;
    Ok(Json(json!({
        "office": app.office().await.name,
        "issued_at": proof.issued_at,
        "pdf_sha256": proof.pdf_sha256,
        "file_sha256": proof.file_sha256,
        "published_at": proof.published_at,
        "opened_at": proof.opened_at,
        "events": proof.event_count,
        "log": match proof.log {
            LogState::Confirmed => "confirmed",
            LogState::Expired => "expired",
            LogState::Contradicted => "contradicted",
        },
    })))
}

/// Loads the facts of a document's proof for a member of staff.
fn load(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
    id: &str,
) -> Result<(Caller, Proof), AccountError> {
    let (caller, id) = require_staff_for(tx, credential, app, Action::Select, id)?;
    let proof = proof::read(tx, app, id)?.ok_or_else(AccountError::not_found)?;
    Ok((caller, proof))
}
