//! The settings of the server process: listeners, proxies, TLS and log.

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use anyhow::{anyhow, bail};
use ipnet::IpNet;
use portaria_codes::TaxId;
use serde::{Deserializer, de::Error};
use url::Url;

use crate::{
    config::units,
    telemetry::logging::{self, LogFormat},
};

/// PEM files of a certificate chain and its private key.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the field names are sufficient")]
pub struct TlsFiles {
    pub cert: PathBuf,
    pub key: PathBuf,
}

/// Deserializes the format of the log.
pub(crate) fn log_format<'de, D: Deserializer<'de>>(source: D) -> Result<LogFormat, D::Error> {
    units::text(source, |text| match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        other => bail!("expected text or json, got {other:?}"),
    })
}

/// Deserializes the filter of the log's lines.
pub(crate) fn log_filter<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    units::text(source, |text| {
        if logging::is_filter(text) {
            return Ok(text.to_owned());
        }
        bail!("expected a level like info, or \"info,portaria::request=off\", got {text:?}")
    })
}

/// Deserializes a duration above zero, up to `MAX_HOURS`.
pub(crate) fn positive_time<'de, D: Deserializer<'de>, const MAX_HOURS: i64>(
    source: D,
) -> Result<Duration, D::Error> {
    let time = units::time::<_, MAX_HOURS>(source)?.unsigned_abs();
    if time.is_zero() { Err(D::Error::custom("must be longer than zero")) } else { Ok(time) }
}

/// Deserializes a CPF or CNPJ; an empty one is `None`.
pub(crate) fn tax_id<'de, D: Deserializer<'de>>(source: D) -> Result<Option<TaxId>, D::Error> {
    units::text(source, |text| {
        if text.is_empty() {
            return Ok(None);
        }
        let tax_id = text.parse();
        tax_id.map(Some).map_err(|_| anyhow!("expected a CPF or CNPJ with correct check digits"))
    })
}

/// Deserializes the addresses or networks of reverse proxies.
pub(crate) fn trusted_proxies<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Vec<IpNet>, D::Error> {
    units::list(source, "an address or a network", |text| {
        text.parse().ok().or_else(|| text.parse::<IpAddr>().map(IpNet::from).ok())
    })
}

/// Deserializes additional targets of mailed links.
pub(crate) fn redirect_urls<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<Url>, D::Error> {
    units::list(source, "an address", |text| Url::parse(text).ok())
}

/// Deserializes the origins of other web apps.
pub(crate) fn allowed_origins<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Vec<String>, D::Error> {
    units::list(source, "an origin like https://app.example.com", parse_origin)
}

/// Parses an origin (RFC 6454) as browsers send it. A wildcard would admit pages that the operator does not know, and a
/// page without TLS can be changed on its way, unless it comes from the browser's own machine.
fn parse_origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let host = url.host_str()?;
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_local);
    let origin = url.origin().ascii_serialization();
    let is_origin = text.trim_end_matches('/').eq_ignore_ascii_case(&origin);
    (is_secure && is_origin && !host.contains('*')).then_some(origin)
}

/// Deserializes the address of the metrics listener, which is a loopback address.
pub(crate) fn metrics_listen<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<SocketAddr>, D::Error> {
    units::optional(source, |text| {
        let text = text.trim();
        let address = text.parse().ok();
        address.filter(|address: &SocketAddr| address.ip().is_loopback()).ok_or_else(|| {
            anyhow!("expected an address of this machine alone, like 127.0.0.1:9464, got {text:?}")
        })
    })
}

/// Deserializes the address of the collector of traces.
pub(crate) fn traces_url<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Url>, D::Error> {
    units::optional(source, |text| {
        let url = Url::parse(text.trim()).ok().filter(|url| {
            // A password would be printed with the settings.
            ["http", "https"].contains(&url.scheme())
                && url.username().is_empty()
                && url.query().is_none()
        });
        url.ok_or_else(|| anyhow!("expected an address like http://127.0.0.1:4318, got {text:?}"))
    })
}

/// Deserializes the address of the HTTP listener.
pub(crate) fn listen<'de, D: Deserializer<'de>>(source: D) -> Result<SocketAddr, D::Error> {
    units::text(source, |text| {
        text.parse().map_err(|_| {
            anyhow!("expected an address and a port like 127.0.0.1:8080, got {text:?}")
        })
    })
}

/// Parses the public URL, and returns it as browsers write it in `Origin`. An empty text means the address of a listener
/// that only this machine reaches.
pub(crate) fn site_url(text: &str, listen: SocketAddr, speaks_tls: bool) -> anyhow::Result<String> {
    let text = text.trim().trim_end_matches('/');
    if text.is_empty() {
        if listen.ip().is_loopback() {
            return Ok(format!("http{}://{listen}", if speaks_tls { "s" } else { "" }));
        }
        bail!(
            "site_url: must be set when listening on {listen}, because links in mails start with it"
        );
    }
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let host = rest.split(':').next().unwrap_or_default();
    let is_origin = !host.is_empty() && !rest.contains(['/', '?', '#', '@', ' ']);
    let Some(url) = Url::parse(text).ok().filter(|_| is_origin) else {
        bail!("site_url: expected https://host, got {text:?}");
    };
    let origin = url.origin().ascii_serialization();
    let local = matches!(host.to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "[");
    match scheme {
        "https" => Ok(origin),
        "http" if speaks_tls => bail!("site_url: must start with https:// where tls_cert is set"),
        "http" if local || listen.ip().is_loopback() => Ok(origin),
        "http" => bail!("site_url: must start with https:// on an address that others reach"),
        _ => bail!("site_url: expected https://host, got {text:?}"),
    }
}
