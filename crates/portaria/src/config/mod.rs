//! The settings, parsed and validated. `portaria.toml` describes each one.

pub mod backup;
pub mod backup_target;
pub mod database;
mod env_file;
pub(crate) mod mailbox;
pub(crate) mod pages;
pub mod s3;
pub mod server;
pub mod smtp;
pub mod sources;
mod toml_file;
pub mod units;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{anyhow, bail};
use ipnet::IpNet;
use jiff::{SignedDuration, civil::Time, tz::TimeZone};
pub use portaria_blob::S3Location;
use portaria_codes::TaxId;
use portaria_db::CaFile;
pub use portaria_db::PostgresServer;
use portaria_mail::imap::MailboxLocation;
pub use portaria_mail::{Login, MailFrom, MailServer, Security};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer};
use url::Url;

pub use backup::RetentionPolicy;
pub use backup_target::BackupDestination;
pub use server::TlsFiles;

pub use crate::telemetry::logging::LogFormat;

use crate::{
    data_dir,
    security::{
        email_address::canonical_address,
        keys,
        rate_limit::{Rate, VisitorRates},
    },
};
use sources::ConfigSources;

/// The settings. A setting is one field here and one line in `portaria.toml`, which contains its default.
///
/// A field without a line fails every start, and so does a line without a field. The environment variable is
/// `PORTARIA_` and the name in capitals.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent setting")]
pub struct Config {
    /// The data folder.
    pub data_dir: PathBuf,
    /// The address of the HTTP listener.
    #[serde(deserialize_with = "server::listen")]
    pub listen: SocketAddr,
    /// The public URL of the portal: scheme, host and port, without a trailing slash.
    pub site_url: String,
    /// The PostgreSQL server; `None` for SQLite.
    #[serde(rename = "database_url", deserialize_with = "database::database_url")]
    pub database: Option<PostgresServer>,
    /// A streaming replica of that server; `None` without one.
    #[serde(rename = "database_replica_url", deserialize_with = "database::replica_url")]
    pub database_replica: Option<PostgresServer>,
    /// Certificate authorities for both servers, in addition to the public ones.
    #[serde(deserialize_with = "units::path")]
    pub database_ca: Option<PathBuf>,
    /// The S3 bucket for files; `None` for the data folder.
    #[serde(rename = "storage_url", deserialize_with = "s3::storage_url")]
    pub bucket: Option<S3Location>,
    /// Whether signed links and links to public files lead to the bucket by a redirect.
    pub storage_redirect: bool,
    /// The e-mail address of the configured administrator, in lower case.
    #[serde(deserialize_with = "admin_email")]
    pub admin_email: Option<String>,
    /// Whether sign-up is open to the public.
    pub signup: bool,
    /// Minimum number of characters in a password.
    #[serde(deserialize_with = "units::integer::<_, _, 6, 72>")]
    pub password_min: usize,
    /// Maximum size of an upload, in bytes.
    #[serde(deserialize_with = "units::bytes")]
    pub max_upload: u64,
    /// Maximum size of an answer of the table API, in bytes.
    #[serde(deserialize_with = "units::bytes")]
    pub max_answer: usize,
    /// Disk space that uploads leave free, in bytes.
    #[serde(deserialize_with = "units::bytes")]
    pub min_free_space: u64,
    /// The portal's time zone.
    #[serde(deserialize_with = "time_zone")]
    pub time_zone: TimeZone,
    /// The product name in the interface and in mails.
    #[serde(deserialize_with = "product_name")]
    pub product_name: String,
    /// CPF or CNPJ of the office, which occurs in documents of every client.
    #[serde(deserialize_with = "server::tax_id")]
    pub office_tax_id: Option<TaxId>,
    /// The portal secret, if it is set.
    #[serde(deserialize_with = "jwt_secret")]
    pub jwt_secret: Option<SecretString>,
    /// Whether new accounts are confirmed without a mailed link.
    pub autoconfirm: bool,
    /// Lifetime of an access token, from one second to a week.
    #[serde(deserialize_with = "units::access_token_life")]
    pub access_token_life: SignedDuration,
    /// Time during which a replaced refresh token is accepted again.
    #[serde(deserialize_with = "units::time::<_, 24>")]
    pub refresh_reuse_interval: SignedDuration,
    /// Lifetime of mailed links and codes, at least a minute.
    #[serde(deserialize_with = "units::mail_link_life")]
    pub mail_link_life: SignedDuration,
    /// Whether a change of the e-mail address is confirmed at the old address too.
    pub secure_email_change: bool,
    /// Whether a new password requires a mailed code when the sign-in is old.
    pub require_reauthentication: bool,
    /// Whether a new password requires the current one.
    pub require_current_password: bool,
    /// Whether sessions of staff without MFA are restricted.
    pub require_second_step: bool,
    /// Additional allowed targets of mailed links.
    #[serde(deserialize_with = "server::redirect_urls")]
    pub redirect_urls: Vec<Url>,
    /// Origins of other web apps that may call the API from a browser (CORS).
    #[serde(deserialize_with = "server::allowed_origins")]
    pub allowed_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is used.
    #[serde(deserialize_with = "server::trusted_proxies")]
    pub trusted_proxies: Vec<IpNet>,
    /// Sign-ins per visitor; `None` for no limit, as in all rates.
    #[serde(deserialize_with = "units::rate")]
    pub rate_sign_in: Option<Rate>,
    /// Wrong passwords per account.
    #[serde(deserialize_with = "units::rate")]
    pub rate_wrong_password: Option<Rate>,
    /// Wrong MFA codes per account.
    #[serde(deserialize_with = "units::rate")]
    pub rate_wrong_code: Option<Rate>,
    /// Refreshes per session.
    #[serde(deserialize_with = "units::rate")]
    pub rate_refresh: Option<Rate>,
    /// Uses of mailed links and codes per visitor.
    #[serde(deserialize_with = "units::rate")]
    pub rate_verify: Option<Rate>,
    /// Requests for an account per visitor, counted separately per kind.
    #[serde(deserialize_with = "units::rate")]
    pub rate_account: Option<Rate>,
    /// Exports per person.
    #[serde(deserialize_with = "units::rate")]
    pub rate_export: Option<Rate>,
    /// Requested mails per e-mail address.
    #[serde(deserialize_with = "units::rate")]
    pub rate_mail: Option<Rate>,
    /// Minimum interval between two such mails.
    #[serde(deserialize_with = "units::time::<_, 24>")]
    pub mail_interval: SignedDuration,
    /// Requested mails in total.
    #[serde(deserialize_with = "units::rate")]
    pub rate_all_mail: Option<Rate>,
    /// Days before a document's due date on which its client is notified, in descending order.
    #[serde(deserialize_with = "units::days")]
    pub expiring_soon_days: Vec<i32>,
    /// Retention of access records, in months.
    #[serde(deserialize_with = "units::months")]
    pub access_records_months: i64,
    /// The SMTP server; `None` keeps mails in the outbox.
    #[serde(rename = "smtp_url", deserialize_with = "smtp::smtp_url")]
    pub mail_server: Option<MailServer>,
    /// Certificate authorities for the SMTP server, in addition to the public ones.
    #[serde(deserialize_with = "units::path")]
    pub smtp_ca: Option<PathBuf>,
    /// The sender of mails; always present if there is an SMTP server.
    #[serde(deserialize_with = "smtp::mail_from")]
    pub mail_from: Option<MailFrom>,
    /// The mailbox that the portal reads; `None` for none. The certificate authorities of `smtp_ca` are trusted.
    #[serde(rename = "imap_url", deserialize_with = "mailbox::imap_url")]
    pub mailbox: Option<MailboxLocation>,
    /// The address for answers to mails about tickets, whose mails reach the mailbox; `None` for no answers by mail.
    #[serde(deserialize_with = "mailbox::reply_address")]
    pub reply_address: Option<String>,
    /// Whether members of the staff can answer their mails about tickets, too.
    pub staff_reply_by_mail: bool,
    /// Addresses whose attachments reach the inbox.
    #[serde(deserialize_with = "mailbox::senders")]
    pub inbox_senders: Vec<String>,
    /// The folder whose files reach the inbox; `None` for none.
    #[serde(deserialize_with = "units::path")]
    pub inbox_dir: Option<PathBuf>,
    /// Sent mails in total.
    #[serde(deserialize_with = "units::rate")]
    pub mail_rate: Option<Rate>,
    /// Sent mails per recipient.
    #[serde(deserialize_with = "units::rate")]
    pub rate_recipient_mail: Option<Rate>,
    /// The certificate chain; `None` if a reverse proxy terminates TLS.
    #[serde(deserialize_with = "units::path")]
    pub tls_cert: Option<PathBuf>,
    /// The private key; present if and only if there is a certificate chain.
    #[serde(deserialize_with = "units::path")]
    pub tls_key: Option<PathBuf>,
    /// The format of the log.
    #[serde(deserialize_with = "server::log_format")]
    pub log_format: LogFormat,
    /// The filter of the log's lines, in the syntax of `tracing_subscriber::EnvFilter`.
    #[serde(deserialize_with = "server::log_filter")]
    pub log_filter: String,
    /// The address of the metrics listener, which is a loopback address; `None` for no listener.
    #[serde(deserialize_with = "server::metrics_listen")]
    pub metrics_listen: Option<SocketAddr>,
    /// The address of an OpenTelemetry collector; `None` for no traces.
    #[serde(deserialize_with = "server::traces_url")]
    pub traces_url: Option<Url>,
    /// Maximum number of bytes of all files.
    #[serde(deserialize_with = "units::quota")]
    pub quota: Option<u64>,
    /// Maximum number of bytes of one client's files.
    #[serde(deserialize_with = "units::quota")]
    pub quota_per_client: Option<u64>,
    /// Disk space for transformed images, in bytes.
    #[serde(deserialize_with = "units::bytes")]
    pub image_cache: u64,
    /// Maximum number of simultaneous uploads.
    #[serde(deserialize_with = "units::integer::<_, _, 1, 10_000>")]
    pub uploads_at_once: usize,
    /// Minimum rate of a request body and of a reader, in bytes per second.
    #[serde(deserialize_with = "units::bytes")]
    pub min_transfer_rate: u64,
    /// Time over which that rate is an average.
    #[serde(deserialize_with = "server::positive_time::<_, 1>")]
    pub transfer_window: Duration,
    /// Maximum time of waiting for a request body.
    #[serde(deserialize_with = "server::positive_time::<_, 24>")]
    pub max_body_time: Duration,
    /// Maximum number of simultaneous connections of one address.
    #[serde(deserialize_with = "units::integer::<_, _, 1, 100_000>")]
    pub connections_per_address: usize,
    /// The target of scheduled backups; `None` for no scheduled backups.
    #[serde(deserialize_with = "backup_target::backup_to")]
    pub backup_to: Option<BackupDestination>,
    /// The time of the nightly backup, in the portal's time zone.
    #[serde(deserialize_with = "backup::time_of_day")]
    pub backup_at: Time,
    /// Interval after a backup at which the next one is due, in addition to the nightly backup.
    #[serde(deserialize_with = "backup::interval")]
    pub backup_every: Option<SignedDuration>,
    /// The snapshots to keep.
    #[serde(deserialize_with = "backup::retention")]
    pub backup_keep: RetentionPolicy,
    /// The passphrase of the encryption; `None` for unencrypted backups.
    #[serde(deserialize_with = "backup::passphrase")]
    pub backup_key: Option<SecretString>,
    /// Days after a rehearsal at which the next one is due; `None` for no rehearsals.
    #[serde(deserialize_with = "backup::rehearsal_days")]
    pub backup_rehearsal_days: Option<u16>,
}

impl Config {
    /// Returns whether pages of an origin (the value of the header `Origin`) may call the APIs.
    #[must_use]
    pub fn admits_origin(&self, origin: &[u8]) -> bool {
        let own = [&self.site_url];
        own.into_iter().chain(&self.allowed_origins).any(|admitted| admitted.as_bytes() == origin)
    }

    /// Returns whether a change of the e-mail address needs both confirmations. With `autoconfirm` the new one is
    /// sufficient.
    #[must_use]
    pub fn requires_both_email_confirmations(&self) -> bool {
        self.secure_email_change && !self.autoconfirm
    }

    /// Returns the memory of the largest answer of the table API while it is built, in bytes: the rows as read, the
    /// embedded arrays, and the answer itself.
    #[must_use]
    pub fn answer_memory(&self) -> usize {
        self.max_answer.saturating_mul(3)
    }

    /// Returns the portal secret, if it is set.
    #[must_use]
    pub fn portal_secret(&self) -> Option<&str> {
        self.jwt_secret.as_ref().map(ExposeSecret::expose_secret)
    }

    /// Returns the IANA name of the time zone.
    #[must_use]
    pub fn time_zone_name(&self) -> &str {
        self.time_zone.iana_name().unwrap_or("Etc/Unknown")
    }

    /// Returns certificate and key; `None` if a reverse proxy terminates TLS.
    #[must_use]
    pub fn tls_files(&self) -> Option<TlsFiles> {
        let (cert, key) = self.tls_cert.clone().zip(self.tls_key.clone())?;
        Some(TlsFiles { cert, key })
    }

    /// Returns the rates that are counted in memory.
    #[must_use]
    pub fn visitor_rates(&self) -> VisitorRates {
        VisitorRates {
            sign_in: self.rate_sign_in,
            verify: self.rate_verify,
            account: self.rate_account,
            refresh: self.rate_refresh,
            export: self.rate_export,
            outgoing: self.mail_rate,
        }
    }

    /// Validates settings that depend on each other, and replaces empty ones that have a computed default.
    fn resolve(mut self) -> anyhow::Result<Self> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            bail!("tls_cert: it and tls_key belong together");
        }
        self.site_url = server::site_url(&self.site_url, self.listen, self.tls_cert.is_some())?;
        if self.storage_redirect {
            s3::check_redirect(self.bucket.as_ref(), &self.site_url)?;
        }
        if self.database_replica.is_some() && self.database.is_none() {
            bail!("database_replica_url: it needs database_url, the server that it follows");
        }
        for server in [&mut self.database, &mut self.database_replica].into_iter().flatten() {
            let path = self.database_ca.clone();
            server.ca_file = path.map(|path| CaFile { path, setting: "database_ca" });
        }
        if let Some(folder) = &self.inbox_dir {
            check_inbox_dir(folder, &self)?;
        }
        if let Some(sender) = &mut self.mail_from
            && sender.name.is_empty()
        {
            *sender = smtp::parse_sender(&sender.address, &self.product_name)?;
        }
        if let Some(mailbox) = &mut self.mailbox {
            mailbox.server.ca_file.clone_from(&self.smtp_ca);
        } else if self.reply_address.is_some() {
            bail!("reply_address: it needs imap_url, the mailbox to which the answers come");
        } else if !self.inbox_senders.is_empty() {
            bail!("inbox_senders: it needs imap_url, the mailbox to which the files come");
        }
        if self.staff_reply_by_mail && self.reply_address.is_none() {
            bail!("staff_reply_by_mail: it needs reply_address, to which the answers go");
        }
        if let Some(server) = &mut self.mail_server {
            server.ca_file.clone_from(&self.smtp_ca);
            if self.mail_from.is_none() {
                let sender = smtp::default_sender(server, &self.site_url, &self.product_name)?;
                self.mail_from = Some(sender);
            }
        }
        Ok(self)
    }
}

/// Refuses a folder of the inbox in which the portal keeps files itself: it would take them as documents, and remove them.
fn check_inbox_dir(folder: &Path, config: &Config) -> anyhow::Result<()> {
    let data = &config.data_dir;
    let is_data = data_dir::is_inside(data, folder) && data_dir::is_inside(folder, data);
    let is_own =
        data_dir::OWN_FOLDERS.iter().any(|name| data_dir::is_inside(folder, &data.join(name)));
    if is_data || is_own {
        bail!("inbox_dir: the portal keeps its own files there; name a folder of its own");
    }
    if let Some(BackupDestination::Folder(backups)) = &config.backup_to
        && data_dir::is_inside(folder, backups)
    {
        bail!("inbox_dir: the backups are there; name a folder of its own");
    }
    Ok(())
}

impl ConfigSources {
    /// Parses and validates all settings.
    ///
    /// # Errors
    /// A sentence that names the setting and the expected value.
    pub fn read(&self) -> anyhow::Result<Config> {
        let parsed: Result<Config, _> = serde_path_to_error::deserialize(self.values.clone());
        let config = parsed.map_err(|error| {
            let prefix = format!("{}: ", error.path());
            let why = error.inner().message();
            // The parsers of URLs name their setting themselves, because they have other callers too.
            anyhow!("{prefix}{}", why.strip_prefix(&prefix).unwrap_or(why))
        });
        config.and_then(Config::resolve).map_err(|why| self.locate(why))
    }

    /// Adds where the setting was set that a message begins with.
    fn locate(&self, why: anyhow::Error) -> anyhow::Error {
        let text = why.to_string();
        let origin = text.split_once(':').and_then(|(name, _)| self.origin(name));
        origin.map_or(why, |origin| anyhow!("{text} ({origin})"))
    }
}

fn admin_email<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    units::optional(source, |text| {
        let address = canonical_address(text);
        let parts = address.split_once('@');
        if parts.is_none_or(|(local, domain)| local.is_empty() || domain.is_empty()) {
            bail!("expected an e-mail address, got {text:?}");
        }
        Ok(address)
    })
}

fn time_zone<'de, D: Deserializer<'de>>(source: D) -> Result<TimeZone, D::Error> {
    units::text(source, |text| {
        TimeZone::get(text).map_err(|_| anyhow!("there is no zone named {text:?}"))
    })
}

fn product_name<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    units::text(source, |text| match text.trim() {
        "" => bail!("must not be empty"),
        name => Ok(name.to_owned()),
    })
}

fn jwt_secret<'de, D: Deserializer<'de>>(source: D) -> Result<Option<SecretString>, D::Error> {
    units::optional(source, |text| keys::check_secret(text).map(|()| text.into()))
}

#[cfg(test)]
mod tests;
