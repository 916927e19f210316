//! Audit events for file reads by staff, recorded before the first byte leaves, on every download route.
//!
//! One event per opening: viewers request a file in ranges, and its beginning more than once.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::api::storage::{ReadableFile, StorageError};
use crate::{
    app::App,
    audit::{self, EventName},
    db::{self, Tx},
    security::caller::Caller,
};

/// Time within which further requests for the beginning of a file belong to the same opening.
const OPENING_WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// Returns the event of a read of the file's beginning, if the caller is staff or impersonates a client.
/// Reads of clients are not recorded here, because their app writes read receipts; reads with the service key are not
/// recorded.
pub(crate) fn event_of(file: &ReadableFile, is_download: bool) -> Option<EventName> {
    matches!(file.caller, Caller::Admin(_) | Caller::Employee { .. } | Caller::Viewer { .. })
        .then_some(if is_download { EventName::FileDownloaded } else { EventName::FileOpened })
}

/// Whether the audit log contains the event of this opening. Further requests of a viewer need no transaction that
/// writes then.
///
/// # Errors
/// A database error.
pub(crate) fn is_recorded(
    tx: &mut Tx<'_>,
    app: &App,
    file: &ReadableFile,
    event: EventName,
) -> Result<bool, db::Error> {
    audit::is_recorded(tx, app, file.caller, &file.object.audit_event(event), OPENING_WINDOW)
}

/// Records the event of an opening once.
///
/// # Errors
/// A database error. The caller must not send the file then.
pub(crate) async fn record_file_access(
    app: &Arc<App>,
    file: &ReadableFile,
    event: EventName,
) -> Result<(), StorageError> {
    if file.recorded == Some(event) {
        return Ok(());
    }
    let (reader, event) = (file.caller, file.object.audit_event(event));
    app.write(move |tx, app| {
        audit::record_once(tx, app, reader, event, OPENING_WINDOW);
        Ok::<_, StorageError>(())
    })
    .await
}
