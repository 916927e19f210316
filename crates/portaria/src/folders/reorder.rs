//! The order of folders.

use sea_query::{Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    db::Tx,
    security::caller::Caller,
    table_write::WriteError,
};

/// Maximum number of folders in one order.
const MAX_FOLDERS: usize = 500;

/// Sets the position of every folder, named by `id_supabase`. Names of deleted folders are ignored. The caller of this
/// function checks the permission.
///
/// # Errors
/// PGRST102 for more than [`MAX_FOLDERS`] folders.
pub(crate) fn reorder(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    folders: &[String],
) -> Result<(), WriteError> {
    if folders.len() > MAX_FOLDERS {
        let message = format!("An order holds at most {MAX_FOLDERS} folders");
        return Err(WriteError::invalid("PGRST102", message));
    }
    let mut lock = Query::select();
    lock.column("id").from("folders").order_by("id", Order::Asc);
    // Serializes concurrent calls.
    tx.rows(lock.lock_exclusive())?;
    for (position, folder) in (1_i64..).zip(folders) {
        let mut update = Query::update();
        update.table("folders").value("position", position);
        tx.execute(update.and_where(Expr::col("id_supabase").eq(folder.as_str())))?;
    }
    audit::record(tx, app, caller, [AuditEvent::new(EventName::FolderOrdered)]);
    Ok(())
}
