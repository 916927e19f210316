//! Answers of clients to documents that ask for one: "Ciente", "Aprovar" or "Recusar"
//! (docs/decisions/0124-an-approval-is-about-one-file.md).

use std::collections::BTreeMap;

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::table_write::{DuplicateKey, Parent, Row, TableHooks, WriteContext, WriteError, text};
use crate::{
    audit::{Change, EventName, RowEvents, RowNaming},
    db::{Error, Tx},
    documents,
    notifications::center::CenterEvent,
    security::ids::DocumentId,
};

/// The outcome of an answer that refuses the document. It has a reason.
pub(crate) const REFUSED: &str = "refused";

/// Maximum number of refusals in a timeline: each is about another file.
const MAX_REFUSALS: u64 = 500;

/// The document of an answer. The lock keeps its file until the answer is stored.
const PARENT: Parent = Parent {
    table: documents::TABLE,
    reference: "document_id",
    owner: "client_id",
    is_locked: true,
};

/// The hooks of `document_approvals`.
pub(crate) struct ApprovalHooks;

impl TableHooks for ApprovalHooks {
    /// Checks that a document of the caller asks for such an answer, and that the answer is about its present file.
    ///
    /// # Errors
    /// 23514 for a document that asks for another answer or none, and for a refusal without a reason;
    /// `document_replaced` if the file has been replaced; `document_answered` if the file has another answer.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        // Before the document, as other writes of a client do.
        ctx.lock_caller(tx)?;
        ctx.parent_owner(tx, row, PARENT)?;
        let mut query = Query::select();
        query.columns(["approval_request", "file_url"]).from("documents");
        query.and_where(Expr::col("id").eq(text(row, "document_id").unwrap_or_default()));
        let rows = tx.rows(&query)?;
        let found = rows.first();
        let request = found.as_ref().map(|row| row.opt_text(0)).transpose()?.flatten();
        let possible = match request {
            Some("acknowledge") => ["acknowledged"].as_slice(),
            Some("approve") => ["approved", REFUSED].as_slice(),
            _ => return Err(WriteError::invalid("23514", "Este documento não pede resposta.")),
        };
        let outcome = text(row, "outcome").unwrap_or_default();
        if !possible.contains(&outcome) {
            let message = "Este documento pede outra resposta.";
            return Err(WriteError::invalid("23514", message));
        }
        let has_reason = text(row, "reason").is_some_and(|reason| !reason.trim().is_empty());
        if outcome == REFUSED && !has_reason {
            return Err(WriteError::invalid("23514", "Informe o motivo da recusa."));
        }
        let file = found.as_ref().map(|row| row.opt_text(1)).transpose()?.flatten();
        if file.is_none() || file != text(row, "file_url") {
            let message = "O arquivo foi substituído. Abra o documento de novo antes de responder.";
            return Err(WriteError::conflict("document_replaced", message));
        }
        let mut others = Query::select();
        others.column("outcome").from("document_approvals");
        others.and_where(Expr::col("document_id").eq(text(row, "document_id").unwrap_or_default()));
        others.and_where(Expr::col("file_url").eq(file.unwrap_or_default()));
        if tx.rows(others.and_where(Expr::col("outcome").ne(outcome)))?.is_empty() {
            return Ok(());
        }
        let message = "Outra pessoa já deu outra resposta a este documento.";
        Err(WriteError::conflict("document_answered", message))
    }

    /// Shows the outcome in lists of documents, and notifies the staff.
    fn after_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<(), WriteError> {
        let mut update = Query::update();
        update
            .table("documents")
            .value("approval_outcome", text(row, "outcome").unwrap_or_default());
        update.and_where(Expr::col("id").eq(text(row, "document_id").unwrap_or_default()));
        tx.execute(&update)?;
        Ok(documents::notify::notify_staff(ctx, tx, CenterEvent::ApprovalAnswered, row)?)
    }

    /// Lets the client answer again.
    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        let mut answered = Query::select();
        answered.columns(["document_id", "file_url"]).from("document_approvals");
        answered.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str)));
        let rows = tx.rows(&answered)?;
        for row in rows.iter() {
            let mut update = Query::update();
            update.table("documents").value("approval_outcome", None::<String>);
            update.and_where(Expr::col("id").eq(row.text(0)?));
            update.and_where(Expr::col("file_url").eq(row.text(1)?));
            tx.execute(&update)?;
        }
        ctx.delete_rows(tx, keys)
    }

    /// A file is answered once: the first answer counts.
    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        Some(DuplicateKey { columns: &["document_id", "file_url"], within: None })
    }

    /// Names an answer after its document.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.columns([("documents", "id"), ("documents", "name")]);
        labels.columns([("document_approvals", "client_id"), ("document_approvals", "outcome")]);
        labels.from("document_approvals").inner_join(
            "documents",
            Expr::col(("documents", "id")).equals(("document_approvals", "document_id")),
        );
        let events = RowEvents::ByKind(|change, outcome| match (change, outcome) {
            (Change::Deleted, _) => EventName::ApprovalWithdrawn,
            (_, "acknowledged") => EventName::DocumentAcknowledged,
            (_, "approved") => EventName::DocumentApproved,
            (_, _) => EventName::DocumentRefused,
        });
        Some(RowNaming::of_query(("document_approvals", "id"), labels, events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("respostas.json")
    }
}

/// Returns the reasons of the refusals of a document, by time.
pub(crate) fn refusal_reasons(
    tx: &mut Tx<'_>,
    document: DocumentId,
) -> Result<BTreeMap<Timestamp, String>, Error> {
    let mut query = Query::select();
    query.columns(["created_at", "reason"]).from("document_approvals");
    query.and_where(Expr::col("document_id").eq(document));
    query.and_where(Expr::col("outcome").eq(REFUSED));
    query.order_by("created_at", Order::Asc).limit(MAX_REFUSALS);
    let rows = tx.rows(&query)?;
    rows.iter()
        .map(|row| Ok((row.parse(0)?, row.opt_text(1)?.unwrap_or_default().to_owned())))
        .collect()
}
