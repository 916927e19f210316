//! An S3-compatible store (s3s), which keeps each bucket in a folder.

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

/// One store for all tests.
static STORE: LazyLock<Store> = LazyLock::new(Store::start);

struct Store {
    address: SocketAddr,
    root: TempDir,
}

/// The bucket of one test.
pub(crate) struct Bucket {
    pub(crate) name: String,
    /// The value of `storage_url`.
    pub(crate) url: String,
    /// The folder in which the store keeps the bucket.
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

    /// The address of the store.
    pub(crate) fn server() -> SocketAddr {
        STORE.address
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// The `storage_url` of a bucket, behind `address`.
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
