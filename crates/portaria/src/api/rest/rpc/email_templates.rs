//! The functions `preview_template`, `send_test_mail`, `mail_audience` and `create_default_templates`.

use std::collections::BTreeMap;

use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::rest::{
    RestError,
    rpc::{NoArgs, RpcCall, require_access},
};
use crate::{
    accounts::user,
    app::App,
    clock::format_timestamp,
    db::Tx,
    email_templates::{
        TABLE, defaults,
        preview::{self, TemplateDraft},
        recipient_preview::{self, DocumentDraft},
    },
    policy::Action,
    schema::{DayBoundary, value},
    security::caller::Caller,
    table_write::WriteError,
};

/// `preview_template`: renders a template as it would be mailed.
///
/// # Errors
/// 42501 for callers who may not change templates.
pub async fn preview(call: RpcCall) -> Result<Response, RestError> {
    call.read("preview_template", preview_in).await
}

fn preview_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    draft: &TemplateDraft,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, TABLE.table(), Action::Update)?;
    Ok(Some(json!(preview::preview(tx, app, draft)?)))
}

/// `send_test_mail`: mails a template to the caller.
///
/// # Errors
/// 42501 for callers who may not change templates, and for the service key, which has no account.
pub async fn send_test(call: RpcCall) -> Result<Response, RestError> {
    call.write("send_test_mail", send_test_in).await
}

fn send_test_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    draft: &TemplateDraft,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, TABLE.table(), Action::Update)?;
    let person = caller.user().map(|id| user::by_id(tx, id)).transpose()?.flatten();
    let person = person.ok_or_else(|| WriteError::row_denied(caller, TABLE.table()))?;
    let id = preview::send_test(tx, app, draft, &person)?;
    Ok(Some(json!({"id": id, "recipient": person.email})))
}

/// Arguments of `mail_audience`: a change of settings, or a document to be saved.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RecipientQuery {
    Settings(BTreeMap<String, bool>),
    Document(DocumentDraftParams),
}

/// A document in the form in which the client sends it to the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentDraftParams {
    client_id: String,
    folder_id_supabase: String,
    kind: Option<String>,
    r#type: Option<String>,
    expires_at: Option<String>,
}

/// `mail_audience`: lists the recipients of the mails that a change would cause.
///
/// # Errors
/// 42501 for callers who may not change templates, 22007 or 22008 for an invalid date.
pub async fn preview_recipients(call: RpcCall) -> Result<Response, RestError> {
    call.read("mail_audience", preview_recipients_in).await
}

fn preview_recipients_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    query: &RecipientQuery,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, TABLE.table(), Action::Update)?;
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
            recipient_preview::preview_document(tx, app, &document)?
        }
    };
    Ok(Some(json!(previews)))
}

/// `create_default_templates`: saves the built-in text of every notification without a template as a template that the
/// office can change. Answers with the ids of the new templates.
///
/// # Errors
/// 42501 for callers who may not change templates.
pub async fn create_defaults(call: RpcCall) -> Result<Response, RestError> {
    call.write("create_default_templates", create_defaults_in).await
}

fn create_defaults_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    _: &NoArgs,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, TABLE.table(), Action::Update)?;
    Ok(Some(json!(defaults::create_defaults(tx, app, caller)?)))
}
