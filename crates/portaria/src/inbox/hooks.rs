//! The rules of the tables `inbox_files` and `inbox_rules`.

use sea_query::{Condition, Order, Query};

use crate::table_write::{Row, TableHooks, WriteContext, WriteError};
use crate::{
    audit::{EventName, RowNaming},
    clock::format_timestamp,
    db::Tx,
    documents::payment,
    inbox::{discard, duplicates, review_group},
};

/// Columns of the review, which staff may change.
const REVIEW_COLUMNS: [&str; 11] = [
    "client_id",
    "folder_id_supabase",
    "document_name",
    "category",
    "reference_month",
    "expires_at",
    "amount_cents",
    "payment_line",
    "pix_code",
    "duplicate_choice",
    "repeats_kept",
];

/// The hooks of `inbox_files`.
pub(crate) struct InboxHooks;

impl TableHooks for InboxHooks {
    /// A client that a person chooses, or confirms by choosing the same, is reviewed.
    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        payment::normalize(changes)?;
        ctx.check_reference(tx, changes, "client_id", "clients")?;
        if let Some(client) = changes.get("client_id") {
            let reviewed = client.is_some().then(|| format_timestamp(ctx.now).into());
            changes.insert("reviewed_at", reviewed);
        }
        Ok(())
    }

    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        require_unpublished(tx, which)?;
        let keys = ctx.update_rows(tx, which, changes, None)?;
        let names_subject = ["client_id", "category", "reference_month"];
        if names_subject.iter().any(|name| changes.contains_key(name)) {
            duplicates::find(tx, &keys)?;
        }
        review_group::derive(tx, &keys)?;
        Ok(keys)
    }

    /// Discards files. A document that was published stays.
    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        discard::release_files(tx, ctx.app, ctx.caller, keys)?;
        ctx.delete_rows(tx, keys)
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&REVIEW_COLUMNS)
    }
}

/// Locks the selected files.
///
/// # Errors
/// `inbox_published` if one of them is scheduled or published.
fn require_unpublished(tx: &mut Tx<'_>, which: &Condition) -> Result<(), WriteError> {
    let mut query = Query::select();
    query.column(("inbox_files", "state")).from("inbox_files").cond_where(which.clone());
    query.order_by(("inbox_files", "id"), Order::Asc).lock_exclusive();
    for row in tx.rows(&query)?.iter() {
        if ["scheduled", "published"].contains(&row.text(0)?) {
            let message = "Um dos arquivos já foi publicado, ou a publicação está agendada. Desfaça a publicação para alterar.";
            return Err(WriteError::conflict("inbox_published", message));
        }
    }
    Ok(())
}

/// The hooks of `inbox_rules`.
pub(crate) struct InboxRuleHooks;

impl TableHooks for InboxRuleHooks {
    fn audit(&self) -> Option<RowNaming> {
        let events =
            [EventName::InboxRuleCreated, EventName::InboxRuleChanged, EventName::InboxRuleDeleted];
        Some(RowNaming::of_columns("inbox_rules", "pattern", Some("client_id"), events))
    }
}
