//! `/rest/v1/rpc/{function}`: operations that a change of rows cannot express (docs/protocol/rest.md, section 8).
//!
//! A function is identified by its name and its arguments. Another name, or other arguments, are answered with
//! PGRST202.

pub mod backups;
pub mod email_templates;
pub mod folders;
pub mod outbox;

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, Method, StatusCode},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::api::rest::{
    RestError,
    request::{payload::read_json_body, require_valid_token},
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx};

/// Answers 200 with the function's result, or 204 without one.
///
/// # Errors
/// [`RestError`]; nothing is changed then.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(function): Path<String>,
    method: Method,
    headers: HeaderMap,
    payload: Body,
) -> Result<Response, RestError> {
    match (&method, function.as_str()) {
        (&Method::POST, "delete_folder") => {
            rpc_write(&app, credential, &headers, payload, &function, folders::delete).await
        }
        (&Method::POST, "order_folders") => {
            rpc_write(&app, credential, &headers, payload, &function, folders::reorder).await
        }
        (&Method::POST, "preview_template") => {
            rpc_read(&app, credential, &headers, payload, &function, email_templates::preview).await
        }
        (&Method::POST, "mail_audience") => {
            rpc_read(
                &app,
                credential,
                &headers,
                payload,
                &function,
                email_templates::preview_recipients,
            )
            .await
        }
        (&Method::POST, "send_test_mail") => {
            rpc_write(&app, credential, &headers, payload, &function, email_templates::send_test)
                .await
        }
        (&Method::POST, "create_default_templates") => {
            rpc_write(
                &app,
                credential,
                &headers,
                payload,
                &function,
                email_templates::create_defaults,
            )
            .await
        }
        (&Method::POST, "mail_status") => {
            rpc_read(&app, credential, &headers, payload, &function, outbox::status).await
        }
        (&Method::POST, "backup_status") => {
            rpc_read(&app, credential, &headers, payload, &function, backups::status).await
        }
        (&Method::GET | &Method::HEAD | &Method::POST, _) => Err(unknown(&function)),
        (other, _) => {
            let message = format!("Cannot use the {other} method on RPC");
            Err(RestError::new(StatusCode::METHOD_NOT_ALLOWED, "PGRST101", message))
        }
    }
}

/// The implementation of a function.
type Function<Arguments> =
    fn(&mut Tx<'_>, &Arc<App>, &Credential, &Arguments) -> Result<Option<Value>, RestError>;

/// Calls a function in a write transaction.
async fn rpc_write<Arguments: DeserializeOwned + Send + 'static>(
    app: &Arc<App>,
    credential: Credential,
    headers: &HeaderMap,
    payload: Body,
    name: &str,
    function: Function<Arguments>,
) -> Result<Response, RestError> {
    let (credential, arguments) =
        (require_valid_token(credential)?, arguments(headers, payload, name).await?);
    let state = Arc::clone(app);
    let result = app.db.write(move |tx| function(tx, &state, &credential, &arguments)).await?;
    Ok(answer(result))
}

/// Calls a function in a read transaction, which does not block writes.
async fn rpc_read<Arguments: DeserializeOwned + Send + 'static>(
    app: &Arc<App>,
    credential: Credential,
    headers: &HeaderMap,
    payload: Body,
    name: &str,
    function: Function<Arguments>,
) -> Result<Response, RestError> {
    let (credential, arguments) =
        (require_valid_token(credential)?, arguments(headers, payload, name).await?);
    let state = Arc::clone(app);
    let result = app.db.read(move |tx| function(tx, &state, &credential, &arguments)).await?;
    Ok(answer(result))
}

/// Arguments of a function without parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArgs {}

/// Requires staff.
///
/// # Errors
/// PGRST202 for other callers: for them the function does not exist.
pub(crate) fn require_staff(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
    function: &str,
) -> Result<(), RestError> {
    let caller = credential.caller(tx, &app.config, app.clock.now())?;
    if caller.is_staff() { Ok(()) } else { Err(unknown(function)) }
}

/// Parses the arguments.
///
/// # Errors
/// PGRST202 for missing or unknown arguments.
async fn arguments<Arguments: DeserializeOwned>(
    headers: &HeaderMap,
    payload: Body,
    name: &str,
) -> Result<Arguments, RestError> {
    serde_json::from_value(read_json_body(headers, payload).await?).map_err(|_| unknown(name))
}

fn answer(result: Option<Value>) -> Response {
    result.map_or_else(
        || StatusCode::NO_CONTENT.into_response(),
        |result| Json(result).into_response(),
    )
}

fn unknown(function: &str) -> RestError {
    RestError::new(
        StatusCode::NOT_FOUND,
        "PGRST202",
        format!("Could not find the function public.{function} in the schema cache"),
    )
    .details(format!(
        "Searched for the function public.{function}, but no matches were found in the schema cache."
    ))
}
