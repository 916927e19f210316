//! The conversation with the server that takes mails. What goes wrong in it is told in words for the administrator.
//!
//! Each mail is given over step by step rather than by the library's transport, because it matters which step failed:
//! who is refused at RCPT is gone for good, a server that lets nobody in is not the mail's fault.

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

use crate::config::{MailServer, Security};
use crate::mail::mime::MimeMessage;

/// A connection that nobody used for so long is closed.
const IDLE: Duration = Duration::from_secs(20);
/// Mails over one connection; servers have their own ideas of how many are decent.
const PER_CONNECTION: u32 = 50;
/// What is repeated of a server's words. Characters.
const WORDS: usize = 200;

/// Why a mail did not leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendError {
    /// No mail would leave now.
    ServerUnavailable(String),
    /// This one does not leave now.
    Transient(String),
    /// This one never will.
    Permanent(String),
}

/// How long a server may take before it is taken for away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmtpTimeouts {
    /// To connect, greet, encrypt and let us sign in.
    pub greeting: Duration,
    /// To answer a command.
    pub step: Duration,
    /// To answer to the whole message, which servers look into first. Who gives up here may send a mail twice
    /// (RFC 5321, 4.5.3.2.6).
    pub verdict: Duration,
    /// To say farewell.
    pub farewell: Duration,
}

impl Default for SmtpTimeouts {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(30),
            step: Duration::from_mins(1),
            verdict: Duration::from_mins(10),
            farewell: Duration::from_secs(2),
        }
    }
}

/// The way to the server, and the connections that are open.
pub struct Smtp {
    server: MailServer,
    patience: SmtpTimeouts,
    tls: Option<TlsParameters>,
    hello: ClientId,
    idle: Mutex<Vec<PooledConnection>>,
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Smtp").field("server", &self.server).finish_non_exhaustive()
    }
}

/// A connection over which mails can be sent.
struct PooledConnection {
    connection: AsyncSmtpConnection,
    mails: u32,
    since: Instant,
}

/// A step of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Connect,
    StartTls,
    SignIn,
    Sender,
    Recipient,
    Message,
}

/// How a step failed; without an error there was no answer in time.
#[derive(Debug)]
struct StepError(Step, Option<Error>);

impl Smtp {
    /// Makes ready to speak; connects when there is a mail.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn new(
        server: &MailServer,
        site_url: &str,
        patience: SmtpTimeouts,
    ) -> Result<Self, String> {
        let tls = match server.security {
            Security::Plain => {
                let is_here = ["localhost", "127.0.0.1", "::1"].contains(&server.host.as_str());
                if server.login.is_some() && !is_here {
                    tracing::warn!(
                        host = server.host,
                        "mails and password go to the server unencrypted, as smtp_url says"
                    );
                }
                None
            }
            Security::StartTls | Security::Tls => Some(trust(server)?),
        };
        // Who has no name in the world says its address.
        let hello = match Url::parse(site_url).ok().as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) if name.contains('.') => ClientId::Domain(name.to_owned()),
            _ => ClientId::default(),
        };
        Ok(Self { server: server.clone(), patience, tls, hello, idle: Mutex::default() })
    }

    /// Gives a mail over. When this returns `Ok` the server has taken it.
    ///
    /// # Errors
    /// [`Trouble`]. After one at the message's end the server may have taken it all the same.
    pub async fn send(&self, letter: &MimeMessage) -> Result<(), SendError> {
        let idle = self.take_idle().await;
        let mut reused = idle.is_some();
        let mut open = match idle {
            Some(open) => open,
            None => self.connect().await.map_err(|failure| self.classify(&failure))?,
        };
        loop {
            let failure = match open.hand_over(letter, self.patience).await {
                Ok(()) => {
                    self.keep(open).await;
                    return Ok(());
                }
                Err(Refusal::Unsupported) => {
                    self.keep(open).await;
                    return Err(SendError::Permanent(
                        "O servidor de e-mail não aceita endereços com acentos.".into(),
                    ));
                }
                Err(Refusal::Failure(failure)) => failure,
            };
            let trouble = self.classify(&failure);
            open.close(self.patience.farewell).await;
            // The server may have hung up since the last mail. Nothing was said of this one yet.
            if !(reused
                && failure.0 == Step::Sender
                && matches!(trouble, SendError::ServerUnavailable(_)))
            {
                return Err(trouble);
            }
            reused = false;
            open = self.connect().await.map_err(|failure| self.classify(&failure))?;
        }
    }

    /// Closes the connections that nobody needed lately, or all of them.
    pub async fn close(&self, all: bool) {
        let mut idle = self.idle.lock().await;
        let (stale, fresh): (Vec<_>, Vec<_>) =
            idle.drain(..).partition(|open| all || open.since.elapsed() > IDLE);
        *idle = fresh;
        drop(idle);
        for open in stale {
            open.close(self.patience.farewell).await;
        }
    }

    async fn take_idle(&self) -> Option<PooledConnection> {
        self.close(false).await;
        self.idle.lock().await.pop()
    }

    async fn keep(&self, mut open: PooledConnection) {
        open.mails += 1;
        open.since = Instant::now();
        if open.mails < PER_CONNECTION {
            self.idle.lock().await.push(open);
        } else {
            open.close(self.patience.farewell).await;
        }
    }

    async fn connect(&self) -> Result<PooledConnection, StepError> {
        // Which step it was that took too long.
        let step = std::sync::Mutex::new(Step::Connect);
        let at = |now: Step| {
            *step.lock().expect("no holder of the lock panics") = now;
            move |error| StepError(now, Some(error))
        };
        let greeting = async {
            let MailServer { host, port, security, login, .. } = &self.server;
            let wrapped = self.tls.clone().filter(|_| *security == Security::Tls);
            let to = (host.as_str(), *port);
            let mut connection =
                AsyncSmtpConnection::connect_tokio1(to, None, &self.hello, wrapped, None)
                    .await
                    .map_err(at(Step::Connect))?;
            if *security == Security::StartTls {
                let tls = self.tls.clone().expect("made for this");
                connection.starttls(tls, &self.hello).await.map_err(at(Step::StartTls))?;
            }
            if let Some(login) = login {
                let credentials = Credentials::new(login.user.clone(), login.password.clone());
                let ways = [Mechanism::Plain, Mechanism::Login];
                connection.auth(&ways, &credentials).await.map_err(at(Step::SignIn))?;
            }
            Ok(PooledConnection { connection, mails: 0, since: Instant::now() })
        };
        match timeout(self.patience.greeting, greeting).await {
            Ok(open) => open,
            Err(_) => Err(StepError(*step.lock().expect("no holder of the lock panics"), None)),
        }
    }

    /// What a failure means for the mail, and what is told of it.
    fn classify(&self, StepError(step, error): &StepError) -> SendError {
        let host = &self.server.host;
        let said = error.as_ref().and_then(words);
        let is_farewell = said.as_ref().is_some_and(|said| said.starts_with("421"));
        let is_permanent = error.as_ref().is_some_and(Error::is_permanent);
        match (step, said) {
            (Step::SignIn, _) => {
                SendError::ServerUnavailable(match error.as_ref().and_then(Error::status) {
                    // Who knows what a server repeats of what it was told here.
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
                    None => lost(host, error.as_ref()),
                })
            }
            (_, Some(said)) if is_farewell => SendError::ServerUnavailable(format!(
                "O servidor de e-mail {host} encerrou a conversa ({said})."
            )),
            (Step::StartTls, _) if error.as_ref().is_some_and(Error::is_client) => {
                SendError::ServerUnavailable(format!(
                    "O servidor de e-mail {host} não oferece conexão segura (STARTTLS), e o portal não envia sem ela."
                ))
            }
            (Step::Connect | Step::StartTls, Some(said)) => SendError::ServerUnavailable(format!(
                "O servidor de e-mail {host} não atende ({said})."
            )),
            (Step::Sender, Some(said)) => SendError::ServerUnavailable(format!(
                "O servidor de e-mail {host} recusou o remetente ({said})."
            )),
            (Step::Recipient, Some(said)) if is_permanent => {
                SendError::Permanent(format!("O destinatário foi recusado ({said})."))
            }
            (Step::Message, Some(said)) if is_permanent => {
                SendError::Permanent(format!("A mensagem foi recusada ({said})."))
            }
            (Step::Recipient | Step::Message, Some(said)) => {
                SendError::Transient(format!("O servidor pediu para tentar mais tarde ({said})."))
            }
            (Step::Message, None) if error.is_none() => SendError::Transient(format!(
                "O servidor de e-mail {host} não confirmou a tempo que recebeu a mensagem."
            )),
            (Step::Message, None) => SendError::Transient(
                "A conexão caiu antes de o servidor confirmar que recebeu a mensagem.".to_owned(),
            ),
            (Step::Connect | Step::StartTls | Step::Sender | Step::Recipient, None) => {
                SendError::ServerUnavailable(lost(host, error.as_ref()))
            }
        }
    }
}

/// Why a mail was not handed over.
enum Refusal {
    Failure(StepError),
    Unsupported,
}

impl PooledConnection {
    async fn hand_over(
        &mut self,
        letter: &MimeMessage,
        patience: SmtpTimeouts,
    ) -> Result<(), Refusal> {
        let SmtpTimeouts { step, verdict, .. } = patience;
        let mut parameters = Vec::new();
        if !letter.bytes.is_ascii() {
            // Only an address can be the reason.
            if !self.connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                return Err(Refusal::Unsupported);
            }
            parameters.push(MailParameter::SmtpUtfEight);
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let connection = &mut self.connection;
        let from = Mail::new(Some(letter.from.clone()), parameters);
        within(step, Step::Sender, connection.command(from)).await?;
        let to = Rcpt::new(letter.to.clone(), Vec::new());
        within(step, Step::Recipient, connection.command(to)).await?;
        within(step, Step::Message, connection.command(Data)).await?;
        within(verdict, Step::Message, connection.message(&letter.bytes)).await
    }

    async fn close(mut self, farewell: Duration) {
        // It is over either way.
        drop(timeout(farewell, self.connection.abort()).await);
    }
}

async fn within<T>(
    time: Duration,
    step: Step,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<(), Refusal> {
    match timeout(time, work).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(Refusal::Failure(StepError(step, Some(error)))),
        Err(_) => Err(Refusal::Failure(StepError(step, None))),
    }
}

/// The certificates that the server's must come from.
fn trust(server: &MailServer) -> Result<TlsParameters, String> {
    let refused = |why: String| format!("smtp_ca: {why}");
    let mut tls = TlsParameters::builder(server.host.clone())
        .certificate_store(CertificateStore::WebpkiRoots);
    if let Some(file) = &server.authorities {
        let shown = file.display();
        let pem =
            fs::read(file).map_err(|error| refused(format!("cannot read {shown}: {error}")))?;
        let own = Certificate::from_pem(&pem).ok();
        let is_there = String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----");
        let own = own.filter(|_| is_there);
        let own = own.ok_or_else(|| refused(format!("{shown} holds no certificate in PEM")))?;
        tls = tls.add_root_certificate(own);
    }
    tls.build().map_err(|error| format!("smtp_url: {error}"))
}

/// What the server answered, in one short line: code and words.
fn words(error: &Error) -> Option<String> {
    let code = error.status()?;
    let text = error.source().map(ToString::to_string).unwrap_or_default();
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("{code} {text}").trim().chars().take(WORDS).collect())
}

/// What became of a connection on which there was no answer.
fn lost(host: &str, error: Option<&Error>) -> String {
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
            let why = error.to_string();
            return match error.kind() {
                io::ErrorKind::ConnectionRefused => {
                    format!("O servidor de e-mail {host} recusou a conexão.")
                }
                io::ErrorKind::TimedOut => {
                    format!("O servidor de e-mail {host} não respondeu a tempo.")
                }
                // What the handshake finds wrong comes as bad data.
                io::ErrorKind::InvalidData if why.contains("not valid for name") => {
                    format!("A conexão segura falhou: o certificado do servidor não é de {host}.")
                }
                io::ErrorKind::InvalidData if why.contains("Expired") => {
                    format!("A conexão segura falhou: o certificado de {host} venceu.")
                }
                io::ErrorKind::InvalidData if why.contains("certificate") => {
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
