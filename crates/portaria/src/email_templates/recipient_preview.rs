//! Preview of recipients ("Quem receberá?"): lists the clients that a change would notify, before it is made.

use std::collections::{BTreeMap, BTreeSet};

use sea_query::{Expr, ExprTrait, Query};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    app::App,
    db::{Error, Tx},
    lease::EXPIRY_NOTICES,
    notifications::catalog::{self, NOTICES, NotificationType},
    security::ids::{DocumentId, UserId},
};
use crate::{
    documents::{
        expiry::{self, NotificationSettings},
        model::{DocumentSummary, document_kind},
    },
    notifications::notifier::{Audience, Notifier, is_enabled_in_settings},
};

/// Maximum number of names in a preview. The count includes the others.
const MAX_NAMES: usize = 5;
/// Maximum number of pages of documents that are searched, which is more than an office needs in one night.
const MAX_PAGES: usize = 40;

/// The recipients of a notification.
#[derive(Debug, Serialize)]
pub struct RecipientPreview {
    /// The key of the notification's setting; `None` for a document without a kind.
    setting: Option<&'static str>,
    /// Number of recipients.
    count: usize,
    /// Names of the first recipients.
    names: Vec<String>,
    /// The reason for an empty list: `no_kind`, `off`, `muted`, or `unreachable` for a client who receives no
    /// notifications at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// A document that is not saved yet.
#[derive(Debug)]
#[expect(missing_docs, reason = "fields are named after the columns")]
pub struct DocumentDraft {
    pub client_id: String,
    pub folder_id_supabase: String,
    pub kind: Option<String>,
    pub r#type: Option<String>,
    pub expires_at: Option<String>,
}

/// Lists the recipients of the next expiry notifications under the given settings, for each notification that has any.
pub fn preview_settings(
    tx: &mut Tx<'_>,
    app: &App,
    settings: &NotificationSettings,
) -> Result<Vec<RecipientPreview>, Error> {
    let at = EXPIRY_NOTICES.next(app);
    let mut people: BTreeMap<&str, BTreeSet<(String, UserId)>> = BTreeMap::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let (due, next) = expiry::due_notices(tx, app, at, settings, cursor.as_ref())?;
        for due in due {
            let person = (due.recipient.name, due.recipient.id);
            people.entry(due.notice.setting).or_default().insert(person);
        }
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    let preview = |notice: &NotificationType| {
        let people = people.get(notice.setting)?;
        let names = people.iter().take(MAX_NAMES).map(|(name, _)| name.clone()).collect();
        Some(RecipientPreview {
            setting: Some(notice.setting),
            count: people.len(),
            names,
            reason: None,
        })
    };
    Ok(NOTICES.iter().filter_map(preview).collect())
}

/// Lists the recipients of the notifications that saving a document would cause, at once and in the next expiry run.
pub fn preview_document(
    tx: &mut Tx<'_>,
    app: &App,
    draft: &DocumentDraft,
) -> Result<Vec<RecipientPreview>, Error> {
    let mut query = Query::select();
    query.columns(["name", "kind"]).from("folders");
    query.and_where(Expr::col("id_supabase").eq(draft.folder_id_supabase.as_str()));
    let rows = tx.rows(&query)?;
    let (folder, folder_kind) = match rows.first() {
        Some(row) => (row.text(0)?.to_owned(), row.opt_text(1)?),
        None => (String::new(), None),
    };
    let type_text = draft.r#type.as_deref().unwrap_or_default();
    let document = DocumentSummary {
        id: DocumentId(Uuid::nil()),
        client: draft.client_id.parse().ok(),
        name: String::new(),
        expires_at: draft.expires_at.clone(),
        folder_id: draft.folder_id_supabase.clone(),
        folder,
        kind: document_kind(draft.kind.as_deref(), folder_kind, type_text),
        category: String::new(),
        asks_for_answer: false,
    };
    let Some(added) = document.kind.and_then(|kind| catalog::of_document(kind, "new")) else {
        let reason = Some("no_kind");
        return Ok(vec![RecipientPreview { setting: None, count: 0, names: Vec::new(), reason }]);
    };
    let at = EXPIRY_NOTICES.next(app);
    let office = app.office_in(tx)?;
    let expiry = expiry::notice_for(app, &office, &document, at).map(|(notice, _)| notice);
    let mut notifier = Notifier::new(app);
    let mut previews = Vec::new();
    for notice in [added].into_iter().chain(expiry) {
        let recipients = match document.client {
            Some(client) => {
                let audience = Audience { client, folder: Some(&document.folder_id) };
                notifier.recipients(tx, audience)?
            }
            None => Vec::new(),
        };
        let is_wanted = recipients.iter().any(|recipient| recipient.wants(notice.topic));
        let reason = match recipients.as_slice() {
            _ if !is_enabled_in_settings(tx, notice)? => Some("off"),
            [] => Some("unreachable"),
            _ if !is_wanted => Some("muted"),
            _ => None,
        };
        let names: Vec<String> = recipients
            .into_iter()
            .filter(|recipient| reason.is_none() && recipient.wants(notice.topic))
            .map(|recipient| recipient.name)
            .collect();
        previews.push(RecipientPreview {
            setting: Some(notice.setting),
            count: names.len(),
            names,
            reason,
        });
    }
    Ok(previews)
}
