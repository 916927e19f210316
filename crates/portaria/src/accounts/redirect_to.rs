//! Targets of mailed links: pages of the portal and addresses on the operator's allow list (`docs/protocol/auth.md`,
//! section 5.5). Any other target is replaced silently, which prevents an open redirect (OWASP: unvalidated redirects).

use std::net::IpAddr;

use url::{Host, Url};

use crate::config::Config;

/// The requested target of a link, if it is allowed.
#[derive(Debug, Clone, Default)]
pub struct Redirect(Option<Url>);

impl Redirect {
    /// Parses a target. Returns `None` if it is not allowed.
    pub(crate) fn parse(config: &Config, text: &str) -> Option<Self> {
        allowed(config, text).map(|url| Self(Some(url)))
    }

    /// Replaces the target, if the new one is allowed.
    pub(crate) fn prefer(self, config: &Config, target: Option<&str>) -> Self {
        Self(target.and_then(|text| allowed(config, text)).or(self.0))
    }

    /// Returns the target, or the portal's own address if none was requested or allowed.
    pub(crate) fn target(&self, config: &Config) -> Url {
        self.0.clone().unwrap_or_else(|| site(config))
    }

    /// Returns whether the target is unset or this page of the portal.
    pub(crate) fn is_page(&self, config: &Config, path: &str) -> bool {
        self.0.as_ref().is_none_or(|url| {
            url.origin() == site(config).origin() && url.path() == path && url.query().is_none()
        })
    }

    /// Returns whether the target was requested and is this page of the portal.
    pub(crate) fn is_requested_page(&self, config: &Config, path: &str) -> bool {
        self.0.is_some() && self.is_page(config, path)
    }
}

fn site(config: &Config) -> Url {
    Url::parse(&config.site_url).expect("the configuration validates site_url")
}

/// Returns the parsed address, if it is allowed. It is parsed as browsers parse it, and the parsed form is sent, so
/// that validation and browser agree on one reading.
fn allowed(config: &Config, text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok()?;
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    let site = site(config);
    // Native apps listen on an arbitrary port of the loopback address (RFC 8252, section 7.3).
    let same_port =
        url.port_or_known_default() == site.port_or_known_default() || is_loopback(&url);
    if url.scheme() == site.scheme() && url.host() == site.host() && same_port {
        return Some(url);
    }
    let is_listed = |listed: &Url| {
        listed.scheme() == url.scheme()
            && listed.host() == url.host()
            && listed.port_or_known_default() == url.port_or_known_default()
            && listed.path() == url.path()
    };
    config.redirect_urls.iter().any(is_listed).then_some(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(v4)) => IpAddr::V4(v4).is_loopback(),
        Some(Host::Ipv6(v6)) => IpAddr::V6(v6).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::accounts::redirect_to::allowed;
    use crate::config::sources::ConfigSources;

    #[test]
    fn redirect_targets_are_limited_to_site_and_allow_list() {
        let mut settings = ConfigSources::defaults();
        settings.set("site_url", "https://portal.example.com").unwrap();
        settings.set("redirect_urls", "https://app.example.com/welcome,myapp://callback").unwrap();
        let config = settings.read().unwrap();
        for (text, expected) in [
            ("https://portal.example.com/a?b=c#d", Some("https://portal.example.com/a?b=c")),
            ("https://PORTAL.example.com:443", Some("https://portal.example.com/")),
            ("https://app.example.com/welcome?x=1", Some("https://app.example.com/welcome?x=1")),
            ("myapp://callback", Some("myapp://callback")),
            ("https://app.example.com/welcome/more", None),
            ("https://app.example.com/", None),
            ("http://portal.example.com/", None),
            ("https://portal.example.com:8443/", None),
            ("https://portal.example.com.evil.example/", None),
            ("https://portal.example.com@evil.example/", None),
            ("https://evil@portal.example.com/", None),
            ("https:/\\evil.example", None),
            ("//evil.example", None),
            ("/welcome", None),
            ("javascript:alert(1)", None),
            ("https://3232235777/", None),
            ("https://192.168.1.1/", None),
            ("otherapp://callback", None),
            ("", None),
        ] {
            assert_eq!(allowed(&config, text).as_ref().map(url::Url::as_str), expected, "{text}");
        }
        let config = ConfigSources::defaults().read().unwrap();
        assert!(allowed(&config, "http://127.0.0.1:5173/x").is_some());
        assert!(allowed(&config, "http://localhost:5173/x").is_none());
    }
}
