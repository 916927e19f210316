//! The target of backups: a folder or an S3 bucket.

use std::{fmt, path::PathBuf, str::FromStr};

use portaria_blob::S3Location;
use serde::Deserializer;

use crate::config::{s3::parse_location, units};

/// A backup target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupDestination {
    /// A folder.
    Folder(PathBuf),
    /// A bucket of an S3-compatible store, with an optional key prefix.
    Bucket(S3Location),
}

impl FromStr for BackupDestination {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        if text.trim_start().starts_with("s3://") {
            parse_location("backup_to", text).map(Self::Bucket)
        } else {
            Ok(Self::Folder(text.trim().into()))
        }
    }
}

/// Deserializes the target of scheduled backups.
pub(crate) fn backup_to<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<BackupDestination>, D::Error> {
    units::optional(source, str::parse)
}

/// Leaves out the credentials.
impl fmt::Display for BackupDestination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::Bucket(url) if url.prefix.is_empty() => write!(f, "s3://{}", url.bucket),
            Self::Bucket(url) => write!(f, "s3://{}/{}", url.bucket, url.prefix),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::backup_target::BackupDestination;

    #[test]
    fn target_is_displayed_without_its_secret() {
        let read = |text: &str| text.parse::<BackupDestination>().unwrap();
        assert_eq!(read("/mnt/backup").to_string(), "/mnt/backup");
        let bucket = read("s3://chave:s3gr3do@cofre/escritorio?endpoint=https://10.0.0.2");
        assert_eq!(bucket.to_string(), "s3://cofre/escritorio");
        let why = "s3://chave:s3gr3do@".parse::<BackupDestination>().unwrap_err().to_string();
        assert!(why.starts_with("backup_to: ") && !why.contains("s3gr3do"), "{why}");
    }
}
