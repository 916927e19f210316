//! The IP address of a request's origin. `X-Forwarded-For` is used only if the peer of the socket is a trusted proxy,
//! and is read from the right, because a client can send any addresses to the left of the one that the proxy appends.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

use axum::{
    extract::{ConnectInfo, Request, State},
    http::HeaderMap,
    middleware::Next,
    response::Response,
};
use ipnet::IpNet;

use crate::{app::App, security::rate_limit::ClientAddr};

const FORWARDED: &str = "x-forwarded-for";

/// Adds the [`ClientAddr`] for the handlers.
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
    request.extensions_mut().insert(ClientAddr::new(address));
    next.run(request).await
}

fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted =
        |address: IpAddr| trusted.iter().any(|network| network.contains(&address.to_canonical()));
    // Several header lines are one list, in their order.
    let hops: Vec<&str> = headers
        .get_all(FORWARDED)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    let mut address = peer;
    for hop in hops.into_iter().rev() {
        if !is_trusted(address) {
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
