//! What every request to a table brings: the table, the parsed query, the preferences, who asks.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use query::Query;

use super::{RestError, run::Found};
use crate::{
    catalog::{self, Table},
    session::Credential,
};

/// A request, read but not yet planned.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) table: &'static Table,
    pub(super) query: Query,
    pub(super) prefer: Prefer,
    /// One object is wanted, not an array.
    pub(super) single: bool,
    pub(super) credential: Credential,
}

/// The preferences that are honoured (RFC 7240, contract §2.1).
#[derive(Debug, Default, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a preference of its own")]
pub(super) struct Prefer {
    pub(super) representation: bool,
    pub(super) count: bool,
    pub(super) merge_duplicates: bool,
    pub(super) ignore_duplicates: bool,
    pub(super) missing_default: bool,
}

const SINGLE: &str = "application/vnd.pgrst.object+json";

impl Request {
    pub(super) fn read(
        table: &str,
        text: Option<&str>,
        headers: &HeaderMap,
        credential: Credential,
        profile: &str,
    ) -> Result<Self, RestError> {
        if let Credential::Invalid(why) = credential {
            return Err(why.into());
        }
        match headers.get(profile).map(HeaderValue::to_str) {
            None | Some(Ok("public")) => {}
            Some(other) => return Err(RestError::unknown_schema(other.unwrap_or_default())),
        }
        let table = catalog::table(table).ok_or_else(|| RestError::unknown_table(table))?;
        let query = query::parse(pairs(text.unwrap_or_default())?)?;
        Ok(Self {
            table,
            query,
            prefer: Prefer::read(headers),
            single: single(headers)?,
            credential,
        })
    }

    /// The rows as the caller wants them.
    pub(super) fn body(&self, found: Found) -> Result<Response, RestError> {
        let kind = if self.single {
            "application/vnd.pgrst.object+json; charset=utf-8"
        } else {
            "application/json; charset=utf-8"
        };
        let body = if self.single { found.into_single()? } else { found.into_array() };
        Ok(([(header::CONTENT_TYPE, kind)], body).into_response())
    }
}

impl Prefer {
    fn read(headers: &HeaderMap) -> Self {
        let mut prefer = Self::default();
        let values = headers.get_all("prefer").into_iter().filter_map(|value| value.to_str().ok());
        for preference in values.flat_map(|value| value.split(',')) {
            match preference.trim() {
                "return=representation" => prefer.representation = true,
                "count=exact" | "count=planned" | "count=estimated" => prefer.count = true,
                "resolution=merge-duplicates" => prefer.merge_duplicates = true,
                "resolution=ignore-duplicates" => prefer.ignore_duplicates = true,
                "missing=default" => prefer.missing_default = true,
                // RFC 7240: a preference that is not understood is no error.
                _ => {}
            }
        }
        prefer
    }
}

/// Whether one object is wanted; refuses media types that we do not write.
fn single(headers: &HeaderMap) -> Result<bool, RestError> {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
    for wanted in
        accept.split(',').map(|wanted| wanted.split(';').next().unwrap_or_default().trim())
    {
        match wanted {
            SINGLE => return Ok(true),
            "*/*" | "application/*" | "application/json" | "" => return Ok(false),
            _ => {}
        }
    }
    Err(RestError::new(
        StatusCode::NOT_ACCEPTABLE,
        "PGRST107",
        format!("None of these media types are available: {accept}"),
    ))
}

/// The decoded pairs of a query string, without the key that may travel there.
fn pairs(text: &str) -> Result<Vec<(String, String)>, RestError> {
    let decode = |part: &str| {
        let spaced = part.replace('+', " ");
        percent_decode_str(&spaced)
            .decode_utf8()
            .map(std::borrow::Cow::into_owned)
            .map_err(|_| RestError::bad("PGRST100", "The query string is not valid UTF-8"))
    };
    text.split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("apikey="))
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(key)?, decode(value)?))
        })
        .collect()
}

/// `first-last/total` of a page of rows (contract §2.3).
pub(super) fn content_range(offset: u64, rows: usize, total: Option<u64>) -> HeaderValue {
    let total = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
    let range = match u64::try_from(rows).unwrap_or(u64::MAX) {
        0 => format!("*/{total}"),
        rows => format!("{offset}-{}/{total}", offset.saturating_add(rows - 1)),
    };
    HeaderValue::try_from(range).expect("digits, a dash and a slash are a header value")
}
