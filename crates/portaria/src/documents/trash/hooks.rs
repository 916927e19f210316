//! The rules of the table `deleted_documents`: a deletion of its rows is "Excluir definitivamente".

use sea_query::{Expr, Query};

use crate::{
    audit::{EventName, RowEvents, RowNaming},
    db::Tx,
    documents::trash::purge,
    table_write::{TableHooks, WriteContext, WriteError},
};

/// The hooks of `deleted_documents`.
pub(crate) struct DeletedDocumentHooks;

impl TableHooks for DeletedDocumentHooks {
    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        Ok(purge::remove(tx, keys, ctx.now)?)
    }

    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.columns(["id", "name", "client_id"].map(|name| ("deleted_documents", name)));
        labels.expr(Expr::cust("NULL")).from("deleted_documents");
        let events = RowEvents::ByKind(|_, _| EventName::DocumentPurged);
        Some(RowNaming::of_query(("deleted_documents", "id"), labels, events))
    }
}
