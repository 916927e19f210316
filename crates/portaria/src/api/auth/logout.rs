//! `POST /logout`: ends this session, all sessions of the user, or all others.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawQuery, State},
    http::StatusCode,
};

use serde_json::json;

use crate::audit::EventName;
use crate::{accounts::authenticate::Credential, api::auth::extract::query_param, app::App, audit};
use crate::{
    accounts::session,
    api::auth::{AuthError, require_user_allow_restricted},
};

/// Returns 204.
///
/// # Errors
/// 401 or 403 if there is no session to end, which the client library treats as success.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, AuthError> {
    let scope = match query_param(query.as_deref(), "scope").as_deref() {
        None | Some("global") => Scope::Global,
        Some("local") => Scope::Local,
        Some("others") => Scope::Others,
        Some(scope) => {
            let scope: String = scope.chars().take(100).collect();
            let message = format!("Unsupported logout scope {scope:?}");
            return Err(AuthError::validation(message));
        }
    };
    app.write(move |tx, app| {
        let (user, _) = require_user_allow_restricted(tx, app, &credential)?;
        let Credential::Person { session, .. } = credential else { return Ok(()) };
        // The audit log records the end of other sessions only.
        let own_session = u64::from(session.is_some());
        let others = match (scope, session) {
            (Scope::Global, _) => {
                session::end_others(tx, user.id, None)?.saturating_sub(own_session)
            }
            (Scope::Others, session) => session::end_others(tx, user.id, session)?,
            (Scope::Local, Some(session)) => {
                session::end_session(tx, session)?;
                0
            }
            (Scope::Local, None) => 0,
        };
        if others > 0 {
            let event =
                user.audit_event(EventName::SessionEnded).detail(json!({"sessions": others}));
            audit::record(tx, app, user.as_caller(), [event]);
        }
        Ok::<_, AuthError>(())
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

enum Scope {
    Global,
    Local,
    Others,
}
