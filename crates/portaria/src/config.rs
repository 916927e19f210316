//! Settings: the compiled-in `portaria.toml`, then the operator's file, then the environment, then flags.

use std::{fmt::Write as _, net::SocketAddr, path::PathBuf};

use jiff::tz::TimeZone;
use serde::Deserialize;
use toml::{Table, Value};

use crate::keys::MIN_SECRET;

const DEFAULTS: &str = include_str!("../../../portaria.toml");
/// The operator's file, looked for in the working folder.
const FILE: &str = "portaria.toml";
const PREFIX: &str = "PORTARIA_";
/// Settings whose values are never shown.
const SECRETS: [&str; 2] = ["database_url", "jwt_secret"];

/// The settings in force, checked and in their own types.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// What to listen on.
    pub listen: SocketAddr,
    /// Where people reach the portal: scheme, host and port, without a trailing slash.
    pub site_url: String,
    /// PostgreSQL's address; `None` for SQLite.
    pub database_url: Option<String>,
    /// The fixed administrator's address, in lower case.
    pub admin_email: Option<String>,
    /// Whether strangers may sign up.
    pub signup: bool,
    /// The least number of characters in a password.
    pub password_min: usize,
    /// The largest upload, in bytes.
    pub max_upload: u64,
    /// The portal's zone.
    pub time_zone: TimeZone,
    /// The zone's IANA name.
    pub time_zone_name: String,
    /// The product's name as people see it.
    pub product_name: String,
    /// The secret that signs sessions, if the operator gave one.
    pub jwt_secret: Option<String>,
}

/// The settings as they are written: the shape of `portaria.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    data_dir: String,
    listen: String,
    site_url: String,
    database_url: String,
    admin_email: String,
    signup: bool,
    password_min: i64,
    max_upload: Value,
    time_zone: String,
    product_name: String,
    jwt_secret: String,
}

/// What the operator wrote, gathered from all places but not yet read.
#[derive(Debug, Clone)]
pub struct Settings(Table);

impl Settings {
    /// Defaults, then the file in the working folder if there is one, then the environment.
    ///
    /// # Errors
    /// A sentence that names the file and line, or the variable, that cannot stand.
    pub fn gather(environment: impl Iterator<Item = (String, String)>) -> Result<Self, String> {
        let mut settings = Self::defaults();
        match std::fs::read_to_string(FILE) {
            Ok(text) => settings.merge_file(FILE, &text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{FILE} cannot be read: {error}")),
        }
        for (name, value) in environment {
            if let Some(key) = name.strip_prefix(PREFIX) {
                settings
                    .set(&key.to_lowercase(), &value)
                    .map_err(|why| format!("{name}: {why}"))?;
            }
        }
        Ok(settings)
    }

    /// The compiled-in settings alone.
    #[must_use]
    pub fn defaults() -> Self {
        Self(DEFAULTS.parse().expect("the compiled-in portaria.toml is valid"))
    }

    /// Sets one setting from text, as the environment and the flags do. A name that is no setting is
    /// left alone: the environment holds names of other tools too.
    ///
    /// # Errors
    /// When the text is not of the setting's type.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), String> {
        let Some(slot) = self.0.get_mut(key) else { return Ok(()) };
        *slot = match slot {
            Value::Boolean(_) => match text.trim().to_lowercase().as_str() {
                "true" | "1" | "yes" => true.into(),
                "false" | "0" | "no" | "" => false.into(),
                _ => return Err(format!("expected true or false, got {text:?}")),
            },
            Value::Integer(_) => Value::Integer(
                text.trim()
                    .parse()
                    .map_err(|_| format!("expected a whole number, got {text:?}"))?,
            ),
            _ => text.into(),
        };
        Ok(())
    }

    fn merge_file(&mut self, file: &str, text: &str) -> Result<(), String> {
        let line = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        let parsed = toml::de::DeTable::parse(text).map_err(|error| {
            format!(
                "{file}, line {}: {}",
                error.span().map_or(1, |span| line(span.start)),
                error.message()
            )
        })?;
        for (key, _) in parsed.get_ref() {
            if !self.0.contains_key(key.get_ref().as_ref()) {
                return Err(format!(
                    "{file}, line {}: there is no setting {:?}",
                    line(key.span().start),
                    key.get_ref()
                ));
            }
        }
        let values: Table = text
            .parse()
            .map_err(|error: toml::de::Error| format!("{file}: {}", error.message()))?;
        for (key, value) in parsed.get_ref() {
            let name = key.get_ref().as_ref();
            let (Some(slot), Some(given)) = (self.0.get_mut(name), values.get(name)) else {
                continue;
            };
            // max_upload alone may be a number or text.
            if !slot.same_type(given) && name != "max_upload" {
                return Err(format!(
                    "{file}, line {}: {name} must be a {}, not a {}",
                    line(value.span().start),
                    slot.type_str(),
                    given.type_str()
                ));
            }
            *slot = given.clone();
        }
        Ok(())
    }

    /// Reads and checks everything.
    ///
    /// # Errors
    /// A sentence that names the setting and says what it must be.
    pub fn read(self) -> Result<Config, String> {
        let raw: Raw = self.0.try_into().map_err(|error| error.to_string())?;
        let listen: SocketAddr = raw.listen.parse().map_err(|_| {
            format!(
                "listen: expected an address and a port like 127.0.0.1:8080, got {:?}",
                raw.listen
            )
        })?;
        let optional = |text: String| if text.trim().is_empty() { None } else { Some(text) };
        let site_url = site_url(&raw.site_url, listen)?;
        let jwt_secret = optional(raw.jwt_secret);
        if jwt_secret.as_ref().is_some_and(|secret| secret.len() < MIN_SECRET) {
            return Err(format!("jwt_secret: must be at least {MIN_SECRET} bytes long"));
        }
        let password_min = usize::try_from(raw.password_min)
            .ok()
            .filter(|min| (6..=72).contains(min))
            .ok_or_else(|| {
                format!("password_min: must be from 6 to 72, not {}", raw.password_min)
            })?;
        let time_zone = TimeZone::get(&raw.time_zone)
            .map_err(|_| format!("time_zone: there is no zone named {:?}", raw.time_zone))?;
        let database_url = optional(raw.database_url);
        if database_url
            .as_ref()
            .is_some_and(|url| !url.starts_with("postgres://") && !url.starts_with("postgresql://"))
        {
            return Err("database_url: expected postgres://user:password@host/database".into());
        }
        if raw.product_name.trim().is_empty() {
            return Err("product_name: must not be empty".into());
        }
        Ok(Config {
            data_dir: PathBuf::from(raw.data_dir),
            listen,
            site_url,
            database_url,
            admin_email: optional(raw.admin_email).map(|email| email.trim().to_lowercase()),
            signup: raw.signup,
            password_min,
            max_upload: bytes(&raw.max_upload)?,
            time_zone,
            time_zone_name: raw.time_zone,
            product_name: raw.product_name.trim().to_owned(),
            jwt_secret,
        })
    }

    /// The settings as TOML, secrets masked.
    #[must_use]
    pub fn masked(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.0 {
            let hidden = SECRETS.contains(&key.as_str()) && value.as_str() != Some("");
            let shown = if hidden { "\"********\"".to_owned() } else { value.to_string() };
            writeln!(text, "{key} = {shown}").expect("writing to a String cannot fail");
        }
        text
    }
}

fn site_url(text: &str, listen: SocketAddr) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    if text.is_empty() {
        if listen.ip().is_loopback() {
            return Ok(format!("http://{listen}"));
        }
        return Err(format!(
            "site_url: must be set when listening on {listen}, because links in mails start with it"
        ));
    }
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let host = rest.split(':').next().unwrap_or_default();
    if host.is_empty() || rest.contains(['/', '?', '#', '@', ' ']) {
        return Err(format!("site_url: expected https://host, got {text:?}"));
    }
    let local = matches!(host, "localhost" | "127.0.0.1" | "[");
    match scheme {
        "https" => Ok(text.to_owned()),
        "http" if local || listen.ip().is_loopback() => Ok(text.to_owned()),
        "http" => Err("site_url: must start with https:// on an address that others reach".into()),
        _ => Err(format!("site_url: expected https://host, got {text:?}")),
    }
}

fn bytes(value: &Value) -> Result<u64, String> {
    let refused = || format!("max_upload: expected a size like \"10 MiB\", got {value}");
    let (number, unit) = match value {
        Value::Integer(number) => (u64::try_from(*number).map_err(|_| refused())?, 1),
        Value::String(text) => {
            let text = text.trim();
            let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let (number, unit) = text.split_at(digits);
            let unit = match unit.trim() {
                "" | "B" => 1,
                "KiB" | "K" => 1 << 10,
                "MiB" | "M" | "MB" => 1 << 20,
                "GiB" | "G" | "GB" => 1 << 30,
                _ => return Err(refused()),
            };
            (number.parse().map_err(|_| refused())?, unit)
        }
        _ => return Err(refused()),
    };
    number.checked_mul(unit).filter(|size| *size > 0).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::Settings;

    fn with(file: &str) -> Result<super::Config, String> {
        let mut settings = Settings::defaults();
        settings.merge_file("portaria.toml", file)?;
        settings.read()
    }

    #[test]
    fn the_defaults_are_valid() {
        let config = Settings::defaults().read().unwrap();
        assert_eq!(config.max_upload, 10 * 1024 * 1024);
        assert_eq!(config.site_url, "http://127.0.0.1:8080");
    }

    #[test]
    fn a_bad_file_is_refused_with_its_line() {
        for (file, expected) in [
            (
                "signup = true\nsingup = false\n",
                "portaria.toml, line 2: there is no setting \"singup\"",
            ),
            (
                "\n\npassword_min = \"six\"\n",
                "portaria.toml, line 3: password_min must be a integer, not a string",
            ),
        ] {
            assert_eq!(with(file).unwrap_err(), expected);
        }
        assert!(with("listen = 127.0.0.1").unwrap_err().starts_with("portaria.toml, line 1: "));
    }

    #[test]
    fn a_value_that_cannot_stand_is_refused_by_name() {
        for (file, name) in [
            ("listen = \"8080\"", "listen"),
            ("listen = \"0.0.0.0:8080\"", "site_url"),
            ("listen = \"0.0.0.0:80\"\nsite_url = \"http://portal.example.com\"", "site_url"),
            ("site_url = \"https://a.example/path\"", "site_url"),
            ("jwt_secret = \"short\"", "jwt_secret"),
            ("password_min = 3", "password_min"),
            ("time_zone = \"Brazil/Nowhere\"", "time_zone"),
            ("max_upload = \"ten\"", "max_upload"),
            ("database_url = \"mysql://x\"", "database_url"),
        ] {
            let error = with(file).unwrap_err();
            assert!(error.starts_with(name), "{file}: {error}");
        }
    }

    #[test]
    fn the_environment_wins_and_other_names_are_left_alone() {
        let environment = [
            ("PORTARIA_SIGNUP", "true"),
            ("PORTARIA_MAX_UPLOAD", "5 MiB"),
            ("PORTARIA_OTHER", "x"),
        ];
        let settings =
            Settings::gather(environment.map(|(k, v)| (k.into(), v.into())).into_iter()).unwrap();
        let config = settings.read().unwrap();
        assert!(config.signup);
        assert_eq!(config.max_upload, 5 * 1024 * 1024);
    }

    #[test]
    fn secrets_are_masked() {
        let mut settings = Settings::defaults();
        settings.set("jwt_secret", "0123456789abcdef0123456789abcdef").unwrap();
        let shown = settings.masked();
        assert!(shown.contains("jwt_secret = \"********\"") && !shown.contains("0123456789abcdef"));
    }
}
