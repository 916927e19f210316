//! Contacts of staff with a client about a document that the client did not open: reminders by mail and `WhatsApp`, and
//! the statement that the document was delivered by other means. Reminders by mail come from [`super::remind`].

use sea_query::{Expr, ExprTrait, Query};

use crate::table_write::{DuplicateKey, Row, TableHooks, WriteContext, WriteError, text};
use crate::{
    app::App,
    audit::{Change, EventName, RowEvents, RowNaming},
    db::Tx,
    documents,
    schema::TableId,
};

/// The table of contacts.
pub(crate) const TABLE: TableId = TableId::DocumentContacts;
/// The kind of a reminder by mail.
pub(crate) const MAIL: &str = "mail";
/// The kind of a delivery by other means.
pub(crate) const DELIVERY: &str = "delivery";

/// The hooks of `document_contacts`.
pub(crate) struct ContactHooks;

impl TableHooks for ContactHooks {
    /// Checks the kind, and sets day, author and client.
    ///
    /// # Errors
    /// 23514 for a reminder by mail and for a delivery without a note, 23503 for a document without a client.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        if text(row, "kind") == Some(MAIL) {
            let message = "Um lembrete por e-mail sai pela função remind_documents.";
            return Err(WriteError::invalid("23514", message));
        }
        if text(row, "kind") == Some(DELIVERY) && text(row, "note").is_none() {
            return Err(WriteError::invalid("23514", "Diga como o documento foi entregue."));
        }
        let client = ctx.parent_owner(tx, row, documents::PARENT)?;
        let client = client.ok_or_else(|| WriteError::foreign_key(ctx.table.name))?;
        row.insert("client_id", Some(client));
        row.insert("author_id", ctx.caller.user().map(Into::into));
        row.insert("contacted_on", Some(today(ctx.app).into()));
        Ok(())
    }

    /// A repeated contact of a day is the first one.
    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        let columns = &["document_id", "client_id", "kind", "contacted_on"];
        Some(DuplicateKey { columns, within: None })
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("note", 1)]
    }

    /// Names a contact after its document.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.columns([("documents", "id"), ("documents", "name")]);
        labels.columns([("document_contacts", "client_id"), ("document_contacts", "kind")]);
        labels.from("document_contacts").inner_join(
            "documents",
            Expr::col(("documents", "id")).equals(("document_contacts", "document_id")),
        );
        let events = RowEvents::ByKind(|change, kind| match (change, kind) {
            (Change::Deleted, _) => EventName::ContactDeleted,
            (_, DELIVERY) => EventName::DocumentDelivered,
            (..) => EventName::DocumentReminded,
        });
        Some(RowNaming::of_query(("document_contacts", "id"), labels, events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("contatos.json")
    }
}

/// Returns the current day in the portal's zone, `YYYY-MM-DD`.
pub(crate) fn today(app: &App) -> String {
    app.clock.now().to_zoned(app.config.time_zone.clone()).date().to_string()
}
