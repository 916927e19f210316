//! Mail templates: validation before a template is saved, and the functions `preview_template`, `send_test_mail`,
//! `mail_audience` and `create_default_templates`.

use std::{collections::BTreeMap, sync::Arc};

use sea_query::{Expr, ExprTrait, Query};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    accounts::{authenticate::Credential, user},
    app::App,
    audit::{self, Change},
    clock::format_timestamp,
    db::Tx,
    email_templates::{
        preview::{self, TemplateDraft},
        recipient_preview::{self, DocumentDraft},
    },
    lease,
    mail::{
        sanitize::{MAX_IMAGE_BYTES, holds_large_image},
        template::is_control_or_line_break,
    },
    notifications::{
        self,
        catalog::{self, NOTICES},
    },
    policy::Action,
    schema::{DayBoundary, TableId},
    security::{caller::Caller, keys},
};
use crate::{
    api::rest::{RestError, planner::Planner, rpc},
    schema::value,
};

/// Maximum length of a subject. Characters.
const MAX_SUBJECT_CHARS: usize = 200;

/// Validates a template. A known variable for which the event has no value is accepted: it is rendered empty, and the
/// editor displays a warning.
///
/// # Errors
/// `template_subject`, `template_image` or `template_variables` for a template that cannot be sent as written.
pub(crate) fn validate(payload: &Map<String, Value>) -> Result<(), RestError> {
    let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
    let (subject, html) = (text("subject"), text("html_content"));
    if subject.chars().any(is_control_or_line_break) || subject.chars().count() > MAX_SUBJECT_CHARS
    {
        let message =
            format!("O assunto deve caber em uma linha de até {MAX_SUBJECT_CHARS} caracteres.");
        return Err(RestError::unprocessable("template_subject", message));
    }
    if holds_large_image(html) {
        let message = format!(
            "Uma imagem do conteúdo tem mais de {} kB. Use uma imagem menor ou o endereço dela na internet.",
            MAX_IMAGE_BYTES / 1000
        );
        return Err(RestError::unprocessable("template_image", message));
    }
    let (unknown, _) = catalog::invalid_placeholders(text("event_trigger"), [subject, html]);
    if unknown.is_empty() {
        return Ok(());
    }
    let message = format!("Estas variáveis não existem: {}.", unknown.join(", "));
    Err(RestError::unprocessable("template_variables", message).details(json!(unknown).to_string()))
}

/// `preview_template`: renders a template as it would be mailed.
pub(crate) fn preview(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    draft: &TemplateDraft,
) -> Result<Option<Value>, RestError> {
    require_template_access(tx, app, credential)?;
    Ok(Some(json!(preview::preview(tx, app, draft)?)))
}

/// `send_test_mail`: mails a template to the caller.
pub(crate) fn send_test(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    draft: &TemplateDraft,
) -> Result<Option<Value>, RestError> {
    let caller = require_template_access(tx, app, credential)?;
    let person = caller.user().map(|id| user::by_id(tx, id)).transpose()?.flatten();
    // The service key has no account and no e-mail address.
    let person =
        person.ok_or_else(|| RestError::row_denied(caller, TableId::EmailTemplates.table()))?;
    let id = preview::send_test(tx, app, draft, &person)?;
    Ok(Some(json!({"id": id, "recipient": person.email})))
}

/// Arguments of `mail_audience`: a change of settings, or a document to be saved.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecipientQuery {
    Settings(BTreeMap<String, bool>),
    Document(DocumentDraftParams),
}

/// A document in the form in which the client sends it to the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentDraftParams {
    client_id: String,
    folder_id_supabase: String,
    kind: Option<String>,
    r#type: Option<String>,
    expires_at: Option<String>,
}

/// `mail_audience`: lists the recipients of the mails that a change would cause.
pub(crate) fn preview_recipients(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    query: &RecipientQuery,
) -> Result<Option<Value>, RestError> {
    require_template_access(tx, app, credential)?;
    let previews = match query {
        RecipientQuery::Settings(settings) => {
            recipient_preview::preview_settings(tx, app, settings)?
        }
        RecipientQuery::Document(params) => {
            let zone = &app.config.time_zone;
            let expires = params.expires_at.as_deref().filter(|text| !text.is_empty());
            let expires = expires.map(|text| value::parse_timestamp(text, DayBoundary::End, zone));
            let document = DocumentDraft {
                client_id: params.client_id.clone(),
                folder_id_supabase: params.folder_id_supabase.clone(),
                kind: params.kind.clone(),
                r#type: params.r#type.clone(),
                expires_at: expires.transpose()?.map(format_timestamp),
            };
            recipient_preview::preview_document(tx, app, document)?
        }
    };
    Ok(Some(json!(previews)))
}

/// `create_default_templates`: saves the built-in text of every notification without a template as a template that the
/// office can change. Answers with the ids of the new templates.
pub(crate) fn create_defaults(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    _: &rpc::NoArgs,
) -> Result<Option<Value>, RestError> {
    let caller = require_template_access(tx, app, credential)?;
    // A concurrent call waits, and then finds these templates.
    lease::advisory_lock(tx, "default templates")?;
    let now = app.clock.now();
    let mut ids = Vec::new();
    for notice in NOTICES {
        let mut query = Query::select();
        query.column("id").from("email_templates").limit(1);
        if !tx.rows(query.and_where(Expr::col("event_trigger").eq(notice.trigger)))?.is_empty() {
            continue;
        }
        let id = keys::new_id(now).to_string();
        tx.insert(
            "email_templates",
            [
                ("id", id.as_str().into()),
                ("name", notice.name.into()),
                ("subject", notice.subject.into()),
                ("html_content", notifications::built_in_text(app, notice).into()),
                ("event_trigger", notice.trigger.into()),
                ("created_at", format_timestamp(now).into()),
                ("updated_at", format_timestamp(now).into()),
            ],
        )?;
        ids.push(id);
    }
    let labels = audit::describe_rows(tx, TableId::EmailTemplates, &ids)?;
    let change = (TableId::EmailTemplates, Change::Created);
    audit::record_rows(tx, app, caller, change, labels, &json!({}));
    Ok(Some(json!(ids)))
}

/// Requires a caller who may update templates.
///
/// # Errors
/// 42501 for other callers.
fn require_template_access(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<Caller, RestError> {
    let caller = credential.caller(tx, &app.config, app.clock.now())?;
    let planner = Planner::new(app, caller, tx.dialect());
    planner.require_access(TableId::EmailTemplates.table(), Action::Update)?;
    Ok(caller)
}
