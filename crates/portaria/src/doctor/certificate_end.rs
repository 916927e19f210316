//! The end of the certificate that visitors see: of the portal itself, or of the proxy at its address.

use std::{fs, path::Path, sync::Arc};

use anyhow::{Context, anyhow};
use jiff::Timestamp;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs, pki_types::ServerName},
};
use x509_parser::{certificate::X509Certificate, pem::parse_x509_pem, prelude::FromDer};

/// Returns the end of the first certificate in a PEM file.
///
/// # Errors
/// When the file cannot be read, or contains no certificate.
pub fn of_file(file: &Path) -> anyhow::Result<Timestamp> {
    let bytes = fs::read(file)?;
    let (_, pem) = parse_x509_pem(&bytes).map_err(|error| anyhow!("{error}"))?;
    parse_end(&pem.contents)
}

/// Connects to a host as a browser does, and returns the end of its certificate.
///
/// # Errors
/// When there is no connection, or browsers do not trust the certificate.
pub async fn of_host(host: &str, port: u16) -> anyhow::Result<Timestamp> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let client = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let socket = TcpStream::connect((host, port)).await?;
    let name = ServerName::try_from(host.to_owned())?;
    let stream = TlsConnector::from(Arc::new(client)).connect(name, socket).await?;
    let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
    parse_end(chain.first().context("no certificate was sent")?)
}

/// Returns the end of a certificate in DER.
fn parse_end(certificate: &[u8]) -> anyhow::Result<Timestamp> {
    let (_, parsed) = X509Certificate::from_der(certificate).map_err(|error| anyhow!("{error}"))?;
    Ok(Timestamp::from_second(parsed.validity().not_after.timestamp())?)
}
