//! A document as a row: the forms in which notifications read it.

use crate::{
    app::App,
    config::pages::{Area, Page},
    db::{Error, Row},
    mail::template::Values,
    notifications::{catalog::DOCUMENT_KINDS, center::FolderOfClient, notifier::format_date},
    security::ids::{DocumentId, UserId},
};

/// The status of a document. The column accepts any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentStatus {
    /// The client sees the document and is notified about it.
    Active,
    /// The client sees the row, cannot open the file, and is not notified yet.
    Pending,
    /// Any other text, such as `archived`: the client sees the document and is not notified about it.
    Inactive,
}

impl DocumentStatus {
    /// The text of [`Self::Active`].
    pub(crate) const ACTIVE: &'static str = "active";
    /// The text of [`Self::Pending`].
    pub(crate) const PENDING: &'static str = "pending";

    pub(crate) fn from_text(text: &str) -> Self {
        match text {
            Self::ACTIVE => Self::Active,
            Self::PENDING => Self::Pending,
            _ => Self::Inactive,
        }
    }
}

/// The state of a document before a change.
#[derive(Debug)]
pub struct DocumentSnapshot {
    pub(crate) id: DocumentId,
    pub(crate) client: Option<UserId>,
    pub(crate) status: DocumentStatus,
    /// The folder, by `id_supabase`.
    pub(crate) folder: String,
}

impl DocumentSnapshot {
    /// The columns that [`Self::from_row`] reads.
    pub(crate) const COLUMNS: [&'static str; 4] =
        ["id", "client_id", "status", "folder_id_supabase"];

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Error> {
        Ok(Self {
            id: row.parse(0)?,
            client: row.opt_parse(1)?,
            status: DocumentStatus::from_text(row.text(2)?),
            folder: row.text(3)?.to_owned(),
        })
    }
}

/// The columns of a document that a notification needs.
#[derive(Debug, Clone)]
pub(crate) struct DocumentSummary {
    pub(crate) id: DocumentId,
    pub(crate) client: Option<UserId>,
    pub(crate) name: String,
    pub(crate) expires_at: Option<String>,
    /// The folder, by `id_supabase`.
    pub(crate) folder_id: String,
    /// The name of the folder.
    pub(crate) folder: String,
    pub(crate) kind: Option<&'static str>,
    /// The category; empty if there is none.
    pub(crate) category: String,
    /// Whether the document asks its client for an answer.
    pub(crate) asks_for_answer: bool,
}

impl DocumentSummary {
    /// The columns that [`Self::from_row`] reads, of `documents` joined with `folders`.
    pub(crate) const COLUMNS: [(&'static str, &'static str); 11] = [
        ("documents", "id"),
        ("documents", "client_id"),
        ("documents", "name"),
        ("documents", "expires_at"),
        ("documents", "kind"),
        ("documents", "type"),
        ("folders", "name"),
        ("folders", "kind"),
        ("documents", "approval_request"),
        ("documents", "folder_id_supabase"),
        ("documents", "category"),
    ];

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Error> {
        Ok(Self {
            id: row.parse(0)?,
            client: row.opt_parse(1)?,
            name: row.text(2)?.to_owned(),
            expires_at: row.opt_text(3)?.map(str::to_owned),
            folder_id: row.text(9)?.to_owned(),
            folder: row.text(6)?.to_owned(),
            kind: document_kind(row.opt_text(4)?, row.opt_text(7)?, row.text(5)?),
            category: row.opt_text(10)?.unwrap_or_default().to_owned(),
            asks_for_answer: row.opt_text(8)?.is_some(),
        })
    }

    /// Returns the client with the folder of the document.
    pub(crate) fn folder_of_client(&self) -> Option<FolderOfClient> {
        self.client.map(|client| (client, Some(self.folder_id.clone())))
    }

    /// Returns the template variables of the document.
    pub(crate) fn template_variables(&self, app: &App) -> Values<'static> {
        Values::from([
            ("document.name", self.name.clone()),
            (
                "document.link",
                app.config.page_url(Page::Document(Area::Client, &self.id.to_string())),
            ),
            ("document.expires_at", format_date(app, self.expires_at.as_deref())),
            ("document.folder", self.folder.clone()),
        ])
    }
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

#[cfg(test)]
mod tests {
    use crate::documents::model::document_kind;

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
