//! The header `Upload-Metadata` of tus.

use base64::{Engine, prelude::BASE64_STANDARD};

use crate::api::storage::{
    StorageError, buckets, extract::ObjectPath, object_key, upload_body::json_object,
    upload_target::FileMetadata,
};

/// Parses the header: comma-separated pairs of a key and its value in base64. Unknown keys are ignored.
///
/// # Errors
/// `InvalidRequest` for a malformed header, or one without bucket or object; `NoSuchBucket` and `InvalidKey` for
/// invalid names.
pub(crate) fn read(header: &str) -> Result<(ObjectPath, FileMetadata), StorageError> {
    let invalid = || StorageError::invalid_request("Invalid Upload-Metadata header");
    let (mut bucket_name, mut object_name) = (None, None);
    let mut upload_headers = FileMetadata::default();
    for pair in header.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once(' ').unwrap_or((pair, ""));
        let value = BASE64_STANDARD.decode(value.trim()).map_err(|_| invalid())?;
        let value = String::from_utf8(value).map_err(|_| invalid())?;
        match key {
            "bucketName" => bucket_name = Some(value),
            "objectName" => object_name = Some(value),
            "contentType" => upload_headers.declared_type = value,
            "cacheControl" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                upload_headers.cache_control = Some(format!("max-age={value}"));
            }
            "metadata" => upload_headers.metadata = json_object(value.as_bytes()),
            _ => {}
        }
    }
    if upload_headers.declared_type.is_empty() {
        upload_headers.declared_type = "application/octet-stream".into();
    }

    let missing =
        |name: &str| StorageError::invalid_request(format!("Upload-Metadata must name the {name}"));
    let bucket = bucket_name.ok_or_else(|| missing("bucketName"))?;
    let name = object_name.ok_or_else(|| missing("objectName"))?;
    Ok((
        ObjectPath { bucket: buckets::validate_name(bucket)?, name: object_key::parse(&name)? },
        upload_headers,
    ))
}

#[cfg(test)]
mod tests {
    use crate::api::storage::tus::metadata::read;

    #[test]
    fn upload_metadata_is_parsed_and_malformed_headers_are_refused() {
        let (place, upload_headers) = read(
            "bucketName YXZhdGFycw==,objectName YS/Dp8OjbyBiLnBkZg==, contentType aW1hZ2UvcG5n,\
             cacheControl MzYwMA==,metadata eyJhIjoxfQ==,filename,other eA==",
        )
        .unwrap();
        assert_eq!((place.bucket.as_str(), place.name.as_str()), ("avatars", "a/ção b.pdf"));
        assert_eq!(upload_headers.declared_type, "image/png");
        assert_eq!(upload_headers.cache_control.as_deref(), Some("max-age=3600"));
        assert_eq!(upload_headers.metadata.as_deref(), Some("{\"a\":1}"));
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
