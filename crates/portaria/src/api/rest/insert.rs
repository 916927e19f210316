//! `POST /rest/v1/{table}`: inserts rows, or upserts them with `Prefer: resolution=…`.
//!
//! An upsert that finds a row changes it by the code path of `PATCH`, so that no rule can be bypassed
//! (docs/decisions/0034-upserts-follow-update-rules.md).

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use sea_query::{Alias, OnConflict};
use serde_json::Value;

use crate::api::table_hooks::hooks;
use crate::{
    accounts::authenticate::Credential, app::App, audit::Change, db::Tx, policy::Action,
    security::caller::Caller,
};
use crate::{
    api::rest::{
        RestError,
        executor::QueryResult,
        idempotency::{IdempotencyKey, IdempotencyState},
        planner::Planner,
        request::{
            Request,
            payload::{
                Payload, WriteKind, check_payload, load_representation, read_json_body,
                write_response,
            },
            prefer::{Missing, Resolution},
        },
    },
    table_write::{Row, WriteContext, WriteError},
};

/// Answers 201, or 200 for an upsert that found all its rows.
///
/// # Errors
/// [`RestError`]; nothing is inserted then.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    payload: Body,
) -> Result<Response, RestError> {
    let request =
        Request::parse(&table, query.as_deref(), &headers, credential, "content-profile")?;
    let payload = read_json_body(&app, &request.credential, &headers, payload).await?;
    let payload = check_payload(&app, &request, Action::Insert, payload).await?;
    let idempotency_key =
        IdempotencyKey::from_request(&headers, &table, query.as_deref(), &payload)?;
    app.write(move |tx, app| once(tx, app, &request, payload, idempotency_key.as_ref())).await
}

/// The outcome of a request: the kind of write, the keys of its rows, and their representation.
type Outcome = (WriteKind, Vec<String>, Option<QueryResult>);

/// Inserts the rows, unless the idempotency key was used before: then it answers with the rows of the first request.
fn once(
    tx: &mut Tx<'_>,
    app: &App,
    request: &Request,
    payload: Value,
    idempotency_key: Option<&IdempotencyKey>,
) -> Result<Response, RestError> {
    let now = app.clock.now();
    let caller = request.credential.caller(tx, &app.config, now)?;
    request.require_format(caller)?;
    let mut planner = Planner::new(app, caller, tx.dialect());
    planner.require_access(request.table, Action::Insert)?;
    let known = idempotency_key.map_or(Ok(IdempotencyState::New), |idempotency_key| {
        idempotency_key.claim(tx, caller, now)
    })?;
    let (verb, rows, found) = match known {
        IdempotencyState::Done(verb, rows) => {
            let found = load_representation(tx, &mut planner, request, &rows)?;
            (verb, rows, found)
        }
        IdempotencyState::New => insert(tx, app, request, caller, payload)?,
    };
    if let Some(idempotency_key) = idempotency_key {
        idempotency_key.record_outcome(tx, caller, verb, &rows)?;
    }
    write_response(tx, request, verb, &rows, found)
}

fn insert(
    tx: &mut Tx<'_>,
    app: &App,
    request: &Request,
    caller: Caller,
    payload: Value,
) -> Result<Outcome, RestError> {
    let (table, prefer) = (request.table, &request.prefer);
    let now = app.clock.now();
    let mut planner = Planner::new(app, caller, tx.dialect());
    let access = planner.require_access(table, Action::Insert)?;
    if prefer.resolution.is_some() {
        // An upsert can change existing rows.
        planner.require_access(table, Action::Update)?;
        if access.owner().is_some() {
            return Err(WriteError::row_denied(caller, table).into());
        }
    }
    if table.read_only {
        return Err(RestError::denied(caller, table));
    }
    let payload =
        Payload::parse(payload, request.query.columns.as_deref(), table, caller.is_staff())?;
    let merges = prefer.resolution == Some(Resolution::MergeDuplicates);
    let missing_default = prefer.missing == Some(Missing::Default);
    let conflict = prefer.resolution.map(|_| conflict_column(request)).transpose()?;

    let context = WriteContext { app, caller, table, hooks: hooks(table.id), access, now };
    let mut rows = Vec::with_capacity(payload.rows.len());
    for (place, object) in payload.rows.iter().enumerate() {
        let row = context.build_row(tx, object, &payload.columns, missing_default)?;
        rows.push((place, row));
    }
    let key = |row: &Row| conflict.map(|column| format!("{:?}", row.get(column)));
    // One lock order for all upserts prevents deadlocks on existing rows.
    rows.sort_by_cached_key(|(_, row)| key(row));

    let mut created = Vec::new();
    let mut written = Vec::with_capacity(rows.len());
    let mut last = None;
    for (place, row) in rows {
        let mut write = |ids: Vec<String>| written.extend(ids.into_iter().map(|id| (place, id)));
        if let Some(id) = context.find_duplicate(tx, &row)? {
            write(vec![id]);
            continue;
        }
        context.check_rate(tx)?;
        let key = key(&row);
        if merges && last == key {
            return Err(RestError::bad_request(
                "21000",
                "ON CONFLICT DO UPDATE command cannot affect row a second time",
            ));
        }
        last = key;
        let merging = conflict.filter(|_| merges);
        if let Some(conflict) = merging
            && let Some(ids) = context.merge(tx, conflict, &row, &payload.columns)?
        {
            write(ids);
            continue;
        }
        let new = context.insert_row(tx, &row, conflict.map(keep))?;
        if new.is_empty() {
            // A concurrent transaction inserted the row.
            let existing =
                merging.map(|conflict| context.merge(tx, conflict, &row, &payload.columns));
            write(existing.transpose()?.flatten().unwrap_or_default());
            continue;
        }
        context.hooks.after_insert(&context, tx, &row)?;
        created.extend_from_slice(&new);
        write(new);
    }
    context.hooks.after_inserts(&context, tx, &created)?;
    context.audit(tx, Change::Created, &created, &Row::new())?;
    written.sort_unstable_by_key(|(place, _)| *place);
    let written: Vec<String> = written.into_iter().map(|(_, id)| id).collect();
    let all_there = merges && created.is_empty() && !payload.rows.is_empty();
    let verb = if all_there { WriteKind::Merge } else { WriteKind::Insert };
    let found = load_representation(tx, &mut planner, request, &written)?;
    Ok((verb, written, found))
}

/// Builds `ON CONFLICT (column) DO NOTHING`.
fn keep(conflict: &'static str) -> OnConflict {
    OnConflict::column(Alias::new(conflict)).do_nothing().to_owned()
}

/// Returns the column that identifies existing rows: the unique column in `on_conflict`, or the primary key.
///
/// # Errors
/// 42P10 for a column that is not unique, 42703 for an unknown one.
fn conflict_column(request: &Request) -> Result<&'static str, RestError> {
    let table = request.table;
    let Some(named) = &request.query.on_conflict else { return Ok(table.key) };
    let unique = |name: &String| {
        let column = table.unique.iter().chain([&table.key]).find(|column| *column == name);
        column.copied().ok_or_else(|| match table.column(name, true) {
            Some(_) => RestError::bad_request(
                "42P10",
                "there is no unique or exclusion constraint matching the ON CONFLICT specification",
            ),
            None => RestError::unknown_column(table, name),
        })
    };
    match named.as_slice() {
        [one] => unique(one),
        _ => Err(RestError::bad_request(
            "42P10",
            "there is no unique or exclusion constraint matching the ON CONFLICT specification",
        )),
    }
}
