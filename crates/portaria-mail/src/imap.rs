//! A mailbox that is read over IMAP (RFC 3501). The mailbox is opened read-only: nothing in it changes, not even the mark
//! of a read message.
//!
//! Only implicit TLS is spoken (RFC 8314), except to a server on this machine.

use std::{fmt, path::Path, sync::Arc, time::Duration};

use async_imap::{Client, Session, error::Error};
use base64::{
    Engine, alphabet,
    engine::{GeneralPurpose, general_purpose::NO_PAD},
};
use futures_util::TryStreamExt;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use crate::{MailServer, Security};

/// Timeout for connecting, TLS and sign-in together.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout for the answer to a command.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(1);
/// Timeout for the content of a message.
const MESSAGE_TIMEOUT: Duration = Duration::from_mins(5);

/// Maximum number of bytes of a header that is read alone.
const MAX_HEADER: u32 = 64 * 1024;

/// The mailbox: its server and its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailboxLocation {
    /// The server. [`Security::StartTls`] is not supported.
    pub server: MailServer,
    /// The folder, for example `INBOX`.
    pub folder: String,
}

/// A place in the order of the messages of a mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailboxPosition {
    /// The server's mark of the numbering. Numbers of another mark are not comparable (RFC 3501, section 2.3.1.1).
    pub uid_validity: u32,
    /// The lowest number of the messages that follow.
    pub next_uid: u32,
}

/// The mailbox could not be read. The sentence is for the operator and contains no credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MailboxError(String);

trait Connection: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug> Connection for T {}

/// An open mailbox.
pub struct OpenMailbox {
    session: Session<Box<dyn Connection>>,
    /// The position behind the last message at the time of opening.
    end: MailboxPosition,
}

impl OpenMailbox {
    /// Connects, signs in and opens the folder.
    ///
    /// # Errors
    /// [`MailboxError`]: the server cannot be reached, its certificate is not trusted, or it refuses credentials or
    /// folder.
    pub async fn open(location: &MailboxLocation) -> Result<Self, MailboxError> {
        let opened = timeout(CONNECT_TIMEOUT, open(location)).await;
        opened.unwrap_or_else(|_| Err(no_answer(&location.server)))
    }

    /// The position behind the last message at the time of opening.
    #[must_use]
    pub fn end(&self) -> MailboxPosition {
        self.end
    }

    /// Returns the numbers of the messages from `first` on, in ascending order.
    ///
    /// # Errors
    /// [`MailboxError`].
    pub async fn messages_from(&mut self, first: u32) -> Result<Vec<u32>, MailboxError> {
        let found = self.session.uid_search(format!("UID {first}:*"));
        let found = within(COMMAND_TIMEOUT, found).await?;
        // `n:*` contains the last message even if its number is lower than n.
        let mut uids: Vec<u32> = found.into_iter().filter(|uid| *uid >= first).collect();
        uids.sort_unstable();
        Ok(uids)
    }

    /// Returns the size of a message in bytes, or `None` if it was deleted.
    ///
    /// # Errors
    /// [`MailboxError`].
    pub async fn size(&mut self, uid: u32) -> Result<Option<u32>, MailboxError> {
        let read = async {
            let found = self.session.uid_fetch(uid.to_string(), "(UID RFC822.SIZE)").await?;
            found.try_collect::<Vec<_>>().await
        };
        let found = within(COMMAND_TIMEOUT, read).await?;
        Ok(found.iter().filter(|fetch| fetch.uid == Some(uid)).find_map(|fetch| fetch.size))
    }

    /// Reads a message, or returns `None` if it was deleted.
    ///
    /// # Errors
    /// [`MailboxError`].
    pub async fn read(&mut self, uid: u32) -> Result<Option<Vec<u8>>, MailboxError> {
        let read = async {
            let found = self.session.uid_fetch(uid.to_string(), "(UID BODY.PEEK[])").await?;
            found.try_collect::<Vec<_>>().await
        };
        let found = within(MESSAGE_TIMEOUT, read).await?;
        let of_uid = found.iter().filter(|fetch| fetch.uid == Some(uid));
        Ok(of_uid.filter_map(|fetch| fetch.body()).map(<[u8]>::to_vec).next())
    }

    /// Reads the header of a message, at most `MAX_HEADER` bytes of it, or returns `None` if it was deleted.
    ///
    /// # Errors
    /// [`MailboxError`].
    pub async fn read_header(&mut self, uid: u32) -> Result<Option<Vec<u8>>, MailboxError> {
        let read = async {
            let part = format!("(UID BODY.PEEK[HEADER]<0.{MAX_HEADER}>)");
            let found = self.session.uid_fetch(uid.to_string(), part).await?;
            found.try_collect::<Vec<_>>().await
        };
        let found = within(COMMAND_TIMEOUT, read).await?;
        let of_uid = found.iter().filter(|fetch| fetch.uid == Some(uid));
        Ok(of_uid.filter_map(|fetch| fetch.header()).map(<[u8]>::to_vec).next())
    }

    /// Ends the session.
    pub async fn close(mut self) {
        // The server ends an abandoned session by itself.
        let _ = timeout(COMMAND_TIMEOUT, self.session.logout()).await;
    }
}

async fn open(location: &MailboxLocation) -> Result<OpenMailbox, MailboxError> {
    let server = &location.server;
    let stream = TcpStream::connect((server.host.as_str(), server.port)).await;
    let stream = stream.map_err(|error| {
        MailboxError(format!("{}:{} não responde: {error}", server.host, server.port))
    })?;
    let stream: Box<dyn Connection> = match server.security {
        Security::Plain => Box::new(stream),
        Security::Tls | Security::StartTls => Box::new(start_tls(server, stream).await?),
    };
    let mut client = Client::new(stream);
    client.read_response().await.map_err(|error| explain(&error.into()))?;
    let login = server.login.as_ref();
    let (user, password) = login
        .map(|login| (login.user.as_str(), login.password.as_str()))
        .ok_or_else(|| MailboxError("faltam usuário e senha".to_owned()))?;
    let session = client.login(user, password).await;
    let mut session = session.map_err(|(error, _)| match error {
        // The answer may contain the user's name.
        Error::No(_) | Error::Bad(_) => {
            MailboxError(format!("{} recusou usuário ou senha", server.host))
        }
        error => explain(&error),
    })?;
    let folder =
        session.examine(encode_folder(&location.folder)).await.map_err(|error| match error {
            Error::No(_) | Error::Bad(_) => {
                MailboxError(format!("{} não tem a pasta {}", server.host, location.folder))
            }
            error => explain(&error),
        })?;
    let (Some(uid_validity), Some(next_uid)) = (folder.uid_validity, folder.uid_next) else {
        return Err(MailboxError(format!("{} não numera as mensagens", server.host)));
    };
    Ok(OpenMailbox { session, end: MailboxPosition { uid_validity, next_uid } })
}

/// Encodes the name of a folder in modified UTF-7 (RFC 3501, section 5.1.3). A name that is encoded already stays.
fn encode_folder(name: &str) -> String {
    let is_code =
        |code: &str| code.chars().all(|char| char.is_ascii_alphanumeric() || "+,".contains(char));
    let mut behind_ampersands = name.split('&').skip(1);
    let is_encoded = name.is_ascii()
        && behind_ampersands
            .all(|rest| rest.split_once('-').is_some_and(|(code, _)| is_code(code)));
    if is_encoded {
        return name.to_owned();
    }
    let base64 = GeneralPurpose::new(&alphabet::IMAP_MUTF7, NO_PAD);
    let mut encoded = String::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_direct = |char: char| matches!(char, ' '..='~');
        let end = rest.find(|char| is_direct(char) != is_direct(first)).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(end);
        if is_direct(first) {
            encoded += &run.replace('&', "&-");
        } else {
            let units: Vec<u8> = run.encode_utf16().flat_map(u16::to_be_bytes).collect();
            encoded.push('&');
            encoded += &base64.encode(units);
            encoded.push('-');
        }
        rest = behind;
    }
    encoded
}

async fn start_tls(
    server: &MailServer,
    stream: TcpStream,
) -> Result<tokio_rustls::client::TlsStream<TcpStream>, MailboxError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(path) = &server.ca_file {
        add_certificates(&mut roots, path)?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| MailboxError(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(server.host.clone())
        .map_err(|_| MailboxError(format!("{} não é o nome de um servidor", server.host)))?;
    let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await;
    stream.map_err(|error| MailboxError(format!("TLS com {}: {error}", server.host)))
}

fn add_certificates(roots: &mut RootCertStore, path: &Path) -> Result<(), MailboxError> {
    let unusable = |why: String| MailboxError(format!("{}: {why}", path.display()));
    for certificate in
        CertificateDer::pem_file_iter(path).map_err(|error| unusable(error.to_string()))?
    {
        let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
        roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
    }
    Ok(())
}

async fn within<T>(
    limit: Duration,
    command: impl Future<Output = Result<T, Error>>,
) -> Result<T, MailboxError> {
    match timeout(limit, command).await {
        Ok(result) => result.map_err(|error| explain(&error)),
        Err(_) => Err(MailboxError("o servidor da caixa postal não respondeu a tempo".to_owned())),
    }
}

fn explain(error: &Error) -> MailboxError {
    MailboxError(match error {
        Error::Io(error) => format!("a conexão com a caixa postal caiu: {error}"),
        Error::ConnectionLost => "a conexão com a caixa postal caiu".to_owned(),
        Error::No(reply) | Error::Bad(reply) => {
            format!("o servidor da caixa postal respondeu: {reply}")
        }
        _ => "o servidor da caixa postal deu uma resposta inválida".to_owned(),
    })
}

fn no_answer(server: &MailServer) -> MailboxError {
    MailboxError(format!("{}:{} não respondeu a tempo", server.host, server.port))
}

#[cfg(test)]
mod tests {
    use crate::imap::encode_folder;

    #[test]
    fn folder_name_is_encoded() {
        for (name, encoded) in [
            ("INBOX", "INBOX"),
            ("Comunicação", "Comunica&AOcA4w-o"),
            ("Comunica&AOcA4w-o", "Comunica&AOcA4w-o"),
            ("P&D - fiscal", "P&-D - fiscal"),
            // The example of RFC 3501, section 5.1.3.
            ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
            ("😀", "&2D3eAA-"),
        ] {
            assert_eq!(encode_folder(name), encoded, "{name}");
        }
    }
}
