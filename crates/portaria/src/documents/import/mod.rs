//! Import of an existing archive: the files of a folder become documents of their clients, without notifications
//! (docs/decisions/0150-imported-documents-count-as-delivered.md).
//!
//! The names of the folders ([`tree`]) or a list ([`list`]) determine which file becomes which document: the plan. Each
//! file is stored in a transaction of its own ([`store`]), so a run that was interrupted is continued by another one.

pub(crate) mod archive;
pub(crate) mod directory;
pub(crate) mod list;
pub(crate) mod run;
mod store;
pub(crate) mod tree;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::display_name;
use directory::{Client, Folder};

/// Maximum length of the name of a document. Characters.
const MAX_NAME_CHARS: usize = 255;

/// The documents to be, and the files that cannot become documents.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) items: Vec<Item>,
    pub(crate) refusals: Vec<Refusal>,
}

/// A file of the archive and the document that it becomes.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The place of the file in the archive or in the list, for messages.
    pub(crate) label: String,
    /// The path of the file, which is inside of the archive.
    pub(crate) path: PathBuf,
    /// The name of the file with its extension.
    pub(crate) file_name: String,
    pub(crate) client: Client,
    pub(crate) folder: Folder,
    /// The name of the document in the form in which it is stored.
    pub(crate) name: String,
    /// Further columns of the document.
    pub(crate) values: Map<String, Value>,
}

/// Files that cannot become documents.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) label: String,
    /// The sentences for a person.
    pub(crate) reason: String,
    pub(crate) files: u64,
}

impl Plan {
    fn refuse(&mut self, label: impl Into<String>, reason: impl Into<String>, files: u64) {
        self.refusals.push(Refusal { label: label.into(), reason: reason.into(), files });
    }
}

/// Returns the name of a file without its extension.
fn stem(file_name: &str) -> &str {
    match file_name.rsplit_once('.') {
        Some((stem, _)) if !stem.trim().is_empty() => stem,
        _ => file_name,
    }
}

/// Returns the name of a document in the form in which it is stored.
///
/// # Errors
/// A sentence for a person.
fn document_name(name: &str) -> Result<String, String> {
    let name = display_name::sanitize_display_name(name).trim().to_owned();
    match name.chars().count() {
        0 => Err("Falta o nome do documento.".into()),
        1..=MAX_NAME_CHARS => Ok(name),
        _ => Err(format!("O nome do documento passa de {MAX_NAME_CHARS} caracteres.")),
    }
}

/// Returns the last segment of a path, if it is UTF-8.
fn file_name(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}
