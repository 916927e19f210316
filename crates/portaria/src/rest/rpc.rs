//! `/rpc/{function}`: there are no functions to call, and that is said in the protocol's words.

use axum::{
    extract::Path,
    http::{Method, StatusCode},
};

use super::RestError;

/// Answers that the function does not exist.
pub async fn handler(Path(function): Path<String>, method: Method) -> RestError {
    match method {
        Method::GET | Method::HEAD | Method::POST => RestError::new(
            StatusCode::NOT_FOUND,
            "PGRST202",
            format!("Could not find the function public.{function} in the schema cache"),
        )
        .details(format!("Searched for the function public.{function}, but no matches were found in the schema cache.")),
        other => RestError::new(StatusCode::METHOD_NOT_ALLOWED, "PGRST101", format!("Cannot use the {other} method on RPC")),
    }
}
