//! The sources of the settings, in ascending priority: the compiled-in `portaria.toml`, the operator's file, the
//! environment.
//!
//! Hand-written instead of figment, because each error names the setting with its file and line or its variable, and
//! an unknown setting in a file is refused.

use std::{
    fmt::{self, Write as _},
    fs, io,
    os::unix::fs::PermissionsExt,
    path::Path,
};

use anyhow::{anyhow, bail};
use toml::{Table, Value};

const DEFAULTS: &str = include_str!("../../../../portaria.toml");
/// Name of the operator's file in the working directory.
const FILE: &str = "portaria.toml";
const PREFIX: &str = "PORTARIA_";
/// Settings whose values are never printed, in addition to `backup_to` if it contains the address of a bucket.
const SECRETS: [&str; 5] = ["backup_key", "database_url", "jwt_secret", "smtp_url", "storage_url"];

/// Settings that may be a number or text.
const NUMBER_OR_TEXT: [&str; 5] =
    ["max_upload", "min_free_space", "expiring_soon_days", "quota", "quota_per_client"];

/// The merged settings before they are parsed.
#[derive(Clone)]
pub struct ConfigSources(pub(crate) Table);

/// Returns whether a setting contains a secret.
fn is_secret(name: &str, value: &Value) -> bool {
    match (name, value.as_str()) {
        ("backup_to", Some(text)) => text.trim_start().starts_with("s3://"),
        (_, text) => SECRETS.contains(&name) && text != Some(""),
    }
}

impl fmt::Debug for ConfigSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted())
    }
}

impl ConfigSources {
    /// Loads the defaults, then the file in the working directory if it exists, then the environment.
    ///
    /// # Errors
    /// A sentence that names the file and line, or the variable, of the invalid setting.
    pub fn load(environment: impl Iterator<Item = (String, String)>) -> anyhow::Result<Self> {
        let file = Path::new(FILE);
        let mut settings = if file.exists() { Self::from_file(file)? } else { Self::defaults() };
        for (name, value) in environment {
            if let Some(key) = name.strip_prefix(PREFIX) {
                settings
                    .set(&key.to_lowercase(), &value)
                    .map_err(|why| anyhow!("{name}: {why}"))?;
            }
        }
        Ok(settings)
    }

    /// Loads the defaults, then one file.
    ///
    /// # Errors
    /// A sentence that names the file and the line of the invalid setting.
    pub fn from_file(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let unreadable = |error: io::Error| anyhow!("{name} cannot be read: {error}");
        let text = fs::read_to_string(path).map_err(unreadable)?;
        let mut settings = Self::defaults();
        settings.merge_file(&name, &text)?;
        // A file with a secret must not be readable by other users.
        let mut secrets = settings.0.iter().filter(|(name, value)| is_secret(name, value));
        if let Some((secret, _)) = secrets.next() {
            let metadata = fs::metadata(path).map_err(unreadable)?;
            if metadata.permissions().mode() & 0o007 != 0 {
                bail!("{name} holds {secret} and can be read by others: run chmod 600 {name}");
            }
        }
        Ok(settings)
    }

    /// Returns the compiled-in defaults.
    #[must_use]
    pub fn defaults() -> Self {
        Self(DEFAULTS.parse().expect("the compiled-in portaria.toml is valid"))
    }

    /// Sets one setting from text, as the environment does. Unknown names are ignored, because the environment
    /// contains variables of other programs.
    ///
    /// # Errors
    /// When the text is not of the setting's type.
    pub fn set(&mut self, key: &str, text: &str) -> anyhow::Result<()> {
        let Some(current) = self.0.get_mut(key) else { return Ok(()) };
        *current = match current {
            Value::Boolean(_) => match text.trim().to_lowercase().as_str() {
                "true" | "1" | "yes" => true.into(),
                "false" | "0" | "no" | "" => false.into(),
                _ => bail!("expected true or false, got {text:?}"),
            },
            Value::Integer(_) => Value::Integer(
                text.trim()
                    .parse()
                    .map_err(|_| anyhow!("expected a whole number, got {text:?}"))?,
            ),
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

    pub(crate) fn merge_file(&mut self, file: &str, text: &str) -> anyhow::Result<()> {
        let line =
            |offset: usize| text.get(..offset).map_or(1, |before| before.matches('\n').count() + 1);
        let parsed = toml::de::DeTable::parse(text).map_err(|error| {
            anyhow!(
                "{file}, line {}: {}",
                error.span().map_or(1, |span| line(span.start)),
                error.message()
            )
        })?;
        for (key, _) in parsed.get_ref() {
            if !self.0.contains_key(key.get_ref().as_ref()) {
                bail!(
                    "{file}, line {}: there is no setting {:?}",
                    line(key.span().start),
                    key.get_ref()
                );
            }
        }
        let values: Table = text
            .parse()
            .map_err(|error: toml::de::Error| anyhow!("{file}: {}", error.message()))?;
        for (key, value) in parsed.get_ref() {
            let name = key.get_ref().as_ref();
            let (Some(current), Some(given)) = (self.0.get_mut(name), values.get(name)) else {
                continue;
            };
            let is_flexible = NUMBER_OR_TEXT.contains(&name);
            if !current.same_type(given) && !is_flexible {
                bail!(
                    "{file}, line {}: {name} must be a {}, not a {}",
                    line(value.span().start),
                    current.type_str(),
                    given.type_str()
                );
            }
            *current = given.clone();
        }
        Ok(())
    }

    /// Returns the settings as TOML, with secrets masked.
    #[must_use]
    pub fn redacted(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.0 {
            let shown =
                if is_secret(key, value) { "\"********\"".to_owned() } else { value.to_string() };
            writeln!(text, "{key} = {shown}").expect("writing to a String cannot fail");
        }
        text
    }
}
