//! Notifications of documents that became visible to their client: new, released, or assigned to a client.

use std::collections::BTreeMap;

use sea_query::{Expr, ExprTrait, JoinType, Query, SelectStatement};

use crate::notifications::notifier::{NotificationSubject, Notifier, format_date};
use crate::{
    app::App,
    db::{Error, Row, Tx},
    mail::template::Values,
    notifications::catalog::{self, DOCUMENT_KINDS},
};

/// Maximum number of ids in one statement.
const MAX_IDS_PER_STATEMENT: usize = 500;

/// The state of a document before a change.
#[derive(Debug)]
pub struct DocumentSnapshot {
    id: String,
    client: Option<String>,
    is_pending: bool,
}

/// The columns of a document that a notification needs.
#[derive(Debug, Clone)]
pub(crate) struct DocumentSummary {
    pub(crate) id: String,
    pub(crate) client: String,
    pub(crate) name: String,
    pub(crate) expires_at: Option<String>,
    pub(crate) folder: String,
    pub(crate) kind: Option<&'static str>,
}

/// Locks the selected documents until the end of the transaction, and returns their state.
pub fn snapshot(
    tx: &mut Tx<'_>,
    mut selection: SelectStatement,
) -> Result<Vec<DocumentSnapshot>, Error> {
    selection
        .clear_selects()
        .columns(["id", "client_id", "status"].map(|name| ("documents", name)));
    selection
        .from("documents")
        .order_by(("documents", "id"), sea_query::Order::Asc)
        .lock_exclusive();
    let read = |row: Row<'_>| {
        Ok(DocumentSnapshot {
            id: row.text(0)?.to_owned(),
            client: row.opt_text(1)?.map(str::to_owned),
            is_pending: row.text(2)? == "pending",
        })
    };
    tx.rows(&selection)?.iter().map(read).collect()
}

/// Notifies clients of documents that they could not open before. Documents that are absent from `before` are new.
pub fn notify_visible(
    tx: &mut Tx<'_>,
    app: &App,
    ids: &[String],
    before: &[DocumentSnapshot],
) -> Result<(), Error> {
    let before: BTreeMap<&str, &DocumentSnapshot> =
        before.iter().map(|old| (&*old.id, old)).collect();
    let mut notifier = Notifier::new(app);
    for ids in ids.chunks(MAX_IDS_PER_STATEMENT) {
        let mut query = select_active();
        query.and_where(Expr::col(("documents", "id")).is_in(ids.iter().map(String::as_str)));
        let rows = tx.rows(&query)?;
        for document in rows.iter().map(read_summary).collect::<Result<Vec<_>, _>>()? {
            let was_theirs = before.get(&*document.id).is_some_and(|old| {
                !old.is_pending && old.client.as_ref() == Some(&document.client)
            });
            let notice = document.kind.and_then(|kind| catalog::of_document(kind, "new"));
            let (false, Some(notice)) = (was_theirs, notice) else { continue };
            // Checked first, because most notifications are disabled in most offices, and this check is cached.
            if !notifier.is_enabled(tx, notice)? {
                continue;
            }
            let Some(recipient) = notifier.recipient(tx, &document.client)? else { continue };
            let subject = (NotificationSubject::Document(&document.id), "");
            notifier.send(tx, notice, &recipient, subject, document.template_variables(app))?;
        }
    }
    Ok(())
}

/// Builds the query for documents that have a client and are active. Replaced and archived documents cause no
/// notification.
pub(crate) fn select_active() -> SelectStatement {
    let mut query = select_with_folder();
    query.and_where(Expr::col(("documents", "status")).eq("active"));
    query.and_where(Expr::col(("documents", "client_id")).is_not_null());
    query
}

/// Builds the query for all documents with the name and kind of their folders.
pub(crate) fn select_with_folder() -> SelectStatement {
    let mut query = Query::select();
    query.columns(
        ["id", "client_id", "name", "expires_at", "kind", "type"].map(|name| ("documents", name)),
    );
    query.columns([("folders", "name"), ("folders", "kind")]).from("documents").join(
        JoinType::InnerJoin,
        "folders",
        Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase")),
    );
    query
}

/// Reads a row of [`select_active`] or [`select_with_folder`].
pub(crate) fn read_summary(row: Row<'_>) -> Result<DocumentSummary, Error> {
    Ok(DocumentSummary {
        id: row.text(0)?.to_owned(),
        client: row.opt_text(1)?.unwrap_or_default().to_owned(),
        name: row.text(2)?.to_owned(),
        expires_at: row.opt_text(3)?.map(str::to_owned),
        folder: row.text(6)?.to_owned(),
        kind: document_kind(row.opt_text(4)?, row.opt_text(7)?, row.text(5)?),
    })
}

/// Determines the kind of a document: its own, that of its folder, or the kind whose name was typed as its type.
pub(crate) fn document_kind(
    own: Option<&str>,
    folder: Option<&str>,
    type_text: &str,
) -> Option<&'static str> {
    let type_text = type_text.trim().to_lowercase();
    let type_text = if type_text == "relatório" { "relatorio".to_owned() } else { type_text };
    let found = own.or(folder).unwrap_or(&type_text);
    DOCUMENT_KINDS.into_iter().find(|kind| *kind == found)
}

impl DocumentSummary {
    /// Returns the template variables of the document.
    pub(crate) fn template_variables(&self, app: &App) -> Values<'static> {
        Values::from([
            ("document.name", self.name.clone()),
            ("document.link", format!("{}/documents/view/{}", app.config.site_url, self.id)),
            ("document.expires_at", format_date(app, self.expires_at.as_deref())),
            ("document.folder", self.folder.clone()),
        ])
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::notify::document_kind;

    #[test]
    fn kind_comes_from_document_folder_or_type() {
        for (own, folder, type_text, expected) in [
            (None, None, "pdf", None),
            (None, Some("fatura"), "pdf", Some("fatura")),
            (Some("aviso"), Some("fatura"), "contrato", Some("aviso")),
            (None, Some("fatura"), "contrato", Some("fatura")),
            (None, None, " Contrato ", Some("contrato")),
            (None, None, "Relatório", Some("relatorio")),
        ] {
            assert_eq!(
                document_kind(own, folder, type_text),
                expected,
                "{own:?} {folder:?} {type_text}"
            );
        }
    }
}
