//! Previews of a template before it is saved: rendered for the editor, or mailed to the caller as a test.

use sea_query::{Expr, ExprTrait, Query};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    accounts::user::{self, User},
    app::App,
    db::{Error, Tx},
    mail::{
        html_limits::LimitExceeded,
        layout::{Letterhead, RenderedMail},
        sanitize,
        template::{self, Values},
        to_plain_text,
    },
    notifications::catalog::{self, SubjectKind},
    requests,
    security::{
        ids::{DocumentId, MailId, TicketId, UserId},
        keys,
    },
};
use crate::{
    documents::{model::DocumentSummary, notify as document_notify},
    notifications::{
        NewMail, enqueue,
        notifier::{client_values, draft_template, footer_values},
    },
    tickets::notify as ticket_notify,
};

/// The event of a test mail, as `outbox` names it.
pub const EVENT: &str = "test";

/// A template, with the client, document and ticket to render it for. Examples replace those that are absent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields are named after the columns")]
pub struct TemplateDraft {
    pub event_trigger: String,
    pub subject: String,
    pub html_content: String,
    pub client_id: Option<String>,
    pub document_id: Option<String>,
    pub ticket_id: Option<String>,
}

/// A rendered template, with warnings.
#[derive(Debug, Serialize)]
pub struct TemplatePreview {
    subject: String,
    html: String,
    text: String,
    /// Variables that do not exist. The preview displays them as they were typed.
    unknown: Vec<String>,
    /// Variables for which this event has no value. They are rendered empty.
    unavailable: Vec<String>,
    /// HTML elements that the sanitizer removes.
    removed: Vec<String>,
}

/// The client, document and ticket for which a template is rendered.
#[derive(Debug)]
pub struct PreviewSubject {
    office: Letterhead,
    client: Option<User>,
    document: DocumentSummary,
    ticket: (TicketId, String),
}

/// Loads what a draft names, or examples.
pub fn load_subject(
    tx: &mut Tx<'_>,
    app: &App,
    draft: &TemplateDraft,
) -> Result<PreviewSubject, Error> {
    let client = match draft.client_id.as_deref().map(str::parse) {
        Some(Ok(id)) => user::by_id(tx, id)?,
        _ => None,
    };
    let document = document_or_example(tx, draft.document_id.as_deref())?;
    let ticket = ticket_or_example(tx, draft.ticket_id.as_deref())?;
    let office = app.office_in(tx)?.letterhead();
    Ok(PreviewSubject { office, client, document, ticket })
}

/// Renders a template for the editor. Takes too long for a thread of the database.
///
/// # Errors
/// [`LimitExceeded`] for HTML that cannot be saved.
pub fn preview(
    app: &App,
    draft: &TemplateDraft,
    subject: &PreviewSubject,
) -> Result<TemplatePreview, LimitExceeded> {
    let RenderedMail { subject, html } = render_draft(app, draft, subject)?;
    let texts = [&*draft.subject, &*draft.html_content];
    let (unknown, unavailable) = catalog::invalid_placeholders(&draft.event_trigger, texts);
    let removed = sanitize::removed_elements(&draft.html_content)?;
    let text = to_plain_text(&html);
    Ok(TemplatePreview { subject, html, text, unknown, unavailable, removed })
}

/// Mails a rendered template to `to` and returns the id of the mail.
pub fn send_test(
    tx: &mut Tx<'_>,
    app: &App,
    mut rendered: RenderedMail,
    to: &User,
) -> Result<Option<MailId>, Error> {
    rendered.subject = format!("[Teste] {}", rendered.subject);
    let mail = NewMail {
        event: EVENT,
        cause: &keys::new_token(),
        user: Some(to.id),
        about_user_id: None,
        to: &to.email,
        rendered,
        topic: None,
        subject: None,
    };
    enqueue(tx, app, mail)
}

/// Renders a template. Takes too long for a thread of the database.
///
/// # Errors
/// [`LimitExceeded`] for HTML that cannot be saved.
pub fn render_draft(
    app: &App,
    draft: &TemplateDraft,
    subject: &PreviewSubject,
) -> Result<RenderedMail, LimitExceeded> {
    let notice = catalog::by_event(&draft.event_trigger);
    let about = notice.map(|notice| notice.about);
    let texts = [&*draft.subject, &*draft.html_content];
    // An unknown variable is its own value, so that the preview displays it.
    let mut values: Values<'_> = texts
        .into_iter()
        .flat_map(template::names)
        .filter(|name| !catalog::VARIABLES.iter().any(|(variable, _)| variable == name))
        .map(|name| (name, format!("{{{{{name}}}}}")))
        .collect();
    let name = subject.client.as_ref().map_or("Cliente de exemplo", User::full_name);
    values.extend(client_values(name));
    if about.is_none_or(|about| about == SubjectKind::Document) {
        values.extend(subject.document.template_variables(app));
    }
    if about.is_none_or(|about| about == SubjectKind::Ticket) {
        let (id, ticket_subject) = &subject.ticket;
        values.extend(ticket_notify::template_variables(*id, ticket_subject));
    }
    if about.is_none_or(|about| about == SubjectKind::Request) {
        values.extend(requests::notify::example_variables(app));
    }
    if let Some(notice) = notice {
        // A test mail must not contain the link by which the client ends the notifications.
        values.extend(footer_values(app, UserId(Uuid::nil()), None, notice));
    }
    Ok(draft_template(&draft.subject, &draft.html_content)?.render(&subject.office, values))
}

fn document_or_example(tx: &mut Tx<'_>, id: Option<&str>) -> Result<DocumentSummary, Error> {
    if let Some(id) = id {
        let mut query = document_notify::select_with_folder();
        query.and_where(Expr::col(("documents", "id")).eq(id));
        let rows = tx.rows(&query)?;
        if let Some(row) = rows.first() {
            return DocumentSummary::from_row(row);
        }
    }
    Ok(DocumentSummary {
        id: DocumentId(Uuid::nil()),
        client: None,
        name: "Documento de exemplo".to_owned(),
        expires_at: Some("2026-12-31T12:00:00.000000+00:00".to_owned()),
        folder_id: String::new(),
        folder: "Pasta de exemplo".to_owned(),
        kind: None,
        category: String::new(),
        asks_for_answer: false,
    })
}

fn ticket_or_example(tx: &mut Tx<'_>, id: Option<&str>) -> Result<(TicketId, String), Error> {
    if let Some(id) = id {
        let mut query = Query::select();
        query.columns(["id", "subject"]).from("tickets").and_where(Expr::col("id").eq(id));
        let rows = tx.rows(&query)?;
        if let Some(row) = rows.first() {
            return Ok((row.parse(0)?, row.text(1)?.to_owned()));
        }
    }
    Ok((TicketId(Uuid::nil()), "Ticket de exemplo".to_owned()))
}
