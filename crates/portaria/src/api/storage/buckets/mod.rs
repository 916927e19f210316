//! Actions on buckets, and what they share: bucket names, limits, and the JSON of a bucket.

pub mod create;
pub mod delete;
pub mod empty;
pub mod list;
pub mod update;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::api::storage::StorageError;
use crate::stored_files::bucket::Bucket;

/// Names that occur in the position of the bucket in a route.
const RESERVED: [&str; 11] = [
    ".",
    "..",
    "authenticated",
    "copy",
    "info",
    "list",
    "list-v2",
    "move",
    "public",
    "sign",
    "upload",
];

/// Validates the name of a new bucket (`docs/protocol/storage.md`, section 2.3).
///
/// # Errors
/// `InvalidBucketName`.
pub(crate) fn validate_new_name(name: String) -> Result<String, StorageError> {
    let is_valid =
        has_valid_syntax(&name) && name.trim() == name && !RESERVED.contains(&name.as_str());
    if is_valid { Ok(name) } else { Err(StorageError::invalid_bucket_name()) }
}

/// Validates the bucket name of a request for an existing bucket.
///
/// # Errors
/// `NoSuchBucket`.
pub(crate) fn validate_name(name: String) -> Result<String, StorageError> {
    if has_valid_syntax(&name) { Ok(name) } else { Err(StorageError::no_bucket()) }
}

fn has_valid_syntax(name: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_!.*'() &$@=;:+,?-".contains(&byte);
    (1..=100).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// Limits in a request. An absent limit does not change; `null` removes it.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct BucketLimits {
    #[serde(default, deserialize_with = "present")]
    file_size_limit: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    allowed_mime_types: Option<Value>,
}

/// Deserializes a present value, including `null`, as `Some`; an absent field stays `None`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl BucketLimits {
    /// Names of the limits that the request contains.
    pub(crate) fn changed_columns(&self) -> Vec<&'static str> {
        let size = self.file_size_limit.as_ref().map(|_| "file_size_limit");
        size.into_iter()
            .chain(self.allowed_mime_types.as_ref().map(|_| "allowed_mime_types"))
            .collect()
    }

    /// Applies the limits to the bucket. `max_upload` is the portal's own limit, in bytes.
    ///
    /// # Errors
    /// `InvalidRequest` for an invalid size or list, `EntityTooLarge` for a size above the portal's limit,
    /// `InvalidMimeType` for an invalid type.
    pub(crate) fn apply(self, bucket: &mut Bucket, max_upload: u64) -> Result<(), StorageError> {
        match self.file_size_limit {
            None => {}
            Some(Value::Null) => bucket.file_size_limit = None,
            Some(size) => {
                let size = Some(bytes(&size)?).filter(|size| *size <= max_upload);
                bucket.file_size_limit = Some(size.ok_or_else(StorageError::too_large)?);
            }
        }
        match self.allowed_mime_types {
            None => {}
            Some(Value::Null) => bucket.allowed_mime_types = None,
            Some(types) => bucket.allowed_mime_types = Some(mime_types(types)?),
        }
        Ok(())
    }
}

/// Parses a size: a number of bytes, or a text with a decimal unit (`20MB` is 20,000,000 bytes, as in the original).
fn bytes(size: &Value) -> Result<u64, StorageError> {
    let invalid = || {
        StorageError::invalid_request("Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B")
    };
    let number = match size {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => parse_with_unit(&text.to_ascii_lowercase()),
        _ => None,
    };
    number.filter(|number| i64::try_from(*number).is_ok()).ok_or_else(invalid)
}

/// Parses a size with unit, in lower case.
fn parse_with_unit(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text.get(digits.len()..)? {
        "gb" => 1_000_000_000,
        "mb" => 1_000_000,
        "kb" => 1000,
        "b" => 1,
        _ => return None,
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > 9 {
        return None;
    }
    let scale = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let whole = whole.parse::<u64>().ok()?.checked_mul(unit)?;
    whole.checked_add(fraction.parse::<u64>().ok()?.checked_mul(unit)? / scale)
}

/// Validates a list of at most 1,000 media types.
fn mime_types(types: Value) -> Result<Vec<String>, StorageError> {
    let types: Vec<String> = serde_json::from_value(types).map_err(|_| {
        StorageError::invalid_request("body/allowed_mime_types must be array of strings")
    })?;
    let types: Vec<String> = types.into_iter().filter(|kind| !kind.is_empty()).collect();
    if types.len() > 1000 {
        return Err(StorageError::invalid_request("body/allowed_mime_types is too long"));
    }
    match types.iter().find(|kind| !is_mime_type(kind)) {
        Some(invalid) => {
            Err(StorageError::invalid_mime_type(&invalid.chars().take(100).collect::<String>()))
        }
        None => Ok(types),
    }
}

/// Whether a text is a media type or pattern: `image/png`, `image/*`, `*`, or a type with a charset.
fn is_mime_type(text: &str) -> bool {
    let is_token = |token: &str| {
        !token.is_empty()
            && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-+.".contains(&byte))
    };
    let (kind, parameter) = text.split_once(';').unwrap_or((text, "charset=x"));
    let is_charset = parameter.trim_start().strip_prefix("charset=").is_some_and(is_token);
    let is_type = match kind.split_once('/') {
        Some(("*", "*")) => true,
        Some((family, "*")) => is_token(family),
        Some((family, subtype)) => is_token(family) && is_token(subtype),
        None => kind == "*",
    };
    text.len() <= 1000 && is_type && is_charset
}

/// The JSON representation of a bucket.
pub(crate) fn bucket_json(bucket: &Bucket) -> Value {
    json!({
        "id": bucket.id,
        "name": bucket.name,
        "owner": bucket.owner_id.map_or_else(String::new, |id| id.to_string()),
        "public": bucket.public,
        "file_size_limit": bucket.file_size_limit,
        "allowed_mime_types": bucket.allowed_mime_types,
        "created_at": bucket.created_at,
        "updated_at": bucket.updated_at,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::api::storage::buckets::{bytes, is_mime_type, validate_new_name};

    #[test]
    fn bucket_size_limit_accepts_bytes_and_decimal_units() {
        for (size, expected) in [
            (json!(1000), Some(1000)),
            (json!(0), Some(0)),
            (json!("20mb"), Some(20_000_000)),
            (json!("1.5KB"), Some(1500)),
            (json!("3B"), Some(3)),
            (json!("0.1gb"), Some(100_000_000)),
            (json!("10"), None),
            (json!("10 MB"), None),
            (json!("-1mb"), None),
            (json!(".5mb"), None),
            (json!("1e3b"), None),
            (json!(1.5), None),
            (json!(-1), None),
            (json!("99999999999999gb"), None),
            (json!(true), None),
        ] {
            assert_eq!(bytes(&size).ok(), expected, "{size}");
        }
    }

    #[test]
    fn bucket_name_and_media_type_syntax_is_validated() {
        for name in ["avatars", "with-limit1", "A b", "x_y.z"] {
            assert!(validate_new_name(name.into()).is_ok(), "{name}");
        }
        for name in ["", " a", "a ", "a/b", "ação", "public", "..", "a\\b", &"a".repeat(101)] {
            assert!(validate_new_name(name.into()).is_err(), "{name}");
        }
        for kind in ["image/png", "image/*", "*", "*/*", "text/plain; charset=utf-8"] {
            assert!(is_mime_type(kind), "{kind}");
        }
        for kind in
            ["", "image", "image/", "/png", "image/p g", "a/b;x=y", "thisisnotarealmimetype"]
        {
            assert!(!is_mime_type(kind), "{kind}");
        }
    }
}
