//! The end of the certificate that visitors see: of the portal itself, or of the proxy at its address.

use std::{fs, io, path::Path, sync::Arc};

use anyhow::{Context, anyhow};
use jiff::Timestamp;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    rustls::{
        self, CertificateError, ClientConfig, RootCertStore, crypto::aws_lc_rs,
        pki_types::ServerName,
    },
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

/// Connects to a host as a browser does, and returns the end of its certificate, which may have expired.
///
/// # Errors
/// When there is no connection, or browsers do not trust the certificate for another reason.
pub async fn of_host(host: &str, port: u16) -> anyhow::Result<Timestamp> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let client = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let socket = TcpStream::connect((host, port)).await?;
    let name = ServerName::try_from(host.to_owned())?;
    let stream = match TlsConnector::from(Arc::new(client)).connect(name, socket).await {
        Err(error) => return expiry_in(&error).ok_or(error.into()),
        Ok(stream) => stream,
    };
    let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
    parse_end(chain.first().context("no certificate was sent")?)
}

/// Returns the end of the certificate whose expiry ended a handshake.
fn expiry_in(error: &io::Error) -> Option<Timestamp> {
    match error.get_ref()?.downcast_ref()? {
        rustls::Error::InvalidCertificate(CertificateError::ExpiredContext {
            not_after, ..
        }) => Timestamp::from_second(i64::try_from(not_after.as_secs()).ok()?).ok(),
        _ => None,
    }
}

/// Returns the end of a certificate in DER.
fn parse_end(certificate: &[u8]) -> anyhow::Result<Timestamp> {
    let (_, parsed) = X509Certificate::from_der(certificate).map_err(|error| anyhow!("{error}"))?;
    Ok(Timestamp::from_second(parsed.validity().not_after.timestamp())?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rcgen::{CertificateParams, KeyPair, date_time_ymd};
    use tokio::net::TcpListener;
    use tokio_rustls::{
        TlsAcceptor,
        rustls::{ServerConfig, crypto::aws_lc_rs, pki_types::PrivatePkcs8KeyDer},
    };

    use crate::doctor::certificate_end::of_host;

    #[tokio::test]
    async fn of_host_returns_the_end_of_an_expired_certificate() {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
        let certificate = params.self_signed(&key).unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
            );
        let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let (socket, _) = listener.accept().await.unwrap();
            drop(acceptor.accept(socket).await);
        });
        let end = of_host("localhost", port).await.unwrap();
        assert_eq!(end, "2021-01-01T00:00:00Z".parse().unwrap());
    }
}
