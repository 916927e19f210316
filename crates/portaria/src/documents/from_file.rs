//! Documents from files that the portal stores already: published from the inbox, filed from what clients sent, and
//! imported.

use serde_json::{Map, Value, json};

use crate::{
    app::App,
    clock::format_timestamp,
    db::Tx,
    documents::{TABLE, contacts},
    policy::Action,
    security::caller::Caller,
    table_write::{TableHooks, WriteContext, WriteError},
};

/// Creates a document by the rules of the table `documents`, and returns its id.
///
/// # Errors
/// [`WriteError`].
pub(crate) fn create(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    hooks: &'static dyn TableHooks,
    values: &Map<String, Value>,
) -> Result<String, WriteError> {
    WriteContext::new(app, caller, TABLE, hooks, Action::Insert)?.create(tx, values)
}

/// Adds the columns to `values` that the place of the file and the time determine.
pub(crate) fn describe(
    app: &App,
    folder: &str,
    file_url: &str,
    mut values: Map<String, Value>,
) -> Map<String, Value> {
    let extension = file_url.rsplit_once('.').map_or("", |(_, extension)| extension);
    values.extend([
        ("folder_id_supabase".into(), json!(folder)),
        ("file_url".into(), json!(file_url)),
        ("type".into(), json!(extension.to_lowercase())),
        ("uploaded_at".into(), json!(format_timestamp(app.clock.now()))),
        ("created_at".into(), json!(contacts::today(app))),
        ("status".into(), json!("active")),
    ]);
    values
}
