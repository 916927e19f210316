//! Requests in the form of the client library, and assertions about responses.

use std::net::SocketAddr;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::ConnectInfo,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
};
use http_body_util::BodyExt;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use tower::ServiceExt;

use crate::harness::TestUser;

/// A request before it is sent.
#[must_use]
pub(crate) struct Request {
    router: Router,
    method: String,
    path: String,
    headers: HeaderMap,
    body: Body,
    peer: Option<SocketAddr>,
}

impl Request {
    pub(crate) fn new(router: Router, method: &str, path: &str) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        let headers = HeaderMap::new();
        Self { router, method, path, headers, body: Body::empty(), peer: None }
            .header("host", "portal.test")
    }

    /// Adds a percent-encoded query parameter.
    pub(crate) fn query(mut self, name: &str, value: &str) -> Self {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        let [name, value] = [name, value].map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC));
        self.path = format!("{}{separator}{name}={value}", self.path);
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        self.headers.insert(name.parse::<HeaderName>().unwrap(), value);
        self
    }

    pub(crate) fn without(mut self, header: &str) -> Self {
        self.headers.remove(header);
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn auth(self, user: &TestUser) -> Self {
        self.bearer(&user.token)
    }

    /// Sets the network address of the sender.
    pub(crate) fn from(mut self, address: &str) -> Self {
        self.peer = Some(SocketAddr::new(address.parse().unwrap(), 50_000));
        self
    }

    pub(crate) fn prefer(self, preferences: &str) -> Self {
        self.header("prefer", preferences)
    }

    /// Requests a single object, like `.select().single()` of the client library.
    pub(crate) fn single(self) -> Self {
        self.prefer("return=representation").header("accept", "application/vnd.pgrst.object+json")
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.bytes("application/json", body.to_string())
    }

    pub(crate) fn bytes(self, kind: &str, body: impl Into<Bytes>) -> Self {
        self.body(kind, Body::from(body.into()))
    }

    pub(crate) fn body(mut self, kind: &str, body: Body) -> Self {
        self.body = body;
        self.header("content-type", kind)
    }

    /// Sends a form with one file, like the client library with a `File`.
    pub(crate) fn form(self, file_name: &str, kind: &str, bytes: &[u8]) -> Self {
        let mut body =
            b"--b\r\ncontent-disposition: form-data; name=\"cacheControl\"\r\n\r\n3600\r\n"
                .to_vec();
        body.extend(part(file_name, kind, bytes));
        body.extend(b"--b--\r\n");
        self.bytes("multipart/form-data; boundary=b", body)
    }

    pub(crate) async fn send(self) -> Answer {
        self.try_send().await.expect("the response is complete")
    }

    /// Sends the request. `None` if the response breaks off.
    pub(crate) async fn try_send(self) -> Option<Answer> {
        let mut request =
            axum::http::Request::builder().method(self.method.as_str()).uri(&self.path);
        *request.headers_mut().unwrap() = self.headers;
        if let Some(peer) = self.peer {
            request = request.extension(ConnectInfo(peer));
        }
        let response = self.router.oneshot(request.body(self.body).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.ok()?.to_bytes();
        let question = format!("{} {}", self.method, self.path);
        Some(Answer { question, status: parts.status, headers: parts.headers, body })
    }
}

/// The part of a form that contains the file.
pub(crate) fn part(file_name: &str, kind: &str, bytes: &[u8]) -> Vec<u8> {
    let mut part = format!(
        "--b\r\ncontent-disposition: form-data; name=\"\"; filename=\"{file_name}\"\r\ncontent-type: {kind}\r\n\r\n"
    )
    .into_bytes();
    part.extend(bytes);
    part.extend(b"\r\n");
    part
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Answer {
    question: String,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Asserts the status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}: {}", self.question, self.text());
        self
    }

    /// Asserts an error: status, code, a JSON body, and the request id in a header.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, code: &str) -> Self {
        let answer = self.is(status);
        let body = answer.json();
        let found = body["error_code"].as_str().or_else(|| body["code"].as_str());
        assert_eq!(found, Some(code), "{}: {body}", answer.question);
        assert!(answer.headers.contains_key("x-request-id"), "{}", answer.question);
        answer
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{}: {error} in {:?}", self.question, self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The text of a header; empty if it is missing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Everything that the caller can observe, except values that differ between any two requests.
    pub(crate) fn seen(mut self) -> (StatusCode, HeaderMap, Bytes) {
        self.headers.remove("x-request-id");
        self.headers.remove("sb-request-id");
        // The header repeats the path of the request.
        self.headers.remove("content-location");
        (self.status, self.headers, self.body)
    }
}
