//! That somebody of the office reads a file is written down before its first byte leaves, however they ask for it.
//!
//! Once for each opening: viewers ask for a file in pieces, and for its beginning more than once.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::api::storage::{ReadableFile, StorageError};
use crate::{
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    policy::Caller,
};

/// Whoever asks for the beginning again so soon is still opening the file.
const OPENING: SignedDuration = SignedDuration::from_mins(1);

/// Writes it down, if the reader is of the office. Clients give receipts of their own accord; programs read what they
/// will, for the key is the office itself.
///
/// # Errors
/// What cannot be written down is not read.
pub(crate) async fn tell(
    app: &Arc<App>,
    found: &ReadableFile,
    is_download: bool,
) -> Result<(), StorageError> {
    let reader = found.reader;
    if !matches!(reader, Caller::Admin(_) | Caller::Viewer { .. }) {
        return Ok(());
    }
    let event = if is_download { "file.downloaded" } else { "file.opened" };
    let (inner, line) = (Arc::clone(app), AuditEvent::for_file(event, &found.object));
    let write = move |tx: &mut Tx<'_>| {
        audit::record_once(tx, &inner, reader, line, OPENING);
        Ok::<_, StorageError>(())
    };
    app.db.write(write).await
}
