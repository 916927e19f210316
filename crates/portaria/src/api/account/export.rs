//! Export of a person's data as a ZIP archive, streamed while it is created.
//!
//! `GET /account/v1/export` exports the caller's data. `GET /account/v1/clients/{id}/export` lets the office export a
//! client's data, for requests that arrive in writing.

use std::{io, sync::Arc};

use axum::{
    Extension,
    body::{Body, Bytes},
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use sea_query::{Expr, Query};
use tokio::sync::mpsc;

use crate::api::table_hooks::exported_tables;
use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    audit,
    db::Tx,
    policy,
    security::{caller::Caller, ids::UserId},
    telemetry::request_id::{self, RequestContext},
};
use crate::{
    api::account::{AccountError, require_administrator, require_person},
    privacy::export_archive,
};

/// Maximum number of chunks that wait to be sent. A slow client slows down the archive and does not fill memory.
const MAX_BUFFERED_CHUNKS: usize = 2;

/// Header with the approximate size of the archive, for a progress bar. The exact size is known only at the end.
const EXPECTED_BYTES: &str = "x-expected-bytes";

/// Sends the caller's archive. After a failure the response is cut off, so that a part cannot pass for the whole.
///
/// # Errors
/// `over_request_rate_limit`; those of `require_person`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Response, AccountError> {
    let (owner, bytes) = app
        .write(move |tx, app| {
            let owner = require_person(tx, &credential, app)?;
            app.limits.export(owner.id)?;
            begin(tx, app, owner.as_caller(), owner)
        })
        .await?;
    Ok(send(&app, "meus-dados", owner, bytes))
}

/// Sends a client's archive to the office.
///
/// # Errors
/// `not_admin` for clients and during impersonation, `user_not_found` for a missing account or one of the staff.
pub async fn client_handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Response, AccountError> {
    let find = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = require_administrator(tx, &credential, app)?;
        let id: UserId = id.parse().map_err(|_| AccountError::no_client())?;
        let client = user::by_id(tx, id)?.filter(|user| !user.is_admin());
        begin(tx, app, caller, client.ok_or_else(AccountError::no_client)?)
    };
    let (owner, bytes) = app.write(find).await?;
    Ok(send(&app, "dados", owner, bytes))
}

/// Records the export as an audit event. Returns the owner with the approximate number of bytes.
fn begin(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    owner: User,
) -> Result<(User, i64), AccountError> {
    audit::record(tx, app, caller, [owner.audit_event(audit::EventName::AccountExported)]);
    let mut query = Query::select();
    query.expr(Expr::cust("COALESCE(CAST(SUM(size) AS BIGINT), 0)")).from("objects");
    let listed = policy::listed_objects(Caller::own_account(owner.id));
    query.cond_where(listed.map_err(|policy::Denied| AccountError::no_person())?);
    let rows = tx.rows(&query)?;
    let bytes = rows.first().map_or(Ok(0), |row| row.int(0))?;
    Ok((owner, bytes))
}

/// Starts the task that writes the archive, and returns the response that streams it.
fn send(app: &Arc<App>, name: &str, owner: User, bytes: i64) -> Response {
    let today = app.clock.now().to_zoned(app.config.time_zone.clone()).date();
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(MAX_BUFFERED_CHUNKS);
    let app_handle = Arc::clone(app);
    tokio::spawn(RequestContext::current().scope(async move {
        let tables = exported_tables().collect();
        if let Err(error) = export_archive::write(&app_handle, owner, tables, &sender).await {
            // A disconnected client is not a failure of the export.
            if !sender.is_closed() {
                tracing::error!(request = request_id::current(), %error, "data export aborted");
            }
            drop(sender.send(Err(io::Error::other("data export aborted"))).await);
        }
    }));

    let chunks = stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|chunk| (chunk, receiver))
    });
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    let name = format!("attachment; filename=\"{name}-{today}.zip\"");
    if let Ok(name) = HeaderValue::try_from(name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    headers.insert(EXPECTED_BYTES, bytes.into());
    (headers, Body::from_stream(chunks)).into_response()
}
