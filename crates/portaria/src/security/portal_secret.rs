//! The portal secret, from which all other keys are derived.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use anyhow::{Context, bail};

use crate::security::keys::{new_request_id, new_token};

/// Minimum length of the portal secret, in bytes (RFC 7518, section 3.2).
const MIN_SECRET_BYTES: usize = 32;
/// Minimum number of different bytes in the portal secret. Fewer indicate a repeated pattern.
const MIN_DISTINCT_BYTES: usize = 8;

/// Name of the file in the data folder that holds the portal secret, if none is configured.
pub const SECRET_FILE: &str = "jwt_secret";

/// Rejects a secret that is too short, published or repetitive.
///
/// # Errors
/// A message for the operator.
pub fn check_secret(secret: &str) -> anyhow::Result<()> {
    if secret.len() < MIN_SECRET_BYTES {
        bail!("jwt_secret: must be at least {MIN_SECRET_BYTES} bytes long");
    }
    // Published in the examples of other servers of the protocol.
    let is_published = secret.contains("super-secret-jwt-token-with-at-least-32-characters");
    if is_published || secret.bytes().collect::<BTreeSet<u8>>().len() < MIN_DISTINCT_BYTES {
        bail!("jwt_secret: anybody can guess it; `openssl rand -base64 48` makes one");
    }
    Ok(())
}

/// Returns the configured secret, or the one in `folder`, which is created if it is missing and `is_new` returns true.
///
/// # Errors
/// A message for the operator.
pub(crate) fn find(
    configured: Option<&str>,
    folder: &Path,
    is_new: impl FnOnce() -> anyhow::Result<bool>,
) -> anyhow::Result<String> {
    if let Some(secret) = configured {
        return Ok(secret.to_owned());
    }
    let path = folder.join(SECRET_FILE);
    if path.exists() {
        read(folder)
    } else if is_new()? {
        new_secret(&path).with_context(|| format!("cannot write {}", path.display()))
    } else {
        bail!(
            "{} is missing, and the database holds an office that needs it: bring the file back from a backup, or set \
             jwt_secret to its content",
            path.display()
        )
    }
}

/// Returns the secret in `folder`.
///
/// # Errors
/// A message for the operator.
pub(crate) fn read(folder: &Path) -> anyhow::Result<String> {
    let path = folder.join(SECRET_FILE);
    let secret = fs::read_to_string(&path);
    let secret = secret.with_context(|| format!("cannot read {}", path.display()))?;
    if secret.len() < MIN_SECRET_BYTES {
        bail!("{} holds no usable secret", path.display());
    }
    Ok(secret)
}

/// Creates the file with a new secret. The file is complete or absent, even after a crash or a power failure, because a
/// partial secret would prevent the start. If two processes create it concurrently, both return the first one's secret.
fn new_secret(path: &Path) -> io::Result<String> {
    let temporary = path.with_extension(new_request_id());
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
    file.write_all(new_token().as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&temporary, path);
    fs::remove_file(&temporary)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    fs::File::open(path.parent().unwrap_or(path))?.sync_all()?;
    fs::read_to_string(path)
}
