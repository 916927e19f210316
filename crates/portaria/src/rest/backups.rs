//! How the backups stand, for the office's dashboard.

use std::sync::Arc;

use serde_json::Value;

use super::{RestError, rpc};
use crate::{app::App, backup, db::Tx, session::Credential};

/// Tells the office. For others there is no such function.
pub(super) fn status(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    _: &rpc::Nothing,
) -> Result<Option<Value>, RestError> {
    rpc::for_office(tx, app, credential, "backup_status")?;
    Ok(Some(backup::status::tell(tx, app)?))
}
