//! `DELETE /rest/v1/{table}`: deletes the rows that match the filters.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use sea_query::{Alias, Order, Query};

use crate::api::table_hooks::hooks;
use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::Change,
    db::{MAX_KEYS_PER_STATEMENT, Tx},
    policy::Action,
};
use crate::{
    api::rest::{
        RestError,
        planner::Planner,
        request::{
            Request,
            payload::{WriteKind, load_representation, write_response},
        },
    },
    table_write::{Row, WriteContext, returned_keys},
};

/// Answers 204, or 200 with the deleted rows.
///
/// # Errors
/// [`RestError`]; nothing is deleted then.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, RestError> {
    let request =
        Request::parse(&table, query.as_deref(), &headers, credential, "content-profile")?;
    app.write(move |tx, app| delete(tx, app, &request)).await
}

fn delete(tx: &mut Tx<'_>, app: &App, request: &Request) -> Result<Response, RestError> {
    let table = request.table;
    let now = app.clock.now();
    let caller = request.credential.caller(tx, &app.config, now)?;
    request.require_format(caller)?;
    let mut planner = Planner::new(app, caller, tx.dialect());
    let access = planner.require_access(table, Action::Delete)?;
    if table.read_only {
        return Err(RestError::denied(caller, table));
    }
    let which = planner.plan_mutation(table, Action::Delete, &request.query.root)?;
    let context = WriteContext { app, caller, table, hooks: hooks(table.id), access, now };
    context.hooks.before_delete(&context, tx, &which)?;
    let mut query = Query::select();
    query.column((Alias::new(table.name), Alias::new(table.key))).from(Alias::new(table.name));
    query.cond_where(which).order_by(Alias::new(table.key), Order::Asc).lock_exclusive();
    let keys = returned_keys(&tx.rows(&query)?)?;
    let found = load_representation(tx, &mut planner, request, &keys)?;
    context.audit(tx, Change::Deleted, &keys, &Row::new())?;
    for chunk in keys.chunks(MAX_KEYS_PER_STATEMENT) {
        context.hooks.around_delete(&context, tx, chunk)?;
    }
    write_response(tx, request, WriteKind::Delete, &keys, found)
}
