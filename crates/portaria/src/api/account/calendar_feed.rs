//! `GET /calendario/{token}.ics`: the due dates of a person's documents as an iCalendar file, for calendar programs.
//!
//! Calendar programs send no credentials, so the address is the credential: it contains a secret token, and its owner
//! can revoke it.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, JoinType, Query, SelectStatement};

use crate::{
    accounts::user,
    app::App,
    clock::format_timestamp,
    db::Tx,
    policy::{self, Action, members},
    schema::TableId,
    security::{caller::Caller, ids::UserId, keys},
};
use crate::{
    api::account::AccountError,
    documents::{
        ics::{self, Event},
        model::DocumentStatus,
    },
};

/// Maximum age of an expired document in the calendar. Calendar programs download the whole calendar every few hours.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Sends the calendar, or 304 if the program's copy is current. An unknown token and a revoked one are answered 404.
///
/// # Errors
/// A database error.
pub async fn handler(
    State(app): State<Arc<App>>,
    Path(file): Path<String>,
    request_headers: HeaderMap,
) -> Result<Response, AccountError> {
    let hash = keys::sha256_hex(file.strip_suffix(".ics").unwrap_or_default());
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let now = app.clock.now();
        let Some(feed) = find_feed(tx, &hash, now)? else { return Ok(None) };
        let mut events = client_events(tx, &feed, Caller::own_account(feed.owner), None, now)?;
        for membership in members::clients_of(tx, feed.owner, now)? {
            let name =
                user::by_id(tx, membership.client)?.map(|client| client.full_name().to_owned());
            events.extend(client_events(tx, &feed, membership.caller(), name.as_deref(), now)?);
        }
        events.sort_by_key(|event| (event.expires, event.id));
        Ok::<_, AccountError>(Some(events))
    };
    let Some(events) = app.read(read).await? else { return Ok(not_found()) };
    let calendar = ics::calendar(&app.config, &app.office().await.name, &events);
    let etag = format!("\"{}\"", keys::sha256_hex(&calendar));

    let tags = request_headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let is_current = tags.is_some_and(|tags| {
        tags.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == etag)
    });
    let mut response = if is_current {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let content_headers = [
            (header::CONTENT_TYPE, "text/calendar; charset=utf-8"),
            (header::CONTENT_DISPOSITION, "inline; filename=\"vencimentos.ics\""),
        ];
        (content_headers, calendar).into_response()
    };

    let headers = response.headers_mut();
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(header::ETAG, etag);
    }
    let last_modified = events.iter().map(|event| event.changed).max();
    let last_modified =
        last_modified.map(|time| time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
    if let Some(Ok(last_modified)) = last_modified.map(HeaderValue::try_from) {
        headers.insert(header::LAST_MODIFIED, last_modified);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    forbid_indexing(headers);
    Ok(response)
}

/// The response to an unknown or revoked token.
fn not_found() -> Response {
    let text = "Este calendário não existe ou o endereço foi revogado.\n";
    let mut response = (StatusCode::NOT_FOUND, text).into_response();
    forbid_indexing(response.headers_mut());
    response
}

fn forbid_indexing(headers: &mut HeaderMap) {
    headers.insert("x-robots-tag", HeaderValue::from_static("none"));
}

/// The calendar of a person.
struct Feed {
    owner: UserId,
    /// Whether the calendar contains amounts and payment lines of documents that are not paid.
    has_payments: bool,
}

/// Finds a calendar by the hash of its token. A banned account has no calendar.
fn find_feed(tx: &mut Tx<'_>, hash: &str, now: Timestamp) -> Result<Option<Feed>, AccountError> {
    let mut query = Query::select();
    query.columns(["client_id", "with_payments"]).from("calendar_feeds");
    let rows = tx.rows(query.and_where(Expr::col("token_hash").eq(hash)))?;
    let Some(row) = rows.first() else { return Ok(None) };
    let Ok(id) = row.text(0)?.parse() else { return Ok(None) };
    let has_payments = row.bool(1)?;
    let owner = user::by_id(tx, id)?.filter(|user| !user.is_banned(now));
    Ok(owner.map(|owner| Feed { owner: owner.id, has_payments }))
}

fn payment_of_document() -> SelectStatement {
    let mut payment = Query::select();
    payment.expr(Expr::cust("1")).from("document_payments");
    let reference = Expr::col(("document_payments", "document_id"));
    payment.and_where(reference.equals(("documents", "id")));
    payment
}

/// Loads one event per document with a due date that the person may read as this caller. `name` precedes the names of the
/// documents of a client for whom the person acts.
fn client_events(
    tx: &mut Tx<'_>,
    feed: &Feed,
    caller: Caller,
    name: Option<&str>,
    now: Timestamp,
) -> Result<Vec<Event>, AccountError> {
    // The calendar of a member of the staff contains only the person's own documents.
    let access = policy::access(caller, TableId::Documents, Action::Select);
    let access = access.map_err(|policy::Denied| AccountError::not_found())?;
    let mut query = Query::select();
    query.columns(["id", "name", "expires_at", "updated_at"].map(|column| ("documents", column)));
    query.column(("folders", "name"));
    query.columns(["amount_cents", "payment_line", "status"].map(|column| ("documents", column)));
    query.expr(Expr::exists(payment_of_document()));
    query.from("documents").join(
        JoinType::InnerJoin,
        "folders",
        Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase")),
    );
    query.cond_where(access.condition("documents"));
    query.and_where(Expr::col(("documents", "expires_at")).gte(format_timestamp(now - MAX_AGE)));
    let rows = tx.rows(&query)?;
    let mut events = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let timestamp =
            |column| Ok::<_, AccountError>(row.text(column)?.parse().unwrap_or_default());
        // The client cannot open a pending document yet.
        let is_released = DocumentStatus::from_text(row.text(7)?) != DocumentStatus::Pending;
        let is_paid = row.bool(8)?;
        let shows_payment = feed.has_payments && is_released && !is_paid;
        events.push(Event {
            id: row.parse(0)?,
            name: match name {
                Some(client) => format!("{client}: {}", row.text(1)?),
                None => row.text(1)?.to_owned(),
            },
            expires: timestamp(2)?,
            changed: timestamp(3)?,
            folder: row.text(4)?.to_owned(),
            amount_cents: row.opt_int(5)?.filter(|_| shows_payment),
            payment_line: row.opt_text(6)?.filter(|_| shows_payment).map(str::to_owned),
        });
    }
    Ok(events)
}
