//! TLS for a portal without a reverse proxy. A changed certificate is loaded during a handshake, without a restart.
//! If it is invalid, the previous one stays in use (`docs/decisions/0018-certificates-are-reloaded-on-handshake.md`).
//!
//! Hand-written, because axum-server reloads a certificate only on a call of the program, and the server loop has
//! limits of its own (`server.rs`).

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context, bail};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::{CryptoProvider, aws_lc_rs},
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
        server::{ClientHello, ResolvesServerCert},
        sign::CertifiedKey,
    },
};
use tokio_util::either::Either;

use crate::config::{Config, TlsFiles};

/// Timeout for a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Minimum interval between two checks of the files for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A connection, with or without TLS.
pub(crate) type Connection = Either<TcpStream, Box<tokio_rustls::server::TlsStream<TcpStream>>>;

/// Accepts connections, with TLS if the settings name a certificate.
#[derive(Clone)]
pub(crate) struct Acceptor(Option<TlsAcceptor>);

/// Checks the certificate of the settings before the server starts.
///
/// # Errors
/// A sentence for the operator.
pub fn check(config: &Config) -> anyhow::Result<()> {
    Acceptor::new(config).map(drop)
}

impl Acceptor {
    /// Creates the acceptor from the settings.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub(crate) fn new(config: &Config) -> anyhow::Result<Self> {
        let Some(files) = config.tls_files() else { return Ok(Self(None)) };
        let provider = Arc::new(aws_lc_rs::default_provider());
        let certificate = Certificate::open(files, Arc::clone(&provider))?;
        let tls =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let tls = tls.context("TLS cannot be spoken")?;
        let mut tls = tls.with_no_client_auth().with_cert_resolver(Arc::new(certificate));
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Some(TlsAcceptor::from(Arc::new(tls)))))
    }

    /// Performs the TLS handshake, if TLS is set.
    ///
    /// When the handshake fails or exceeds its timeout.
    pub(crate) async fn accept(&self, socket: TcpStream) -> io::Result<Connection> {
        match &self.0 {
            None => Ok(Either::Left(socket)),
            Some(acceptor) => {
                let stream = timeout(HANDSHAKE_TIMEOUT, acceptor.accept(socket)).await??;
                Ok(Either::Right(Box::new(stream)))
            }
        }
    }
}

/// The certificate in use, which is reloaded when its files change.
#[derive(Debug)]
struct Certificate {
    files: TlsFiles,
    provider: Arc<CryptoProvider>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    key: Arc<CertifiedKey>,
    /// Modification times of the files at the last attempt to load them, also if they were refused.
    modified: [Option<SystemTime>; 2],
    checked: Instant,
}

impl Certificate {
    fn open(files: TlsFiles, provider: Arc<CryptoProvider>) -> anyhow::Result<Self> {
        let modified = modified(&files);
        let key = Arc::new(load(&files, &provider)?);
        let state = Mutex::new(State { key, modified, checked: Instant::now() });
        Ok(Self { files, provider, state })
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.checked.elapsed() >= CHECK_INTERVAL {
            state.checked = Instant::now();
            let modified = modified(&self.files);
            if modified != state.modified {
                state.modified = modified;
                match load(&self.files, &self.provider) {
                    Ok(key) => {
                        state.key = Arc::new(key);
                        tracing::info!("certificate reloaded");
                    }
                    Err(why) => tracing::error!(
                        why = format!("{why:#}"),
                        "certificate reload failed, previous certificate stays in use"
                    ),
                }
            }
        }
        Some(Arc::clone(&state.key))
    }
}

fn modified(files: &TlsFiles) -> [Option<SystemTime>; 2] {
    [&files.cert, &files.key]
        .map(|file| fs::metadata(file).and_then(|metadata| metadata.modified()).ok())
}

fn load(files: &TlsFiles, provider: &CryptoProvider) -> anyhow::Result<CertifiedKey> {
    let (cert, key) = (files.cert.display(), files.key.display());
    let unusable = || format!("tls_cert: {cert} cannot be used");
    let chain = CertificateDer::pem_file_iter(&files.cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .with_context(unusable)?;
    if chain.is_empty() {
        bail!("{}: there is no certificate in it", unusable());
    }
    check_privacy(&files.key)?;
    let private = PrivateKeyDer::from_pem_file(&files.key)
        .with_context(|| format!("tls_key: {key} cannot be used"))?;
    CertifiedKey::from_der(chain, private, provider)
        .with_context(|| format!("tls_key: {key} is no key of {cert}"))
}

/// Refuses a key file that other users can read.
fn check_privacy(key: &Path) -> anyhow::Result<()> {
    let shown = key.display();
    let metadata = fs::metadata(key).with_context(|| format!("tls_key: {shown}"))?;
    if metadata.permissions().mode() & 0o007 != 0 {
        bail!("tls_key: {shown} can be read by others: run chmod 640 {shown}");
    }
    Ok(())
}
