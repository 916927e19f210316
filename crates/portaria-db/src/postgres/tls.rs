//! TLS to the database server. Enabled unless the server runs on this machine or the settings disable it.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{CaFile, Error, PostgresServer};

/// The TLS connector for connections to the server.
pub(crate) type Tls = MakeRustlsConnect;

/// Returns the TLS mode. There is no fallback to plaintext: a server without TLS receives no password.
pub(crate) fn ssl_mode(server: &PostgresServer) -> SslMode {
    if server.tls { SslMode::Require } else { SslMode::Disable }
}

/// Creates a connector that trusts the public certificate authorities and those of [`CaFile`].
///
/// [`Error::Internal`] when the file cannot be read or contains no certificate.
pub(crate) fn connector(server: &PostgresServer) -> Result<Tls, Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(CaFile { path, setting }) = &server.ca_file {
        let invalid =
            |why: String| Error::Internal(format!("{setting}: {}: {why}", path.display()));
        let certificates =
            CertificateDer::pem_file_iter(path).map_err(|why| invalid(why.to_string()))?;
        let mut count = 0;
        for certificate in certificates {
            let certificate = certificate.map_err(|why| invalid(why.to_string()))?;
            roots.add(certificate).map_err(|why| invalid(why.to_string()))?;
            count += 1;
        }
        if count == 0 {
            return Err(invalid("there is no certificate in it".into()));
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Internal(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
