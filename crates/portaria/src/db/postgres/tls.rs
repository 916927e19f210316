//! TLS to the database server: on unless the server is on this machine, or the operator says otherwise.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject},
};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::config::DatabaseServer;
use crate::db::Error;

/// What makes connections to the server.
pub(crate) type Tls = MakeRustlsConnect;

/// Nothing in between: a server that does not do its part gets no password.
pub(crate) fn mode(server: &DatabaseServer) -> SslMode {
    if server.tls { SslMode::Require } else { SslMode::Disable }
}

/// Trusts the public authorities and the operator's own.
///
/// # Errors
/// When the operator's file cannot be read or holds no certificate.
pub(crate) fn open(server: &DatabaseServer) -> Result<Tls, Error> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = &server.authorities {
        let refused =
            |why: String| Error::Internal(format!("database_ca: {}: {why}", file.display()));
        let found = CertificateDer::pem_file_iter(file).map_err(|why| refused(why.to_string()))?;
        let mut count = 0;
        for certificate in found {
            let certificate = certificate.map_err(|why| refused(why.to_string()))?;
            roots.add(certificate).map_err(|why| refused(why.to_string()))?;
            count += 1;
        }
        if count == 0 {
            return Err(refused("there is no certificate in it".into()));
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Internal(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
