//! What the actions on buckets share: what a bucket may be called, what it may take, how it is told.

pub mod create;
pub mod delete;
pub mod empty;
pub mod list;
pub mod update;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::api::storage::StorageError;
use crate::stored_files::bucket::Bucket;

/// Words that stand in the bucket's place in an address.
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

/// The name for a new bucket.
///
/// # Errors
/// `InvalidBucketName`.
pub(crate) fn new_name(name: String) -> Result<String, StorageError> {
    let legal = is_legal(&name) && name.trim() == name && !RESERVED.contains(&name.as_str());
    if legal { Ok(name) } else { Err(StorageError::invalid_bucket_name()) }
}

/// A name in an address; one that no bucket can have is one that no bucket has.
///
/// # Errors
/// `NoSuchBucket`.
pub(crate) fn known_name(name: String) -> Result<String, StorageError> {
    if is_legal(&name) { Ok(name) } else { Err(StorageError::no_bucket()) }
}

fn is_legal(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_!.*'() &$@=;:+,?-".contains(&byte);
    (1..=100).contains(&name.len()) && name.bytes().all(fits)
}

/// What a request says of a bucket's limits. Absent leaves a limit as it is, `null` lifts it.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Limits {
    #[serde(default, deserialize_with = "told")]
    file_size_limit: Option<Value>,
    #[serde(default, deserialize_with = "told")]
    allowed_mime_types: Option<Value>,
}

/// Tells `null` from nothing.
fn told<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Limits {
    /// The names of those that the request tells of.
    pub(crate) fn told(&self) -> Vec<&'static str> {
        let size = self.file_size_limit.as_ref().map(|_| "file_size_limit");
        size.into_iter()
            .chain(self.allowed_mime_types.as_ref().map(|_| "allowed_mime_types"))
            .collect()
    }

    /// Writes the limits into the bucket.
    ///
    /// # Errors
    /// `InvalidRequest` for a size that is none, `InvalidMimeType` for a type that is none.
    pub(crate) fn apply(self, bucket: &mut Bucket) -> Result<(), StorageError> {
        match self.file_size_limit {
            None => {}
            Some(Value::Null) => bucket.file_size_limit = None,
            Some(size) => bucket.file_size_limit = Some(bytes(&size)?),
        }
        match self.allowed_mime_types {
            None => {}
            Some(Value::Null) => bucket.allowed_mime_types = None,
            Some(types) => bucket.allowed_mime_types = Some(mime_types(types)?),
        }
        Ok(())
    }
}

/// A size: a number of bytes, or one with a unit, decimal as the original counts.
fn bytes(size: &Value) -> Result<u64, StorageError> {
    let invalid = || {
        StorageError::invalid_request("Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B")
    };
    let number = match size {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => with_unit(&text.to_ascii_lowercase()),
        _ => None,
    };
    number.filter(|number| i64::try_from(*number).is_ok()).ok_or_else(invalid)
}

fn with_unit(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text.get(digits.len()..)? {
        "gb" => 1_000_000_000,
        "mb" => 1_000_000,
        "kb" => 1000,
        "b" => 1,
        _ => return None,
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 9 {
        return None;
    }
    let scale = 10_u64.checked_pow(u32::try_from(part.len()).ok()?)?;
    let whole = whole.parse::<u64>().ok()?.checked_mul(unit)?;
    whole.checked_add(part.parse::<u64>().ok()?.checked_mul(unit)? / scale)
}

fn mime_types(types: Value) -> Result<Vec<String>, StorageError> {
    let types: Vec<String> = serde_json::from_value(types).map_err(|_| {
        StorageError::invalid_request("body/allowed_mime_types must be array of strings")
    })?;
    let types: Vec<String> = types.into_iter().filter(|kind| !kind.is_empty()).collect();
    if types.len() > 1000 {
        return Err(StorageError::invalid_request("body/allowed_mime_types is too long"));
    }
    match types.iter().find(|kind| !is_mime_type(kind)) {
        Some(wrong) => Err(StorageError::mime_type(&wrong.chars().take(100).collect::<String>())),
        None => Ok(types),
    }
}

/// `image/png`, `image/*`, `*`, or a type with its charset.
fn is_mime_type(text: &str) -> bool {
    let word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-+.".contains(&byte))
    };
    let (kind, parameter) = text.split_once(';').unwrap_or((text, "charset=x"));
    let charset = parameter.trim_start().strip_prefix("charset=").is_some_and(word);
    let kind = match kind.split_once('/') {
        Some(("*", "*")) => true,
        Some((family, "*")) => word(family),
        Some((family, kind)) => word(family) && word(kind),
        None => kind == "*",
    };
    text.len() <= 1000 && kind && charset
}

/// A bucket as the wire shows it.
pub(crate) fn shape(bucket: &Bucket) -> Value {
    json!({
        "id": bucket.id,
        "name": bucket.name,
        "owner": bucket.owner_id.as_deref().unwrap_or_default(),
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

    use crate::api::storage::buckets::{bytes, is_mime_type, new_name};

    #[test]
    fn sizes_are_numbers_or_carry_a_decimal_unit() {
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
    fn names_and_types_are_checked() {
        for name in ["avatars", "with-limit1", "A b", "x_y.z"] {
            assert!(new_name(name.into()).is_ok(), "{name}");
        }
        for name in ["", " a", "a ", "a/b", "ação", "public", "..", "a\\b", &"a".repeat(101)] {
            assert!(new_name(name.into()).is_err(), "{name}");
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
