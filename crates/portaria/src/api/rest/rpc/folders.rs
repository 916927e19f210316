//! What is done with folders as a whole: one goes and its documents move, all take another order.
//!
//! Neither can be said as a change of rows: half of it done would be wrong.

use std::sync::Arc;

use axum::http::StatusCode;
use sea_query::{Expr, ExprTrait, Order, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::rest::{RestError, constraint_error, planner::Planner};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::{self, AuditEvent, Change},
    clock::format_timestamp,
    db::Tx,
    policy::Action,
    schema::TableId,
};

/// More folders than these nobody orders by hand.
const MOST: usize = 500;

/// Which folder goes, and which one takes its documents: without one it must be empty.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteFolder {
    folder: String,
    target: Option<String>,
}

/// All folders in their order, by the names that addresses know them by.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReorderFolders {
    folders: Vec<String>,
}

/// Removes a folder; its documents move first. Their files stay where they are.
pub(crate) fn delete(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    deletion: &DeleteFolder,
) -> Result<Option<Value>, RestError> {
    let now = app.clock.now();
    let caller = credential.caller(tx, &app.config, now)??;
    let planner = Planner::new(app, caller, tx.dialect());
    let (folders, documents) = (TableId::Folders.table(), TableId::Documents.table());
    planner.access(folders, Action::Delete)?;
    planner.access(documents, Action::Update)?;
    let DeleteFolder { folder, target } = deletion;
    let mut both = Query::select();
    both.columns(["id_supabase", "archived_at", "id"]).from("folders");
    both.and_where(Expr::col("id_supabase").is_in([folder].into_iter().chain(target)));
    // A document that is on its way into the folder waits, and then finds it gone.
    let rows = tx.rows(both.order_by("id_supabase", Order::Asc).lock_exclusive())?;
    let mut found = Vec::new();
    for row in rows.iter() {
        found.push((row.text(0)?.to_owned(), row.opt_text(1)?.is_some(), row.text(2)?.to_owned()));
    }
    let Some((.., id)) = found.iter().find(|(name, ..)| name == folder) else {
        return Err(RestError::new(StatusCode::NOT_FOUND, "PT404", "The folder does not exist"));
    };
    let named = audit::describe_rows(tx, TableId::Folders, std::slice::from_ref(id))?;
    let gone = (TableId::Folders, Change::Deleted);
    audit::record_rows(tx, app, caller, gone, named, &json!({"moved_to": target}));
    let these = Expr::col("id_supabase").eq(folder.as_str());
    if let Some(target) = target {
        // An archived folder takes nothing new.
        let takes = |(name, archived, _): &(String, bool, String)| name == target && !archived;
        if target == folder || !found.iter().any(takes) {
            return Err(RestError::foreign_key(documents.name));
        }
        let mut move_on = Query::update();
        move_on.table("documents").value("folder_id_supabase", target.as_str());
        move_on.value("updated_at", format_timestamp(now));
        tx.execute(move_on.and_where(Expr::col("folder_id_supabase").eq(folder.as_str())))?;
    }
    match tx.execute(Query::delete().from_table("folders").and_where(these.clone())) {
        Ok(_) => Ok(None),
        Err(error) => Err(constraint_error::explain_deletion(tx, folders, &these, error)),
    }
}

/// Gives every named folder its place; one that is gone meanwhile is passed over.
pub(crate) fn reorder(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    ordering: &ReorderFolders,
) -> Result<Option<Value>, RestError> {
    let caller = credential.caller(tx, &app.config, app.clock.now())??;
    let planner = Planner::new(app, caller, tx.dialect());
    planner.access(TableId::Folders.table(), Action::Update)?;
    let ReorderFolders { folders } = ordering;
    if folders.len() > MOST {
        return Err(RestError::bad_request(
            "PGRST102",
            format!("An order holds at most {MOST} folders"),
        ));
    }
    let mut all = Query::select();
    all.column("id").from("folders").order_by("id", Order::Asc);
    // Who orders at the same time does so before or after.
    tx.rows(all.lock_exclusive())?;
    for (position, folder) in (1_i64..).zip(folders) {
        let mut place = Query::update();
        place.table("folders").value("position", position);
        tx.execute(place.and_where(Expr::col("id_supabase").eq(folder.as_str())))?;
    }
    audit::record(tx, app, caller, [AuditEvent::new("folder.ordered")]);
    Ok(None)
}
