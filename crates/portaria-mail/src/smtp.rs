//! SMTP delivery over a pool of connections. Errors carry messages for the administrator.
//!
//! The SMTP commands and the pool are written by hand on the connection type of `lettre`, for two reasons
//! (`docs/decisions/0029-smtp-errors-and-retries.md`). The failed step decides what happens to the mail: a permanent
//! refusal of `RCPT` is final, while refused credentials concern the server and delay all mails. And the library's pool
//! reuses a connection on which a mail timed out in the middle of the conversation, so that the next mail reads the
//! wrong replies.

use std::{error::Error as _, fmt, fs, io, time::Duration};

use lettre::transport::smtp::{
    Error,
    authentication::{Credentials, Mechanism},
    client::{AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters},
    commands::{Data, Mail, Rcpt},
    extension::{ClientId, Extension, MailBodyParameter, MailParameter},
};
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};
use url::{Host, Url};

use crate::{MailServer, Security, mime::MimeMessage, smtp_reply};

/// Time after which an idle connection is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum number of mails per connection. Servers limit it in different ways.
const MAX_MAILS_PER_CONNECTION: u32 = 50;

/// Failure of a delivery, with a message for the administrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendError {
    /// The server accepts no mail at present.
    ServerUnavailable(String),
    /// The server does not accept this mail at present.
    Transient(String),
    /// The server will never accept this mail.
    Permanent(String),
}

/// The TLS settings cannot be used. The message is for the operator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsSettingsError {
    /// The file of the certificate authority cannot be read or is invalid.
    #[error("{0}")]
    CaFile(String),
    /// The host name is no name of a TLS server.
    #[error("{0}")]
    Host(String),
}

/// Timeouts of the SMTP conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmtpTimeouts {
    /// Timeout for connecting, the greeting, TLS and authentication together.
    pub connect: Duration,
    /// Timeout for the reply to a command.
    pub command: Duration,
    /// Timeout for the reply to the message, which servers inspect first. A shorter one risks duplicate deliveries
    /// (RFC 5321, section 4.5.3.2.6).
    pub data: Duration,
    /// Timeout for closing a connection.
    pub quit: Duration,
}

impl Default for SmtpTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            command: Duration::from_mins(1),
            data: Duration::from_mins(10),
            quit: Duration::from_secs(2),
        }
    }
}

/// An SMTP client with a pool of open connections.
pub struct SmtpClient {
    server: MailServer,
    timeouts: SmtpTimeouts,
    tls: Option<TlsParameters>,
    client_id: ClientId,
    idle: Mutex<Vec<PooledConnection>>,
}

impl fmt::Debug for SmtpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Smtp").field("server", &self.server).finish_non_exhaustive()
    }
}

/// An authenticated connection.
pub struct PooledConnection {
    connection: AsyncSmtpConnection,
    /// Number of mails sent over it.
    mails: u32,
    /// Start of the idle time.
    idle_since: Instant,
}

/// A step of the SMTP conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Connect,
    StartTls,
    SignIn,
    Sender,
    Recipient,
    Message,
}

/// Failure of a step. Without an error the step timed out.
#[derive(Debug)]
struct StepError(Step, Option<Error>);

impl SmtpClient {
    /// Creates a client. It connects when the first mail is sent.
    ///
    /// # Errors
    /// [`TlsSettingsError`].
    pub fn new(
        server: &MailServer,
        site_url: &str,
        timeouts: SmtpTimeouts,
    ) -> Result<Self, TlsSettingsError> {
        let tls = match server.security {
            Security::Plain => None,
            Security::StartTls | Security::Tls => Some(tls_parameters(server)?),
        };
        // Without a public host name the client announces its IP address (RFC 5321, section 4.1.3).
        let client_id = match Url::parse(site_url).ok().as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) if name.contains('.') => ClientId::Domain(name.to_owned()),
            _ => ClientId::default(),
        };
        Ok(Self { server: server.clone(), timeouts, tls, client_id, idle: Mutex::default() })
    }

    /// Opens a connection, or takes an idle one, for [`Self::send`].
    ///
    /// # Errors
    /// [`SendError`].
    pub async fn open(&self) -> Result<PooledConnection, SendError> {
        match self.take_idle().await {
            Some(pooled) => Ok(pooled),
            None => self.connect().await.map_err(|failure| self.classify(&failure)),
        }
    }

    /// Delivers a mail over an open connection. `Ok` means that the server has accepted it.
    ///
    /// # Errors
    /// [`SendError`]. If the connection breaks after the message was sent, the server may have accepted it
    /// nevertheless.
    pub async fn send(
        &self,
        mut pooled: PooledConnection,
        message: &MimeMessage,
    ) -> Result<String, SendError> {
        loop {
            let reused = pooled.mails > 0;
            let failure = match pooled.deliver(message, self.timeouts).await {
                Ok(reply) => {
                    self.release(pooled).await;
                    return Ok(reply);
                }
                Err(DeliverError::Unsupported) => {
                    self.release(pooled).await;
                    return Err(SendError::Permanent(
                        "O servidor de e-mail não aceita endereços com acentos.".into(),
                    ));
                }
                Err(DeliverError::Failure(failure)) => failure,
            };

            let error = self.classify(&failure);
            pooled.close(self.timeouts.quit).await;
            // The server may have closed the idle connection. It has not seen this mail yet, so retry once.
            if !(reused
                && failure.0 == Step::Sender
                && matches!(error, SendError::ServerUnavailable(_)))
            {
                return Err(error);
            }
            pooled = self.connect().await.map_err(|failure| self.classify(&failure))?;
        }
    }

    /// Closes connections that were idle for `IDLE_TIMEOUT`, or all.
    pub async fn close(&self, all: bool) {
        let mut idle = self.idle.lock().await;
        let (stale, fresh): (Vec<_>, Vec<_>) =
            idle.drain(..).partition(|pooled| all || pooled.idle_since.elapsed() > IDLE_TIMEOUT);
        *idle = fresh;
        drop(idle);
        for pooled in stale {
            pooled.close(self.timeouts.quit).await;
        }
    }

    /// Takes an open connection out of the pool.
    async fn take_idle(&self) -> Option<PooledConnection> {
        self.close(false).await;
        self.idle.lock().await.pop()
    }

    /// Returns a connection to the pool after a mail, or closes it after its last one.
    pub async fn release(&self, mut pooled: PooledConnection) {
        pooled.mails += 1;
        pooled.idle_since = Instant::now();
        if pooled.mails < MAX_MAILS_PER_CONNECTION {
            self.idle.lock().await.push(pooled);
        } else {
            pooled.close(self.timeouts.quit).await;
        }
    }

    /// Connects, starts TLS and authenticates, within one timeout.
    async fn connect(&self) -> Result<PooledConnection, StepError> {
        // The present step, for the error of a timeout.
        let step = std::sync::Mutex::new(Step::Connect);
        let failed_at = |current: Step| {
            *step.lock().expect("no thread panics while it holds the lock") = current;
            move |error| StepError(current, Some(error))
        };
        let greeting = async {
            let MailServer { host, port, security, login, .. } = &self.server;
            let implicit_tls = self.tls.clone().filter(|_| *security == Security::Tls);
            let address = (host.as_str(), *port);
            let mut connection = AsyncSmtpConnection::connect_tokio1(
                address,
                None,
                &self.client_id,
                implicit_tls,
                None,
            )
            .await
            .map_err(failed_at(Step::Connect))?;
            if *security == Security::StartTls {
                let tls = self.tls.clone().expect("TLS parameters exist for STARTTLS");
                connection
                    .starttls(tls, &self.client_id)
                    .await
                    .map_err(failed_at(Step::StartTls))?;
            }
            if let Some(login) = login {
                let credentials = Credentials::new(login.user.clone(), login.password.clone());
                let mechanisms = [Mechanism::Plain, Mechanism::Login];
                connection
                    .auth(&mechanisms, &credentials)
                    .await
                    .map_err(failed_at(Step::SignIn))?;
            }
            Ok(PooledConnection { connection, mails: 0, idle_since: Instant::now() })
        };
        match timeout(self.timeouts.connect, greeting).await {
            Ok(pooled) => pooled,
            Err(_) => Err(StepError(
                *step.lock().expect("no thread panics while it holds the lock"),
                None,
            )),
        }
    }

    /// Decides whether a failure concerns the server or the mail, and whether it is permanent, and builds its message.
    fn classify(&self, StepError(step, error): &StepError) -> SendError {
        let host = &self.server.host;
        let reply = error.as_ref().and_then(smtp_reply::of_error);
        let is_closing = reply.as_ref().is_some_and(|reply| reply.starts_with("421"));
        let is_permanent = error.as_ref().is_some_and(Error::is_permanent);
        match (step, reply) {
            (Step::SignIn, _) => {
                SendError::ServerUnavailable(match error.as_ref().and_then(Error::status) {
                    // The reply's text is omitted, because a server may repeat credentials in it.
                    Some(code) => {
                        format!(
                            "O servidor de e-mail {host} recusou o usuário ou a senha ({code})."
                        )
                    }
                    None if error.as_ref().is_some_and(Error::is_client) => {
                        format!(
                            "O servidor de e-mail {host} não aceita usuário e senha por esta conexão."
                        )
                    }
                    None => connection_error(host, error.as_ref()),
                })
            }
            (_, Some(reply)) if is_closing => SendError::ServerUnavailable(format!(
                "O servidor de e-mail {host} encerrou a conversa ({reply})."
            )),
            (Step::StartTls, _) if error.as_ref().is_some_and(Error::is_client) => {
                SendError::ServerUnavailable(format!(
                    "O servidor de e-mail {host} não oferece conexão segura (STARTTLS), e o portal não envia sem ela."
                ))
            }
            (Step::Connect | Step::StartTls, Some(reply)) => SendError::ServerUnavailable(format!(
                "O servidor de e-mail {host} não atende ({reply})."
            )),
            (Step::Sender, Some(reply)) => SendError::ServerUnavailable(format!(
                "O servidor de e-mail {host} recusou o remetente ({reply})."
            )),
            (Step::Recipient, Some(reply)) if is_permanent => {
                SendError::Permanent(format!("O destinatário foi recusado ({reply})."))
            }
            (Step::Message, Some(reply)) if is_permanent => {
                SendError::Permanent(format!("A mensagem foi recusada ({reply})."))
            }
            (Step::Recipient | Step::Message, Some(reply)) => {
                SendError::Transient(format!("O servidor pediu para tentar mais tarde ({reply})."))
            }
            (Step::Message, None) if error.is_none() => SendError::Transient(format!(
                "O servidor de e-mail {host} não confirmou a tempo que recebeu a mensagem."
            )),
            (Step::Message, None) => SendError::Transient(
                "A conexão caiu antes de o servidor confirmar que recebeu a mensagem.".to_owned(),
            ),
            (Step::Connect | Step::StartTls | Step::Sender | Step::Recipient, None) => {
                SendError::ServerUnavailable(connection_error(host, error.as_ref()))
            }
        }
    }
}

/// Failure of [`PooledConnection::deliver`].
enum DeliverError {
    Failure(StepError),
    /// The address needs SMTPUTF8 (RFC 6531), which the server does not support.
    Unsupported,
}

impl PooledConnection {
    /// Sends one mail, and returns the server's reply to it.
    async fn deliver(
        &mut self,
        message: &MimeMessage,
        timeouts: SmtpTimeouts,
    ) -> Result<String, DeliverError> {
        let SmtpTimeouts { command: step, data: verdict, .. } = timeouts;
        let mut parameters = Vec::new();
        if !message.bytes.is_ascii() {
            // Headers and bodies are encoded, so the character is in an address.
            if !self.connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                return Err(DeliverError::Unsupported);
            }
            parameters.push(MailParameter::SmtpUtfEight);
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }

        let connection = &mut self.connection;
        let from = Mail::new(Some(message.from.clone()), parameters);
        within(step, Step::Sender, connection.command(from)).await?;
        let to = Rcpt::new(message.to.clone(), Vec::new());
        within(step, Step::Recipient, connection.command(to)).await?;
        within(step, Step::Message, connection.command(Data)).await?;
        let accepted = connection.message(&message.bytes);
        let reply = within(verdict, Step::Message, accepted).await?;
        Ok(smtp_reply::text(&reply))
    }

    async fn close(mut self, farewell: Duration) {
        // The connection is dropped even if the server does not reply.
        drop(timeout(farewell, self.connection.abort()).await);
    }
}

/// Runs a step with a timeout.
async fn within<T>(
    limit: Duration,
    step: Step,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, DeliverError> {
    match timeout(limit, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(DeliverError::Failure(StepError(step, Some(error)))),
        Err(_) => Err(DeliverError::Failure(StepError(step, None))),
    }
}

/// Builds the TLS parameters: the roots of `webpki-roots`, and the certificate authority of the server.
fn tls_parameters(server: &MailServer) -> Result<TlsParameters, TlsSettingsError> {
    let invalid = TlsSettingsError::CaFile;
    let mut tls = TlsParameters::builder(server.host.clone())
        .certificate_store(CertificateStore::WebpkiRoots);
    if let Some(file) = &server.ca_file {
        let path = file.display();
        let pem =
            fs::read(file).map_err(|error| invalid(format!("cannot read {path}: {error}")))?;
        let authority = Certificate::from_pem(&pem).ok();
        let has_certificate = String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----");
        let authority = authority.filter(|_| has_certificate);
        let authority =
            authority.ok_or_else(|| invalid(format!("{path} holds no certificate in PEM")))?;
        tls = tls.add_root_certificate(authority);
    }
    tls.build().map_err(|error| TlsSettingsError::Host(error.to_string()))
}

/// Describes a connection without a reply.
fn connection_error(host: &str, error: Option<&Error>) -> String {
    let Some(error) = error else {
        return format!("O servidor de e-mail {host} não respondeu a tempo.");
    };
    if error.is_response() {
        return format!(
            "O que responde em {host} não é um servidor de e-mail, ou desligou no meio."
        );
    }
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            let text = error.to_string();
            return match error.kind() {
                io::ErrorKind::ConnectionRefused => {
                    format!("O servidor de e-mail {host} recusou a conexão.")
                }
                io::ErrorKind::TimedOut => {
                    format!("O servidor de e-mail {host} não respondeu a tempo.")
                }
                // rustls reports handshake errors as invalid data.
                io::ErrorKind::InvalidData if text.contains("not valid for name") => {
                    format!("A conexão segura falhou: o certificado do servidor não é de {host}.")
                }
                io::ErrorKind::InvalidData if text.contains("Expired") => {
                    format!("A conexão segura falhou: o certificado de {host} venceu.")
                }
                io::ErrorKind::InvalidData if text.contains("certificate") => {
                    format!("A conexão segura falhou: o certificado de {host} não é de confiança.")
                }
                io::ErrorKind::InvalidData => {
                    format!("A conexão segura com o servidor de e-mail {host} falhou.")
                }
                _ => format!("A conexão com o servidor de e-mail {host} não foi possível ou caiu."),
            };
        }
        source = cause.source();
    }
    format!("A conexão com o servidor de e-mail {host} não foi possível ou caiu.")
}
