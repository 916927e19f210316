//! The IP address of a request's origin. `X-Forwarded-For` is used only if the peer of the socket is a trusted proxy,
//! and is read from the right, because a client can send any addresses to the left of the one that the proxy appends.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    Error, Json,
    body::{Body, Bytes, HttpBody},
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use hyper::body::{Frame, SizeHint};
use ipnet::IpNet;
use serde_json::json;

use crate::{
    api::retry_after,
    app::App,
    security::{concurrency_limit::ConcurrencyPermit, rate_limit::ClientAddr},
};

const FORWARDED: &str = "x-forwarded-for";

/// Adds the [`ClientAddr`] for the handlers. Refuses a request behind a trusted proxy if its address has too many
/// requests in progress: the connections are the proxy's, and `server.rs` counts only those of visitors.
pub(crate) async fn layer(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    // There is no socket when a program, such as a test, calls the router directly.
    let peer = request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(Ipv4Addr::LOCALHOST.into(), |ConnectInfo(peer)| peer.ip());
    let address = client_address(peer, request.headers(), &app.config.trusted_proxies);
    let origin = ClientAddr::new(address);
    request.extensions_mut().insert(origin);
    if address == peer {
        return next.run(request).await;
    }
    let Some(permit) = app.connections.acquire(origin) else { return too_many_connections() };
    next.run(request).await.map(|body| Body::new(PermitBody { body, _permit: permit }))
}

/// Whether an address is a trusted proxy.
pub(crate) fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|network| network.contains(&address.to_canonical()))
}

fn too_many_connections() -> Response {
    let body = json!({
        "code": "too_many_connections", "message": "Too many requests of this address are in progress",
        "details": null, "hint": null,
    });
    retry_after::add((StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response(), None)
}

/// A response body that holds a permit until it was sent.
struct PermitBody {
    body: Body,
    _permit: ConcurrencyPermit<ClientAddr>,
}

impl HttpBody for PermitBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    // Several header lines are one list, in their order.
    let hops: Vec<&str> = headers
        .get_all(FORWARDED)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    let mut address = peer;
    for hop in hops.into_iter().rev() {
        if !is_trusted(address, trusted) {
            break;
        }
        let hop = hop.trim();
        let Ok(next) = hop.parse::<IpAddr>().or_else(|_| hop.parse().map(|a: SocketAddr| a.ip()))
        else {
            break;
        };
        address = next;
    }
    address
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;

    use crate::http::middleware::client_ip::client_address;

    #[test]
    fn forwarded_header_counts_only_from_trusted_proxies() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        for (peer, forwarded, expected) in [
            ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "1.2.3.4,198.51.100.1, 10.2.0.1", "198.51.100.1"),
            ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
            ("10.0.0.1", "nonsense", "10.0.0.1"),
            ("10.0.0.1", "1.2.3.4, nonsense, 10.2.0.1", "10.2.0.1"),
            ("::ffff:10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            let found = client_address(peer.parse().unwrap(), &headers, &trusted);
            assert_eq!(found.to_string(), expected, "{peer} {forwarded}");
        }
    }
}
