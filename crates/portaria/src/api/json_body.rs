//! JSON request bodies, within limits of memory. Each protocol has its own errors for a refused body.

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use futures_util::StreamExt;
use serde_json::Value;

use crate::{accounts::authenticate::Credential, app::App, db::json::contains_nul};

/// Maximum size of a body of a caller without a valid token, and of every body under `/auth/v1`. Bytes.
pub(crate) const MAX_ANONYMOUS_BYTES: usize = 64 << 10;
/// Maximum size of a body. Bytes.
const MAX_BYTES: usize = 1 << 20;
/// Maximum number of values, because a parsed value of one character takes up to 100 bytes.
pub(crate) const MAX_VALUES: usize = 25_000;

/// Reasons to refuse a body before it is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    TooLarge,
    /// The caller sends several large bodies already.
    TooMany,
}

/// Reasons to refuse the JSON of a body.
#[derive(Debug)]
pub(crate) enum JsonError {
    Invalid(serde_json::Error),
    TooManyValues,
    Nul,
}

/// Reads a body: at most 64 KiB without a valid token, otherwise 1 MiB, and few large ones of one person at once.
pub(crate) async fn read(
    app: &App,
    credential: &Credential,
    body: Body,
) -> Result<Bytes, BodyError> {
    let is_large = body.size_hint().upper().is_none_or(|bytes| bytes > MAX_ANONYMOUS_BYTES as u64);
    let person = credential.person();
    let limit = if person.is_some() || matches!(credential, Credential::Service) {
        MAX_BYTES
    } else {
        MAX_ANONYMOUS_BYTES
    };
    let permit = person.filter(|_| is_large).map(|person| app.large_bodies.acquire(person));
    if let Some(None) = permit {
        drain(body).await;
        return Err(BodyError::TooMany);
    }
    to_bytes(body, limit).await.map_err(|_| BodyError::TooLarge)
}

/// Reads a body without keeping it, because many clients read the answer only after they have sent their body.
async fn drain(body: Body) {
    let (mut chunks, mut received) = (body.into_data_stream(), 0);
    while let Some(Ok(chunk)) = chunks.next().await {
        received += chunk.len();
        if received > MAX_BYTES {
            return;
        }
    }
}

/// Parses a body.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    if count_values(bytes) > MAX_VALUES {
        return Err(JsonError::TooManyValues);
    }
    let value = serde_json::from_slice(bytes).map_err(JsonError::Invalid)?;
    if contains_nul(&value) { Err(JsonError::Nul) } else { Ok(value) }
}

/// Returns an upper bound of the number of values: each value follows a comma or an opening bracket, or is the first.
fn count_values(json: &[u8]) -> usize {
    let (mut count, mut is_string, mut is_escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            b',' | b'[' | b'{' if !is_string => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use crate::api::json_body::{JsonError, MAX_VALUES, count_values, parse};

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (json, count) in [
            ("1", 1),
            ("[]", 2),
            ("[1,2]", 3),
            (r#"{"a":1,"b":[]}"#, 4),
            (r#"["a,[{\",", 2]"#, 3),
            (r#"["\\",1]"#, 3),
        ] {
            assert_eq!(count_values(json.as_bytes()), count, "{json}");
        }
    }

    #[test]
    fn body_with_too_many_values_is_refused() {
        let zeros = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
        assert!(parse(zeros(MAX_VALUES - 1).as_bytes()).is_ok());
        let refused = parse(zeros(MAX_VALUES).as_bytes());
        assert!(matches!(refused, Err(JsonError::TooManyValues)), "{refused:?}");
        let text = format!("\"{}\"", ",".repeat(MAX_VALUES));
        assert!(parse(text.as_bytes()).is_ok());
        assert!(matches!(parse(b"\"\\u0000\""), Err(JsonError::Nul)));
        assert!(matches!(parse(b"[1,"), Err(JsonError::Invalid(_))));
    }
}
