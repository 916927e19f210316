//! The SMTP server, and the sender of mails.

use std::{fmt, path::PathBuf};

/// The SMTP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailServer {
    /// The host name, which the certificate must match.
    pub host: String,
    /// The TCP port.
    pub port: u16,
    /// The encryption of the connection.
    pub security: Security,
    /// The credentials; `None` for no authentication.
    pub login: Option<Login>,
    /// A PEM file with certificate authorities to trust in addition to the public ones.
    pub ca_file: Option<PathBuf>,
}

impl MailServer {
    /// Returns whether the credentials travel unencrypted to another machine.
    #[must_use]
    pub fn exposes_login(&self) -> bool {
        let is_local = ["localhost", "127.0.0.1", "::1"].contains(&self.host.as_str());
        self.security == Security::Plain && self.login.is_some() && !is_local
    }
}

/// The encryption of a connection. There is no fallback: a server that lacks it receives no mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// No encryption.
    Plain,
    /// TLS after the command STARTTLS.
    StartTls,
    /// TLS from the first byte.
    Tls,
}

/// User name and password.
#[derive(Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the field names are sufficient")]
pub struct Login {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

/// The sender of mails.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the field names are sufficient")]
pub struct MailFrom {
    pub name: String,
    pub address: String,
}

impl fmt::Display for MailFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <{}>", self.name, self.address)
    }
}
