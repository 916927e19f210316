//! `GET /calendario/{token}.ics`: when a person's documents expire, for the calendar program that they gave the
//! address.
//!
//! Whoever knows the address may read, as with every calendar that is subscribed to; so it is long, is told to nobody
//! else, and its owner can take it back.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, JoinType, Order, Query};
use uuid::Uuid;

use crate::{
    accounts::user,
    app::App,
    clock::format_timestamp,
    db::Tx,
    policy::{self, Action, Caller},
    schema::TableId,
    security::keys,
};
use crate::{
    api::account::OwnError,
    documents::ics::{self, Event},
};

/// What expired longer ago is no longer told: programs read the whole calendar again every few hours.
const PAST: SignedDuration = SignedDuration::from_hours(365 * 24);

/// The calendar, or nothing if the program has this very one already.
///
/// # Errors
/// Faults of ours. An address that is none is answered like one that was taken back, with 404.
pub async fn handler(
    State(app): State<Arc<App>>,
    Path(file): Path<String>,
    asked: HeaderMap,
) -> Result<Response, OwnError> {
    let inner = Arc::clone(&app);
    let hash = keys::hash(file.strip_suffix(".ics").unwrap_or_default());
    let read = move |tx: &mut Tx<'_>| {
        let now = inner.clock.now();
        let Some(owner) = owner(tx, &hash, now)? else { return Ok(None) };
        events(tx, owner, now).map(Some)
    };
    let Some(events) = app.db.read(read).await? else { return Ok(unknown()) };
    let calendar = ics::calendar(&app.config, &events);
    let etag = format!("\"{}\"", keys::hash(&calendar));
    let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let is_known = known.is_some_and(|known| {
        known.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == etag)
    });
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let kind = [
            (header::CONTENT_TYPE, "text/calendar; charset=utf-8"),
            (header::CONTENT_DISPOSITION, "inline; filename=\"vencimentos.ics\""),
        ];
        (kind, calendar).into_response()
    };
    let headers = response.headers_mut();
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(header::ETAG, etag);
    }
    let newest = events.iter().map(|event| event.changed).max();
    let newest = newest.map(|at| at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
    if let Some(Ok(newest)) = newest.map(HeaderValue::try_from) {
        headers.insert(header::LAST_MODIFIED, newest);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    keep_out_of_search(headers);
    Ok(response)
}

fn unknown() -> Response {
    let text = "Este calendário não existe ou o endereço foi revogado.\n";
    let mut response = (StatusCode::NOT_FOUND, text).into_response();
    keep_out_of_search(response.headers_mut());
    response
}

fn keep_out_of_search(headers: &mut HeaderMap) {
    headers.insert("x-robots-tag", HeaderValue::from_static("none"));
}

/// Whose calendar that is, unless they may not sign in any more.
fn owner(tx: &mut Tx<'_>, hash: &str, now: Timestamp) -> Result<Option<Uuid>, OwnError> {
    let mut query = Query::select();
    query.column("client_id").from("calendar_feeds").and_where(Expr::col("token_hash").eq(hash));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let Ok(id) = Uuid::parse_str(row.text(0)?) else { return Ok(None) };
    Ok(user::by_id(tx, id)?.filter(|user| !user.is_banned(now)).map(|user| user.id))
}

fn events(tx: &mut Tx<'_>, owner: Uuid, now: Timestamp) -> Result<Vec<Event>, OwnError> {
    // Everybody's calendar holds their own documents, staff's too.
    let access = policy::access(Caller::Client(owner), TableId::Documents, Action::Select);
    let access = access.map_err(|policy::Denied| OwnError::not_found())?;
    let mut query = Query::select();
    query.columns(["id", "name", "expires_at", "updated_at"].map(|column| ("documents", column)));
    query.column(("folders", "name")).from("documents").join(
        JoinType::InnerJoin,
        "folders",
        Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase")),
    );
    query.cond_where(access.condition("documents"));
    query.and_where(Expr::col(("documents", "expires_at")).gte(format_timestamp(now - PAST)));
    query.order_by(("documents", "expires_at"), Order::Asc);
    query.order_by(("documents", "id"), Order::Asc);
    let rows = tx.rows(&query)?;
    let mut events = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let moment = |column| Ok::<_, OwnError>(row.text(column)?.parse().unwrap_or_default());
        events.push(Event {
            id: row.text(0)?.to_owned(),
            name: row.text(1)?.to_owned(),
            expires: moment(2)?,
            changed: moment(3)?,
            folder: row.text(4)?.to_owned(),
        });
    }
    Ok(events)
}
