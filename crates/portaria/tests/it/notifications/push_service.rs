//! A push service on a real socket with TLS, and a browser's half of the encryption.

use std::sync::{Arc, Mutex};

use aws_lc_rs::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree},
    hkdf::{HKDF_SHA256, KeyType, Prk, Salt},
    signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey as VerifyingKey},
};
use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header::LOCATION},
    response::IntoResponse,
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use portaria::{jobs::deliver_push::TestService, security::keys::random_bytes};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::aws_lc_rs::default_provider, pki_types::PrivatePkcs8KeyDer},
};

/// The hosts that the service plays.
pub(crate) const HOSTS: &[&str] = &["fcm.googleapis.com", "web.push.apple.com"];

/// A request that the service received.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

#[derive(Default)]
struct Log {
    received: Vec<Received>,
    status: Option<StatusCode>,
}

/// The service. It answers every request with one status, 201 at first.
pub(crate) struct PushService {
    pub(crate) service: TestService,
    log: Arc<Mutex<Log>>,
    task: JoinHandle<()>,
}

impl Drop for PushService {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl PushService {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (acceptor, authority) = certificate();
        let log = Arc::<Mutex<Log>>::default();
        let router = Router::new().fallback(receive).with_state(Arc::clone(&log));
        let task = tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let (acceptor, service) =
                    (acceptor.clone(), TowerToHyperService::new(router.clone()));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(socket).await else { return };
                    let http = hyper::server::conn::http1::Builder::new();
                    drop(http.serve_connection(TokioIo::new(stream), service).await);
                });
            }
        });
        Self { service: TestService { address, authority, hosts: HOSTS }, log, task }
    }

    /// Answers all further requests with this status.
    pub(crate) fn answer(&self, status: u16) {
        self.log.lock().unwrap().status = Some(StatusCode::from_u16(status).unwrap());
    }

    /// Returns and forgets what arrived, in order.
    pub(crate) fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.log.lock().unwrap().received)
    }
}

async fn receive(
    State(log): State<Arc<Mutex<Log>>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    let mut log = log.lock().unwrap();
    log.received.push(Received { path: uri.path().to_owned(), headers, body: body.to_vec() });
    // A redirect that the portal must not follow.
    (
        log.status.unwrap_or(StatusCode::CREATED),
        [(LOCATION, "https://web.push.apple.com/elsewhere")],
    )
}

/// A certificate for the hosts, and its authority in DER.
fn certificate() -> (TlsAcceptor, Vec<u8>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = HOSTS.iter().map(|host| (*host).to_owned()).collect();
    let own = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![own.der().clone()],
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), authority.der().to_vec())
}

/// A browser with a subscription.
pub(crate) struct Browser {
    private: PrivateKey,
    auth: [u8; 16],
    pub(crate) endpoint: String,
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(key: &Prk, info: &[&[u8]]) -> [u8; N] {
    let mut out = [0; N];
    key.expand(info, Length(N)).unwrap().fill(&mut out).unwrap();
    out
}

impl Browser {
    pub(crate) fn new(endpoint: &str) -> Self {
        let mut auth = [0; 16];
        random_bytes(&mut auth);
        let private = PrivateKey::generate(&ECDH_P256).unwrap();
        Self { private, auth, endpoint: endpoint.to_owned() }
    }

    /// The subscription as the browser serializes it, with the name of the device.
    pub(crate) fn subscription(&self, name: &str) -> Value {
        let public = self.private.compute_public_key().unwrap();
        let keys =
            json!({"p256dh": BASE64.encode(public.as_ref()), "auth": BASE64.encode(self.auth)});
        json!({"endpoint": self.endpoint, "keys": keys, "device_name": name})
    }

    /// Decrypts a message (RFC 8291, section 4).
    pub(crate) fn decrypt(&self, body: &[u8]) -> Value {
        let (salt, rest) = body.split_at(16);
        assert_eq!(rest[..5], [0, 0, 0x10, 0, 65], "one record of 4,096 bytes, a key of 65");
        let (sender, sealed) = rest[5..].split_at(65);
        let own = self.private.compute_public_key().unwrap();
        let peer = UnparsedPublicKey::new(&ECDH_P256, sender);
        let input: [u8; 32] = agree(&self.private, peer, (), |shared| {
            let combined = Salt::new(HKDF_SHA256, &self.auth).extract(shared);
            Ok(expand(&combined, &[b"WebPush: info\0", own.as_ref(), sender]))
        })
        .unwrap();
        let record = Salt::new(HKDF_SHA256, salt).extract(&input);
        let key: [u8; 16] = expand(&record, &[b"Content-Encoding: aes128gcm\0"]);
        let nonce: [u8; 12] = expand(&record, &[b"Content-Encoding: nonce\0"]);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).unwrap());
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(nonce);
        let plain = key.open_in_place(nonce, Aad::empty(), &mut sealed).unwrap();
        assert_eq!(plain.last(), Some(&2), "the delimiter of the last record");
        serde_json::from_slice(&plain[..plain.len() - 1]).unwrap()
    }
}

impl Received {
    /// Verifies the signature of the header `Authorization` with the key in it, and returns the claims and the key.
    pub(crate) fn claims(&self) -> (Value, String) {
        let value = self.headers["authorization"].to_str().unwrap();
        let (token, key) = value.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let public = VerifyingKey::new(&ECDSA_P256_SHA256_FIXED, BASE64.decode(key).unwrap());
        public.verify(signed.as_bytes(), &BASE64.decode(signature).unwrap()).unwrap();
        let claims = BASE64.decode(signed.split_once('.').unwrap().1).unwrap();
        (serde_json::from_slice(&claims).unwrap(), key.to_owned())
    }
}
