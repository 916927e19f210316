//! TLS without a proxy: versions, rejected connections, and certificate renewal.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    sync::Arc,
};

use rcgen::{CertifiedKey, KeyPair};
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, RootCertStore, pki_types::CertificateDer},
};

use crate::harness::PROCESSORS;
use crate::process::{Program, Start, ask, exchange, wait_until};

type Certificate = CertifiedKey<KeyPair>;

fn certificate() -> Certificate {
    rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

/// Replaces both files atomically, like a renewal.
fn write(folder: &std::path::Path, certificate: &str, key: &str) {
    for (name, text) in [("cert.pem", certificate), ("key.pem", key)] {
        let new = folder.join("new.pem");
        fs::write(&new, text).unwrap();
        fs::set_permissions(&new, Permissions::from_mode(0o600)).unwrap();
        fs::rename(new, folder.join(name)).unwrap();
    }
}

fn start(certificate: &Certificate) -> Start {
    let start = Start::new().with("PORTARIA_TLS_CERT", "cert.pem");
    let start = start.with("PORTARIA_TLS_KEY", "key.pem");
    write(start.folder.path(), &certificate.cert.pem(), &certificate.signing_key.serialize_pem());
    start
}

/// Connects with these trusted authorities.
async fn connect(
    program: &Program,
    trusted: &[&Certificate],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    for one in trusted {
        roots.add(one.cert.der().clone()).unwrap();
    }
    let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect("localhost".try_into().unwrap(), program.connect().await).await
}

/// The certificate that the server presents, with both authorities trusted.
async fn presented_certificate(
    program: &Program,
    trusted: &[&Certificate],
) -> CertificateDer<'static> {
    let line = connect(program, trusted).await.unwrap();
    line.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned()
}

#[tokio::test]
async fn portal_with_certificate_speaks_tls_only() {
    let _processors = PROCESSORS.read().await;
    let (own, other) = (certificate(), certificate());
    let program = start(&own).serve().await;
    let line = connect(&program, &[&own]).await.unwrap();
    assert_eq!(line.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    let answer = ask(line, "GET", "/health", "", b"").await;
    assert_eq!(answer.status, 200);
    let promise = answer.header("strict-transport-security");
    assert_eq!(promise, Some("max-age=31536000; includeSubDomains"));
    connect(&program, &[&other]).await.unwrap_err();
    // A plaintext request gets no response.
    let plain = exchange(program.connect().await, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(!plain.contains("HTTP"), "{plain:?}");
    assert!(fs::read_to_string(program.file("out")).unwrap().contains("https://127.0.0.1:"));
}

#[tokio::test]
async fn renewed_certificate_is_loaded_and_an_invalid_one_ignored() {
    let _processors = PROCESSORS.read().await;
    let (first, second) = (certificate(), certificate());
    let program = start(&first).serve().await;
    let both = [&first, &second];
    let folder = program.folder.path();
    assert_eq!(presented_certificate(&program, &both).await, *first.cert.der());
    let held = connect(&program, &both).await.unwrap();
    // A certificate and a key that do not match are both ignored.
    write(folder, &second.cert.pem(), &first.signing_key.serialize_pem());
    wait_until("the new files are rejected", async || {
        assert_eq!(presented_certificate(&program, &both).await, *first.cert.der());
        program.log().contains("previous certificate stays in use")
    })
    .await;
    write(folder, &second.cert.pem(), &second.signing_key.serialize_pem());
    wait_until("the new certificate is presented", async || {
        presented_certificate(&program, &both).await == *second.cert.der()
    })
    .await;
    // Established connections continue.
    assert_eq!(ask(held, "GET", "/health", "", b"").await.status, 200);
}

#[tokio::test]
async fn invalid_certificate_files_fail_the_start() {
    let _processors = PROCESSORS.read().await;
    let (own, other) = (certificate(), certificate());
    let refused = async |start: Start, expected: &str| {
        let (status, output) = start.expect_failure().await;
        assert_eq!(status.code(), Some(2), "{output}");
        assert!(output.contains(expected), "{output}");
    };
    let open = start(&own);
    fs::set_permissions(open.file("key.pem"), Permissions::from_mode(0o644)).unwrap();
    refused(open, "tls_key: key.pem can be read by others: run chmod 640 key.pem").await;
    let strange = start(&own);
    write(strange.folder.path(), &own.cert.pem(), &other.signing_key.serialize_pem());
    refused(strange, "tls_key: key.pem is no key of cert.pem").await;
    let empty = start(&own);
    write(empty.folder.path(), "", &own.signing_key.serialize_pem());
    refused(empty, "tls_cert: cert.pem cannot be used").await;
    let missing = start(&own);
    fs::remove_file(missing.file("cert.pem")).unwrap();
    refused(missing, "tls_cert: cert.pem cannot be used").await;
    let plain = start(&own).with("PORTARIA_SITE_URL", "http://localhost");
    refused(plain, "site_url: must start with https:// where tls_cert is set").await;
}
