//! What a snapshot says of itself.

use serde::{Deserialize, Serialize};

/// How manifests and rows are written. A newer number is another way, which this program cannot read.
pub(crate) const FORMAT: u32 = 1;

/// One snapshot: everything that it takes to bring a portal back as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// How the snapshot is written; a program reads its own format alone.
    pub format: u32,
    /// Which program made it.
    pub version: String,
    /// When.
    pub created_at: String,
    /// The migrations that the database had seen.
    pub migrations: Vec<String>,
    /// The portal's secret, if it lay in the data folder. Without it nobody's second step, and no line of the activity
    /// log, can be read again.
    pub secret: Option<String>,
    /// By which one can tell whether a secret is the one that the rows were written under.
    pub secret_mark: String,
    /// The rows of all tables, as lines of text.
    pub rows: Text,
    /// The blobs that the rows name, a line for each.
    pub blobs: Text,
    /// Bytes of all blobs together.
    pub blob_bytes: u64,
    /// Blobs that the rows name and that the portal itself had lost.
    pub broken: Vec<String>,
}

/// Lines of text, in pieces that snapshots share.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Text {
    /// What they are together.
    #[serde(flatten)]
    pub sum: Sum,
    /// The names of the pieces, in order.
    pub pieces: Vec<String>,
}

/// By which one tells whether lines are those that were written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    /// How many rows or blobs they tell of.
    pub count: u64,
    /// Bytes of the lines.
    pub size: u64,
    /// SHA-256 of the lines.
    pub sha256: String,
}

/// A blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// Its name, which no other bytes ever get.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256.
    pub sha256: String,
}
