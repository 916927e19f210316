//! The function `system_status`: the state of the installation, for the page "Sistema".

use std::sync::Arc;

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::Value;

use crate::api::rest::{
    RestError,
    rpc::{NoArgs, RpcCall, require_access, require_staff},
};
use crate::{app::App, db::Tx, doctor, office, policy::Action};

const NAME: &str = "system_status";

/// `system_status`: examines the installation, for those who may change the office's settings.
///
/// # Errors
/// PGRST202 for callers other than staff, 42501 for staff without that right.
pub async fn status(call: RpcCall) -> Result<Response, RestError> {
    let (app, credential, NoArgs {}) = call.read_arguments(NAME).await?;
    let check = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = credential.caller(tx, &app.config, app.clock.now())?;
        require_staff(caller, NAME)?;
        require_access(tx, app, caller, office::TABLE.table(), Action::Update)
    };
    app.read(check).await?;
    // A task of its own: the examination ends also if the visitor leaves, so that the next one shares its result.
    match tokio::spawn(examine(app)).await {
        Ok(report) => Ok(Json(report).into_response()),
        Err(error) => {
            tracing::error!(%error, "examination of the installation ended early");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Err(RestError::new(status, "XX000", "Internal server error"))
        }
    }
}

async fn examine(app: Arc<App>) -> Value {
    app.examination.recent_or(Box::pin(doctor::examine_running(&app))).await
}
