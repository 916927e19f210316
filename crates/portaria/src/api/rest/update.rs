//! `PATCH /rest/v1/{table}`: changes the rows that match the filters.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use sea_query::{Alias, Condition, Expr, Func, Query, Value as Sql};
use serde_json::Value;

use crate::{
    accounts::authenticate::Credential, app::App, audit::Change, clock::format_timestamp, db::Tx,
    documents::notify, policy::Action, schema::TableId,
};
use crate::{
    api::rest::{
        RestError, constraint_error,
        planner::Planner,
        request::{
            Request,
            payload::{
                Payload, WriteKind, load_representation, read_json_body, returned_keys,
                write_response,
            },
        },
        rpc::outbox,
    },
    documents::replace_file,
    schema::write::{Row, WriteContext},
    tickets::rules,
};

/// Answers 204, or 200 with the changed rows.
///
/// # Errors
/// [`RestError`]; nothing is changed then. Rows that the caller may not read do not match and are no error.
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
    let state = Arc::clone(&app);
    app.db.write(move |tx| update(tx, &state, &request, payload)).await
}

fn update(
    tx: &mut Tx<'_>,
    app: &App,
    request: &Request,
    payload: Value,
) -> Result<Response, RestError> {
    let table = request.table;
    let now = app.clock.now();
    let caller = request.credential.caller(tx, &app.config, now)?;
    let mut planner = Planner::new(app, caller, tx.dialect());
    let access = planner.require_access(table, Action::Update)?;
    if table.read_only {
        return Err(RestError::denied(caller, table));
    }
    let which = planner.plan_mutation(table, Action::Update, &request.query.root)?;
    let payload =
        Payload::parse(payload, request.query.columns.as_deref(), table, caller.is_staff())?;
    let [object] = payload.rows.as_slice() else {
        return Err(RestError::bad_request("PGRST102", "A change is one object"));
    };
    let context = WriteContext { app, caller, table, access, now };
    let changes = context.build_changes(tx, object, &payload.columns)?;
    if changes.is_empty() {
        let found = load_representation(tx, &mut planner, request, &[])?;
        return write_response(tx, request, WriteKind::Update, &[], found);
    }
    if table.id == TableId::Outbox {
        return mails(tx, &context, &mut planner, request, (which, &changes));
    }
    let touched = context.change(tx, &which, &changes)?;
    let found = load_representation(tx, &mut planner, request, &touched)?;
    write_response(tx, request, WriteKind::Update, &touched, found)
}

impl WriteContext<'_> {
    /// Changes rows and applies the consequences: ticket history and owner, replaced files, notifications, audit
    /// events. Returns the keys of the changed rows.
    pub(crate) fn change(
        &self,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, RestError> {
        let (app, table, now) = (self.app, self.table, self.now);
        let restates = table.id == TableId::Tickets && changes.contains_key("status");
        let before = if restates {
            rules::lock_tickets(tx, Query::select().cond_where(which.clone()).take())?
        } else {
            Vec::new()
        };
        let replaced = if table.id == TableId::Documents && changes.contains_key("file_url") {
            let owner = changes.get("client_id").and_then(Option::as_ref);
            replace_file::lock_current_files(
                tx,
                Query::select().cond_where(which.clone()).take(),
                owner,
            )?
        } else {
            Vec::new()
        };
        let shows = ["status", "client_id"].iter().any(|name| changes.contains_key(name));
        let visible = if table.id == TableId::Documents && shows {
            notify::snapshot(tx, Query::select().cond_where(which.clone()).take())?
        } else {
            Vec::new()
        };
        let mut statement = Query::update();
        statement.table(Alias::new(table.name)).cond_where(which.clone());
        statement.returning_col(Alias::new(table.key));
        if restates && !changes.contains_key("closed_at") {
            statement.value("closed_at", closed_at(changes.get("status"), &format_timestamp(now)));
        }
        statement.values(changes.iter().map(|(name, value)| {
            (Alias::new(*name), value.clone().map_or_else(|| Expr::cust("NULL"), Expr::val))
        }));
        let mut touched = match tx.rows(&statement) {
            Ok(rows) => returned_keys(&rows)?,
            Err(error) => return Err(constraint_error::explain_row(tx, table, changes, error)),
        };
        touched.sort_unstable();
        if let (TableId::Tickets, Some(owner)) = (table.id, changes.get("user_id")) {
            rules::reassign_thread(tx, &touched, owner.as_ref())?;
        }
        replace_file::release_unreferenced(tx, &replaced, now)?;
        if restates {
            self.write_history(tx, touched.iter().map(String::as_str), &before)?;
        }
        if table.id == TableId::Documents && shows {
            notify::notify_visible(tx, app, &touched, &visible)?;
        }
        self.audit(tx, Change::Updated, &touched, changes)?;
        Ok(touched)
    }
}

/// Changes the state of mails: sends them again or cancels them.
fn mails(
    tx: &mut Tx<'_>,
    context: &WriteContext<'_>,
    planner: &mut Planner<'_>,
    request: &Request,
    (which, changes): (Condition, &Row),
) -> Result<Response, RestError> {
    let touched = outbox::change_state(tx, context.app, which, changes, context.now)?;
    context.audit(tx, Change::Updated, &touched, &Row::new())?;
    let found = load_representation(tx, planner, request, &touched)?;
    write_response(tx, request, WriteKind::Update, &touched, found)
}

/// Returns the value of `closed_at` for a new status. A ticket that is already closed keeps its time.
fn closed_at(status: Option<&Option<Sql>>, now: &str) -> Expr {
    if status == Some(&Some("closed".into())) {
        Func::coalesce([Expr::col("closed_at"), Expr::val(now)]).into()
    } else {
        Expr::cust("NULL")
    }
}
