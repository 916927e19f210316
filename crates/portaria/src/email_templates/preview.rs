//! A template tried out before it is kept: shown as it would be mailed, or mailed to whoever writes it.

use sea_query::{Expr, ExprTrait, Query};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::user::{self, User},
    app::App,
    db::{Error, Tx},
    mail::{
        layout::RenderedMail,
        plain_text::to_plain_text,
        sanitize,
        template::{self, Values},
    },
    notifications::catalog::{self, SubjectKind},
    security::keys,
};
use crate::{
    documents::notify::{self as document_notify, DocumentSummary},
    notifications::{
        NewMail, enqueue,
        notifier::{common_values, footer_values, written},
    },
    tickets::notify as ticket_notify,
};

/// A template, and whom and what it shall be about: examples where nothing is said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct TemplateDraft {
    pub event_trigger: String,
    pub subject: String,
    pub html_content: String,
    pub client_id: Option<String>,
    pub document_id: Option<String>,
    pub ticket_id: Option<String>,
}

/// A template as it would be mailed, and what will not be.
#[derive(Debug, Serialize)]
pub struct TemplatePreview {
    subject: String,
    html: String,
    text: String,
    /// What it names that does not exist: the mail would leave a gap, the preview shows it as it was typed.
    unknown: Vec<String>,
    /// What it names that this notice has no value for.
    unavailable: Vec<String>,
    /// What is not mailed of its HTML.
    removed: Vec<String>,
}

/// Shows a template.
pub fn preview(
    tx: &mut Tx<'_>,
    app: &App,
    trial: &TemplateDraft,
) -> Result<TemplatePreview, Error> {
    let texts = [&*trial.subject, &*trial.html_content];
    let (unknown, unavailable) = catalog::invalid_placeholders(&trial.event_trigger, texts);
    let removed = sanitize::removed_elements(&trial.html_content);
    let RenderedMail { subject, html } = render_draft(tx, app, trial)?;
    let text = to_plain_text(&html);
    Ok(TemplatePreview { subject, html, text, unknown, unavailable, removed })
}

/// Mails a template to whoever writes it; the id of that mail.
pub fn send_test(
    tx: &mut Tx<'_>,
    app: &App,
    trial: &TemplateDraft,
    to: &User,
) -> Result<Option<String>, Error> {
    let mut written = render_draft(tx, app, trial)?;
    written.subject = format!("[Teste] {}", written.subject);
    let owner = to.id.to_string();
    let mail = NewMail {
        event: "test",
        cause: &keys::new_token(),
        user: Some(&owner),
        about: None,
        to: &to.email,
        written,
        topic: None,
        document: None,
        ticket: None,
    };
    enqueue(tx, app, mail)
}

fn render_draft(tx: &mut Tx<'_>, app: &App, trial: &TemplateDraft) -> Result<RenderedMail, Error> {
    let notice = catalog::by_event(&trial.event_trigger);
    let about = notice.map(|notice| notice.about);
    let texts = [&*trial.subject, &*trial.html_content];
    // What is unknown stands for itself.
    let mut values: Values<'_> = texts
        .into_iter()
        .flat_map(template::names)
        .filter(|name| !catalog::VARIABLES.iter().any(|(known, _)| known == name))
        .map(|name| (name, format!("{{{{{name}}}}}")))
        .collect();
    let client = match trial.client_id.as_deref().map(uuid::Uuid::parse_str) {
        Some(Ok(id)) => user::by_id(tx, id)?,
        _ => None,
    };
    let name = client.as_ref().map_or("Cliente de exemplo", User::full_name);
    values.extend(common_values(app, name));
    if about != Some(SubjectKind::Ticket) {
        values.extend(document(tx, trial.document_id.as_deref())?.values(app));
    }
    if about != Some(SubjectKind::Document) {
        let (id, subject) = ticket(tx, trial.ticket_id.as_deref())?;
        values.extend(ticket_notify::values(&id, &subject));
    }
    if let Some(notice) = notice {
        let reader = client.as_ref().map_or_else(|| EXAMPLE.to_owned(), |user| user.id.to_string());
        values.extend(footer_values(app, &reader, notice));
    }
    Ok(written(&trial.subject, &trial.html_content).render(&values))
}

/// The id of what does not exist.
const EXAMPLE: &str = "00000000-0000-0000-0000-000000000000";

fn document(tx: &mut Tx<'_>, id: Option<&str>) -> Result<DocumentSummary, Error> {
    if let Some(id) = id {
        let mut query = document_notify::select_with_folder();
        query.and_where(Expr::col(("documents", "id")).eq(id));
        let rows = tx.rows(&query)?;
        if let Some(row) = rows.first() {
            return document_notify::read(row);
        }
    }
    Ok(DocumentSummary {
        id: EXAMPLE.to_owned(),
        client: EXAMPLE.to_owned(),
        name: "Documento de exemplo".to_owned(),
        expires_at: Some("2026-12-31T12:00:00.000000+00:00".to_owned()),
        folder: "Pasta de exemplo".to_owned(),
        kind: None,
    })
}

fn ticket(tx: &mut Tx<'_>, id: Option<&str>) -> Result<(String, String), Error> {
    if let Some(id) = id {
        let mut query = Query::select();
        query.columns(["id", "subject"]).from("tickets").and_where(Expr::col("id").eq(id));
        let rows = tx.rows(&query)?;
        if let Some(row) = rows.first() {
            return Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()));
        }
    }
    Ok((EXAMPLE.to_owned(), "Ticket de exemplo".to_owned()))
}
