//! The settings, parsed and validated. `portaria.toml` describes each one.

pub mod backup;
pub mod backup_target;
pub mod database;
pub mod s3;
pub mod server;
pub mod smtp;
pub mod sources;
pub mod units;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use jiff::{SignedDuration, tz::TimeZone};
pub use portaria_blob::S3Location;
pub use portaria_db::PostgresServer;
pub use portaria_mail::{Login, MailFrom, MailServer, Security};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, de::DeserializeOwned};
use toml::{Table, Value};
use url::Url;

pub use backup::{Backup, BackupDestination, RetentionPolicy};
pub use server::{LogFormat, ServerConfig, TlsFiles};

use crate::security::{keys, rate_limit::Rate};
use sources::ConfigSources;
use units::{months, rate, time};

const DAY: SignedDuration = SignedDuration::from_hours(24);
const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The settings, each in its own type.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent setting")]
pub struct Config {
    /// The data folder.
    pub data_dir: PathBuf,
    /// The address of the HTTP listener.
    pub listen: SocketAddr,
    /// The public URL of the portal: scheme, host and port, without a trailing slash.
    pub site_url: String,
    /// The PostgreSQL server; `None` for SQLite.
    pub database: Option<PostgresServer>,
    /// The S3 bucket for files; `None` for the data folder.
    pub bucket: Option<S3Location>,
    /// The e-mail address of the configured administrator, in lower case.
    pub admin_email: Option<String>,
    /// Whether sign-up is open to the public.
    pub signup: bool,
    /// Minimum number of characters in a password.
    pub password_min: usize,
    /// Maximum size of an upload, in bytes.
    pub max_upload: u64,
    /// Disk space that uploads leave free, in bytes.
    pub min_free_space: u64,
    /// The portal's time zone.
    pub time_zone: TimeZone,
    /// The IANA name of the time zone.
    pub time_zone_name: String,
    /// The product name in the interface and in mails.
    pub product_name: String,
    /// The portal secret, if it is set.
    pub jwt_secret: Option<SecretString>,
    /// Whether new accounts are confirmed without a mailed link.
    pub autoconfirm: bool,
    /// Lifetime of an access token.
    pub access_token_life: SignedDuration,
    /// Time during which a replaced refresh token is accepted again.
    pub refresh_reuse_interval: SignedDuration,
    /// Lifetime of mailed links and codes.
    pub mail_link_life: SignedDuration,
    /// Whether a change of the e-mail address is confirmed at the old address too.
    pub secure_email_change: bool,
    /// Whether a new password requires a mailed code when the sign-in is old.
    pub require_reauthentication: bool,
    /// Whether a new password requires the current one.
    pub require_current_password: bool,
    /// Whether sessions of administrators without MFA are restricted.
    pub require_second_step: bool,
    /// Additional allowed targets of mailed links.
    pub redirect_urls: Vec<Url>,
    /// Proxies whose `X-Forwarded-For` is used.
    pub trusted_proxies: Vec<IpNet>,
    /// Days before a document's due date on which its client is notified, in descending order.
    pub expiring_soon_days: Vec<i32>,
    /// Retention of access records, in months.
    pub access_records_months: i64,
    /// The SMTP server; `None` keeps mails in the outbox.
    pub mail_server: Option<MailServer>,
    /// The sender of mails; always present if there is an SMTP server.
    pub mail_from: Option<MailFrom>,
    /// The rate limits.
    pub rates: Rates,
    /// Log, metrics, TLS, quotas and upload limit.
    pub server: ServerConfig,
    /// The settings of backups.
    pub backup: Backup,
}

/// The rate limits; `None` for no limit.
#[derive(Debug, Clone)]
pub struct Rates {
    /// Sign-ins per visitor.
    pub sign_in: Option<Rate>,
    /// Wrong passwords per account.
    pub wrong_password: Option<Rate>,
    /// Wrong MFA codes per account.
    pub wrong_code: Option<Rate>,
    /// Refreshes per session.
    pub refresh: Option<Rate>,
    /// Uses of mailed links and codes per visitor.
    pub verify: Option<Rate>,
    /// Requests for an account per visitor, counted separately per kind.
    pub account: Option<Rate>,
    /// Exports per person.
    pub export: Option<Rate>,
    /// Requested mails per e-mail address.
    pub mail: Option<Rate>,
    /// Minimum interval between two such mails.
    pub mail_interval: SignedDuration,
    /// Requested mails in total.
    pub all_mail: Option<Rate>,
    /// Sent mails in total.
    pub outgoing: Option<Rate>,
    /// Sent mails per recipient.
    pub recipient_mail: Option<Rate>,
}

/// The settings as they are written in `portaria.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent setting")]
struct RawConfig {
    data_dir: String,
    listen: String,
    site_url: String,
    database_url: String,
    database_ca: String,
    storage_url: String,
    admin_email: String,
    signup: bool,
    password_min: i64,
    max_upload: Value,
    min_free_space: Value,
    time_zone: String,
    product_name: String,
    jwt_secret: String,
    autoconfirm: bool,
    access_token_life: String,
    refresh_reuse_interval: String,
    mail_link_life: String,
    secure_email_change: bool,
    require_reauthentication: bool,
    require_current_password: bool,
    require_second_step: bool,
    redirect_urls: Vec<String>,
    trusted_proxies: Vec<String>,
    rate_sign_in: String,
    rate_wrong_password: String,
    rate_wrong_code: String,
    rate_refresh: String,
    rate_verify: String,
    rate_account: String,
    rate_export: String,
    rate_mail: String,
    mail_interval: String,
    rate_all_mail: String,
    expiring_soon_days: Value,
    access_records_months: i64,
    smtp_url: String,
    smtp_ca: String,
    mail_from: String,
    mail_rate: String,
    rate_recipient_mail: String,
}

impl Config {
    /// Returns whether a change of the e-mail address needs both confirmations. With `autoconfirm` the new one is
    /// sufficient.
    #[must_use]
    pub fn requires_both_email_confirmations(&self) -> bool {
        self.secure_email_change && !self.autoconfirm
    }

    /// Returns the portal secret, if it is set.
    #[must_use]
    pub fn portal_secret(&self) -> Option<&str> {
        self.jwt_secret.as_ref().map(ExposeSecret::expose_secret)
    }
}

impl ConfigSources {
    /// Parses and validates all settings.
    ///
    /// A sentence that names the setting and the expected value.
    pub fn read(mut self) -> Result<Config, String> {
        let doors = ServerConfig::from_table(&mut self.0)?;
        let backup = Backup::from_table(&mut self.0)?;
        let raw: RawConfig = self.0.try_into().map_err(|error| error.to_string())?;
        let listen = server::listen(&raw.listen)?;
        let optional = |text: String| if text.trim().is_empty() { None } else { Some(text) };
        let site_url = server::site_url(&raw.site_url, listen, doors.tls.is_some())?;
        let jwt_secret = optional(raw.jwt_secret);
        jwt_secret.as_deref().map(keys::check_secret).transpose()?;
        let password_min = usize::try_from(raw.password_min)
            .ok()
            .filter(|min| (6..=72).contains(min))
            .ok_or_else(|| {
                format!("password_min: must be from 6 to 72, not {}", raw.password_min)
            })?;
        let time_zone = TimeZone::get(&raw.time_zone)
            .map_err(|_| format!("time_zone: there is no zone named {:?}", raw.time_zone))?;
        let database = optional(raw.database_url)
            .map(|url| database::parse_server(&url, optional(raw.database_ca).map(PathBuf::from)))
            .transpose()?;
        let product_name = raw.product_name.trim().to_owned();
        if product_name.is_empty() {
            return Err("product_name: must not be empty".into());
        }
        let mail_server = optional(raw.smtp_url)
            .map(|url| smtp::parse_server(&url, optional(raw.smtp_ca).map(PathBuf::from)))
            .transpose()?;
        let mail_from = match optional(raw.mail_from) {
            Some(text) => Some(smtp::parse_sender(&text, &product_name)?),
            None => mail_server
                .as_ref()
                .map(|server| smtp::default_sender(server, &site_url, &product_name))
                .transpose()?,
        };
        Ok(Config {
            data_dir: PathBuf::from(raw.data_dir),
            listen,
            site_url,
            database,
            bucket: optional(raw.storage_url)
                .map(|url| s3::parse_location("storage_url", &url))
                .transpose()?,
            admin_email: optional(raw.admin_email).map(|email| email.trim().to_lowercase()),
            signup: raw.signup,
            password_min,
            max_upload: units::bytes("max_upload", &raw.max_upload)?,
            min_free_space: units::bytes("min_free_space", &raw.min_free_space)?,
            time_zone,
            time_zone_name: raw.time_zone,
            product_name,
            jwt_secret: jwt_secret.map(SecretString::from),
            autoconfirm: raw.autoconfirm,
            // A lifetime of zero would cause a refresh with every request.
            access_token_life: time("access_token_life", &raw.access_token_life, WEEK)?
                .max(SignedDuration::from_secs(1)),
            refresh_reuse_interval: time(
                "refresh_reuse_interval",
                &raw.refresh_reuse_interval,
                DAY,
            )?,
            mail_link_life: time("mail_link_life", &raw.mail_link_life, DAY)?,
            secure_email_change: raw.secure_email_change,
            require_reauthentication: raw.require_reauthentication,
            require_current_password: raw.require_current_password,
            require_second_step: raw.require_second_step,
            redirect_urls: parse_list("redirect_urls", "an address", &raw.redirect_urls, |text| {
                Url::parse(text).ok()
            })?,
            trusted_proxies: parse_list(
                "trusted_proxies",
                "an address or a network",
                &raw.trusted_proxies,
                |text| text.parse().ok().or_else(|| text.parse::<IpAddr>().map(IpNet::from).ok()),
            )?,
            expiring_soon_days: units::days("expiring_soon_days", &raw.expiring_soon_days)?,
            access_records_months: months("access_records_months", raw.access_records_months)?,
            mail_server,
            mail_from,
            rates: Rates {
                sign_in: rate("rate_sign_in", &raw.rate_sign_in)?,
                wrong_password: rate("rate_wrong_password", &raw.rate_wrong_password)?,
                wrong_code: rate("rate_wrong_code", &raw.rate_wrong_code)?,
                refresh: rate("rate_refresh", &raw.rate_refresh)?,
                verify: rate("rate_verify", &raw.rate_verify)?,
                account: rate("rate_account", &raw.rate_account)?,
                export: rate("rate_export", &raw.rate_export)?,
                mail: rate("rate_mail", &raw.rate_mail)?,
                mail_interval: time("mail_interval", &raw.mail_interval, DAY)?,
                all_mail: rate("rate_all_mail", &raw.rate_all_mail)?,
                outgoing: rate("mail_rate", &raw.mail_rate)?,
                recipient_mail: rate("rate_recipient_mail", &raw.rate_recipient_mail)?,
            },
            server: doors,
            backup,
        })
    }
}

/// Removes the named settings from the table of all settings and deserializes them.
fn part<T: DeserializeOwned>(all: &mut Table, names: &[&str]) -> Result<T, String> {
    let own = names.iter().filter_map(|name| all.remove_entry(*name));
    own.collect::<Table>().try_into().map_err(|error| error.to_string())
}

fn parse_list<T>(
    name: &str,
    kind: &str,
    texts: &[String],
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, String> {
    let invalid = |text: &str| format!("{name}: {text:?} is not {kind}");
    texts.iter().map(|text| read(text.trim()).ok_or_else(|| invalid(text))).collect()
}

#[cfg(test)]
mod tests {
    use crate::config::ConfigSources;

    fn with(file: &str) -> Result<super::Config, String> {
        let mut settings = ConfigSources::defaults();
        settings.merge_file("portaria.toml", file)?;
        settings.read()
    }

    #[test]
    fn defaults_are_valid() {
        let config = ConfigSources::defaults().read().unwrap();
        assert_eq!(config.max_upload, 10 * 1024 * 1024);
        assert_eq!(config.site_url, "http://127.0.0.1:8080");
    }

    #[test]
    fn invalid_file_is_refused_with_its_line() {
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
    fn invalid_value_is_refused_with_its_name() {
        for (file, name) in [
            ("listen = \"8080\"", "listen"),
            ("listen = \"0.0.0.0:8080\"", "site_url"),
            ("listen = \"0.0.0.0:80\"\nsite_url = \"http://portal.example.com\"", "site_url"),
            ("site_url = \"https://a.example/path\"", "site_url"),
            ("jwt_secret = \"short\"", "jwt_secret"),
            ("password_min = 3", "password_min"),
            ("time_zone = \"Brazil/Nowhere\"", "time_zone"),
            ("max_upload = \"ten\"", "max_upload"),
            ("min_free_space = \"some\"", "min_free_space"),
            ("database_url = \"mysql://x\"", "database_url"),
            ("storage_url = \"/mnt/files\"", "storage_url"),
            ("mail_link_life = \"25h\"", "mail_link_life"),
            ("access_token_life = \"soon\"", "access_token_life"),
            ("rate_sign_in = \"often\"", "rate_sign_in"),
            ("redirect_urls = [\"/welcome\"]", "redirect_urls"),
            ("trusted_proxies = [\"10.0.0.0/99\"]", "trusted_proxies"),
            ("expiring_soon_days = \"soon\"", "expiring_soon_days"),
            ("access_records_months = 5", "access_records_months"),
            ("smtp_url = \"mail.example.com\"", "smtp_url"),
            ("smtp_url = \"smtp://mail.example.com\"", "mail_from"),
            ("mail_from = \"Ana\"", "mail_from"),
            ("mail_rate = \"fast\"", "mail_rate"),
            ("rate_recipient_mail = \"20\"", "rate_recipient_mail"),
            ("log_format = \"xml\"", "log_format"),
            ("metrics_listen = \"0.0.0.0:9464\"", "metrics_listen"),
            ("tls_cert = \"cert.pem\"", "tls_cert"),
            ("tls_cert = \"c\"\ntls_key = \"k\"\nsite_url = \"http://localhost\"", "site_url"),
            ("quota = \"much\"", "quota"),
            ("quota_per_client = 0", "quota_per_client"),
            ("uploads_at_once = 0", "uploads_at_once"),
            ("backup_at = \"25:00\"", "backup_at"),
            ("backup_keep = \"always\"", "backup_keep"),
            ("backup_key = \"short\"", "backup_key"),
            ("backup_rehearsal_days = -1", "backup_rehearsal_days"),
        ] {
            let error = with(file).unwrap_err();
            assert!(error.starts_with(name), "{file}: {error}");
        }
    }

    #[test]
    fn environment_overrides_file_and_ignores_other_names() {
        let environment = [
            ("PORTARIA_SIGNUP", "true"),
            ("PORTARIA_MAX_UPLOAD", "5 MiB"),
            ("PORTARIA_OTHER", "x"),
            ("PORTARIA_TRUSTED_PROXIES", "10.0.0.0/8, 127.0.0.1"),
            ("PORTARIA_REDIRECT_URLS", ""),
        ];
        let settings =
            ConfigSources::load(environment.map(|(k, v)| (k.into(), v.into())).into_iter())
                .unwrap();
        let config = settings.read().unwrap();
        assert!(config.signup);
        assert_eq!(config.max_upload, 5 * 1024 * 1024);
        assert_eq!(config.trusted_proxies.len(), 2);
        assert!(config.redirect_urls.is_empty());
    }

    #[test]
    fn secrets_are_masked() {
        let mut settings = ConfigSources::defaults();
        settings.set("jwt_secret", "0123456789abcdef0123456789abcdef").unwrap();
        settings.set("smtp_url", "smtp://portal%40a.com:0123456789abcdef@mail.a.com").unwrap();
        let shown = settings.redacted();
        assert!(shown.contains("jwt_secret = \"********\"") && !shown.contains("0123456789abcdef"));
        assert!(shown.contains("smtp_url = \"********\""));
        // Debug output masks them too.
        assert!(!format!("{settings:?}").contains("0123456789abcdef"));
        let config = settings.read().unwrap();
        assert!(!format!("{config:?}").contains("0123456789abcdef"));
    }
}
