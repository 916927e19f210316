//! The row of a new file in the inbox, inserted in the transaction that inserts the object.

use std::sync::Arc;

use sea_query::{OnConflict, Query};
use serde_json::Value;

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    display_name,
    security::{caller::Caller, keys},
    stored_files::{given_names, object::Object},
};

/// Maximum length of the name of a file. Characters.
const MAX_NAME_CHARS: usize = 255;

/// The way by which a file reached the inbox.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin {
    /// An upload of this caller.
    Upload(Caller),
    /// The folder of the setting `inbox_dir`.
    Folder,
    /// A message in the mailbox.
    Mail,
}

/// Adds an object of the inbox to the files that wait to be read. A file that replaces another is read anew.
///
/// The name is `name` in the object's metadata, because names of objects cannot contain every character; without it, the
/// last segment of the object's name.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    app: &App,
    origin: Origin,
    object: &Object,
) -> Result<(), Error> {
    let now = app.clock.now();
    let (source, person) = match origin {
        Origin::Upload(Caller::Service) => ("program", None),
        Origin::Upload(caller) => ("upload", caller.user()),
        Origin::Folder => ("folder", None),
        Origin::Mail => ("mail", None),
    };
    let now_text = format_timestamp(now);
    let mut statement = Query::insert();
    statement.into_table("inbox_files").columns([
        "id",
        "name",
        "file_url",
        "size",
        "sha256",
        "mime_type",
        "source",
        "uploaded_by_id",
        "created_at",
        "updated_at",
    ]);
    statement.values_panic([
        keys::new_id(now).to_string().into(),
        file_name(object).into(),
        object.name.as_str().into(),
        i64::try_from(object.size).unwrap_or(i64::MAX).into(),
        object.sha256.as_str().into(),
        object.mime_type.as_str().into(),
        source.into(),
        person.into(),
        now_text.as_str().into(),
        now_text.as_str().into(),
    ]);
    let mut replace = OnConflict::column("file_url");
    replace.update_columns(["name", "size", "sha256", "mime_type", "source", "updated_at"]);
    replace.values([
        ("state", "waiting".into()),
        ("review_group", "reading".into()),
        ("attempts", 0.into()),
        ("reviewed_at", Option::<String>::None.into()),
    ]);
    tx.execute(statement.on_conflict(replace))?;
    let notify = Arc::clone(&app.inbox_notify);
    tx.after_commit(move || notify.notify_one());
    Ok(())
}

/// Returns the sender's name of a file.
pub(crate) fn file_name(object: &Object) -> String {
    let metadata = object.user_metadata.as_deref().unwrap_or("{}");
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let given = metadata.get("name").and_then(Value::as_str).map(str::trim);
    let last = object.name.rsplit('/').next().unwrap_or(&object.name);
    let name = given.filter(|name| !name.is_empty()).unwrap_or(last);
    // A folder that is dropped gives paths.
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let name: String =
        display_name::sanitize_display_name(name).chars().take(MAX_NAME_CHARS).collect();
    given_names::with_extension(&name, &object.name)
}
