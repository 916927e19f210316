//! `DELETE /{table}`: remove the rows that the filters name.

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
            payload::{Verb, answer, keys, represent},
        },
    },
    documents::replace_file,
    tickets::rules,
};

/// Keys in one statement at most.
const AT_ONCE: usize = 500;

/// Answers 204, or 200 with what the rows were.
///
/// # Errors
/// [`RestError`]; nothing is removed then.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, RestError> {
    let request = Request::read(&table, query.as_deref(), &headers, credential, "content-profile")?;
    let inner = Arc::clone(&app);
    app.db.write(move |tx| delete(tx, &inner, &request)).await
}

fn delete(tx: &mut Tx<'_>, app: &App, request: &Request) -> Result<Response, RestError> {
    let table = request.table;
    let now = app.clock.now();
    let caller = request.credential.caller(tx, &app.config, now)??;
    let mut planner = Planner::new(app, caller, tx.dialect());
    planner.access(table, Action::Delete)?;
    if table.read_only {
        return Err(RestError::denied(caller, table));
    }
    let which = planner.plan_mutation(table, Action::Delete, &request.query.root)?;
    if table.id == TableId::TicketMessages {
        // Whoever replies meanwhile waits, or is waited for: by when an answer is due is told by all that stays.
        rules::lock_tickets(tx, rules::of_some(which.clone()))?;
    }
    let mut doomed = Query::select();
    doomed.column((Alias::new(table.name), Alias::new(table.key))).from(Alias::new(table.name));
    doomed
        .cond_where(which)
        .order_by(Alias::new(table.key), sea_query::Order::Asc)
        .lock_exclusive();
    let doomed = keys(&tx.rows(&doomed)?)?;
    if table.id == TableId::Documents {
        replace_file::ensure_not_on_hold(tx, &doomed)?;
    }
    let found = represent(tx, &mut planner, request, &doomed)?;
    let named = audit::describe_rows(tx, table.id, &doomed)?;
    audit::record_rows(tx, app, caller, (table.id, Change::Deleted), named, &json!({}));
    for keys in doomed.chunks(AT_ONCE) {
        let these = Expr::col(Alias::new(table.key)).is_in(keys.iter().map(String::as_str));
        if table.id == TableId::Documents {
            // With the row goes every way to its file (behaviour B12), unless another document shows it too.
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
    answer(tx, request, Verb::Delete, &doomed, found)
}
