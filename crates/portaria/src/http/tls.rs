//! TLS, for a portal without a proxy in front. The certificate is read anew when its files change, so that a renewed one
//! needs no restart; while the new one cannot be used the old one stays.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

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

/// Who has not agreed on a cipher by then does not want to talk.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How often somebody's knocking makes us look at the files again.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A connection, with TLS around it or without.
pub(crate) type Connection = Either<TcpStream, Box<tokio_rustls::server::TlsStream<TcpStream>>>;

/// The way in.
#[derive(Clone)]
pub(crate) struct Acceptor(Option<TlsAcceptor>);

/// Whether the certificate can be served, for who would rather know before anything is touched.
///
/// # Errors
/// A sentence for the operator.
pub fn check(config: &Config) -> Result<(), String> {
    Acceptor::new(config).map(drop)
}

impl Acceptor {
    /// As the settings say.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub(crate) fn new(config: &Config) -> Result<Self, String> {
        let Some(files) = &config.doors.tls else { return Ok(Self(None)) };
        let provider = Arc::new(aws_lc_rs::default_provider());
        let certificate = Certificate::open(files.clone(), Arc::clone(&provider))?;
        let tls =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let tls = tls.map_err(|error| format!("TLS cannot be spoken: {error}"))?;
        let mut tls = tls.with_no_client_auth().with_cert_resolver(Arc::new(certificate));
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Some(TlsAcceptor::from(Arc::new(tls)))))
    }

    /// Lets a connection in.
    ///
    /// # Errors
    /// When the other side does not speak TLS, or takes too long about it.
    pub(crate) async fn open(&self, socket: TcpStream) -> io::Result<Connection> {
        match &self.0 {
            None => Ok(Either::Left(socket)),
            Some(acceptor) => {
                let agreed = timeout(HANDSHAKE, acceptor.accept(socket)).await??;
                Ok(Either::Right(Box::new(agreed)))
            }
        }
    }
}

/// The certificate in use.
#[derive(Debug)]
struct Certificate {
    files: TlsFiles,
    provider: Arc<CryptoProvider>,
    held: Mutex<Held>,
}

#[derive(Debug)]
struct Held {
    key: Arc<CertifiedKey>,
    /// When the files it comes from were written, or those that were refused since.
    written: [Option<SystemTime>; 2],
    looked: Instant,
}

impl Certificate {
    fn open(files: TlsFiles, provider: Arc<CryptoProvider>) -> Result<Self, String> {
        let written = written(&files);
        let key = Arc::new(read(&files, &provider)?);
        let held = Mutex::new(Held { key, written, looked: Instant::now() });
        Ok(Self { files, provider, held })
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.looked.elapsed() >= LOOK_EVERY {
            held.looked = Instant::now();
            let written = written(&self.files);
            if written != held.written {
                held.written = written;
                match read(&self.files, &self.provider) {
                    Ok(key) => {
                        held.key = Arc::new(key);
                        tracing::info!("the certificate was read anew");
                    }
                    Err(why) => tracing::error!(why, "the certificate before stays in use"),
                }
            }
        }
        Some(Arc::clone(&held.key))
    }
}

fn written(files: &TlsFiles) -> [Option<SystemTime>; 2] {
    [&files.cert, &files.key].map(|file| fs::metadata(file).and_then(|known| known.modified()).ok())
}

fn read(files: &TlsFiles, provider: &CryptoProvider) -> Result<CertifiedKey, String> {
    let (cert, key) = (files.cert.display(), files.key.display());
    let unusable = |why: String| format!("tls_cert: {cert} cannot be used: {why}");
    let chain = CertificateDer::pem_file_iter(&files.cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(error.to_string()))?;
    if chain.is_empty() {
        return Err(unusable("there is no certificate in it".into()));
    }
    check_privacy(&files.key)?;
    let private = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| format!("tls_key: {key} cannot be used: {error}"))?;
    CertifiedKey::from_der(chain, private, provider)
        .map_err(|error| format!("tls_key: {key} is no key of {cert}: {error}"))
}

/// A key that others can read is not the portal's alone.
fn check_privacy(key: &Path) -> Result<(), String> {
    let shown = key.display();
    let known = fs::metadata(key).map_err(|error| format!("tls_key: {shown}: {error}"))?;
    if known.permissions().mode() & 0o007 != 0 {
        return Err(format!("tls_key: {shown} can be read by others: run chmod 640 {shown}"));
    }
    Ok(())
}
