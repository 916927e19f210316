//! `GET /own/v1/export`: everything that is a person's, as one archive, sent as it is made. `GET
//! /own/v1/clients/{id}/export`: the same, taken by the office for a client who asks by letter.

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
use uuid::Uuid;

use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    policy::{self, Caller},
    telemetry::request_id,
};
use crate::{
    api::account::{OwnError, person},
    privacy::export_archive,
};

/// Pieces that wait to be sent; who reads slowly slows the archive down, and memory holds no more.
const AHEAD: usize = 2;

/// About how many bytes will come, so that a page can show how far it is. What exactly is known at the end alone.
const EXPECTED: &str = "x-expected-bytes";

/// Answers with the archive. If something breaks on the way the answer is cut off, so that nobody takes a part for
/// the whole.
///
/// # Errors
/// `over_request_rate_limit`; [`OwnError`] for who is no person.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Response, OwnError> {
    let inner = Arc::clone(&app);
    let find = move |tx: &mut Tx<'_>| {
        let owner = person(tx, &credential, &inner)?;
        inner.limits.export(owner.id)?;
        begin(tx, &inner, audit::from_user(&owner), owner)
    };
    Ok(send(&app, "meus-dados", app.db.write(find).await?))
}

/// Answers with a client's archive.
///
/// # Errors
/// `not_admin` for all but the office, `user_not_found`.
pub async fn of_client(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Response, OwnError> {
    let inner = Arc::clone(&app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = credential.caller(tx, &inner.config, inner.clock.now())??;
        match caller {
            Caller::Admin(_) | Caller::Service => {}
            Caller::Anon => return Err(OwnError::no_authorization()),
            Caller::Client(_) | Caller::Viewer { .. } => return Err(OwnError::not_admin()),
        }
        let id = Uuid::parse_str(&id).map_err(|_| OwnError::no_client())?;
        let client = user::by_id(tx, id)?.filter(|user| !user.is_admin());
        begin(tx, &inner, caller, client.ok_or_else(OwnError::no_client)?)
    };
    Ok(send(&app, "dados", app.db.write(find).await?))
}

/// Writes down that somebody takes it, and asks about how many bytes it will be.
fn begin(tx: &mut Tx<'_>, app: &App, caller: Caller, owner: User) -> Result<(User, i64), OwnError> {
    audit::record(tx, app, caller, [AuditEvent::for_user("account.exported", &owner)]);
    let mut query = Query::select();
    query.expr(Expr::cust("COALESCE(CAST(SUM(size) AS BIGINT), 0)")).from("objects");
    let listed = policy::listed_objects(Caller::Client(owner.id));
    query.cond_where(listed.map_err(|policy::Denied| OwnError::no_person())?);
    let rows = tx.rows(&query)?;
    let bytes = rows.first().map_or(Ok(0), |row| row.int(0))?;
    Ok((owner, bytes))
}

/// Begins to send it.
fn send(app: &Arc<App>, name: &str, (owner, bytes): (User, i64)) -> Response {
    let today = app.clock.now().to_zoned(app.config.time_zone.clone()).date();
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(AHEAD);
    let inner = Arc::clone(app);
    tokio::spawn(request_id::scope(request_id::current(), async move {
        if let Err(error) = export_archive::write(&inner, owner, &sender).await {
            // Whoever hung up needs no answer.
            if !sender.is_closed() {
                tracing::error!(request = request_id::current(), %error, "an export broke off");
            }
            drop(sender.send(Err(io::Error::other("the export broke off"))).await);
        }
    }));
    let pieces = stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    let name = format!("attachment; filename=\"{name}-{today}.zip\"");
    if let Ok(name) = HeaderValue::try_from(name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    headers.insert(EXPECTED, bytes.into());
    (headers, Body::from_stream(pieces)).into_response()
}
