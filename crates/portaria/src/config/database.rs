//! The settings of the PostgreSQL server and its replica.

use std::net::IpAddr;

use anyhow::anyhow;
use percent_encoding::percent_decode_str;
use portaria_db::PostgresServer;
use serde::Deserializer;
use url::Url;

use crate::config::units;

/// Deserializes the connection URL.
pub(crate) fn database_url<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<PostgresServer>, D::Error> {
    units::optional(source, parse_server)
}

/// Deserializes the connection URL of the replica.
pub(crate) fn replica_url<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<PostgresServer>, D::Error> {
    units::optional(source, |text| parse_url("database_replica_url", text))
}

/// Parses the connection URL. Error messages never quote it, because it contains a password.
///
/// # Errors
/// A sentence for the operator.
pub fn parse_server(text: &str) -> anyhow::Result<PostgresServer> {
    parse_url("database_url", text)
}

fn parse_url(setting: &str, text: &str) -> anyhow::Result<PostgresServer> {
    let invalid =
        |why: &str| anyhow!("{setting}: {why}; expected postgres://user:password@host/database");
    let mut url = Url::parse(text.trim()).map_err(|_| invalid("this is no address"))?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(invalid("it does not begin with postgres://"));
    }
    let (mode, options): (Vec<_>, Vec<_>) = url
        .query_pairs()
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .partition(|(name, _)| name == "sslmode");
    let host = percent_decode_str(url.host_str().unwrap_or_default()).decode_utf8_lossy();
    let is_local = host.is_empty()
        || host == "localhost"
        || host.starts_with('/')
        || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let tls = match mode.last().map(|(_, mode)| mode.as_str()) {
        None => !is_local,
        Some("disable") => false,
        Some("require" | "verify-ca" | "verify-full") => true,
        // The other modes (`allow`, `prefer`) fall back to plaintext, which an attacker in the network can force.
        Some(_) => return Err(invalid("sslmode is disable or verify-full")),
    };
    url.set_query(None);
    if options.iter().any(|(name, _)| name != "application_name") {
        return Err(invalid("behind ? stand sslmode and application_name alone"));
    }
    if !options.is_empty() {
        url.query_pairs_mut().extend_pairs(options);
    }
    Ok(PostgresServer { url: url.into(), tls, ca_file: None })
}

#[cfg(test)]
mod tests {
    use crate::config::database::parse_server;

    #[test]
    fn tls_is_required_except_for_local_servers() {
        for (url, tls) in [
            ("postgres://p:s@localhost/portaria", false),
            ("postgres://p:s@127.0.0.1:5433/portaria", false),
            ("postgres://p:s@[::1]/portaria", false),
            ("postgres://p:s@%2Fvar%2Frun%2Fpostgresql/portaria", false),
            ("postgres://p:s@localhost/portaria?sslmode=require", true),
            ("postgres://p:s@db.escritorio.com.br/portaria", true),
            ("postgres://p:s@10.0.0.5/portaria?sslmode=disable", false),
            (
                "postgresql://p:s@10.0.0.5/portaria?sslmode=verify-full&application_name=portaria",
                true,
            ),
        ] {
            let read = parse_server(url).unwrap();
            assert_eq!(read.tls, tls, "{url}");
            assert!(!read.url.contains("sslmode"), "{}", read.url);
        }
    }

    #[test]
    fn invalid_url_is_refused_without_its_password() {
        for url in [
            "mysql://p:s3cr3t@host/x",
            "postgres",
            "postgres://p:s3cr3t@host/x?sslmode=prefer",
            "postgres://p:s3cr3t@host/x?sslrootcert=/etc/ca.pem",
        ] {
            let why = parse_server(url).unwrap_err().to_string();
            assert!(why.starts_with("database_url: ") && !why.contains("s3cr3t"), "{url}: {why}");
        }
    }
}
