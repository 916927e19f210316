//! `Upload-Metadata`: what a client says of the file that it is going to send.

use base64::{Engine, prelude::BASE64_STANDARD};

use crate::api::storage::{
    StorageError, buckets, extract::ObjectPath, object_key, upload_body::json_object,
    upload_target::UploadHeaders,
};

/// The place and the rest out of the header: pairs of a word and its value in base64.
///
/// # Errors
/// `InvalidRequest` for a header that is none, or names neither bucket nor object; then as any place's.
pub(crate) fn read(header: &str) -> Result<(ObjectPath, UploadHeaders), StorageError> {
    let invalid = || StorageError::invalid_request("Invalid Upload-Metadata header");
    let (mut bucket_name, mut object_name) = (None, None);
    let mut extra = UploadHeaders::default();
    for pair in header.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (word, value) = pair.split_once(' ').unwrap_or((pair, ""));
        let value = BASE64_STANDARD.decode(value.trim()).map_err(|_| invalid())?;
        let value = String::from_utf8(value).map_err(|_| invalid())?;
        match word {
            "bucketName" => bucket_name = Some(value),
            "objectName" => object_name = Some(value),
            "contentType" => extra.claimed = value,
            "cacheControl" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                extra.cache_control = Some(format!("max-age={value}"));
            }
            "metadata" => extra.metadata = json_object(value.as_bytes()),
            _ => {}
        }
    }
    if extra.claimed.is_empty() {
        extra.claimed = "application/octet-stream".into();
    }
    let required =
        |name: &str| StorageError::invalid_request(format!("Upload-Metadata must name the {name}"));
    let bucket = bucket_name.ok_or_else(|| required("bucketName"))?;
    let name = object_name.ok_or_else(|| required("objectName"))?;
    Ok((
        ObjectPath { bucket: buckets::known_name(bucket)?, name: object_key::parse(&name)? },
        extra,
    ))
}

#[cfg(test)]
mod tests {
    use crate::api::storage::tus::metadata::read;

    #[test]
    fn pairs_are_read_and_the_rest_is_refused() {
        let (place, extra) = read(
            "bucketName YXZhdGFycw==,objectName YS/Dp8OjbyBiLnBkZg==, contentType aW1hZ2UvcG5n,\
             cacheControl MzYwMA==,metadata eyJhIjoxfQ==,filename,other eA==",
        )
        .unwrap();
        assert_eq!((place.bucket.as_str(), place.name.as_str()), ("avatars", "a/ção b.pdf"));
        assert_eq!(extra.claimed, "image/png");
        assert_eq!(extra.cache_control.as_deref(), Some("max-age=3600"));
        assert_eq!(extra.metadata.as_deref(), Some("{\"a\":1}"));
        for none in [
            "",
            "bucketName YXZhdGFycw==",
            "objectName YQ==",
            "bucketName YXZhdGFycw==,objectName ?",
            "bucketName YXZhdGFycw==,objectName Li4veA==",
            "bucketName YS9i,objectName YQ==",
            "bucketName YXZhdGFycw==,objectName /w==",
        ] {
            assert!(read(none).is_err(), "{none}");
        }
    }
}
