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
    /// Returns the first supported format of the `Accept` header. Quality values are ignored.
    ///
    /// # Errors
    /// PGRST107 if no format is supported.
    pub(crate) fn from_accept(headers: &HeaderMap) -> Result<Self, RestError> {
        let accept =
            headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
        let format = accept.split(',').find_map(|media_type| {
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
