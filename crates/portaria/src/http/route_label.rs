//! Route labels for the log and the metrics. A label is a route pattern and never an address, because an address
//! contains IDs of people.

use std::borrow::Cow;

use axum::{
    extract::{MatchedPath, Request},
    http::Method,
};

use crate::schema::tables;

/// The route pattern that is expanded to one label per table.
const TABLE: &str = "/rest/v1/{table}";
/// The label of all functions.
const FUNCTION: &str = "/rest/v1/rpc/{function}";
/// Prefixes of the labels for paths that match no route.
const API_PREFIXES: [&str; 5] =
    ["/assets/", "/auth/v1/", "/account/v1/", "/rest/v1/", "/storage/v1/"];

/// Returns the label of a request.
pub(crate) fn label(request: &Request) -> Cow<'static, str> {
    let path = request.uri().path();
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    match matched.filter(|route| !route.contains("__private")) {
        Some(TABLE) => match path.rsplit('/').next().and_then(tables::find_table) {
            Some(table) => format!("/rest/v1/{}", table.name).into(),
            None => TABLE.into(),
        },
        Some(route) if route.starts_with("/rest/v1/rpc/") => FUNCTION.into(),
        Some(route) => route.to_owned().into(),
        None => {
            let prefix =
                API_PREFIXES.iter().find(|prefix| path.starts_with(**prefix)).unwrap_or(&"/");
            format!("{prefix}*").into()
        }
    }
}

/// Returns the method, or `OTHER` for an unknown one.
pub(crate) fn method(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "OTHER",
    }
}
