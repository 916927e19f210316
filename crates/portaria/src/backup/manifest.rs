//! The manifest of a snapshot. `docs/backup-format.md`, section 3, specifies the fields.

use serde::{Deserialize, Serialize};

/// Version of the backup format. Readers refuse higher numbers.
pub(crate) const FORMAT: u32 = 1;

/// A snapshot: all that is needed to restore a portal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the backup format.
    pub format: u32,
    /// Version of the program that made the snapshot.
    pub version: String,
    /// Time at which the snapshot was made.
    pub created_at: String,
    /// Names of the migrations that the database had.
    pub migrations: Vec<String>,
    /// The portal's secret, if it was in the data folder. Without it the TOTP secrets cannot be decrypted, and the
    /// audit log cannot be verified.
    pub secret: Option<String>,
    /// Fingerprint of the secret under which the rows were written.
    pub secret_mark: String,
    /// The rows of all tables, as JSON lines.
    pub rows: Text,
    /// The blobs that the rows refer to, one JSON line each.
    pub blobs: Text,
    /// Total size of the blobs in bytes.
    pub blob_bytes: u64,
    /// Names of blobs that the rows refer to and that were missing or damaged in the portal's store.
    pub broken: Vec<String>,
}

/// A text, divided into chunks that snapshots share.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Text {
    /// Counts and checksum of the whole text.
    #[serde(flatten)]
    pub sum: TextSummary,
    /// Names of the chunks, in order.
    pub pieces: Vec<String>,
}

/// Counts and checksum by which a text is verified.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSummary {
    /// Number of rows or blobs in the text.
    pub count: u64,
    /// Size of the text in bytes.
    pub size: u64,
    /// SHA-256 of the text in hexadecimal digits.
    pub sha256: String,
}

/// A blob of the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// Name. It never refers to other bytes.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal digits.
    pub sha256: String,
}
