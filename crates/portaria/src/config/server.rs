//! The settings of the server process: log, metrics, TLS, quotas and upload limit.

use std::{net::SocketAddr, path::PathBuf};

use serde::Deserialize;
use toml::{Table, Value};
use url::Url;

use crate::config::units;

/// Names of the settings that this module reads.
const NAMES: [&str; 7] = [
    "log_format",
    "metrics_listen",
    "tls_cert",
    "tls_key",
    "quota",
    "quota_per_client",
    "uploads_at_once",
];

/// The parsed settings.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The format of the log.
    pub log_format: LogFormat,
    /// The address of the metrics listener, which is a loopback address; `None` for no listener.
    pub metrics_listen: Option<SocketAddr>,
    /// Certificate and key; `None` if a reverse proxy terminates TLS.
    pub tls: Option<TlsFiles>,
    /// Maximum number of bytes of all files.
    pub quota: Option<u64>,
    /// Maximum number of bytes of one client's files.
    pub quota_per_client: Option<u64>,
    /// Maximum number of simultaneous uploads.
    pub uploads_at_once: usize,
}

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines of text for people.
    Text,
    /// One JSON object per line for programs.
    Json,
}

/// PEM files of a certificate chain and its private key.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the field names are sufficient")]
pub struct TlsFiles {
    pub cert: PathBuf,
    pub key: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    log_format: String,
    metrics_listen: String,
    tls_cert: String,
    tls_key: String,
    quota: Value,
    quota_per_client: Value,
    uploads_at_once: i64,
}

impl ServerConfig {
    /// Removes these settings from the table of all settings and parses them.
    pub(crate) fn from_table(all: &mut Table) -> Result<Self, String> {
        let raw: Raw = crate::config::part(all, &NAMES)?;
        let log_format = match raw.log_format.as_str() {
            "text" => LogFormat::Text,
            "json" => LogFormat::Json,
            other => return Err(format!("log_format: expected text or json, got {other:?}")),
        };
        let metrics_listen = match raw.metrics_listen.trim() {
            "" => None,
            text => {
                let address = text.parse().ok();
                let loopback = address.filter(|address: &SocketAddr| address.ip().is_loopback());
                Some(loopback.ok_or_else(|| {
                    format!("metrics_listen: expected an address of this machine alone, like 127.0.0.1:9464, got {text:?}")
                })?)
            }
        };
        let tls = match [raw.tls_cert.trim(), raw.tls_key.trim()] {
            ["", ""] => None,
            ["", _] | [_, ""] => return Err("tls_cert: it and tls_key belong together".into()),
            [cert, key] => Some(TlsFiles { cert: cert.into(), key: key.into() }),
        };
        let uploads_at_once =
            usize::try_from(raw.uploads_at_once).ok().filter(|count| (1..=10_000).contains(count));
        Ok(Self {
            log_format,
            metrics_listen,
            tls,
            quota: quota("quota", &raw.quota)?,
            quota_per_client: quota("quota_per_client", &raw.quota_per_client)?,
            uploads_at_once: uploads_at_once.ok_or_else(|| {
                format!("uploads_at_once: must be from 1 to 10000, not {}", raw.uploads_at_once)
            })?,
        })
    }
}

/// Parses the address of the HTTP listener.
pub(crate) fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("listen: expected an address and a port like 127.0.0.1:8080, got {text:?}")
    })
}

/// Parses the public URL. An empty text means the address of a listener that only this machine reaches.
pub(crate) fn site_url(text: &str, listen: SocketAddr, speaks_tls: bool) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    if text.is_empty() {
        if listen.ip().is_loopback() {
            return Ok(format!("http{}://{listen}", if speaks_tls { "s" } else { "" }));
        }
        return Err(format!(
            "site_url: must be set when listening on {listen}, because links in mails start with it"
        ));
    }
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let host = rest.split(':').next().unwrap_or_default();
    let is_malformed = rest.contains(['/', '?', '#', '@', ' ']) || Url::parse(text).is_err();
    if host.is_empty() || is_malformed {
        return Err(format!("site_url: expected https://host, got {text:?}"));
    }
    let local = matches!(host, "localhost" | "127.0.0.1" | "[");
    match scheme {
        "https" => Ok(text.to_owned()),
        "http" if speaks_tls => {
            Err("site_url: must start with https:// where tls_cert is set".into())
        }
        "http" if local || listen.ip().is_loopback() => Ok(text.to_owned()),
        "http" => Err("site_url: must start with https:// on an address that others reach".into()),
        _ => Err(format!("site_url: expected https://host, got {text:?}")),
    }
}

/// Parses a size; an empty text means no limit.
fn quota(name: &str, value: &Value) -> Result<Option<u64>, String> {
    match value.as_str().map(str::trim) {
        Some("") => Ok(None),
        _ => units::bytes(name, value).map(Some),
    }
}
