//! How the portal is reached and watched, and how much it takes in.

use std::{net::SocketAddr, path::PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use crate::config::units;

/// The settings of this file, by their names.
const NAMES: [&str; 7] = [
    "log_format",
    "metrics_listen",
    "tls_cert",
    "tls_key",
    "quota",
    "quota_per_client",
    "uploads_at_once",
];

/// What is said in them.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// How the log is written.
    pub log_format: LogFormat,
    /// Where figures are given out, on this machine alone; `None` for nowhere.
    pub metrics_listen: Option<SocketAddr>,
    /// The certificate to speak TLS with; without one that is a proxy's work.
    pub tls: Option<TlsFiles>,
    /// How many bytes all files together may have.
    pub quota: Option<u64>,
    /// How many bytes one client's files may have.
    pub quota_per_client: Option<u64>,
    /// How many files may be on their way in.
    pub uploads_at_once: usize,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: an object a line.
    Json,
}

/// A certificate with those that vouch for it, and its key: files in PEM.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names say it")]
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
    /// Takes these settings out of all others.
    pub(crate) fn take(all: &mut Table) -> Result<Self, String> {
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
                let own = address.filter(|address: &SocketAddr| address.ip().is_loopback());
                Some(own.ok_or_else(|| {
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

/// Where the portal listens.
pub(crate) fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("listen: expected an address and a port like 127.0.0.1:8080, got {text:?}")
    })
}

/// A size; nothing means that there is no limit.
fn quota(name: &str, value: &Value) -> Result<Option<u64>, String> {
    match value.as_str().map(str::trim) {
        Some("") => Ok(None),
        _ => units::bytes(name, value).map(Some),
    }
}
