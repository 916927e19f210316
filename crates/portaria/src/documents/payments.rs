//! Reported payments: a client says that a document is paid ("Já paguei").

use sea_query::{Expr, ExprTrait, Query};

use crate::table_write::{DuplicateKey, Row, TableHooks, WriteContext, WriteError};
use crate::{
    audit::{EventName, RowEvents, RowNaming},
    db::Tx,
    documents::{self, payment},
    notifications::center::CenterEvent,
};

/// The hooks of `document_payments`.
pub(crate) struct PaymentHooks;

impl TableHooks for PaymentHooks {
    /// Checks the day, and that the payment is of a document of the caller. A payment that staff record belongs to the
    /// document's client.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        payment::check_paid_on(row, today(ctx))?;
        let client = ctx.parent_owner(tx, row, documents::PARENT)?;
        let client = client.ok_or_else(|| WriteError::foreign_key(ctx.table.name))?;
        row.insert("client_id", Some(client));
        Ok(())
    }

    fn after_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<(), WriteError> {
        Ok(documents::notify::notify_staff(ctx, tx, CenterEvent::PaymentReported, row)?)
    }

    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        payment::check_paid_on(changes, today(ctx))
    }

    /// A document is paid once.
    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        Some(DuplicateKey { columns: &["document_id", "client_id"], within: None })
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["paid_on", "note"])
    }

    /// Names a payment after its document.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.columns([("documents", "id"), ("documents", "name")]);
        labels.column(("document_payments", "client_id")).expr(Expr::cust("NULL"));
        labels.from("document_payments").inner_join(
            "documents",
            Expr::col(("documents", "id")).equals(("document_payments", "document_id")),
        );
        let events =
            [EventName::PaymentReported, EventName::PaymentChanged, EventName::PaymentWithdrawn];
        Some(RowNaming::of_query(("document_payments", "id"), labels, RowEvents::ByChange(events)))
    }

    fn export(&self) -> Option<&'static str> {
        Some("pagamentos.json")
    }
}

/// Returns the current day in the portal's zone.
fn today(ctx: &WriteContext<'_>) -> jiff::civil::Date {
    ctx.now.to_zoned(ctx.app.config.time_zone.clone()).date()
}
