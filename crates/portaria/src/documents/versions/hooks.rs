//! The rules of the table `document_versions`: staff may remove a version for good.

use sea_query::{Expr, ExprTrait, Query};

use crate::{
    audit::{EventName, RowEvents, RowNaming},
    db::Tx,
    documents::versions,
    table_write::{TableHooks, WriteContext, WriteError},
};

/// The hooks of `document_versions`.
pub(crate) struct VersionHooks;

impl TableHooks for VersionHooks {
    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        let these = Expr::col("id").is_in(keys.iter().map(String::as_str));
        Ok(versions::remove(tx, &these, ctx.now)?)
    }

    /// Names a version after its document.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels
            .columns(["document_id", "name", "client_id"].map(|name| ("document_versions", name)));
        labels.expr(Expr::cust("NULL")).from("document_versions");
        let events = RowEvents::ByKind(|_, _| EventName::VersionDeleted);
        Some(RowNaming::of_query(("document_versions", "id"), labels, events))
    }
}
