//! The settings of the mailbox that the portal reads, and of the files that reach the inbox without a browser.

use anyhow::anyhow;
use percent_encoding::percent_decode_str;
use portaria_mail::{MailServer, Security, imap::MailboxLocation};
use serde::Deserializer;
use url::Url;

use crate::config::{
    smtp::{host_of, is_address, is_this_machine, login_of},
    units,
};

/// Port of IMAP with implicit TLS (RFC 8314).
const TLS_PORT: u16 = 993;
/// Port of IMAP without TLS, on this machine.
const PLAIN_PORT: u16 = 143;
/// The folder of a mailbox that every server has (RFC 3501, section 5.1).
const DEFAULT_FOLDER: &str = "INBOX";
/// Maximum length of the part of an address before the @ (RFC 5321, section 4.5.3.1.1).
const MAX_LOCAL_PART: usize = 64;
/// Length of the sign and the token that make an address that of one ticket: a `+`, and 26 bytes in base32.
const TOKEN_LENGTH: usize = 43;

/// Deserializes the mailbox.
pub(crate) fn imap_url<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<MailboxLocation>, D::Error> {
    units::optional(source, parse_mailbox)
}

/// Parses the mailbox's address. Error messages never quote it, because it contains a password.
fn parse_mailbox(text: &str) -> anyhow::Result<MailboxLocation> {
    let invalid = |why: &str| {
        anyhow!(
            "imap_url: {why}; expected imaps://user:password@host, with special characters in user and password \
             written like %40, and /folder behind it for another folder than INBOX"
        )
    };
    let url = Url::parse(text.trim()).map_err(|_| invalid("this is no address"))?;
    let host = host_of(&url).ok_or_else(|| invalid("there is no host"))?;
    if url.fragment().is_some() || url.query().is_some() {
        return Err(invalid("there is something behind the folder"));
    }
    let security = match url.scheme() {
        "imaps" => Security::Tls,
        "imap" if is_this_machine(&host) => Security::Plain,
        "imap" => return Err(invalid("only a mailbox on this machine is read without TLS")),
        _ => return Err(invalid("it does not begin with imaps://")),
    };
    let login = login_of(&url).map_err(invalid)?;
    if login.is_none() {
        return Err(invalid("there is no user"));
    }
    let folder = percent_decode_str(url.path().trim_start_matches('/')).decode_utf8();
    let folder = folder.map_err(|_| invalid("the folder is no text"))?;
    let folder = if folder.is_empty() { DEFAULT_FOLDER.to_owned() } else { folder.into_owned() };
    let port = url.port().unwrap_or(match security {
        Security::Plain => PLAIN_PORT,
        Security::Tls | Security::StartTls => TLS_PORT,
    });
    Ok(MailboxLocation {
        server: MailServer { host, port, security, login, ca_file: None },
        folder,
    })
}

/// Deserializes the address for answers, in lower case.
pub(crate) fn reply_address<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<String>, D::Error> {
    units::optional(source, |text| {
        let address = text.trim().to_ascii_lowercase();
        let local = address.split('@').next().unwrap_or_default();
        let is_usable = is_address(&address)
            && !local.contains('+')
            && local.len() + TOKEN_LENGTH <= MAX_LOCAL_PART;
        let longest = MAX_LOCAL_PART - TOKEN_LENGTH;
        is_usable.then_some(address).ok_or_else(|| {
            anyhow!(
                "expected an address with at most {longest} characters before the @, and without +"
            )
        })
    })
}

/// Deserializes the addresses whose attachments reach the inbox, in lower case.
pub(crate) fn senders<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    units::list(source, "an address", |text| {
        Some(text.trim().to_ascii_lowercase()).filter(|address| is_address(address))
    })
}

#[cfg(test)]
mod tests {
    use portaria_mail::Security;

    use crate::config::mailbox::parse_mailbox;

    #[test]
    fn imap_url_determines_port_encryption_and_folder() {
        for (text, host, port, security, folder) in [
            ("imaps://a%40b.com:x@mail.b.com", "mail.b.com", 993, Security::Tls, "INBOX"),
            ("imaps://a:x@mail.b.com:994/Portal", "mail.b.com", 994, Security::Tls, "Portal"),
            (
                "imap://a:x@localhost/Minha%20caixa",
                "localhost",
                143,
                Security::Plain,
                "Minha caixa",
            ),
            ("imap://a:x@127.0.0.1:1143/", "127.0.0.1", 1143, Security::Plain, "INBOX"),
        ] {
            let mailbox = parse_mailbox(text).unwrap();
            let server = &mailbox.server;
            assert_eq!((server.host.as_str(), server.port), (host, port), "{text}");
            assert_eq!((server.security, mailbox.folder.as_str()), (security, folder), "{text}");
        }
        let login =
            parse_mailbox("imaps://a%40b.com:s%2F@mail.b.com").unwrap().server.login.unwrap();
        assert_eq!((login.user.as_str(), login.password.as_str()), ("a@b.com", "s/"));
    }

    #[test]
    fn invalid_imap_url_is_refused_without_quoting_it() {
        for text in [
            "mail.example.com",
            "imap://ana:segredo@mail.example.com",
            "imaps://mail.example.com",
            "imaps://ana@mail.example.com",
            "imaps://ana:segredo@",
            "imaps://ana:segredo@mail.example.com?tls=off",
            "https://ana:segredo@mail.example.com",
        ] {
            let refusal = parse_mailbox(text).unwrap_err().to_string();
            assert!(refusal.starts_with("imap_url: "), "{refusal}");
            assert!(!refusal.contains("segr"), "{refusal}");
        }
    }
}
