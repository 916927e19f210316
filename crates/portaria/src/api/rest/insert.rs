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
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    policy::{self, Access, Action},
    schema::Table,
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
            body::read_rows,
            payload::{Payload, WriteKind, check_payload, load_representation, write_response},
            prefer::{Missing, Resolution},
        },
    },
    table_write::{NewRow, Row, WriteContext, WriteError},
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
    let payload = read_rows(&app, &request.credential, &headers, payload).await?;
    let payload = check_payload(&app, &request, Action::Insert, payload).await?;
    let idempotency_key =
        IdempotencyKey::from_request(&headers, &table, query.as_deref(), &payload)?;
    app.write(move |tx, app| once(tx, app, &request, payload, idempotency_key.as_ref())).await
}

/// The outcome of a request: the kind of write, the keys of its rows, and their representation.
pub(crate) type Outcome = (WriteKind, Vec<String>, Option<QueryResult>);

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
    let access = insert_access(tx, app, table, caller, prefer.resolution.is_some())?;
    let payload =
        Payload::parse(payload, request.query.columns.as_deref(), table, caller.is_staff())?;
    let context =
        WriteContext { app, caller, table, hooks: hooks(table.id), access, now: app.clock.now() };
    let conflict = prefer.resolution.map(|_| conflict_column(request)).transpose()?;
    let handling = RowHandling {
        conflict,
        merges: prefer.resolution == Some(Resolution::MergeDuplicates),
        missing_default: prefer.missing == Some(Missing::Default),
    };
    insert_rows(tx, request, &context, &payload, &handling)
}

/// Returns the access to new rows of a table, for an upsert also the one to existing rows.
///
/// # Errors
/// 42501, and for an upsert by a caller who may not name existing rows.
pub(crate) fn insert_access(
    tx: &Tx<'_>,
    app: &App,
    table: &'static Table,
    caller: Caller,
    is_upsert: bool,
) -> Result<Access, RestError> {
    let planner = Planner::new(app, caller, tx.dialect());
    let access = planner.require_access(table, Action::Insert)?;
    if is_upsert {
        // An upsert can change existing rows.
        planner.require_access(table, Action::Update)?;
        if !policy::may_choose_keys(access, table.id) {
            return Err(WriteError::row_denied(caller, table).into());
        }
    }
    if table.read_only {
        return Err(RestError::denied(caller, table));
    }
    Ok(access)
}

/// The handling of the rows of a payload.
pub(crate) struct RowHandling {
    /// The column that identifies existing rows, for an upsert.
    pub(crate) conflict: Option<&'static str>,
    /// Whether existing rows are changed; otherwise an upsert leaves them.
    pub(crate) merges: bool,
    /// Whether a column that a row omits gets its default instead of NULL.
    pub(crate) missing_default: bool,
}

/// Inserts or upserts the rows of a payload.
///
/// # Errors
/// [`RestError`]; nothing is written then.
pub(crate) fn insert_rows(
    tx: &mut Tx<'_>,
    request: &Request,
    context: &WriteContext<'_>,
    payload: &Payload,
    handling: &RowHandling,
) -> Result<Outcome, RestError> {
    let RowHandling { conflict, merges, missing_default } = *handling;
    let mut rows = Vec::with_capacity(payload.rows.len());
    for (place, object) in payload.rows.iter().enumerate() {
        let row = context.build_row(tx, object, &payload.columns, missing_default)?;
        rows.push((place, row));
    }
    let key = |row: &Row| conflict.map(|column| format!("{:?}", row.get(column)));
    // One lock order for all upserts prevents deadlocks on existing rows.
    rows.sort_by_cached_key(|(_, row)| key(row));

    let mut created: Vec<(String, Row)> = Vec::new();
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
        context.hooks.after_insert(context, tx, &row)?;
        created.extend(new.first().map(|key| (key.clone(), row)));
        write(new);
    }
    let new_rows = created.iter().map(|(key, values)| NewRow { key, values });
    context.finish_inserts(tx, new_rows.collect())?;
    written.sort_unstable_by_key(|(place, _)| *place);
    let written: Vec<String> = written.into_iter().map(|(_, id)| id).collect();
    let all_there = merges && created.is_empty() && !payload.rows.is_empty();
    let verb = if all_there { WriteKind::Merge } else { WriteKind::Insert };
    let mut planner = Planner::new(context.app, context.caller, tx.dialect());
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
