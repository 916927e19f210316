//! Read receipts: a client opened or downloaded a document.

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::table_write::{RateLimit, Row, TableHooks, WriteContext, WriteError, text};
use crate::{
    audit::{Change, EventName, RowEvents, RowNaming},
    db::Tx,
    documents::{self, personal_link},
};

/// Maximum number of receipts of a client per minute.
const MAX_PER_MINUTE: u64 = 120;

/// The hooks of `document_receipts`.
pub(crate) struct ReceiptHooks;

impl TableHooks for ReceiptHooks {
    /// Checks that a receipt refers to a document of the caller. A receipt that staff record belongs to the document's
    /// client.
    ///
    /// # Errors
    /// 23514 for an opening by a personal link, which only the link records.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        if text(row, "action") == Some(personal_link::opening::ACTION) {
            let message = "Uma abertura pelo link pessoal é registrada pelo próprio link.";
            return Err(WriteError::invalid("23514", message));
        }
        let client = ctx.parent_owner(tx, row, documents::PARENT)?;
        let client = client.ok_or_else(|| WriteError::foreign_key(ctx.table.name))?;
        row.insert("client_id", Some(client));
        Ok(())
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(RateLimit { per_minute: MAX_PER_MINUTE, counted: Condition::all() })
    }

    /// Names a receipt after its document.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.columns([("documents", "id"), ("documents", "name")]);
        labels.columns([("document_receipts", "client_id"), ("document_receipts", "action")]);
        labels.from("document_receipts").inner_join(
            "documents",
            Expr::col(("documents", "id")).equals(("document_receipts", "document_id")),
        );
        let events = RowEvents::ByKind(|change, action| match (change, action) {
            (Change::Created, "downloaded") => EventName::DocumentDownloaded,
            (Change::Created, _) => EventName::DocumentOpened,
            (Change::Updated, _) => EventName::ReceiptChanged,
            (Change::Deleted, _) => EventName::ReceiptDeleted,
        });
        Some(RowNaming::of_query(("document_receipts", "id"), labels, events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("recibos.json")
    }
}
