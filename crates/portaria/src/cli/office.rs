//! The office that a command works on: its settings, the user that the command runs as, and the line that names it.

use std::{
    env, fmt, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use nix::unistd::{Gid, Uid, User, initgroups, setgid, setuid};

use crate::cli::{BAD_SETTINGS, exit_with};
use crate::{
    config::{Config, PostgresServer, S3Location, sources::ConfigSources},
    data_dir,
    db::{Error, migrations::find_applied},
    schema::migrations::database_source,
};

/// The user of the service that the Debian package installs.
const SERVICE_USER: &str = "portaria";

/// An office, before anything of it is opened.
#[derive(Debug)]
pub(crate) struct Office {
    /// The settings before they are parsed.
    pub(crate) sources: ConfigSources,
    /// The settings.
    pub(crate) config: Config,
    /// The user that the command became.
    user: Option<String>,
}

impl Office {
    /// Reads the settings, and becomes the user of the data folder if the command runs as root.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub(crate) fn find(file: Option<&Path>) -> anyhow::Result<Self> {
        let sources = ConfigSources::load(file, environment()).map_err(exit_with(BAD_SETTINGS))?;
        let config = sources.read().map_err(exit_with(BAD_SETTINGS))?;
        let fallback = sources.is_of_machine().then_some(SERVICE_USER);
        let user = become_owner(&[&config.data_dir], fallback)?;
        Ok(Self { sources, config, user })
    }

    /// Returns whether the database belongs to an office. Creates nothing.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub(crate) fn exists(&self) -> anyhow::Result<bool> {
        let folder = &self.config.data_dir;
        if self.config.database.is_none() {
            match data_dir::entry_names(folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                names => names.with_context(|| format!("cannot read {}", folder.display()))?,
            };
        }
        match find_applied(&database_source(&self.config).location) {
            // `fsck` examines a damaged file.
            Err(Error::Corrupt(_)) => Ok(true),
            applied => Ok(applied.context("cannot open the database")?.is_some()),
        }
    }

    /// Refuses a place that holds no office, because a command would create an empty one there.
    ///
    /// # Errors
    /// A sentence for the operator that names the place.
    pub(crate) fn require(&self) -> anyhow::Result<()> {
        if self.exists()? {
            return Ok(());
        }
        let folder = absolute(&self.config.data_dir);
        let place = match &self.config.database {
            None => format!("{} holds no database", folder.display()),
            Some(server) => format!("the database {} is empty", database_name(server)),
        };
        let file = self.sources.file().map_or_else(
            || "no file of settings was found".to_owned(),
            |file| format!("the settings are from {}", file.display()),
        );
        bail!(
            "there is no office: {place}; {file}. `--config FILE` names another file, and `portaria init` creates an \
             office"
        )
    }
}

/// The line that each command prints: no secrets, no line breaks.
impl fmt::Display for Office {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sources, config, user } = self;
        write!(f, "office in {}", absolute(&config.data_dir).display())?;
        write!(f, ", database {}", database(config))?;
        write!(f, ", files {}", storage(config))?;
        match sources.file() {
            Some(file) => write!(f, ", settings {}", file.display())?,
            None => f.write_str(", settings without a file")?,
        }
        user.as_ref().map_or(Ok(()), |user| write!(f, ", as user {user}"))
    }
}

/// The variables of the environment.
pub(super) fn environment() -> impl Iterator<Item = (String, String)> {
    env::vars_os().map(|(name, value)| {
        (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
    })
}

/// The path from the root of the file system.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Names the database of an office without its password.
pub(crate) fn database(config: &Config) -> String {
    config.database.as_ref().map_or_else(|| "SQLite".to_owned(), database_name)
}

fn database_name(server: &PostgresServer) -> String {
    let Ok(mut url) = url::Url::parse(&server.url) else { return "PostgreSQL".to_owned() };
    // A URL without a host has no place for a password.
    let _ = url.set_password(None);
    url.set_query(None);
    url.into()
}

/// Names the place of an office's files without its key.
pub(crate) fn storage(config: &Config) -> String {
    let Some(S3Location { bucket, prefix, endpoint, region, .. }) = &config.bucket else {
        return "in the folder".to_owned();
    };
    let slash = if prefix.is_empty() { "" } else { "/" };
    let place = endpoint.as_deref().map_or_else(|| format!("region {region}"), str::to_owned);
    format!("s3://{bucket}{slash}{prefix} at {place}")
}

/// Becomes the owner of the first of the data folders that exists, if the process runs as root, or else the user
/// `fallback`, if there is one. Files that root would create in the folder, the service could not read. Returns the name
/// of the user.
///
/// # Errors
/// A sentence for the operator.
pub(crate) fn become_owner(
    data_dirs: &[&Path],
    fallback: Option<&str>,
) -> anyhow::Result<Option<String>> {
    if !Uid::effective().is_root() {
        return Ok(None);
    }
    let owner = data_dirs.iter().find_map(|folder| owner(folder).transpose());
    let user = match (owner.transpose()?, fallback) {
        (Some((uid, gid)), _) if !uid.is_root() => {
            let known = User::from_uid(uid).context("cannot read the users of this machine")?;
            Some(known.map_or((uid, gid, None), |user| (uid, user.gid, Some(user.name))))
        }
        (None, Some(name)) => {
            let known = User::from_name(name).context("cannot read the users of this machine")?;
            known.map(|user| (user.uid, user.gid, Some(user.name)))
        }
        _ => None,
    };
    let Some((uid, gid, name)) = user else { return Ok(None) };
    let shown = name.clone().unwrap_or_else(|| uid.to_string());
    let switch = || {
        setgid(gid)?;
        let name = name.as_deref().unwrap_or_default();
        initgroups(&std::ffi::CString::new(name).unwrap_or_default(), gid)?;
        setuid(uid)
    };
    switch().with_context(|| format!("cannot become the user {shown}"))?;
    Ok(Some(shown))
}

fn owner(folder: &Path) -> anyhow::Result<Option<(Uid, Gid)>> {
    match fs::metadata(folder) {
        Ok(metadata) => Ok(Some((Uid::from_raw(metadata.uid()), Gid::from_raw(metadata.gid())))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", folder.display())),
    }
}
