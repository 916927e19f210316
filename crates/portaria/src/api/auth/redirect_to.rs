//! Where a mailed link may lead: to the portal, or to an address on the operator's list. Anything else is
//! replaced without a word, so that nobody can borrow our links for theirs (security F18).

use std::{convert::Infallible, net::IpAddr, sync::Arc};

use axum::{
    extract::FromRequestParts,
    http::{header::REFERER, request::Parts},
};
use url::{Host, Url};

use crate::api::auth::query;
use crate::{app::App, config::Config};

const NAME: &str = "redirect_to";

/// Where the caller wants a link to lead, if it may lead there.
#[derive(Debug, Clone)]
pub struct Redirect(Option<Url>);

impl FromRequestParts<Arc<App>> for Redirect {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let header = |name: &str| {
            parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let asked = header(NAME).or_else(|| query::param(parts.uri.query(), NAME));
        let allowed = |text: String| allowed(&app.config, &text);
        Ok(Self(asked.and_then(allowed).or_else(|| header(REFERER.as_str()).and_then(allowed))))
    }
}

impl Redirect {
    /// Prefers another wish, if that may be.
    pub(crate) fn prefer(self, config: &Config, asked: Option<&str>) -> Self {
        Self(asked.and_then(|text| allowed(config, text)).or(self.0))
    }

    /// The target; the portal itself if no other was asked for, or none that may be.
    pub(crate) fn target(&self, config: &Config) -> Url {
        self.0.clone().unwrap_or_else(|| site(config))
    }

    /// Whether nobody asked for another place than a page of the portal.
    pub(crate) fn is_page(&self, config: &Config, path: &str) -> bool {
        self.0.as_ref().is_none_or(|url| {
            url.origin() == site(config).origin() && url.path() == path && url.query().is_none()
        })
    }
}

fn site(config: &Config) -> Url {
    Url::parse(&config.site_url).expect("the settings hold an address")
}

/// The address as it will be written, if it may be used. It is parsed as browsers parse it, and what was
/// parsed is what is sent: no two readings of one text.
fn allowed(config: &Config, text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok()?;
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    let site = site(config);
    // Programs on one's own machine listen on a port of their choice (RFC 8252 §7.3).
    let same_port =
        url.port_or_known_default() == site.port_or_known_default() || is_loopback(&url);
    if url.scheme() == site.scheme() && url.host() == site.host() && same_port {
        return Some(url);
    }
    let same = |listed: &Url| {
        listed.scheme() == url.scheme()
            && listed.host() == url.host()
            && listed.port_or_known_default() == url.port_or_known_default()
            && listed.path() == url.path()
    };
    config.redirect_urls.iter().any(same).then_some(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(four)) => IpAddr::V4(four).is_loopback(),
        Some(Host::Ipv6(six)) => IpAddr::V6(six).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::api::auth::redirect_to::allowed;
    use crate::config::sources::ConfigSources;

    #[test]
    fn only_the_portal_and_the_list_are_allowed() {
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
