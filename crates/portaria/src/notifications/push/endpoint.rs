//! Endpoints of push services. Browsers name them, so a caller could name any address: only the addresses of known
//! services are accepted, and only public network addresses are connected to (OWASP: Server-Side Request Forgery).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Maximum length of an endpoint.
const MAX_CHARS: usize = 1_000;

/// The services of Chrome and Edge on Android, Firefox, and Safari.
const HOSTS: [&str; 3] =
    ["fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com"];
/// The services whose hosts have regional names: those of Safari, and of Edge on Windows.
const DOMAINS: [&str; 2] = [".push.apple.com", ".notify.windows.com"];

/// Parses an endpoint. `None` unless it is an `https` address of a known push service at the standard port.
#[must_use]
pub fn parse(text: &str) -> Option<Url> {
    if text.len() > MAX_CHARS {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let Some(Host::Domain(host)) = url.host() else { return None };
    let is_known = HOSTS.contains(&host) || DOMAINS.iter().any(|domain| host.ends_with(domain));
    let has_extras = url.port().is_some()
        || !url.username().is_empty()
        || url.password().is_some()
        || url.fragment().is_some();
    // Otherwise one subscription could have two spellings.
    let is_normal = url.as_str() == text;
    (url.scheme() == "https" && is_known && !has_extras && is_normal).then_some(url)
}

/// Returns whether an address belongs to the public Internet (IANA special-purpose registries, RFC 6890).
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

/// Global unicast (`2000::/3`), without the ranges that embed IPv4 addresses or are reserved for special purposes.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_special = match first {
        0x2001 => second < 0x200 || second == 0xdb8,
        0x2002 | 0x3fff => true,
        _ => false,
    };
    first & 0xe000 == 0x2000 && !is_special
}

#[cfg(test)]
mod tests {
    use crate::notifications::push::endpoint::{is_public, parse};

    #[test]
    fn endpoints_of_known_services_are_accepted() {
        for text in [
            "https://fcm.googleapis.com/fcm/send/abc:def",
            "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
            "https://web.push.apple.com/QGuQyavXutnMH",
            "https://db5p.notify.windows.com/w/?token=BQYAAAD%2b",
        ] {
            assert!(parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_endpoints_are_rejected() {
        for text in [
            "",
            "fcm.googleapis.com/x",
            "http://fcm.googleapis.com/x",
            "https://fcm.googleapis.com:8443/x",
            "https://fcm.googleapis.com@127.0.0.1/x",
            "https://user@fcm.googleapis.com/x",
            "https://fcm.googleapis.com/x#y",
            "https://fcm.googleapis.com./x",
            "https://FCM.googleapis.com/x",
            "https://fcm.googleapis.com\\@127.0.0.1/x",
            "https://fcm.googleapis.com.example.com/x",
            "https://evilnotify.windows.com/x",
            "https://notify.windows.com/x",
            "https://xfcm.googleapis.com/x",
            "https://storage.googleapis.com/x",
            "https://127.0.0.1/x",
            "https://[::1]/x",
            "https://localhost/x",
            "https://169.254.169.254/latest/meta-data",
            "file:///etc/passwd",
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
        let long = format!("https://fcm.googleapis.com/{}", "a".repeat(1_000));
        assert!(parse(&long).is_none());
    }

    #[test]
    fn private_addresses_are_not_public() {
        for text in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.255.255",
            "192.168.0.1",
            "192.0.0.8",
            "198.19.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "fc00::1",
            "fe80::1",
            "ff02::1",
            "2001:db8::1",
            "2002:7f00:1::",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in ["142.250.79.10", "172.32.0.1", "2800:3f0:4001::200a", "::ffff:8.8.8.8"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
