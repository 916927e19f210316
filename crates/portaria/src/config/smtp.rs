//! The settings of the SMTP server and of the mail sender.

use std::net::IpAddr;

use anyhow::{Context, anyhow};
use email_address::{EmailAddress, Options};
use percent_encoding::percent_decode_str;
use portaria_mail::{Login, MailFrom, MailServer, Security};
use serde::Deserializer;
use url::Url;

use crate::config::units;

/// Default port of SMTP with implicit TLS (RFC 8314).
const TLS_PORT: u16 = 465;
/// Default port of message submission (RFC 6409).
const SUBMISSION_PORT: u16 = 587;

/// Deserializes the server's address.
pub(crate) fn smtp_url<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<MailServer>, D::Error> {
    units::optional(source, parse_server)
}

/// Deserializes the sender. Its name is empty if the setting contains none.
pub(crate) fn mail_from<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<MailFrom>, D::Error> {
    units::optional(source, |text| parse_sender(text, ""))
}

/// Parses the server's address. Error messages never quote it, because it contains a password.
pub(crate) fn parse_server(text: &str) -> anyhow::Result<MailServer> {
    let invalid = |why: &str| {
        anyhow!(
            "smtp_url: {why}; expected smtps://user:password@host or smtp://user:password@host:port, \
             with special characters in user and password written like %40"
        )
    };
    let url = Url::parse(text.trim()).map_err(|_| invalid("this is no address"))?;
    let host = host_of(&url).ok_or_else(|| invalid("there is no host"))?;
    if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
        return Err(invalid("there is something behind the host"));
    }
    let is_local = is_this_machine(&host);
    let security = match (url.scheme(), url.query()) {
        ("smtps", None) => Security::Tls,
        ("smtp", None) if is_local => Security::Plain,
        ("smtp", None | Some("tls=required")) => Security::StartTls,
        ("smtp", Some("tls=off")) => Security::Plain,
        ("smtp", Some(_)) => return Err(invalid("behind ? stands tls=required or tls=off")),
        ("smtps", Some(_)) => return Err(invalid("smtps takes nothing behind ?")),
        _ => return Err(invalid("it begins with neither smtp:// nor smtps://")),
    };
    let login = login_of(&url).map_err(invalid)?;
    let port = url.port().unwrap_or(match security {
        Security::Tls => TLS_PORT,
        Security::Plain | Security::StartTls => SUBMISSION_PORT,
    });
    Ok(MailServer { host, port, security, login, ca_file: None })
}

/// Returns the host of a server's address without brackets; `None` for an address without one.
pub(crate) fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    (!host.is_empty() && host.is_ascii() && !host.contains('%')).then(|| host.to_owned())
}

/// Returns whether a host is this machine.
pub(crate) fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Returns the credentials in a server's address; `None` if it contains neither user nor password.
///
/// # Errors
/// The reason, without the credentials.
pub(crate) fn login_of(url: &Url) -> Result<Option<Login>, &'static str> {
    let decoded = |text: &str| {
        let decoded = percent_decode_str(text).decode_utf8();
        decoded.map(String::from).map_err(|_| "user or password is no text")
    };
    let (user, password) = (decoded(url.username())?, decoded(url.password().unwrap_or_default())?);
    match (user.is_empty(), password.is_empty()) {
        (true, true) => Ok(None),
        (false, false) => Ok(Some(Login { user, password })),
        _ => Err("user and password belong together"),
    }
}

/// Parses `Name <address>`, or an address alone, whose name becomes the product name.
pub(crate) fn parse_sender(text: &str, product_name: &str) -> anyhow::Result<MailFrom> {
    let invalid = || anyhow!("mail_from: expected \"Name <name@example.com>\", got {text:?}");
    let (name, address) = match text.trim().strip_suffix('>') {
        Some(rest) => rest.rsplit_once('<').ok_or_else(invalid)?,
        None => ("", text.trim()),
    };
    let name = name.trim().trim_matches('"').trim();
    let name = if name.is_empty() { product_name } else { name };
    if !is_address(address) || name.contains(char::is_control) {
        return Err(invalid());
    }
    Ok(MailFrom { name: name.to_owned(), address: address.to_owned() })
}

/// The default sender: the user of `smtp_url` if it is an e-mail address, because most servers allow no other
/// sender, otherwise `no-reply` at the host of `site_url`.
pub(crate) fn default_sender(
    server: &MailServer,
    site_url: &str,
    product_name: &str,
) -> anyhow::Result<MailFrom> {
    let user = server.login.as_ref().map(|login| login.user.clone());
    let host = Url::parse(site_url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let no_reply = host.filter(|host| host.parse::<IpAddr>().is_err());
    let no_reply = no_reply.map(|host| format!("no-reply@{host}"));
    let address = [user, no_reply].into_iter().flatten().find(|text| is_address(text));
    let address = address
        .context("mail_from: must be set along with smtp_url, like \"Name <name@example.com>\"")?;
    Ok(MailFrom { name: product_name.to_owned(), address })
}

/// Returns whether `text` is a valid sender address. Not every server accepts non-ASCII characters in it.
pub(crate) fn is_address(text: &str) -> bool {
    let options =
        Options::default().with_required_tld().without_display_text().without_domain_literal();
    text.is_ascii()
        && text.len() <= 254
        && !text.contains(|c: char| c == '"' || c.is_control() || c.is_whitespace())
        && EmailAddress::parse_with_options(text, options).is_ok()
}

#[cfg(test)]
mod tests {
    use portaria_mail::{MailServer, Security};

    use crate::config::smtp::{default_sender, parse_sender, parse_server};

    fn server(text: &str) -> MailServer {
        parse_server(text).unwrap()
    }

    #[test]
    fn smtp_url_determines_port_and_encryption() {
        for (text, host, port, security) in [
            ("smtps://mail.example.com", "mail.example.com", 465, Security::Tls),
            ("smtp://mail.example.com", "mail.example.com", 587, Security::StartTls),
            ("smtp://mail.example.com:25?tls=off", "mail.example.com", 25, Security::Plain),
            ("smtp://mail.example.com/?tls=required", "mail.example.com", 587, Security::StartTls),
            ("smtp://localhost:1025", "localhost", 1025, Security::Plain),
            ("smtp://127.0.0.1", "127.0.0.1", 587, Security::Plain),
            ("smtp://[::1]:25", "::1", 25, Security::Plain),
            ("smtp://localhost?tls=required", "localhost", 587, Security::StartTls),
            ("smtps://localhost", "localhost", 465, Security::Tls),
        ] {
            let server = server(text);
            assert_eq!((server.host.as_str(), server.port), (host, port), "{text}");
            assert_eq!(server.security, security, "{text}");
        }
    }

    #[test]
    fn credentials_are_percent_decoded() {
        let login = server("smtp://portal%40a.com:s%C3%AA%2Fn%23ha%3F@mail.a.com").login.unwrap();
        assert_eq!((login.user.as_str(), login.password.as_str()), ("portal@a.com", "sê/n#ha?"));
        assert_eq!(server("smtp://mail.a.com").login, None);
    }

    #[test]
    fn invalid_smtp_url_is_refused_without_quoting_it() {
        for text in [
            "mail.example.com:587",
            "http://segredo@mail.example.com",
            "smtp://",
            "smtp://ana:segredo@",
            "smtp://ana@mail.example.com",
            "smtp://:segredo@mail.example.com",
            "smtp://ana:segredo@mail.example.com/box",
            "smtp://ana:segredo@mail.example.com?tls=perhaps",
            "smtps://ana:segredo@mail.example.com?tls=off",
            "smtp://ana:segr/edo@mail.example.com",
            "smtp://ana:%FF@mail.example.com",
        ] {
            let refusal = parse_server(text).unwrap_err().to_string();
            assert!(refusal.starts_with("smtp_url: "), "{refusal}");
            assert!(!refusal.contains("segr"), "{refusal}");
        }
    }

    #[test]
    fn sender_comes_from_settings_or_login() {
        let sender = |text: &str| parse_sender(text, "Portaria").unwrap().to_string();
        assert_eq!(sender("Prado Contábil <a@b.com.br>"), "Prado Contábil <a@b.com.br>");
        assert_eq!(sender("\"Prado, Contábil\" <a@b.com.br>"), "Prado, Contábil <a@b.com.br>");
        assert_eq!(sender("a@b.com.br"), "Portaria <a@b.com.br>");
        for text in ["Ana", "Ana <a>", "a@b.com>", "A\r\nBcc: x@y.com <a@b.com>", "é@b.com"] {
            let refusal = parse_sender(text, "Portaria").unwrap_err().to_string();
            assert!(refusal.starts_with("mail_from: "), "{refusal}");
        }
        let of = |url: &str, site: &str| {
            default_sender(&server(url), site, "Portaria").map(|sender| sender.to_string())
        };
        let site = "https://portal.example.com.br";
        assert_eq!(of("smtp://ana%40a.com:x@m.com", site).unwrap(), "Portaria <ana@a.com>");
        assert_eq!(
            of("smtp://apikey:x@m.com", site).unwrap(),
            "Portaria <no-reply@portal.example.com.br>"
        );
        of("smtp://apikey:x@m.com", "http://127.0.0.1:8080").unwrap_err();
        of("smtp://m.com", "http://localhost:8080").unwrap_err();
    }
}
