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
use sea_query::{Alias, BinOper, Condition, Expr, ExprTrait, OnConflict, Query};
use serde_json::Value;

use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::Change,
    db::Tx,
    documents,
    policy::Action,
    schema::{Column, Table, TableId},
    security::caller::Caller,
};
use crate::{
    api::rest::{
        RestError, constraint_error,
        executor::QueryResult,
        idempotency::{IdempotencyKey, IdempotencyState},
        planner::Planner,
        request::{
            Request,
            payload::{
                Payload, WriteKind, load_representation, read_json_body, returned_keys,
                write_response,
            },
            prefer::{Missing, Resolution},
        },
    },
    schema::write::{Row, WriteContext},
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
    let payload = read_json_body(&headers, payload).await?;
    let idempotency_key =
        IdempotencyKey::from_request(&headers, (&table, query.as_deref()), &payload)?;
    let state = Arc::clone(&app);
    app.db.write(move |tx| once(tx, &state, &request, payload, idempotency_key.as_ref())).await
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
            return Err(RestError::row_denied(caller, table));
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

    let context = WriteContext { app, caller, table, access, now };
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
            return Err(RestError::new(
                axum::http::StatusCode::INTERNAL_SERVER_ERROR,
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
        let new = insert_one(tx, table, &row, conflict.map(keep))?;
        if new.is_empty() {
            // A concurrent transaction inserted the row.
            let merged =
                merging.map(|conflict| context.merge(tx, conflict, &row, &payload.columns));
            write(merged.transpose()?.flatten().unwrap_or_default());
            continue;
        }
        context.after_insert(tx, &row)?;
        if table.id == TableId::Tickets {
            context.write_history(tx, new.iter().map(String::as_str), &[])?;
        }
        created.extend_from_slice(&new);
        write(new);
    }
    if table.id == TableId::Documents {
        documents::notify::notify_visible(tx, app, &created, &[])?;
    }
    context.audit(tx, Change::Created, &created, &Row::new())?;
    written.sort_unstable_by_key(|(place, _)| *place);
    let written: Vec<String> = written.into_iter().map(|(_, id)| id).collect();
    let all_there = merges && created.is_empty() && !payload.rows.is_empty();
    let verb = if all_there { WriteKind::Merge } else { WriteKind::Insert };
    let found = load_representation(tx, &mut planner, request, &written)?;
    Ok((verb, written, found))
}

fn insert_one(
    tx: &mut Tx<'_>,
    table: &'static Table,
    row: &Row,
    conflict: Option<OnConflict>,
) -> Result<Vec<String>, RestError> {
    let mut statement = Query::insert();
    statement.into_table(Alias::new(table.name));
    statement.columns(row.keys().copied().map(Alias::new));
    statement.values_panic(row.values().map(|value| match value {
        Some(value) => Expr::val(value.clone()),
        None => Expr::cust("NULL"),
    }));
    if let Some(conflict) = conflict {
        statement.on_conflict(conflict);
    }
    statement.returning_col(Alias::new(table.key));
    match tx.rows(&statement) {
        Ok(rows) => returned_keys(&rows),
        Err(error) => Err(constraint_error::explain_row(tx, table, row, error)),
    }
}

impl WriteContext<'_> {
    /// Changes an existing row to the sent values, by the rules of `PATCH`. Returns its key, or `None` without such a
    /// row.
    fn merge(
        &self,
        tx: &mut Tx<'_>,
        conflict: &'static str,
        row: &Row,
        columns: &[&'static Column],
    ) -> Result<Option<Vec<String>>, RestError> {
        let Some(value) = row.get(conflict).cloned().flatten() else { return Ok(None) };
        let column = |name| Expr::col((Alias::new(self.table.name), Alias::new(name)));
        let matches_conflict = Condition::all().add(column(conflict).eq(value));
        let sent = columns.iter().filter(|sent| sent.name != conflict);
        let sent: Vec<_> = sent.filter_map(|sent| row.get_key_value(sent.name)).collect();
        let mut query = Query::select();
        query.expr(column(self.table.key)).from(Alias::new(self.table.name));
        for (name, value) in &sent {
            let value = (*value).clone().map_or_else(|| Expr::cust("NULL"), Expr::val);
            query.expr(column(name).binary(BinOper::Custom("IS NOT DISTINCT FROM"), value));
        }
        let rows = tx.rows(query.cond_where(matches_conflict.clone()).lock_exclusive())?;
        let Some(found) = rows.first() else { return Ok(None) };
        let mut changes = Row::new();
        for (place, (name, value)) in sent.into_iter().enumerate() {
            // A column that already holds the sent value is no change, and no rule applies to it.
            if !found.bool(place + 1)? {
                changes.insert(*name, value.clone());
            }
        }
        if self.table.id == TableId::TicketPresence {
            // A repeated presence renews it.
            changes.extend(row.get_key_value("touched_at").map(|(name, at)| (*name, at.clone())));
        }
        let key = found.text(0)?.to_owned();
        let changes = self.validate_changes(tx, changes)?;
        if !changes.is_empty() {
            self.change(tx, &matches_conflict, &changes)?;
        }
        Ok(Some(vec![key]))
    }
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
