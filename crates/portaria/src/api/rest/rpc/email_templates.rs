//! The functions `preview_template`, `send_test_mail`, `mail_audience` and `create_default_templates`.

use std::{collections::BTreeMap, sync::Arc};

use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::api::rest::{
    RestError,
    rpc::{NoArgs, RpcCall, answer, require_access, require_clients},
};
use crate::{
    accounts::{authenticate::Credential, user},
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    documents,
    email_templates::{
        TABLE, defaults,
        hooks::limit_error,
        preview::{self, PreviewSubject, TemplateDraft},
        recipient_preview::{self, DocumentDraft},
    },
    mail::html_limits::LimitExceeded,
    policy::Action,
    schema::{DayBoundary, value},
    security::caller::Caller,
    table_write::WriteError,
};

/// `preview_template`: renders a template as it would be mailed.
///
/// # Errors
/// 42501 for callers who may not change templates, `template_depth` or `template_size` for HTML beyond the limits.
pub async fn preview(call: RpcCall) -> Result<Response, RestError> {
    let (app, credential, draft) = call.read_arguments("preview_template").await?;
    let preview = render(&app, credential, draft, preview::preview).await?;
    Ok(answer(Some(json!(preview))))
}

/// `send_test_mail`: mails a template to the caller.
///
/// # Errors
/// As [`preview()`]; 42501 also for the service key, which has no account.
pub async fn send_test(call: RpcCall) -> Result<Response, RestError> {
    let (app, credential, draft) = call.read_arguments("send_test_mail").await?;
    let rendered = render(&app, credential.clone(), draft, preview::render_draft).await?;
    let send = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = credential.caller(tx, &app.config, app.clock.now())?;
        require_access(tx, app, caller, TABLE.table(), Action::Update)?;
        let person = caller.user().map(|id| user::by_id(tx, id)).transpose()?.flatten();
        let person = person.ok_or_else(|| WriteError::row_denied(caller, TABLE.table()))?;
        let id = preview::send_test(tx, app, rendered, &person)?;
        Ok::<_, RestError>(json!({"id": id, "recipient": person.email}))
    };
    Ok(answer(Some(app.write(send).await?)))
}

/// Renders a draft outside of a transaction and of the threads of the database.
async fn render<T: Send + 'static>(
    app: &Arc<App>,
    credential: Credential,
    draft: TemplateDraft,
    render: fn(&App, &TemplateDraft, &PreviewSubject) -> Result<T, LimitExceeded>,
) -> Result<T, RestError> {
    let load = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = credential.caller(tx, &app.config, app.clock.now())?;
        require_access(tx, app, caller, TABLE.table(), Action::Update)?;
        let subject = preview::load_subject(tx, app, &draft)?;
        Ok::<_, RestError>((draft, subject))
    };
    let (draft, subject) = app.read(load).await?;
    let app = Arc::clone(app);
    let rendered = spawn_blocking(move || render(&app, &draft, &subject)).await;
    let rendered = rendered.map_err(|error| Error::Internal(error.to_string()))?;
    Ok(rendered.map_err(limit_error)?)
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
/// 42501 for callers who may not make the change, 22007 or 22008 for an invalid date.
pub async fn preview_recipients(call: RpcCall) -> Result<Response, RestError> {
    call.read("mail_audience", preview_recipients_in).await
}

fn preview_recipients_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    query: &RecipientQuery,
) -> Result<Option<Value>, RestError> {
    let previews = match query {
        RecipientQuery::Settings(settings) => {
            require_access(tx, app, caller, TABLE.table(), Action::Update)?;
            recipient_preview::preview_settings(tx, app, settings)?
        }
        RecipientQuery::Document(params) => {
            require_access(tx, app, caller, documents::TABLE.table(), Action::Insert)?;
            require_clients(tx, caller, std::slice::from_ref(&params.client_id))?;
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
