//! `POST /{table}`: insert rows, or with a resolution merge them into those that exist.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use sea_query::{Alias, Expr, ExprTrait, OnConflict, Query};
use serde_json::Value;

use super::{
    RestError, constraint,
    fill::{Context, Row},
    plan::Planner,
    prefer::{Missing, Resolution},
    repeat::{Keyed, Known},
    request::Request,
    run::Found,
    tickets,
    write::{Payload, Verb, answer, body, keys, represent},
};
use crate::{
    activity::Change,
    app::App,
    catalog::{Table, TableId},
    db::Tx,
    events,
    policy::{Action, Caller},
    session::Credential,
};

/// Answers 201, or 200 for an upsert that found all its rows there.
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
    let request = Request::read(&table, query.as_deref(), &headers, credential, "content-profile")?;
    let payload = body(&headers, payload).await?;
    let keyed = Keyed::read(&headers, (&table, query.as_deref()), &payload)?;
    let inner = Arc::clone(&app);
    app.db.write(move |tx| once(tx, &inner, &request, payload, keyed.as_ref())).await
}

/// What came of a request: its rows, and how they are shown.
type Outcome = (Verb, Vec<String>, Option<Found>);

/// Inserts, unless the same was done under the same key before.
fn once(
    tx: &mut Tx<'_>,
    app: &App,
    request: &Request,
    payload: Value,
    keyed: Option<&Keyed>,
) -> Result<Response, RestError> {
    let now = app.clock.now();
    let caller = request.credential.caller(tx, &app.config, now)??;
    let mut planner = Planner::new(app, caller, tx.dialect());
    planner.access(request.table, Action::Insert)?;
    let known = keyed.map_or(Ok(Known::New), |keyed| keyed.begin(tx, caller, now))?;
    let (verb, rows, found) = match known {
        Known::Done(verb, rows) => {
            let found = represent(tx, &mut planner, request, &rows)?;
            (verb, rows, found)
        }
        Known::New => insert(tx, app, request, caller, payload)?,
    };
    if let Some(keyed) = keyed {
        keyed.done(tx, caller, verb, &rows)?;
    }
    answer(tx, request, verb, &rows, found)
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
    let access = planner.access(table, Action::Insert)?;
    if prefer.resolution.is_some() {
        // To merge is to change what exists.
        planner.access(table, Action::Update)?;
        if access.owner().is_some() {
            return Err(RestError::row_denied(caller, table));
        }
    }
    if table.read_only {
        return Err(RestError::denied(caller, table));
    }
    let payload =
        Payload::read(payload, request.query.columns.as_deref(), table, caller.sees_hidden())?;
    let merges = prefer.resolution == Some(Resolution::MergeDuplicates);
    let missing_default = prefer.missing == Some(Missing::Default);
    let conflict = prefer.resolution.map(|_| conflict_column(request)).transpose()?;
    let context = Context { app, caller, table, access, now };
    let mut rows = Vec::with_capacity(payload.rows.len());
    for (place, object) in payload.rows.iter().enumerate() {
        let row = context.new_row(tx, object, &payload.columns, missing_default)?;
        rows.push((place, row));
    }
    let key = |row: &Row| conflict.map(|column| format!("{:?}", row.get(column)));
    // Taken by everybody in one order, rows that exist never make two upserts wait for each other.
    rows.sort_by_cached_key(|(_, row)| key(row));
    let mut inserted = 0;
    let mut told: [Vec<String>; 2] = Default::default();
    let mut written = Vec::with_capacity(rows.len());
    let mut before = Vec::new();
    let mut last = None;
    for (place, row) in rows {
        let mut write = |ids: Vec<String>| written.extend(ids.into_iter().map(|id| (place, id)));
        let is_ticket = table.id == TableId::Tickets;
        if let Some(id) = context.sent_already(tx, &row)? {
            write(vec![id]);
            continue;
        }
        context.check_rate(tx)?;
        let Some(conflict) = conflict else {
            let new = insert_one(tx, table, &row, None)?;
            context.follow_up(tx, &row)?;
            if is_ticket {
                context.write_history(tx, new.iter().map(String::as_str), &[])?;
            }
            told[0].extend_from_slice(&new);
            write(new);
            inserted += 1;
            continue;
        };
        let key = key(&row);
        if merges && last == key {
            return Err(RestError::new(
                axum::http::StatusCode::INTERNAL_SERVER_ERROR,
                "21000",
                "ON CONFLICT DO UPDATE command cannot affect row a second time",
            ));
        }
        last = key;
        let exists = exists(tx, table, conflict, &row)?;
        let id = match row.get("id") {
            Some(Some(sea_query::Value::String(Some(id)))) => Some(id.as_str()),
            _ => None,
        };
        let stood = match id {
            Some(id) if is_ticket => tickets::standing(tx, tickets::by_id([id]))?,
            _ => Vec::new(),
        };
        if let (TableId::Documents, Some(id)) = (table.id, id) {
            let this = Expr::col((Alias::new("documents"), Alias::new("id"))).eq(id);
            before.extend(events::documents::before(tx, Query::select().and_where(this).take())?);
        }
        inserted += usize::from(!exists);
        let rule = if merges { merge(table, &payload, conflict) } else { keep(conflict) };
        let ids = insert_one(tx, table, &row, Some(rule))?;
        if is_ticket {
            context.write_history(tx, ids.iter().map(String::as_str), &stood)?;
        } else if !exists {
            context.follow_up(tx, &row)?;
        }
        told[usize::from(exists)].extend_from_slice(&ids);
        write(ids);
    }
    let [created, changed] = told;
    if table.id == TableId::Documents {
        events::documents::changed(tx, app, &created, &[])?;
        events::documents::changed(tx, app, &changed, &before)?;
    }
    context.tell(tx, Change::Created, &created, &Row::new())?;
    context.tell(tx, Change::Changed, &changed, &Row::new())?;
    written.sort_unstable_by_key(|(place, _)| *place);
    let written: Vec<String> = written.into_iter().map(|(_, id)| id).collect();
    let all_there = merges && inserted == 0 && !payload.rows.is_empty();
    let verb = if all_there { Verb::Merge } else { Verb::Insert };
    let found = represent(tx, &mut planner, request, &written)?;
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
        Ok(rows) => keys(&rows),
        Err(error) => Err(constraint::explain_row(tx, table, row, error)),
    }
}

fn exists(
    tx: &mut Tx<'_>,
    table: &Table,
    conflict: &'static str,
    row: &Row,
) -> Result<bool, RestError> {
    let Some(value) = row.get(conflict).cloned().flatten() else { return Ok(false) };
    let mut query = Query::select();
    query.column(Alias::new(table.key)).from(Alias::new(table.name));
    query.and_where(Expr::col(Alias::new(conflict)).eq(value)).lock_exclusive();
    Ok(!tx.rows(&query)?.is_empty())
}

/// What an upsert changes of a row that exists: the columns that were sent, and those that follow from them.
fn merge(table: &Table, payload: &Payload, conflict: &'static str) -> OnConflict {
    let changed = payload.columns.iter().filter(|column| column.name != conflict);
    let mut names: Vec<&str> = changed.map(|column| column.name).collect();
    let follows = match table.id {
        TableId::Tickets if names.contains(&"status") => Some("closed_at"),
        TableId::TicketPresence => Some("touched_at"),
        TableId::EmailTemplates | TableId::SavedReplies => Some("updated_at"),
        _ => None,
    };
    names.extend(follows.filter(|name| !names.contains(name)));
    if names.is_empty() {
        // Something must be set for the row to be given back; its own value changes nothing.
        names.push(conflict);
    }
    let mut rule = OnConflict::column(Alias::new(conflict));
    rule.update_columns(names.into_iter().map(Alias::new)).to_owned()
}

fn keep(conflict: &'static str) -> OnConflict {
    OnConflict::column(Alias::new(conflict)).do_nothing().to_owned()
}

/// The column that decides what exists: a key of the table, named by the caller or the primary one.
fn conflict_column(request: &Request) -> Result<&'static str, RestError> {
    let table = request.table;
    let Some(named) = &request.query.on_conflict else { return Ok(table.key) };
    let unique = |name: &String| {
        let column = table.unique.iter().chain([&table.key]).find(|column| *column == name);
        column.copied().ok_or_else(|| match table.column(name, true) {
            Some(_) => RestError::bad(
                "42P10",
                "there is no unique or exclusion constraint matching the ON CONFLICT specification",
            ),
            None => RestError::unknown_column(table, name),
        })
    };
    match named.as_slice() {
        [one] => unique(one),
        _ => Err(RestError::bad(
            "42P10",
            "there is no unique or exclusion constraint matching the ON CONFLICT specification",
        )),
    }
}
