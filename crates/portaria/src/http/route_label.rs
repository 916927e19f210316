//! What the log and the figures call a request: its route, never its address, which says who is asked about.

use std::borrow::Cow;

use axum::{
    extract::{MatchedPath, Request},
    http::Method,
};

use crate::schema::tables;

/// The table's route, of which each table is told apart.
const TABLE: &str = "/rest/v1/{table}";
/// Where what leads nowhere would have led.
const API_PREFIXES: [&str; 5] = ["/assets/", "/auth/v1/", "/own/v1/", "/rest/v1/", "/storage/v1/"];

/// The route that a request takes.
pub(crate) fn label(request: &Request) -> Cow<'static, str> {
    let path = request.uri().path();
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    match matched.filter(|route| !route.contains("__private")) {
        Some(TABLE) => match path.rsplit('/').next().and_then(tables::table) {
            Some(table) => format!("/rest/v1/{}", table.name).into(),
            None => TABLE.into(),
        },
        Some(route) => route.to_owned().into(),
        None => {
            let room = API_PREFIXES.iter().find(|room| path.starts_with(**room)).unwrap_or(&"/");
            format!("{room}*").into()
        }
    }
}

/// The method, if it is one of ours.
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
