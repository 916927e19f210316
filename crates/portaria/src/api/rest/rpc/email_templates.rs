//! Templates of mails: what one must be to be kept, and what is done with one before or beside keeping it.

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
        template::is_break,
    },
    notifications::{
        self,
        catalog::{self, NOTICES},
    },
    policy::{Action, Caller},
    schema::{DayBoundary, TableId},
    security::keys,
};
use crate::{
    api::rest::{RestError, planner::Planner, rpc},
    schema::value,
};

/// Characters in a subject.
const MOST_SUBJECT: usize = 200;

/// Refuses a template that could not be sent as its author means it. What its notice has no value for is kept: it
/// leaves a gap, of which the editor warns.
pub(crate) fn validate(payload: &Map<String, Value>) -> Result<(), RestError> {
    let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
    let (subject, html) = (text("subject"), text("html_content"));
    if subject.chars().any(is_break) || subject.chars().count() > MOST_SUBJECT {
        let message =
            format!("O assunto deve caber em uma linha de até {MOST_SUBJECT} caracteres.");
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

/// A template as it would be mailed.
pub(crate) fn preview(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    trial: &TemplateDraft,
) -> Result<Option<Value>, RestError> {
    require_template_access(tx, app, credential)?;
    Ok(Some(json!(preview::preview(tx, app, trial)?)))
}

/// A template mailed to whoever writes it.
pub(crate) fn send_test(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    trial: &TemplateDraft,
) -> Result<Option<Value>, RestError> {
    let caller = require_template_access(tx, app, credential)?;
    let person = caller.user().map(|id| user::by_id(tx, id)).transpose()?.flatten();
    // A program of the office has no address.
    let person =
        person.ok_or_else(|| RestError::row_denied(caller, TableId::EmailTemplates.table()))?;
    let id = preview::send_test(tx, app, trial, &person)?;
    Ok(Some(json!({"id": id, "recipient": person.email})))
}

/// Either of two questions: about settings, or about a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RecipientQuery {
    Settings(BTreeMap<String, bool>),
    Document(DocumentDraftParams),
}

/// As it is about to be sent to the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentDraftParams {
    client_id: String,
    folder_id_supabase: String,
    kind: Option<String>,
    r#type: Option<String>,
    expires_at: Option<String>,
}

/// Whom a change would mail.
pub(crate) fn audience(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    question: &RecipientQuery,
) -> Result<Option<Value>, RestError> {
    require_template_access(tx, app, credential)?;
    let lines = match question {
        RecipientQuery::Settings(settings) => recipient_preview::for_settings(tx, app, settings)?,
        RecipientQuery::Document(asked) => {
            let zone = &app.config.time_zone;
            let expires = asked.expires_at.as_deref().filter(|text| !text.is_empty());
            let expires = expires.map(|text| value::moment(text, DayBoundary::End, zone));
            let draft = DocumentDraft {
                client_id: asked.client_id.clone(),
                folder_id_supabase: asked.folder_id_supabase.clone(),
                kind: asked.kind.clone(),
                r#type: asked.r#type.clone(),
                expires_at: expires.transpose()?.map(format_timestamp),
            };
            recipient_preview::for_draft(tx, app, draft)?
        }
    };
    Ok(Some(json!(lines)))
}

/// Keeps our own words as templates, for the office to change: for each notice that has none. Their ids.
pub(crate) fn create_defaults(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    _: &rpc::NoArgs,
) -> Result<Option<Value>, RestError> {
    let caller = require_template_access(tx, app, credential)?;
    // Who asks at the same moment looks when these are there.
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
                ("html_content", notifications::built_in(app, notice).into()),
                ("event_trigger", notice.trigger.into()),
                ("created_at", format_timestamp(now).into()),
                ("updated_at", format_timestamp(now).into()),
            ],
        )?;
        ids.push(id);
    }
    let named = audit::describe_rows(tx, TableId::EmailTemplates, &ids)?;
    let what = (TableId::EmailTemplates, Change::Created);
    audit::record_rows(tx, app, caller, what, named, &json!({}));
    Ok(Some(json!(ids)))
}

/// Whoever may change templates.
fn require_template_access(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<Caller, RestError> {
    let caller = credential.caller(tx, &app.config, app.clock.now())??;
    let planner = Planner::new(app, caller, tx.dialect());
    planner.access(TableId::EmailTemplates.table(), Action::Update)?;
    Ok(caller)
}
