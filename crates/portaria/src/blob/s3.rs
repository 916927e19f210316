//! A bucket of an S3-compatible store. Nothing else names `object_store`.

use std::{fs::File, io, ops::Range, time::Duration, time::SystemTime};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    BackoffConfig, ClientOptions, Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt,
    PutPayload, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    path::Path,
};
use tokio::sync::Semaphore;

use crate::blob::Reader;
use crate::config::BucketUrl;

/// What is sent at once: the least that S3 takes of a blob in several pieces.
const PIECE: usize = 5 << 20;
/// So many pieces are in memory at once; further senders wait.
const SENDERS: usize = 6;
const CONNECT_TIME: Duration = Duration::from_secs(3);
/// How long the store may say nothing.
const SILENCE: Duration = Duration::from_secs(20);
/// What fails within this time is tried again twice: whoever waits for an answer would not wait much longer.
const RETRY_TIME: Duration = Duration::from_secs(4);

/// The bucket.
#[derive(Debug)]
pub(crate) struct Bucket {
    store: AmazonS3,
    /// What each key in it begins with.
    prefix: Path,
    senders: Semaphore,
}

impl Bucket {
    pub(crate) fn open(url: &BucketUrl) -> Result<Self, String> {
        let client = ClientOptions::new()
            .with_connect_timeout(CONNECT_TIME)
            .with_read_timeout(SILENCE)
            // A large file on a slow line takes longer than any limit that would be worth having.
            .with_timeout_disabled()
            .with_allow_http(url.endpoint.as_deref().is_some_and(|url| url.starts_with("http://")));
        let retry = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                ..BackoffConfig::default()
            },
            max_retries: 2,
            retry_timeout: RETRY_TIME,
        };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&url.bucket)
            .with_region(&url.region)
            .with_access_key_id(&url.login.user)
            .with_secret_access_key(&url.login.password)
            .with_client_options(client)
            .with_retry(retry);
        if let Some(endpoint) = &url.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        let store =
            builder.build().map_err(|error| format!("the bucket {}: {error}", url.bucket))?;
        let prefix = Path::parse(&url.prefix)
            .map_err(|error| format!("the bucket {}: {error}", url.bucket))?;
        Ok(Self { store, prefix, senders: Semaphore::new(SENDERS) })
    }

    fn path(&self, key: &str) -> Path {
        self.prefix.parts().chain(Path::from(key).parts()).collect()
    }

    /// Stores `size` bytes under a key, in place of what was there, and asks whether they are.
    pub(crate) async fn put(&self, key: &str, size: u64, bytes: &mut Reader) -> io::Result<()> {
        let path = self.path(key);
        let sent = if size <= PIECE as u64 {
            let _turn = self.turn().await?;
            let piece = gather(bytes).await?;
            self.store.put(&path, piece).await.map(drop)
        } else {
            self.put_in_pieces(&path, bytes).await?
        };
        sent.map_err(failed)?;
        let stored = self.store.head(&path).await.map_err(failed)?.size;
        if stored == size {
            Ok(())
        } else {
            Err(io::Error::other(format!("the store took {stored} bytes instead of {size}")))
        }
    }

    async fn put_in_pieces(
        &self,
        path: &Path,
        bytes: &mut Reader,
    ) -> io::Result<Result<(), Error>> {
        let mut upload = match self.store.put_multipart(path).await {
            Ok(upload) => upload,
            Err(error) => return Ok(Err(error)),
        };
        let mut sent = Ok(());
        while sent.is_ok() {
            let _turn = self.turn().await?;
            let piece = match gather(bytes).await {
                Ok(piece) => piece,
                Err(error) => {
                    drop(upload.abort().await);
                    return Err(error);
                }
            };
            if piece.content_length() == 0 {
                break;
            }
            sent = upload.put_part(piece).await;
        }
        let sent = match sent {
            Ok(()) => upload.complete().await.map(drop),
            Err(error) => Err(error),
        };
        if sent.is_err() {
            // Should this fail too, the store's own rule for unfinished uploads cleans up.
            drop(upload.abort().await);
        }
        Ok(sent)
    }

    async fn turn(&self) -> io::Result<tokio::sync::SemaphorePermit<'_>> {
        self.senders.acquire().await.map_err(io::Error::other)
    }

    /// Stores what is in a file, from its beginning.
    pub(crate) async fn put_file(&self, key: &str, file: File) -> io::Result<()> {
        let size = file.metadata()?.len();
        self.put(key, size, &mut Reader::file(file).range(0, size)).await
    }

    /// Stores a few bytes.
    pub(crate) async fn put_bytes(&self, key: &str, bytes: Bytes) -> io::Result<()> {
        self.store.put(&self.path(key), bytes.into()).await.map(drop).map_err(failed)
    }

    /// Opens what is under a key.
    pub(crate) async fn open_all(&self, key: &str) -> io::Result<Reader> {
        Ok(Reader::remote(self.read_all(key).await?))
    }

    /// The last parts of a few keys, of whichever come first.
    pub(crate) async fn some(&self, most: usize) -> io::Result<Vec<String>> {
        let found = self.store.list(Some(&self.prefix)).take(most);
        let names =
            found.map_ok(|object| object.location.filename().unwrap_or_default().to_owned());
        names.try_collect().await.map_err(failed)
    }

    /// Some of the bytes under a key.
    pub(crate) async fn read(
        &self,
        key: &str,
        range: Range<u64>,
    ) -> io::Result<BoxStream<'static, io::Result<Bytes>>> {
        self.get(key, Some(GetRange::Bounded(range))).await
    }

    /// All bytes under a key.
    pub(crate) async fn read_all(
        &self,
        key: &str,
    ) -> io::Result<BoxStream<'static, io::Result<Bytes>>> {
        self.get(key, None).await
    }

    async fn get(
        &self,
        key: &str,
        range: Option<GetRange>,
    ) -> io::Result<BoxStream<'static, io::Result<Bytes>>> {
        let options = GetOptions { range, ..GetOptions::default() };
        let found = self.store.get_opts(&self.path(key), options).await.map_err(failed)?;
        Ok(found.into_stream().map_err(failed).boxed())
    }

    /// Removes what is under a key; nothing there is no error.
    pub(crate) async fn remove(&self, key: &str) -> io::Result<()> {
        match self.store.delete(&self.path(key)).await {
            Err(Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    /// The keys below a folder, in order, without that folder's name, and how long each is.
    pub(crate) async fn list(&self, folder: &str) -> io::Result<Vec<(String, u64)>> {
        let path = self.path(folder);
        let mut found: Vec<_> = self
            .store
            .list(Some(&path))
            .map_ok(|object| {
                (object.location.filename().unwrap_or_default().to_owned(), object.size)
            })
            .try_collect()
            .await
            .map_err(failed)?;
        found.sort();
        Ok(found)
    }

    /// The folders in a folder.
    pub(crate) async fn folders(&self, folder: &str) -> io::Result<Vec<String>> {
        let path = self.path(folder);
        let found = self.store.list_with_delimiter(Some(&path)).await.map_err(failed)?;
        let names = found.common_prefixes.iter().filter_map(Path::filename);
        Ok(names.map(str::to_owned).collect())
    }

    /// Of the keys below a folder, the last parts of those that were written before a moment.
    pub(crate) async fn names_before(
        &self,
        folder: &str,
        moment: SystemTime,
    ) -> io::Result<Vec<String>> {
        let path = self.path(folder);
        self.store
            .list(Some(&path))
            .try_filter_map(async |object| {
                let is_old = SystemTime::from(object.last_modified) < moment;
                Ok(object.location.filename().filter(|_| is_old).map(str::to_owned))
            })
            .try_collect()
            .await
            .map_err(failed)
    }
}

/// The next piece; shorter than [`PIECE`] only at the end.
async fn gather(bytes: &mut Reader) -> io::Result<PutPayload> {
    let mut piece = BytesMut::new();
    while piece.len() < PIECE {
        let more = bytes.read_up_to(PIECE - piece.len()).await?;
        if more.is_empty() {
            break;
        }
        piece.extend_from_slice(&more);
    }
    Ok(piece.freeze().into())
}

fn failed(error: Error) -> io::Error {
    match error {
        Error::NotFound { .. } => io::Error::new(io::ErrorKind::NotFound, error),
        _ => io::Error::other(error),
    }
}
