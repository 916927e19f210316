//! An S3-compatible store: a program of somebody else's that keeps each bucket as a folder.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::{net::TcpListener, runtime};

/// One for all tests.
static STORE: LazyLock<Store> = LazyLock::new(Store::start);

struct Store {
    address: SocketAddr,
    root: TempDir,
}

/// A test's own bucket.
pub(crate) struct Bucket {
    pub(crate) name: String,
    /// The setting that names it.
    pub(crate) url: String,
    /// Where the store keeps what is in it.
    pub(crate) folder: PathBuf,
}

impl Bucket {
    pub(crate) fn create() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("portal-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = STORE.root.path().join(&name);
        for part in ["blobs", "uploads"] {
            std::fs::create_dir_all(folder.join(part)).unwrap();
        }
        Self { url: url(&name, STORE.address), name, folder }
    }

    /// Where the store listens.
    pub(crate) fn server() -> SocketAddr {
        STORE.address
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// The address of a bucket of the store, as if it listened there.
pub(crate) fn url(bucket: &str, address: SocketAddr) -> String {
    format!("s3://chave:segredo%2Fdo%2Fteste@{bucket}?endpoint=http://{address}")
}

impl Store {
    fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        let mut service = S3ServiceBuilder::new(FileSystem::new(root.path()).unwrap());
        service.set_auth(SimpleAuth::from_single("chave", "segredo/do/teste"));
        let service = service.build();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                loop {
                    let (socket, _) = listener.accept().await.unwrap();
                    let service = service.clone();
                    tokio::spawn(async move {
                        let server = auto::Builder::new(TokioExecutor::new());
                        drop(server.serve_connection(TokioIo::new(socket), service).await);
                    });
                }
            });
        });
        Self { address, root }
    }
}
