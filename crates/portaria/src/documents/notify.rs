//! A document that became visible to its client: added, released, or given to somebody at all.

use std::collections::BTreeMap;

use sea_query::{Expr, ExprTrait, JoinType, Query, SelectStatement};

use crate::notifications::notifier::{Notifier, Topic, day};
use crate::{
    app::App,
    db::{Error, Row, Tx},
    mail::template::Values,
    notifications::catalog::{self, DOCUMENT_KINDS},
};

/// Ids in one statement at most.
const AT_ONCE: usize = 500;

/// A document as it was before a change.
#[derive(Debug)]
pub struct DocumentSnapshot {
    id: String,
    client: Option<String>,
    is_pending: bool,
}

/// A document as a notice tells of it.
#[derive(Debug, Clone)]
pub(crate) struct DocumentSummary {
    pub(crate) id: String,
    pub(crate) client: String,
    pub(crate) name: String,
    pub(crate) expires_at: Option<String>,
    pub(crate) folder: String,
    pub(crate) kind: Option<&'static str>,
}

/// The documents that a condition on `documents` names, as they are; nobody else changes them before the end of this
/// transaction.
pub fn snapshot(
    tx: &mut Tx<'_>,
    mut which: SelectStatement,
) -> Result<Vec<DocumentSnapshot>, Error> {
    which.clear_selects().columns(["id", "client_id", "status"].map(|name| ("documents", name)));
    which.from("documents").order_by(("documents", "id"), sea_query::Order::Asc).lock_exclusive();
    let read = |row: Row<'_>| {
        Ok(DocumentSnapshot {
            id: row.text(0)?.to_owned(),
            client: row.opt_text(1)?.map(str::to_owned),
            is_pending: row.text(2)? == "pending",
        })
    };
    tx.rows(&which)?.iter().map(read).collect()
}

/// Tells clients of documents of theirs that they could not open before. Those that are not listed in `before` are new.
pub fn notify_visible(
    tx: &mut Tx<'_>,
    app: &App,
    ids: &[String],
    before: &[DocumentSnapshot],
) -> Result<(), Error> {
    let before: BTreeMap<&str, &DocumentSnapshot> =
        before.iter().map(|old| (&*old.id, old)).collect();
    let mut desk = Notifier::new(app);
    for ids in ids.chunks(AT_ONCE) {
        let mut query = select();
        query.and_where(Expr::col(("documents", "id")).is_in(ids.iter().map(String::as_str)));
        let rows = tx.rows(&query)?;
        for document in rows.iter().map(read).collect::<Result<Vec<_>, _>>()? {
            let was_theirs = before.get(&*document.id).is_some_and(|old| {
                !old.is_pending && old.client.as_ref() == Some(&document.client)
            });
            let notice = document.kind.and_then(|kind| catalog::of_document(kind, "new"));
            let (false, Some(notice)) = (was_theirs, notice) else { continue };
            // Most offices leave most notices off, and then this is all that a document costs.
            if !desk.is_enabled(tx, notice)? {
                continue;
            }
            let Some(reader) = desk.recipient(tx, &document.client)? else { continue };
            let subject = (Topic::Document(&document.id), "");
            desk.send(tx, notice, &reader, subject, document.values(app))?;
        }
    }
    Ok(())
}

/// The documents that are a client's and that they can open. What was replaced or put away is no news.
pub(crate) fn select() -> SelectStatement {
    let mut query = select_with_folder();
    query.and_where(Expr::col(("documents", "status")).eq("active"));
    query.and_where(Expr::col(("documents", "client_id")).is_not_null());
    query
}

/// All documents, with what their folders say.
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

/// A row of [`select_any`].
pub(crate) fn read(row: Row<'_>) -> Result<DocumentSummary, Error> {
    Ok(DocumentSummary {
        id: row.text(0)?.to_owned(),
        client: row.opt_text(1)?.unwrap_or_default().to_owned(),
        name: row.text(2)?.to_owned(),
        expires_at: row.opt_text(3)?.map(str::to_owned),
        folder: row.text(6)?.to_owned(),
        kind: kind(row.opt_text(4)?, row.opt_text(7)?, row.text(5)?),
    })
}

/// What kind of document it is: as it says itself, as its folder says, or because somebody typed just that as its type
/// (behaviour E2).
pub(crate) fn kind(own: Option<&str>, folder: Option<&str>, typed: &str) -> Option<&'static str> {
    let typed = typed.trim().to_lowercase();
    let typed = if typed == "relatório" { "relatorio".to_owned() } else { typed };
    let found = own.or(folder).unwrap_or(&typed);
    DOCUMENT_KINDS.into_iter().find(|kind| *kind == found)
}

impl DocumentSummary {
    /// What a template can name of it.
    pub(crate) fn values(&self, app: &App) -> Values<'static> {
        Values::from([
            ("document.name", self.name.clone()),
            ("document.link", format!("{}/documents/view/{}", app.config.site_url, self.id)),
            ("document.expires_at", day(app, self.expires_at.as_deref())),
            ("document.folder", self.folder.clone()),
        ])
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::notify::kind;

    #[test]
    fn a_documents_kind_is_its_own_its_folders_or_typed() {
        for (own, folder, typed, expected) in [
            (None, None, "pdf", None),
            (None, Some("fatura"), "pdf", Some("fatura")),
            (Some("aviso"), Some("fatura"), "contrato", Some("aviso")),
            (None, Some("fatura"), "contrato", Some("fatura")),
            (None, None, " Contrato ", Some("contrato")),
            (None, None, "Relatório", Some("relatorio")),
        ] {
            assert_eq!(kind(own, folder, typed), expected, "{own:?} {folder:?} {typed}");
        }
    }
}
