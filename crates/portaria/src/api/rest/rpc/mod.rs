//! `/rest/v1/rpc/{function}`: operations that a change of rows cannot express (docs/protocol/rest.md, section 8).
//!
//! Each function has a route in `http/router.rs`. A function is identified by its name and its arguments. Another name,
//! or other arguments, are answered with PGRST202.

pub mod backups;
pub mod documents;
pub mod email_templates;
pub mod folders;
pub mod inbox;
pub mod outbox;
pub mod reminders;
pub mod requests;
pub mod system;

use std::{collections::BTreeSet, sync::Arc};

use axum::{
    Extension, Json, RequestPartsExt,
    body::Body,
    extract::{FromRequest, Path, Request, rejection::ExtensionRejection},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::api::query_string::{decode, query_pairs};
use crate::api::rest::{
    RestError,
    planner::Planner,
    request::{
        body,
        prefer::{Prefer, TransactionEnd},
        require_valid_token,
    },
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    policy::{self, Action},
    schema::Table,
    security::caller::Caller,
    table_write::{RejectionKind, WriteError},
};

/// A call of a function: the caller's credential and the arguments, not yet read.
pub struct RpcCall {
    app: Arc<App>,
    credential: Credential,
    headers: HeaderMap,
    payload: Body,
}

impl FromRequest<Arc<App>> for RpcCall {
    type Rejection = ExtensionRejection;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Self::Rejection> {
        let (mut parts, payload) = request.into_parts();
        let Extension(credential) = parts.extract().await?;
        Ok(Self { app: Arc::clone(app), credential, headers: parts.headers, payload })
    }
}

/// Maximum length of a list of argument names in an error, in characters.
const MAX_LISTED: usize = 500;
/// Parameters of a query string that are no arguments of a function.
const NO_ARGUMENTS: [&str; 7] = ["apikey", "select", "order", "limit", "offset", "and", "or"];

/// The implementation of a function: `None` for one without a result.
type Function<Arguments> =
    fn(&mut Tx<'_>, &App, Caller, &Arguments) -> Result<Option<Value>, RestError>;

impl RpcCall {
    /// Calls a function in a write transaction. Answers 200 with the result, or 204 without one. `Prefer: tx=rollback`
    /// discards the changes.
    ///
    /// # Errors
    /// [`RestError`]; nothing is changed then.
    pub(crate) async fn write<Arguments: DeserializeOwned + Send + 'static>(
        self,
        name: &'static str,
        function: Function<Arguments>,
    ) -> Result<Response, RestError> {
        let prefer = Prefer::parse(&self.headers)?;
        let is_rolled_back = prefer.tx == Some(TransactionEnd::Rollback);
        let (app, credential, arguments) = self.read_arguments(name).await?;
        let work = move |tx: &mut Tx<'_>, app: &Arc<App>| {
            let result = run(tx, app, &credential, &arguments, function)?;
            if is_rolled_back {
                tx.rollback();
            }
            Ok::<_, RestError>(result)
        };
        let mut response = answer(app.write(work).await?);
        if is_rolled_back {
            let applied = HeaderValue::from_static("tx=rollback");
            response.headers_mut().insert("preference-applied", applied);
        }
        Ok(response)
    }

    /// Calls a function in a read transaction, which does not block writes. Answers like [`Self::write`].
    ///
    /// # Errors
    /// [`RestError`].
    pub(crate) async fn read<Arguments: DeserializeOwned + Send + 'static>(
        self,
        name: &'static str,
        function: Function<Arguments>,
    ) -> Result<Response, RestError> {
        let (app, credential, arguments) = self.read_arguments(name).await?;
        let work =
            move |tx: &mut Tx<'_>, app: &Arc<App>| run(tx, app, &credential, &arguments, function);
        Ok(answer(app.read(work).await?))
    }

    /// Parses the arguments.
    ///
    /// # Errors
    /// PGRST301 or PGRST303 for an invalid token, PGRST202 for missing or unknown arguments.
    async fn read_arguments<Arguments: DeserializeOwned>(
        self,
        name: &str,
    ) -> Result<(Arc<App>, Credential, Arguments), RestError> {
        let (app, credential, payload) = self.read_payload().await?;
        let unknown = CallShape::of_body(&payload);
        let arguments =
            serde_json::from_value(payload).map_err(|_| unknown_function(name, &unknown))?;
        Ok((app, credential, arguments))
    }

    async fn read_payload(self) -> Result<(Arc<App>, Credential, Value), RestError> {
        let credential = require_valid_token(self.credential)?;
        let payload =
            body::read_arguments(&self.app, &credential, &self.headers, self.payload).await?;
        Ok((self.app, credential, payload))
    }
}

fn run<Arguments>(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
    arguments: &Arguments,
    function: Function<Arguments>,
) -> Result<Option<Value>, RestError> {
    let caller = credential.caller(tx, &app.config, app.clock.now())?;
    function(tx, app, caller, arguments)
}

/// Arguments of a function without parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArgs {}

/// Requires staff.
///
/// # Errors
/// PGRST202 for other callers: for them the function does not exist.
pub(crate) fn require_staff(caller: Caller, function: &str) -> Result<(), RestError> {
    if caller.is_staff() {
        Ok(())
    } else {
        Err(unknown_function(function, &CallShape::of_body(&Value::Null)))
    }
}

/// Requires a caller who may perform an action on a table.
///
/// # Errors
/// 42501 for other callers.
pub(crate) fn require_access(
    tx: &Tx<'_>,
    app: &App,
    caller: Caller,
    table: &'static Table,
    action: Action,
) -> Result<(), RestError> {
    Planner::new(app, caller, tx.dialect()).require_access(table, action).map(drop)
}

/// Requires a caller who may perform an action on all of the named rows.
///
/// # Errors
/// 42501 for callers who may perform it on no row, PT404 if a row is out of reach.
pub(crate) fn require_rows(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    (table, action): (&'static Table, Action),
    ids: &[String],
) -> Result<(), RestError> {
    require_access(tx, app, caller, table, action)?;
    if policy::reaches_all(tx, caller, table.id, action, ids)? { Ok(()) } else { Err(gone()) }
}

/// Requires a caller who may read all of these clients.
///
/// # Errors
/// PT404.
pub(crate) fn require_clients(
    tx: &mut Tx<'_>,
    caller: Caller,
    clients: &[String],
) -> Result<(), RestError> {
    if policy::reaches_clients(tx, caller, clients)? { Ok(()) } else { Err(gone()) }
}

fn gone() -> RestError {
    let message = "Um dos itens escolhidos não existe mais.";
    WriteError::new(RejectionKind::NotFound, "PT404", message).into()
}

fn answer(result: Option<Value>) -> Response {
    result.map_or_else(
        || StatusCode::NO_CONTENT.into_response(),
        |result| Json(result).into_response(),
    )
}

/// Answers a call of an unknown function.
pub async fn unknown(
    Path(function): Path<String>,
    method: Method,
    uri: Uri,
    call: RpcCall,
) -> RestError {
    if method != Method::POST {
        return not_callable(&method, &function, &uri);
    }
    match call.read_payload().await {
        Ok((.., payload)) => unknown_function(&function, &CallShape::of_body(&payload)),
        Err(error) => error,
    }
}

/// Answers a call of a function with another method than `POST`.
pub async fn wrong_method(method: Method, uri: Uri) -> RestError {
    not_callable(&method, uri.path().rsplit('/').next().unwrap_or_default(), &uri)
}

/// PGRST202 for a method with which PostgREST calls functions, and PGRST101 for any other.
fn not_callable(method: &Method, function: &str, uri: &Uri) -> RestError {
    if [Method::GET, Method::HEAD, Method::POST].contains(method) {
        return unknown_function(function, &CallShape::of_query(uri.query().unwrap_or_default()));
    }
    let message = format!("Cannot use the {method} method on RPC");
    RestError::new(StatusCode::METHOD_NOT_ALLOWED, "PGRST101", message)
}

/// The names of the arguments of a call.
struct CallShape {
    names: BTreeSet<String>,
    /// Whether the arguments are a JSON body, which PostgREST passes to a function with one unnamed parameter.
    is_body: bool,
}

impl CallShape {
    fn of_body(payload: &Value) -> Self {
        let names = payload.as_object().into_iter().flat_map(|object| object.keys().cloned());
        Self { names: names.collect(), is_body: true }
    }

    fn of_query(query: &str) -> Self {
        let names = query_pairs(query).filter_map(|pair| decode(pair.name));
        let is_argument = |name: &String| !NO_ARGUMENTS.contains(&name.as_str());
        Self { names: names.filter(is_argument).collect(), is_body: false }
    }

    /// Returns the names as a list of bounded length.
    fn list(&self) -> String {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        names.join(", ").chars().take(MAX_LISTED).collect()
    }
}

fn unknown_function(function: &str, call: &CallShape) -> RestError {
    let list = call.list();
    let (signature, mut with) = match call.names.len() {
        0 => (" without parameters".to_owned(), " without parameters".to_owned()),
        1 => (format!("({list})"), format!(" with parameter {list}")),
        _ => (format!("({list})"), format!(" with parameters {list}")),
    };
    if call.is_body {
        with.push_str(" or with a single unnamed json/jsonb parameter");
    }
    RestError::new(
        StatusCode::NOT_FOUND,
        "PGRST202",
        format!("Could not find the function public.{function}{signature} in the schema cache"),
    )
    .details(format!(
        "Searched for the function public.{function}{with}, but no matches were found in the schema cache."
    ))
}
