//! The rules of the table `client_assignments`: the members of the staff who care for a client.

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    audit::{EventName, RowEvents, RowNaming},
    db::Tx,
    table_write::{Row, TableHooks, WriteContext, WriteError, text},
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
            let mut former = Query::update();
            former.table("client_assignments").value("is_responsible", false);
            former.and_where(Expr::col("client_id").eq(client));
            tx.execute(former.and_where(Expr::col("is_responsible").eq(true)))?;
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
        if is_responsible(changes) {
            let mut clients = Query::select();
            clients.column("client_id").from("client_assignments").cond_where(which.clone());
            let mut former = Query::update();
            former.table("client_assignments").value("is_responsible", false);
            former.and_where(Expr::col("client_id").in_subquery(clients));
            tx.execute(former.and_where(Expr::col("is_responsible").eq(true)))?;
        }
        ctx.update_rows(tx, which, changes, None)
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

fn is_responsible(row: &Row) -> bool {
    row.get("is_responsible").cloned().flatten() == Some(true.into())
}
