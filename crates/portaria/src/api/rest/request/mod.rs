//! A request to a table: the table, the parsed query string, the preferences, the response format and the credential.

pub mod body;
pub mod payload;
pub mod prefer;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use portaria_query::Query;

use crate::api::{
    query_string::{decode, query_pairs},
    rest::{
        RestError, executor::QueryResult, request::prefer::Prefer,
        response::content_negotiation::ResponseFormat, suggestion::similar,
    },
};
use crate::{
    accounts::authenticate::Credential,
    schema::{Table, tables},
    security::caller::Caller,
};

/// A parsed request, before planning.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) table: &'static Table,
    pub(crate) query: Query,
    pub(crate) prefer: Prefer,
    pub(crate) format: ResponseFormat,
    pub(crate) credential: Credential,
    /// Whether the request named the schema, so that the answer names it too.
    profile: bool,
}

impl Request {
    /// Parses a request. `profile` is the header that names the schema: `accept-profile` or `content-profile`.
    ///
    /// # Errors
    /// [`RestError`] for an invalid token, another schema than `public`, an unknown table, and a malformed query string
    /// or header.
    pub(crate) fn parse(
        table: &str,
        text: Option<&str>,
        headers: &HeaderMap,
        credential: Credential,
        profile: &str,
    ) -> Result<Self, RestError> {
        let credential = require_valid_token(credential)?;
        let profile = match headers.get(profile).map(HeaderValue::to_str) {
            None => false,
            Some(Ok("public")) => true,
            Some(other) => return Err(RestError::unknown_schema(other.unwrap_or_default())),
        };
        let table = tables::find_table(table).ok_or_else(|| unknown_table(table, &credential))?;
        let query = portaria_query::parse(parse_query_pairs(text.unwrap_or_default())?)?;
        Ok(Self {
            table,
            query,
            prefer: Prefer::parse(headers)?,
            format: ResponseFormat::from_accept(headers)?,
            credential,
            profile,
        })
    }

    /// Refuses CSV for callers other than staff. It is a format for spreadsheets of the office.
    ///
    /// # Errors
    /// PGRST107.
    pub(crate) fn require_format(&self, caller: Caller) -> Result<(), RestError> {
        if self.format == ResponseFormat::Csv && !caller.is_staff() {
            return Err(RestError::not_acceptable("text/csv"));
        }
        Ok(())
    }

    /// Builds the response with the rows in the requested format.
    ///
    /// # Errors
    /// PGRST116 if a single object was requested and there are no or several rows.
    pub(crate) fn rows_response(&self, result: QueryResult) -> Result<Response, RestError> {
        let (body, length) = result.into_body()?;
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.format.content_type())),
            (header::CONTENT_LENGTH, length.into()),
        ];
        Ok((headers, body).into_response())
    }

    /// Adds the headers `Content-Profile` and `Preference-Applied`.
    pub(crate) fn add_headers(&self, mut response: Response, is_write: bool) -> Response {
        let headers = response.headers_mut();
        if self.profile {
            headers.insert("content-profile", HeaderValue::from_static("public"));
        }
        if let Some(applied) = self.prefer.applied_header(is_write) {
            headers.insert("preference-applied", applied);
        }
        response
    }
}

/// The error of an unknown table. The service key learns the most similar name.
fn unknown_table(name: &str, credential: &Credential) -> RestError {
    let error = RestError::unknown_table(name);
    let is_service = matches!(credential, Credential::Service);
    let names = tables::TABLES.iter().map(|table| table.name);
    match similar(name, names).filter(|_| is_service) {
        Some(table) => error.hint(format!("Perhaps you meant the table 'public.{table}'")),
        None => error,
    }
}

/// Refuses an invalid token.
///
/// # Errors
/// PGRST301 or PGRST303.
pub(crate) fn require_valid_token(credential: Credential) -> Result<Credential, RestError> {
    if let Credential::Invalid(error) = credential { Err(error.into()) } else { Ok(credential) }
}

/// Decodes the pairs of a query string, except `apikey`, which the query string may carry.
///
/// # Errors
/// PGRST100 for invalid UTF-8, 22P05 for a NUL character.
fn parse_query_pairs(text: &str) -> Result<Vec<(String, String)>, RestError> {
    let decode_text = |part: &str| {
        decode(part)
            .ok_or_else(|| {
                RestError::bad_request("PGRST100", "The query string is not valid UTF-8")
            })
            .and_then(
                |text| if text.contains('\0') { Err(RestError::nul_byte()) } else { Ok(text) },
            )
    };
    query_pairs(text)
        .filter(|pair| pair.name != "apikey" || pair.value.is_none())
        .map(|pair| Ok((decode_text(pair.name)?, decode_text(pair.value.unwrap_or_default())?)))
        .collect()
}

/// Combines offset and limit with the `Range` header, `first-last` counted from 0. The result is the intersection.
/// A header of another form is ignored.
///
/// # Errors
/// PGRST103 for a range that ends before it begins.
pub(crate) fn apply_range_header(query: &mut Query, headers: &HeaderMap) -> Result<(), RestError> {
    let Some(range) = headers.get(header::RANGE).and_then(|value| value.to_str().ok()) else {
        return Ok(());
    };
    let Some((first, last)) = range.trim_start_matches("items=").split_once('-') else {
        return Ok(());
    };
    let (Ok(first), last) = (first.trim().parse::<u64>(), last.trim()) else { return Ok(()) };
    let last = if last.is_empty() { None } else { last.parse::<u64>().ok() };
    if last.is_some_and(|last| last < first) {
        return Err(RestError::new(StatusCode::RANGE_NOT_SATISFIABLE, "PGRST103", "Requested range not satisfiable")
            .details("The lower boundary must be lower than or equal to the upper boundary in the Range header."));
    }
    let root = &mut query.root;
    // The databases accept 63 bits. A larger number has the same effect as the maximum.
    let offset = root.offset.unwrap_or(0).max(first).min(i64::MAX.unsigned_abs());

    // Both ends are exclusive; the smaller one applies.
    let by_query = root.limit.map(|limit| root.offset.unwrap_or(0).saturating_add(limit));
    let by_header = last.map(|last| last.saturating_add(1));
    let end = by_query.into_iter().chain(by_header).min();
    let end = end.map(|end| end.min(i64::MAX.unsigned_abs()));
    root.offset = Some(offset);
    root.limit = end.map(|end| end.saturating_sub(offset));
    Ok(())
}

/// Builds `Content-Range`: `first-last/total` of a page of rows (docs/protocol/rest.md, section 4.2).
pub(crate) fn content_range(offset: u64, rows: usize, total: Option<u64>) -> HeaderValue {
    let total = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
    let range = match u64::try_from(rows).unwrap_or(u64::MAX) {
        0 => format!("*/{total}"),
        rows => format!("{offset}-{}/{total}", offset.saturating_add(rows - 1)),
    };
    HeaderValue::try_from(range).expect("digits, `*`, `-` and `/` form a valid header value")
}
