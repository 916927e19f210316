//! Audit events for file reads by administrators, recorded before the first byte leaves, on every download route.
//!
//! One event per opening: viewers request a file in ranges, and its beginning more than once.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::api::storage::{ReadableFile, StorageError};
use crate::{app::App, audit, security::caller::Caller};

/// Time within which further requests for the beginning of a file belong to the same opening.
const OPENING_WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// Records the read if the reader is an administrator or impersonates a client. Reads of clients are not recorded here,
/// because their app writes read receipts; reads with the service key are not recorded.
///
/// # Errors
/// A database error. The caller must not send the file then.
pub(crate) async fn record_file_access(
    app: &Arc<App>,
    file: &ReadableFile,
    is_download: bool,
) -> Result<(), StorageError> {
    let reader = file.caller;
    if !matches!(reader, Caller::Admin(_) | Caller::Viewer { .. }) {
        return Ok(());
    }
    let event =
        if is_download { audit::EventName::FileDownloaded } else { audit::EventName::FileOpened };
    let event = file.object.audit_event(event);
    app.write(move |tx, app| {
        audit::record_once(tx, app, reader, event, OPENING_WINDOW);
        Ok::<_, StorageError>(())
    })
    .await
}
