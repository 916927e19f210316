//! `POST /logout`: end this session, all of them, or the others.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawQuery, State},
    http::StatusCode,
};

use super::{AuthError, query, signed_in, tokens};
use crate::{app::App, session::Credential};

/// Answers 204.
///
/// # Errors
/// 401 or 403 when there is no session to end, which clients take for success.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, AuthError> {
    let scope = match query::param(query.as_deref(), "scope").as_deref() {
        None | Some("global") => Scope::Global,
        Some("local") => Scope::Local,
        Some("others") => Scope::Others,
        Some(_) => return Err(AuthError::validation("Unsupported logout scope")),
    };
    let now = app.clock.now();
    app.db
        .write(move |tx| {
            let user = signed_in(tx, &credential, now)?;
            let Credential::Person { session, .. } = credential else { return Ok(()) };
            match (scope, session) {
                (Scope::Global, _) => tokens::end_others(tx, user.id, None),
                (Scope::Others, session) => tokens::end_others(tx, user.id, session),
                (Scope::Local, Some(session)) => tokens::end(tx, session),
                (Scope::Local, None) => Ok(()),
            }
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

enum Scope {
    Global,
    Local,
    Others,
}
