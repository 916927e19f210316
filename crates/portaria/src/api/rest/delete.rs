//! `DELETE /rest/v1/{table}`: deletes the rows that match the filters.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use sea_query::{Alias, Expr, ExprTrait, Query};
use serde_json::json;

use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::{self, Change},
    db::Tx,
    policy::Action,
    schema::TableId,
    stored_files::object,
    tickets::sla,
};
use crate::{
    api::rest::{
        RestError, constraint_error,
        planner::Planner,
        request::{
            Request,
            payload::{WriteKind, load_representation, returned_keys, write_response},
        },
    },
    documents::replace_file,
    tickets::rules,
};

/// Maximum number of keys in one statement.
const MAX_KEYS_PER_STATEMENT: usize = 500;

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
    let state = Arc::clone(&app);
    app.db.write(move |tx| delete(tx, &state, &request)).await
}

fn delete(tx: &mut Tx<'_>, app: &App, request: &Request) -> Result<Response, RestError> {
    let table = request.table;
    let now = app.clock.now();
    let caller = request.credential.caller(tx, &app.config, now)?;
    let mut planner = Planner::new(app, caller, tx.dialect());
    planner.require_access(table, Action::Delete)?;
    if table.read_only {
        return Err(RestError::denied(caller, table));
    }
    let which = planner.plan_mutation(table, Action::Delete, &request.query.root)?;
    if table.id == TableId::TicketMessages {
        // A concurrent reply waits for this lock, because the response due date depends on all remaining messages.
        rules::lock_tickets(tx, rules::by_messages(which.clone()))?;
    }
    let mut doomed = Query::select();
    doomed.column((Alias::new(table.name), Alias::new(table.key))).from(Alias::new(table.name));
    doomed
        .cond_where(which)
        .order_by(Alias::new(table.key), sea_query::Order::Asc)
        .lock_exclusive();
    let doomed = returned_keys(&tx.rows(&doomed)?)?;
    if table.id == TableId::Documents {
        replace_file::ensure_not_on_hold(tx, &doomed)?;
    }
    let found = load_representation(tx, &mut planner, request, &doomed)?;
    let named = audit::describe_rows(tx, table.id, &doomed)?;
    audit::record_rows(tx, app, caller, (table.id, Change::Deleted), named, &json!({}));
    for keys in doomed.chunks(MAX_KEYS_PER_STATEMENT) {
        let these = Expr::col(Alias::new(table.key)).is_in(keys.iter().map(String::as_str));
        if table.id == TableId::Documents {
            // The file becomes unreachable with the row, unless another document refers to it.
            let condition = object::only_referenced_by(&these);
            object::release(tx, &condition, now)?;
        }
        if let Some(files) = rules::attachment_names(table.id, keys) {
            object::release(tx, &object::of_attachments(files), now)?;
        }
        let threads = match table.id {
            TableId::TicketMessages => rules::tickets_of_messages(tx, keys)?,
            _ => Vec::new(),
        };
        let deleted =
            tx.execute(Query::delete().from_table(Alias::new(table.name)).and_where(these.clone()));
        if let Err(error) = deleted {
            return Err(constraint_error::explain_deletion(tx, table, &these, error));
        }
        sla::update_due_dates(tx, &threads, &app.config.time_zone)?;
    }
    write_response(tx, request, WriteKind::Delete, &doomed, found)
}
