//! Content negotiation: the response format for an `Accept` header (docs/protocol/rest.md, section 4.1).

use axum::http::{HeaderMap, header};

use crate::api::rest::RestError;

/// A response format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// A JSON array of rows. `vendor` answers with PostgREST's media type, `stripped` omits null values.
    Array { vendor: bool, stripped: bool },
    /// A single row as a JSON object. `stripped` omits null values.
    Object { stripped: bool },
    /// Comma-separated values, for staff only.
    Csv,
}

impl ResponseFormat {
    /// Returns the supported format of the `Accept` header with the highest quality value, the first of several.
    ///
    /// # Errors
    /// PGRST107 if no format is supported.
    pub(crate) fn from_accept(headers: &HeaderMap) -> Result<Self, RestError> {
        let accept =
            headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
        let mut media_types: Vec<(&str, f32)> =
            accept.split(',').map(|media_type| (media_type, quality(media_type))).collect();
        media_types.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let acceptable = media_types.into_iter().filter(|(_, quality)| *quality > 0.0);
        let format = acceptable.map(|(media_type, _)| media_type).find_map(|media_type| {
            let mut parts = media_type.split(';').map(str::trim);
            let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
            let stripped = parts.any(|part| part == "nulls=stripped");
            match kind.as_str() {
                "" | "*/*" | "application/*" | "application/json" => {
                    Some(Self::Array { vendor: false, stripped: false })
                }
                "application/vnd.pgrst.array+json" | "application/vnd.pgrst.array" => {
                    Some(Self::Array { vendor: true, stripped })
                }
                "application/vnd.pgrst.object+json" | "application/vnd.pgrst.object" => {
                    Some(Self::Object { stripped })
                }
                "text/csv" => Some(Self::Csv),
                _ => None,
            }
        });
        format.ok_or_else(|| RestError::not_acceptable(accept))
    }

    /// Whether null values are omitted.
    pub(crate) fn strips_nulls(self) -> bool {
        matches!(self, Self::Array { stripped: true, .. } | Self::Object { stripped: true })
    }

    /// Returns the `Content-Type` of this format.
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::Array { vendor: false, .. } => "application/json; charset=utf-8",
            Self::Array { stripped: false, .. } => {
                "application/vnd.pgrst.array+json; charset=utf-8"
            }
            Self::Array { .. } => "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8",
            Self::Object { stripped: false } => "application/vnd.pgrst.object+json; charset=utf-8",
            Self::Object { .. } => {
                "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8"
            }
            Self::Csv => "text/csv; charset=utf-8",
        }
    }
}

/// The quality value of an entry of `Accept` (RFC 9110, section 12.4.2). A malformed one is 1.
fn quality(media_type: &str) -> f32 {
    let quality = media_type.split(';').skip(1).find_map(|part| part.trim().strip_prefix("q="));
    let number = quality.and_then(|quality| quality.trim().parse::<f32>().ok());
    number.filter(|number| (0.0..=1.0).contains(number)).unwrap_or(1.0)
}
