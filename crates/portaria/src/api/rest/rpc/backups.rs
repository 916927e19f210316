//! The function `backup_status`: the state of backups, for the dashboard.

use std::sync::Arc;

use serde_json::Value;

use crate::api::rest::{RestError, rpc};
use crate::{accounts::authenticate::Credential, app::App, backup, db::Tx};

/// Reports the state of backups to staff.
///
/// # Errors
/// PGRST202 for other callers.
pub(crate) fn status(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    _: &rpc::NoArgs,
) -> Result<Option<Value>, RestError> {
    rpc::require_staff(tx, app, credential, "backup_status")?;
    Ok(Some(backup::status::report(tx, app)?))
}
