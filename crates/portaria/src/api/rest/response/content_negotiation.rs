//! Which form of answer the caller accepts (contract §2.1).

use axum::http::{HeaderMap, StatusCode, header};

use crate::api::rest::RestError;

/// The forms that we write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseFormat {
    /// A JSON array of rows.
    Array { vendor: bool, stripped: bool },
    /// The only row as a JSON object.
    Object { stripped: bool },
    /// Comma-separated lines.
    Csv,
}

impl ResponseFormat {
    /// The first form of the Accept header that we write.
    pub(crate) fn read(headers: &HeaderMap) -> Result<Self, RestError> {
        let accept =
            headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
        let wanted = accept.split(',').find_map(|wanted| {
            let mut parts = wanted.split(';').map(str::trim);
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
        wanted.ok_or_else(|| {
            RestError::new(
                StatusCode::NOT_ACCEPTABLE,
                "PGRST107",
                format!("None of these media types are available: {accept}"),
            )
        })
    }

    /// Whether keys without a value are left out.
    pub(crate) fn is_stripped(self) -> bool {
        matches!(self, Self::Array { stripped: true, .. } | Self::Object { stripped: true })
    }

    /// The Content-Type of an answer in this form.
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
