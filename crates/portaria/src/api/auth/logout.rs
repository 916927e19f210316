//! `POST /logout`: end this session, all of them, or the others.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawQuery, State},
    http::StatusCode,
};

use serde_json::json;

use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::{self, AuditEvent},
};
use crate::{
    accounts::session,
    api::auth::{AuthError, query, require_user_allow_restricted},
};

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
    let inner = Arc::clone(&app);
    app.db
        .write(move |tx| {
            let (user, _) = require_user_allow_restricted(tx, &inner, &credential)?;
            let Credential::Person { session, .. } = credential else { return Ok(()) };
            // One's own end is no news, that of one's other sessions is.
            let own = u64::from(session.is_some());
            let others = match (scope, session) {
                (Scope::Global, _) => session::end_others(tx, user.id, None)?.saturating_sub(own),
                (Scope::Others, session) => session::end_others(tx, user.id, session)?,
                (Scope::Local, Some(session)) => {
                    session::end(tx, session)?;
                    0
                }
                (Scope::Local, None) => 0,
            };
            if others > 0 {
                let line = AuditEvent::for_user("session.ended", &user)
                    .detail(json!({"sessions": others}));
                audit::record(tx, &inner, audit::from_user(&user), [line]);
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
