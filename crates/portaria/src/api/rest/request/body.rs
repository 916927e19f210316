//! Bodies of requests: JSON, and for writes of rows also CSV and forms (docs/protocol/rest.md, section 1.4).

use std::{collections::BTreeSet, str};

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header},
};
use serde_json::{Map, Value};

use crate::{
    accounts::authenticate::Credential,
    api::{
        json_body::{self, BodyError, JsonError, MAX_VALUES},
        query_string::{decode, query_pairs},
        rest::RestError,
    },
    app::App,
    db::json::contains_nul,
};

/// Reads the body as JSON. An empty body is `{}`, as a function without arguments is called.
///
/// # Errors
/// PGRST102 for another content type, a body that is too large, or invalid JSON; 22P05 for a NUL character; 53200 if
/// the caller sends several large bodies already.
pub(crate) async fn read_arguments(
    app: &App,
    credential: &Credential,
    headers: &HeaderMap,
    body: Body,
) -> Result<Value, RestError> {
    let kind = content_type(headers);
    if !kind.starts_with("application/json") {
        return Err(unacceptable(&kind));
    }
    match read(app, credential, body).await?.as_ref() {
        [] => Ok(Value::Object(Map::new())),
        bytes => parse_json(bytes),
    }
}

/// Reads the rows of a write: JSON, CSV with a header record, or a form, which is one row. The values of CSV and of forms
/// are texts, and `NULL` in CSV is null.
///
/// # Errors
/// Like [`read_arguments`].
pub(crate) async fn read_rows(
    app: &App,
    credential: &Credential,
    headers: &HeaderMap,
    body: Body,
) -> Result<Value, RestError> {
    let kind = content_type(headers);
    let parse = match kind.split(';').next().map(str::trim) {
        Some("text/csv") => parse_csv,
        Some("application/x-www-form-urlencoded") => parse_form,
        _ if kind.starts_with("application/json") => parse_json,
        _ => return Err(unacceptable(&kind)),
    };
    parse(&read(app, credential, body).await?)
}

fn content_type(headers: &HeaderMap) -> String {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.unwrap_or("application/json").to_ascii_lowercase()
}

fn unacceptable(kind: &str) -> RestError {
    RestError::bad_request("PGRST102", format!("Content-Type not acceptable: {kind}"))
}

async fn read(app: &App, credential: &Credential, body: Body) -> Result<Bytes, RestError> {
    json_body::read(app, credential, body).await.map_err(|error| match error {
        BodyError::TooLarge => RestError::body_too_large(),
        BodyError::TooMany => RestError::out_of_memory(),
    })
}

fn parse_json(bytes: &[u8]) -> Result<Value, RestError> {
    json_body::parse(bytes).map_err(|error| match error {
        JsonError::Invalid(_) => RestError::bad_request("PGRST102", "Empty or invalid json"),
        JsonError::TooManyValues => RestError::body_too_large(),
        JsonError::Nul => RestError::nul_byte(),
    })
}

fn parse_csv(bytes: &[u8]) -> Result<Value, RestError> {
    let invalid = |_| RestError::bad_request("PGRST102", "Empty or invalid csv");
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let header = reader.headers().map_err(invalid)?.clone();
    if header.is_empty() {
        return Err(RestError::bad_request("PGRST102", "Empty or invalid csv"));
    }
    let names: BTreeSet<&str> = header.iter().collect();
    if names.len() < header.len() {
        return Err(repeated_column());
    }
    let (mut rows, mut values) = (Vec::new(), header.len());
    for record in reader.records() {
        let record = record.map_err(invalid)?;
        if record.len() != header.len() {
            let message = "All lines must have same number of fields";
            return Err(RestError::bad_request("PGRST102", message));
        }
        values += record.len();
        if values > MAX_VALUES {
            return Err(RestError::body_too_large());
        }
        let cells = header.iter().zip(&record).map(|(name, text)| {
            (name.to_owned(), if text == "NULL" { Value::Null } else { text.into() })
        });
        rows.push(Value::Object(cells.collect()));
    }
    without_nul(Value::Array(rows))
}

fn parse_form(bytes: &[u8]) -> Result<Value, RestError> {
    let invalid = || RestError::bad_request("PGRST102", "The form is not valid UTF-8");
    let text = str::from_utf8(bytes).map_err(|_| invalid())?;
    let mut row = Map::new();
    for pair in query_pairs(text) {
        let name = decode(pair.name).ok_or_else(invalid)?;
        let value = decode(pair.value.unwrap_or_default()).ok_or_else(invalid)?;
        if row.insert(name, value.into()).is_some() {
            return Err(repeated_column());
        }
        if row.len() > MAX_VALUES {
            return Err(RestError::body_too_large());
        }
    }
    without_nul(Value::Object(row))
}

fn repeated_column() -> RestError {
    RestError::bad_request("PGRST102", "A column is given more than once")
}

fn without_nul(value: Value) -> Result<Value, RestError> {
    if contains_nul(&value) { Err(RestError::nul_byte()) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::api::{
        json_body::MAX_VALUES,
        rest::request::body::{parse_csv, parse_form},
    };

    #[test]
    fn csv_becomes_rows_of_texts() {
        for (csv, expected) in [
            ("a,b\n1,x\n", json!([{"a": "1", "b": "x"}])),
            (
                "a,b\r\n,NULL\r\n\r\n2,\"y,\"\"\nz\"",
                json!([
                    {"a": "", "b": null},
                    {"a": "2", "b": "y,\"\nz"},
                ]),
            ),
            ("\u{feff}a\nção", json!([{"a": "ção"}])),
            ("a,b", json!([])),
        ] {
            assert_eq!(parse_csv(csv.as_bytes()).unwrap(), expected, "{csv:?}");
        }
        let many = "1,".repeat(MAX_VALUES);
        for csv in [
            "",
            "\n\n",
            "a,b\n1",
            "a\n1,2",
            "a,a\n1,2",
            "a\n\0",
            "a\n\"\0\"",
            &format!("{many}\n{many}"),
        ] {
            assert!(parse_csv(csv.as_bytes()).is_err(), "{csv:.20?}");
        }
        assert!(parse_csv(b"a\n\xff").is_err());
    }

    #[test]
    fn form_becomes_a_row_of_texts() {
        let row = parse_form(b"name=Jo%C3%A3o+Silva&age=50&empty=&flag").unwrap();
        assert_eq!(row, json!({"name": "João Silva", "age": "50", "empty": "", "flag": ""}));
        assert_eq!(parse_form(b"").unwrap(), json!({}));
        for form in ["a=1&a=2", "a=%FF", "a=%00"] {
            assert!(parse_form(form.as_bytes()).is_err(), "{form}");
        }
    }
}
