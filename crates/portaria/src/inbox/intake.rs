//! Files that reach the inbox without a browser: attachments of permitted senders, and files of a watched folder.

use std::sync::Arc;

use serde_json::json;
use tokio::io::AsyncRead;

use crate::{
    app::App,
    db::Tx,
    inbox::add::{self, Origin},
    schema::INBOX_BUCKET,
    stored_files::{
        file_type::DOCUMENT_EXTENSIONS,
        intake::{self, IntakeError, Place, ReceivedFile},
        quota,
    },
};

/// A file for the inbox that has no row yet.
pub(crate) struct IncomingFile {
    name: String,
    object: String,
    content: ReceivedFile,
}

/// Stores the content of a file. A file with the same `key` replaces an earlier one that still waits in the inbox, so
/// that an interrupted intake can be repeated; a key consists of letters and digits.
///
/// # Errors
/// [`IntakeError`].
pub(crate) async fn receive(
    app: &Arc<App>,
    key: &str,
    name: &str,
    content: impl AsyncRead + Unpin,
) -> Result<IncomingFile, IntakeError> {
    let content = intake::receive(app, INBOX_BUCKET, name, &[DOCUMENT_EXTENSIONS], content).await?;
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
    Ok(IncomingFile { name: name.to_owned(), object: format!("{key}.{extension}"), content })
}

/// Adds files to the inbox.
///
/// # Errors
/// [`IntakeError`]; the caller rolls back.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    app: &App,
    origin: Origin,
    files: &[IncomingFile],
) -> Result<(), IntakeError> {
    quota::lock(tx, app)?;
    for file in files {
        let metadata = json!({ "name": file.name }).to_string();
        let place = Place {
            bucket: INBOX_BUCKET,
            name: file.object.clone(),
            owner: None,
            metadata: Some(&metadata),
        };
        let object = intake::insert(tx, app, &file.content, place, app.clock.now())?;
        add::add(tx, app, origin, &object)?;
    }
    Ok(())
}
