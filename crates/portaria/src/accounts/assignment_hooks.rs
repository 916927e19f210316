//! The rules of the table `client_assignments`: the members of the staff who care for a client.

use sea_query::{Condition, Expr, ExprTrait, LockType, Order, Query};

use crate::{
    audit::{EventName, RowEvents, RowNaming},
    db::{Error, Tx},
    security::ids::UserId,
    table_write::{Row, TableHooks, WriteContext, WriteError, returned_keys, text},
};

/// The hooks of `client_assignments`.
pub(crate) struct AssignmentHooks;

impl TableHooks for AssignmentHooks {
    /// A new responsible person takes the place of the former one, who stays assigned.
    ///
    /// # Errors
    /// 23503 for an account that is no client, or no member of the staff.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        ctx.check_reference(tx, row, "client_id", "clients")?;
        ctx.check_reference(tx, row, "staff_id", "staff")?;
        if is_responsible(row)
            && let Some(client) = text(row, "client_id")
        {
            lock_clients(tx, &[client.to_owned()])?;
            release_responsible(tx, Expr::col("client_id").eq(client))?;
        }
        Ok(())
    }

    /// As for new rows.
    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        if !is_responsible(changes) {
            return ctx.update_rows(tx, which, changes, None);
        }
        // Read first: the condition may be about the column that changes.
        let mut chosen = Query::select();
        chosen.columns(["id", "client_id"]).from("client_assignments").cond_where(which.clone());
        let rows = tx.rows(chosen.lock_exclusive())?;
        let keys = returned_keys(&rows)?;
        if keys.is_empty() {
            return Ok(keys);
        }
        let clients = rows.iter().map(|row| row.text(1).map(str::to_owned));
        let clients: Vec<String> = clients.collect::<Result<_, Error>>()?;
        lock_clients(tx, &clients)?;
        release_responsible(tx, Expr::col("client_id").is_in(clients))?;
        let chosen = Condition::all().add(Expr::col("id").is_in(keys));
        ctx.update_rows(tx, &chosen, changes, None)
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["is_responsible"])
    }

    /// Names an assignment after the member of the staff.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.column(("client_assignments", "id")).from("client_assignments");
        labels.inner_join(
            "users",
            Expr::col(("users", "id")).equals(("client_assignments", "staff_id")),
        );
        labels.column(("users", "email")).column(("client_assignments", "client_id"));
        labels.expr(Expr::cust("NULL"));
        let events = RowEvents::ByChange([
            EventName::AssignmentCreated,
            EventName::AssignmentChanged,
            EventName::AssignmentDeleted,
        ]);
        Some(RowNaming::of_query(("client_assignments", "id"), labels, events))
    }
}

/// Serializes the changes of the responsible people of clients until the transaction ends: otherwise two at once would
/// both find no former one.
fn lock_clients(tx: &mut Tx<'_>, clients: &[String]) -> Result<(), Error> {
    let mut lock = Query::select();
    lock.column("id").from("users").and_where(Expr::col("id").is_in(clients));
    tx.rows(lock.order_by("id", Order::Asc).lock(LockType::NoKeyUpdate)).map(drop)
}

/// Leaves the clients of a condition without a responsible person, until the caller names one.
fn release_responsible(tx: &mut Tx<'_>, clients: Expr) -> Result<(), Error> {
    let mut former = Query::update();
    former.table("client_assignments").value("is_responsible", false);
    former.and_where(clients).and_where(Expr::col("is_responsible").eq(true));
    tx.execute(&former).map(drop)
}

/// Removes the assignments of an account that joins or leaves the staff: as a client it has none to others, and as a
/// member of the staff it is no client.
pub(crate) fn remove_all(tx: &mut Tx<'_>, account: UserId) -> Result<(), Error> {
    let mut delete = Query::delete();
    delete.from_table("client_assignments");
    let is_about = Condition::any()
        .add(Expr::col("staff_id").eq(account))
        .add(Expr::col("client_id").eq(account));
    tx.execute(delete.cond_where(is_about)).map(drop)
}

fn is_responsible(row: &Row) -> bool {
    row.get("is_responsible").cloned().flatten() == Some(true.into())
}
