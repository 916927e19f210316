//! A bucket of an S3-compatible store. No other module uses `object_store`.

use std::{fmt, fs::File, io, ops::Range, time::Duration, time::SystemTime};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt, stream::BoxStream};
use object_store::{
    BackoffConfig, ClientOptions, Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt,
    PutPayload, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    path::Path,
    signer::{Method, SignedUrlOptions, Signer},
};
use tokio::sync::Semaphore;

use crate::BlobReader;

/// Size of a part of a multipart upload: the minimum that S3 accepts. Bytes.
const PART_SIZE: usize = 5 << 20;
/// Maximum number of parts in memory.
const MAX_PARTS_IN_MEMORY: usize = 6;
/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout for the next bytes of a response.
const READ_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum time after the first attempt in which a request is retried, at most twice. A person waits for the result.
const RETRY_TIMEOUT: Duration = Duration::from_secs(4);

/// Address and credentials of a bucket in an S3-compatible store.
#[derive(Clone, PartialEq, Eq)]
pub struct S3Location {
    /// The name of the bucket.
    pub bucket: String,
    /// The prefix of every object key; may be empty.
    pub prefix: String,
    /// The URL of the store; `None` for Amazon S3 in the region.
    pub endpoint: Option<String>,
    /// The region, which is part of each request signature.
    pub region: String,
    /// The access key ID.
    pub access_key_id: String,
    /// The secret access key.
    pub secret_access_key: String,
}

impl fmt::Debug for S3Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("S3Location")
            .field("bucket", &self.bucket)
            .field("prefix", &self.prefix)
            .field("endpoint", &self.endpoint)
            .field("region", &self.region)
            .finish_non_exhaustive()
    }
}

/// An S3 bucket.
#[derive(Debug)]
pub struct S3Bucket {
    store: AmazonS3,
    /// Prefix of each key.
    prefix: Path,
    /// Permits for parts in memory.
    part_permits: Semaphore,
}

impl S3Bucket {
    /// Opens a bucket without connecting to it.
    ///
    /// # Errors
    /// A message for the operator.
    pub fn open(location: &S3Location) -> Result<Self, String> {
        let client = ClientOptions::new()
            .with_connect_timeout(CONNECT_TIMEOUT)
            .with_read_timeout(READ_TIMEOUT)
            // No timeout for whole requests: a large file over a slow connection takes arbitrarily long.
            .with_timeout_disabled()
            .with_allow_http(
                location.endpoint.as_deref().is_some_and(|url| url.starts_with("http://")),
            );
        let retry = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                ..BackoffConfig::default()
            },
            max_retries: 2,
            retry_timeout: RETRY_TIMEOUT,
        };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&location.bucket)
            .with_region(&location.region)
            .with_access_key_id(&location.access_key_id)
            .with_secret_access_key(&location.secret_access_key)
            .with_client_options(client)
            .with_retry(retry);
        if let Some(endpoint) = &location.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        let store = builder
            .build()
            .map_err(|error| format!("the bucket {}: {}", location.bucket, cause(&error)))?;
        let prefix = Path::parse(&location.prefix)
            .map_err(|error| format!("the bucket {}: {error}", location.bucket))?;
        Ok(Self { store, prefix, part_permits: Semaphore::new(MAX_PARTS_IN_MEMORY) })
    }

    fn path(&self, key: &str) -> Path {
        self.prefix.parts().chain(Path::from(key).parts()).collect()
    }

    /// Stores `size` bytes under a key, replacing an existing object, and verifies the size that the store reports.
    pub(crate) async fn put(&self, key: &str, size: u64, bytes: &mut BlobReader) -> io::Result<()> {
        let path = self.path(key);
        if size <= PART_SIZE as u64 {
            let _permit = self.part_permit().await?;
            let part = read_part(bytes).await?;
            self.store.put(&path, part).await.map_err(to_io_error)?;
        } else {
            self.put_multipart(&path, bytes).await?;
        }

        let stored = self.store.head(&path).await.map_err(to_io_error)?.size;
        if stored == size {
            Ok(())
        } else {
            Err(io::Error::other(format!("the store took {stored} bytes instead of {size}")))
        }
    }

    /// Stores an object by a multipart upload, which is aborted after an error.
    async fn put_multipart(&self, path: &Path, bytes: &mut BlobReader) -> io::Result<()> {
        let mut upload = self.store.put_multipart(path).await.map_err(to_io_error)?;
        let mut result = Ok(());
        while result.is_ok() {
            let _permit = self.part_permit().await?;
            let part = match read_part(bytes).await {
                Ok(part) => part,
                Err(error) => {
                    drop(upload.abort().await);
                    return Err(error);
                }
            };
            if part.content_length() == 0 {
                break;
            }
            result = upload.put_part(part).await;
        }

        let result = match result {
            Ok(()) => upload.complete().await.map(drop),
            Err(error) => Err(error),
        };
        if result.is_err() {
            // If the abort fails too, the bucket's lifecycle rule for incomplete uploads removes the parts.
            drop(upload.abort().await);
        }
        result.map_err(to_io_error)
    }

    /// Waits for the permit to hold a part in memory.
    async fn part_permit(&self) -> io::Result<tokio::sync::SemaphorePermit<'_>> {
        self.part_permits.acquire().await.map_err(io::Error::other)
    }

    /// Stores the content of a file.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn put_file(&self, key: &str, file: File) -> io::Result<()> {
        let size = file.metadata()?.len();
        self.put(key, size, &mut BlobReader::file(file).range(0, size)).await
    }

    /// Stores a small object from memory.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn put_bytes(&self, key: &str, bytes: Bytes) -> io::Result<()> {
        self.store.put(&self.path(key), bytes.into()).await.map(drop).map_err(to_io_error)
    }

    /// Opens an object.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`], or an error of the store.
    pub async fn open_all(&self, key: &str) -> io::Result<BlobReader> {
        Ok(BlobReader::remote(self.read_all(key).await?))
    }

    /// Returns the last segments of at most `limit` keys.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn list_some(&self, limit: usize) -> io::Result<Vec<String>> {
        let objects = self.store.list(Some(&self.prefix)).take(limit);
        let names =
            objects.map_ok(|object| object.location.filename().unwrap_or_default().to_owned());
        names.try_collect().await.map_err(to_io_error)
    }

    /// Streams a range of an object's bytes.
    pub(crate) async fn read(
        &self,
        key: &str,
        range: Range<u64>,
    ) -> io::Result<BoxStream<'static, io::Result<Bytes>>> {
        self.get(key, Some(GetRange::Bounded(range))).await
    }

    /// Streams all bytes of an object.
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
        let object = self.store.get_opts(&self.path(key), options).await.map_err(to_io_error)?;
        Ok(object.into_stream().map_err(to_io_error).boxed())
    }

    /// Returns a URL with which anyone reads an object for a time. `query` is signed with it.
    pub(crate) async fn presigned_url(
        &self,
        key: &str,
        lifetime: Duration,
        query: Vec<(&'static str, String)>,
    ) -> io::Result<String> {
        let (path, options) = (self.path(key), SignedUrlOptions::new().with_query(query));
        let url = self.store.signed_url_opts(Method::GET, &path, lifetime, &options).await;
        url.map(String::from).map_err(to_io_error)
    }

    /// Removes an object. A missing object is not an error.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn remove(&self, key: &str) -> io::Result<()> {
        match self.store.delete(&self.path(key)).await {
            Err(Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(to_io_error(error)),
        }
    }

    /// Lists the objects in a folder: the last segment of each key with its size in bytes, sorted.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn list(&self, folder: &str) -> io::Result<Vec<(String, u64)>> {
        let path = self.path(folder);
        let mut objects: Vec<_> = self
            .store
            .list(Some(&path))
            .map_ok(|object| {
                (object.location.filename().unwrap_or_default().to_owned(), object.size)
            })
            .try_collect()
            .await
            .map_err(to_io_error)?;
        objects.sort();
        Ok(objects)
    }

    /// Lists the names of the folders in a folder.
    pub(crate) async fn folders(&self, folder: &str) -> io::Result<Vec<String>> {
        let path = self.path(folder);
        let list = self.store.list_with_delimiter(Some(&path)).await.map_err(to_io_error)?;
        let names = list.common_prefixes.iter().filter_map(Path::filename);
        Ok(names.map(str::to_owned).collect())
    }

    /// Lists the last segments of the keys below `folder` that were written before `moment`.
    pub(crate) async fn list_older_than(
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
            .map_err(to_io_error)
    }
}

/// Reads the next part. Only the last one is shorter than [`PART_SIZE`].
async fn read_part(bytes: &mut BlobReader) -> io::Result<PutPayload> {
    let mut part = BytesMut::new();
    while part.len() < PART_SIZE {
        let chunk = bytes.read_up_to(PART_SIZE - part.len()).await?;
        if chunk.is_empty() {
            break;
        }
        part.extend_from_slice(&chunk);
    }
    Ok(part.freeze().into())
}

/// Returns the innermost error: the client reports missing certificate authorities only there.
fn cause<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> &'a (dyn std::error::Error + 'static) {
    error.source().map_or(error, cause)
}

fn to_io_error(error: Error) -> io::Error {
    match error {
        Error::NotFound { .. } => io::Error::new(io::ErrorKind::NotFound, error),
        _ => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::{TcpListener, TcpStream},
        sync::mpsc,
        thread,
        time::Duration,
    };

    use socket2::SockRef;
    use tokio::runtime;

    use crate::{
        BlobReader, CHUNK,
        s3::{S3Bucket, S3Location},
    };

    const SIZE: usize = 64 << 20;
    /// Maximum number of bytes that the kernel holds for the connection.
    const KERNEL_BUFFERS: usize = 1 << 20;

    /// Answers a request with [`SIZE`] bytes. Returns the number of bytes that were sent when the client stopped reading.
    fn send_until_stalled(mut socket: TcpStream) -> usize {
        let mut head = [0; 4096];
        let length = socket.read(&mut head).unwrap();
        let head = String::from_utf8_lossy(&head[..length]);
        assert!(head.to_lowercase().contains("range: bytes=1-67108864\r\n"), "{head}");
        let answer = format!(
            "HTTP/1.1 206 Partial Content\r\netag: \"x\"\r\ncontent-length: {SIZE}\r\n\
             last-modified: Sat, 21 Nov 2026 15:00:00 GMT\r\n\
             content-range: bytes 1-{SIZE}/{}\r\n\r\n",
            SIZE + 2
        );
        socket.write_all(answer.as_bytes()).unwrap();
        SockRef::from(&socket).set_send_buffer_size(1 << 16).unwrap();
        socket.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
        let mut sent = 0;
        while let Ok(written @ 1..) = socket.write(&vec![7; 1 << 16]) {
            sent += written;
        }
        sent
    }

    #[test]
    fn slow_reader_of_a_range_holds_at_most_a_chunk() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let location = S3Location {
            bucket: "portal".into(),
            prefix: String::new(),
            endpoint: Some(format!("http://{}", listener.local_addr().unwrap())),
            region: "us-east-1".into(),
            access_key_id: "key".into(),
            secret_access_key: "secret".into(),
        };
        let (stalled, is_stalled) = mpsc::channel();
        thread::spawn(move || {
            let sent = send_until_stalled(listener.accept().unwrap().0);
            stalled.send(sent).unwrap();
        });

        let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let (reader, read) = runtime.block_on(async {
            let bucket = S3Bucket::open(&location).unwrap();
            let range = 1..SIZE as u64 + 1;
            let mut reader = BlobReader::remote(bucket.read("a", range.clone()).await.unwrap())
                .range(range.start, range.end);
            let read = reader.next().await.unwrap().len();
            (reader, read)
        });
        let held = is_stalled.recv().unwrap() - read;
        assert!(held <= CHUNK + KERNEL_BUFFERS, "{held} bytes");
        drop(reader);
    }
}
