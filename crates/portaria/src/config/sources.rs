//! The sources of the settings, in ascending priority: the compiled-in `portaria.toml`, the operator's file, the
//! environment (`docs/decisions/0090-one-reader-of-settings.md`).
//!
//! Hand-written instead of figment, because each error names the setting with its file and line or its variable, and
//! an unknown setting is refused.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use anyhow::{anyhow, bail};
use toml::{Table, Value};

use crate::config::{env_file, toml_file};

const DEFAULTS: &str = include_str!("../../../../portaria.toml");
/// The file of the office that the Debian package installs.
const MACHINE_FILE: &str = "/etc/portaria.env";
/// The data folder of that office, unless the file names another.
const MACHINE_DATA_DIR: &str = "/var/lib/portaria";
/// Name of the operator's file in the working directory, on a machine without [`MACHINE_FILE`].
const FILE: &str = "portaria.toml";
const PREFIX: &str = "PORTARIA_";
/// Settings whose values are never printed, in addition to `backup_to` if it contains the address of a bucket.
const SECRETS: [&str; 7] = [
    "backup_key",
    "database_replica_url",
    "database_url",
    "imap_url",
    "jwt_secret",
    "smtp_url",
    "storage_url",
];
/// Minimum similarity of a name that is suggested for an unknown one, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.6;

/// The merged settings before they are parsed.
#[derive(Clone)]
pub struct ConfigSources {
    pub(crate) values: Table,
    /// The variable, or the file and line, of each setting that is not a default.
    origins: BTreeMap<String, String>,
    file: Option<PathBuf>,
}

/// Returns whether values of a setting can be secret.
pub(super) fn may_be_secret(name: &str) -> bool {
    name == "backup_to" || SECRETS.contains(&name)
}

/// Returns whether a setting contains a secret.
fn is_secret(name: &str, value: &Value) -> bool {
    match (name, value.as_str()) {
        ("backup_to", Some(text)) => text.trim_start().starts_with("s3://"),
        (_, text) => SECRETS.contains(&name) && text != Some(""),
    }
}

/// Returns whether Kubernetes or Docker set the variable, because a service or a linked container is named `portaria`.
fn is_service_link(key: &str, value: &str) -> bool {
    let is_address = value.starts_with("tcp://") || value.starts_with("udp://");
    key.starts_with("SERVICE_") || key.starts_with("PORT_") || (key == "PORT" && is_address)
}

impl fmt::Debug for ConfigSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted())
    }
}

impl ConfigSources {
    /// Loads the defaults, then one file, then the environment. The file is `given`, or else `/etc/portaria.env`, or else
    /// `portaria.toml` in the working directory, the first that exists.
    ///
    /// # Errors
    /// A sentence that names the file and line, or the variable, of the invalid setting.
    pub fn load(
        given: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> anyhow::Result<Self> {
        let usual = || [MACHINE_FILE, FILE].map(Path::new).into_iter().find(|file| file.exists());
        let mut settings = match given.or_else(usual) {
            Some(file) => Self::from_file(file)?,
            None => Self::defaults(),
        };
        for (name, value) in environment {
            if let Some(key) = name.strip_prefix(PREFIX)
                && !is_service_link(key, &value)
            {
                settings.set_variable(&name, &value).map_err(|why| anyhow!("{name}: {why}"))?;
                settings.origins.insert(key.to_lowercase(), name);
            }
        }
        Ok(settings)
    }

    /// Loads the defaults, then one file: TOML if its name ends with `.toml`, otherwise one variable per line.
    ///
    /// # Errors
    /// A sentence that names the file and the line of the invalid setting.
    pub fn from_file(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::PermissionDenied => {
                anyhow!(
                    "{name} cannot be read by this user: run the command as root, or name another file with --config"
                )
            }
            _ => anyhow!("{name} cannot be read: {error}"),
        };
        let text = fs::read_to_string(path).map_err(unreadable)?;
        let mut settings = Self { file: Some(path.to_owned()), ..Self::defaults() };
        if path.extension().is_some_and(|extension| extension == "toml") {
            settings.merge_toml(&name, &text)?;
        } else {
            settings.merge_variables(&name, &text)?;
        }
        // A file with a secret must not be readable by other users.
        let mut secrets = settings.values.iter().filter(|(name, value)| is_secret(name, value));
        if let Some((secret, _)) = secrets.next() {
            let metadata = fs::metadata(path).map_err(unreadable)?;
            if metadata.permissions().mode() & 0o007 != 0 {
                bail!("{name} holds {secret} and can be read by others: run chmod 640 {name}");
            }
        }
        Ok(settings)
    }

    /// Returns the compiled-in defaults.
    #[must_use]
    pub fn defaults() -> Self {
        let values = DEFAULTS.parse().expect("the compiled-in portaria.toml is valid");
        Self { values, origins: BTreeMap::new(), file: None }
    }

    /// The file that was read.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns whether the settings are those of the office that the Debian package installs.
    #[must_use]
    pub fn is_of_machine(&self) -> bool {
        self.file() == Some(Path::new(MACHINE_FILE))
    }

    /// Returns the variable, or the file and line, that set a setting; `None` for a default.
    #[must_use]
    pub fn origin(&self, name: &str) -> Option<&str> {
        self.origins.get(name).map(String::as_str)
    }

    /// Sets one setting from text, as the environment does.
    ///
    /// # Errors
    /// When there is no such setting, or the text is not of its type.
    pub fn set(&mut self, key: &str, text: &str) -> anyhow::Result<()> {
        let Some(current) = self.values.get_mut(key) else { return Err(self.unknown(key, key)) };
        *current = match current {
            Value::Boolean(_) => match text.trim().to_lowercase().as_str() {
                "true" | "1" | "yes" => true.into(),
                "false" | "0" | "no" | "" => false.into(),
                _ => bail!("expected true or false, got {text:?}"),
            },
            Value::Integer(_) => match text.trim().parse() {
                Ok(number) => Value::Integer(number),
                // A file may contain the number of a setting that has a unit.
                Err(_) if toml_file::NUMBER_OR_TEXT.contains(&key) => text.into(),
                Err(_) => bail!("expected a whole number, got {text:?}"),
            },
            Value::Array(_) => Value::Array(
                text.split(',')
                    .map(str::trim)
                    .filter(|item| !item.is_empty())
                    .map(Value::from)
                    .collect(),
            ),
            _ => text.into(),
        };
        Ok(())
    }

    /// Takes over one setting of other sources.
    pub fn take(&mut self, name: &str, other: &Self) {
        if let Some(value) = other.values.get(name) {
            self.values.insert(name.to_owned(), value.clone());
        }
    }

    /// Returns the names of the settings whose values differ.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<&str> {
        let differs = |(name, value): &(&String, &Value)| other.values.get(*name) != Some(*value);
        self.values.iter().filter(differs).map(|(name, _)| name.as_str()).collect()
    }

    fn set_variable(&mut self, name: &str, text: &str) -> anyhow::Result<()> {
        let Some(key) = name.strip_prefix(PREFIX).map(str::to_lowercase) else {
            bail!("the name of a setting begins with {PREFIX}");
        };
        if !self.values.contains_key(&key) {
            return Err(self.unknown(name, &key));
        }
        self.set(&key, text)
    }

    /// Describes an unknown setting, with the most similar name in the form that the operator used.
    fn unknown(&self, written: &str, key: &str) -> anyhow::Error {
        let rated =
            self.values.keys().map(|name| (name, strsim::normalized_levenshtein(key, name)));
        let best = rated.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let hint = match best.filter(|(_, similarity)| *similarity >= MIN_SIMILARITY) {
            Some((name, _)) if written.starts_with(PREFIX) => {
                format!("did you mean {PREFIX}{}?", name.to_uppercase())
            }
            Some((name, _)) => format!("did you mean {name}?"),
            None => "portaria.toml lists all".to_owned(),
        };
        anyhow!("there is no setting {written:?}; {hint}")
    }

    /// Sets the settings of a file with one variable per line.
    pub(crate) fn merge_variables(&mut self, file: &str, text: &str) -> anyhow::Result<()> {
        if file == MACHINE_FILE {
            self.values.insert("data_dir".to_owned(), MACHINE_DATA_DIR.into());
            self.origins.insert("data_dir".to_owned(), file.to_owned());
        }
        for variable in env_file::parse(text).map_err(|why| anyhow!("{file}, {why}"))? {
            let env_file::Variable { line, name, value } = variable;
            let origin = format!("{file}, line {line}");
            self.set_variable(&name, &value).map_err(|why| anyhow!("{origin}: {name}: {why}"))?;
            let key = name.strip_prefix(PREFIX).unwrap_or_default().to_lowercase();
            self.origins.insert(key, origin);
        }
        Ok(())
    }

    /// Sets the settings of a TOML file.
    pub(crate) fn merge_toml(&mut self, file: &str, text: &str) -> anyhow::Result<()> {
        for entry in toml_file::parse(text, &self.values).map_err(|why| anyhow!("{file}, {why}"))? {
            let toml_file::Entry { line, name, value } = entry;
            let origin = format!("{file}, line {line}");
            let Some(current) = self.values.get_mut(&name) else {
                return Err(anyhow!("{origin}: {}", self.unknown(&name, &name)));
            };
            toml_file::check_type(&name, current, &value)
                .map_err(|why| anyhow!("{origin}: {why}"))?;
            *current = value;
            self.origins.insert(name, origin);
        }
        Ok(())
    }

    /// Returns the settings with their values as TOML, secrets masked, and their origins.
    pub fn shown(&self) -> impl Iterator<Item = (&str, String, Option<&str>)> {
        self.values.iter().map(|(name, value)| {
            let is_hidden = is_secret(name, value);
            let shown = if is_hidden { "\"********\"".to_owned() } else { value.to_string() };
            (name.as_str(), shown, self.origin(name))
        })
    }

    /// Returns the settings as TOML, with secrets masked. A comment names the origin of those that are no defaults.
    #[must_use]
    pub fn redacted(&self) -> String {
        let mut text = String::new();
        for (name, value, origin) in self.shown() {
            let origin = origin.map(|origin| format!("  # {origin}")).unwrap_or_default();
            writeln!(text, "{name} = {value}{origin}").expect("writing to a String cannot fail");
        }
        text
    }
}
