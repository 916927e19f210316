//! 'Quem receberá?': whom a change would mail, asked before it is made.

use std::collections::{BTreeMap, BTreeSet};

use sea_query::{Expr, ExprTrait, Query};
use serde::Serialize;

use crate::{
    app::App,
    db::{Error, Tx},
    notifications::catalog::{self, NOTICES, NotificationType},
};
use crate::{
    documents::{
        expiry::{self, Settings},
        notify::{DocumentSummary, kind},
    },
    notifications::notifier::{Notifier, is_on},
};

/// Names that are told; of the others the number is enough.
const NAMED: usize = 5;
/// Pages of documents that are looked through: more than an office has to tell of in one night.
const PAGES: usize = 40;

/// Whom a notice would go to.
#[derive(Debug, Serialize)]
pub struct RecipientPreview {
    /// The notice's setting; none for a document that no notice tells of.
    setting: Option<&'static str>,
    /// How many people.
    count: usize,
    /// What some of them are called.
    names: Vec<String>,
    /// Why nobody: `no_kind`, `off`, `muted`, or `unreachable` for who may not be mailed at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// A document that is about to be saved.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct DocumentDraft {
    pub client_id: String,
    pub folder_id_supabase: String,
    pub kind: Option<String>,
    pub r#type: Option<String>,
    pub expires_at: Option<String>,
}

/// Whom the next run would tell of expiries, were these the settings: a line for each that would tell anybody.
pub fn for_settings(
    tx: &mut Tx<'_>,
    app: &App,
    settings: &Settings,
) -> Result<Vec<RecipientPreview>, Error> {
    let at = expiry::next_run(app.clock.now(), &app.config.time_zone);
    let mut people: BTreeMap<&str, BTreeSet<(String, String)>> = BTreeMap::new();
    let mut place = None;
    for _ in 0..PAGES {
        let (due, next) = expiry::page(tx, app, at, settings, place.as_ref())?;
        for due in due {
            let person = (due.reader.name, due.reader.id);
            people.entry(due.notice.setting).or_default().insert(person);
        }
        place = next;
        if place.is_none() {
            break;
        }
    }
    let line = |notice: &NotificationType| {
        let people = people.get(notice.setting)?;
        let names = people.iter().take(NAMED).map(|(name, _)| name.clone()).collect();
        Some(RecipientPreview {
            setting: Some(notice.setting),
            count: people.len(),
            names,
            reason: None,
        })
    };
    Ok(NOTICES.iter().filter_map(line).collect())
}

/// Whether its client would be told of a document that is about to be saved, and of its expiry by the next run.
pub fn for_draft(
    tx: &mut Tx<'_>,
    app: &App,
    draft: DocumentDraft,
) -> Result<Vec<RecipientPreview>, Error> {
    let mut query = Query::select();
    query.columns(["name", "kind"]).from("folders");
    query.and_where(Expr::col("id_supabase").eq(draft.folder_id_supabase));
    let rows = tx.rows(&query)?;
    let (folder, folders_kind) = match rows.first() {
        Some(row) => (row.text(0)?.to_owned(), row.opt_text(1)?),
        None => (String::new(), None),
    };
    let typed = draft.r#type.unwrap_or_default();
    let document = DocumentSummary {
        id: String::new(),
        client: draft.client_id,
        name: String::new(),
        expires_at: draft.expires_at,
        folder,
        kind: kind(draft.kind.as_deref(), folders_kind, &typed),
    };
    let Some(added) = document.kind.and_then(|kind| catalog::of_document(kind, "new")) else {
        let reason = Some("no_kind");
        return Ok(vec![RecipientPreview { setting: None, count: 0, names: Vec::new(), reason }]);
    };
    let at = expiry::next_run(app.clock.now(), &app.config.time_zone);
    let expiry = expiry::notice_for(app, &document, at).map(|(notice, _)| notice);
    let mut desk = Notifier::new(app);
    let mut lines = Vec::new();
    for notice in [added].into_iter().chain(expiry) {
        let reader = desk.recipient(tx, &document.client)?;
        let reason = match &reader {
            _ if !is_on(tx, notice)? => Some("off"),
            None => Some("unreachable"),
            Some(reader) if !reader.wants(notice.topic) => Some("muted"),
            Some(_) => None,
        };
        let names: Vec<String> =
            reader.filter(|_| reason.is_none()).map(|reader| reader.name).into_iter().collect();
        lines.push(RecipientPreview {
            setting: Some(notice.setting),
            count: names.len(),
            names,
            reason,
        });
    }
    Ok(lines)
}
