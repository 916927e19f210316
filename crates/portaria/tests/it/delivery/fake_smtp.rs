//! A fake SMTP server with a scripted behavior per mail. It stores the mails that it accepts.

use std::{
    collections::VecDeque,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};

use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use mail_parser::{Message, MessageParser};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
    sync::Notify,
    task::{AbortHandle, JoinHandle},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::aws_lc_rs, pki_types::PrivatePkcs8KeyDer},
};

/// The state of the server.
const SECRET: (&str, &str) = ("portal@escritorio.com.br", "senha do servidor");

/// A step of the SMTP dialog, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum At {
    Banner,
    Hello,
    Auth,
    Mail,
    Rcpt,
    Data,
    Dot,
}

/// The behavior for a mail.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Act {
    /// Accepts the mail.
    Take,
    /// Sends this reply at a step.
    Say(At, &'static str),
    /// Closes the connection at a step without a reply. At the end of a message the mail is accepted first.
    HangUp(At),
    /// Blocks at a step until released, then accepts the mail.
    Hold(At),
    /// Reads and never replies from a step on. At the end of a message the mail is accepted first.
    Mute(At),
    /// Accepts the mail, and kills the sender before it reads the reply.
    Kill,
}

/// The transport security of the server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tls {
    None,
    Start,
    Implicit,
}

/// A mail that the server accepted.
#[derive(Debug, Clone)]
pub(crate) struct AcceptedMail {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) encrypted: bool,
    pub(crate) signed_in: bool,
}

impl AcceptedMail {
    pub(crate) fn message(&self) -> Message<'_> {
        MessageParser::default().parse(&self.bytes).unwrap()
    }

    pub(crate) fn id(&self) -> String {
        self.message().message_id().unwrap().to_owned()
    }

    pub(crate) fn subject(&self) -> String {
        self.message().subject().unwrap().to_owned()
    }

    pub(crate) fn html(&self) -> String {
        self.message().body_html(0).unwrap().into_owned()
    }
}

#[derive(Debug, Default)]
struct State {
    acts: VecDeque<Act>,
    taken: Vec<AcceptedMail>,
    connections: usize,
    victim: Option<AbortHandle>,
}

/// The fake server.
pub(crate) struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    /// Notified when a client blocks at a step.
    pub(crate) holds: Arc<Notify>,
    /// Released clients continue.
    pub(crate) go: Arc<Notify>,
    task: JoinHandle<()>,
    tls: Tls,
    /// The certificate of the authority, in PEM.
    pub(crate) authority: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(Tls::None, "127.0.0.1").await
    }

    /// A server with a certificate for `name`, signed by its own authority.
    pub(crate) async fn with(tls: Tls, name: &str) -> Self {
        let (acceptor, authority) = certificate(name);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let (holds, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let talk =
            Talk { state: Arc::clone(&state), holds: Arc::clone(&holds), go: Arc::clone(&go) };
        let accepting = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (talk, acceptor) = (talk.clone(), acceptor.clone());
                talk.state.lock().unwrap().connections += 1;
                tokio::spawn(async move {
                    // An aborted connection ends the dialog, not the test.
                    let _ended = match tls {
                        Tls::Implicit => match acceptor.accept(socket).await {
                            Ok(socket) => talk.greet(Lines::new(socket), None).await.map(drop),
                            Err(error) => Err(error),
                        },
                        Tls::Start => match talk.greet(Lines::new(socket), Some(())).await {
                            Ok(Some(socket)) => match acceptor.accept(socket).await {
                                Ok(socket) => talk
                                    .serve_dialog(Lines::new(socket), true, None)
                                    .await
                                    .map(drop),
                                Err(error) => Err(error),
                            },
                            other => other.map(drop),
                        },
                        Tls::None => talk.greet(Lines::new(socket), None).await.map(drop),
                    };
                });
            }
        });
        Self { address, state, holds, go, task: accepting, tls, authority }
    }

    /// The value of `smtp_url`.
    pub(crate) fn url(&self) -> String {
        self.url_for("127.0.0.1")
    }

    pub(crate) fn url_for(&self, host: &str) -> String {
        let port = self.address.port();
        match self.tls {
            Tls::None => format!("smtp://{host}:{port}"),
            Tls::Start => format!("smtp://{host}:{port}?tls=required"),
            Tls::Implicit => format!("smtps://{host}:{port}"),
        }
    }

    /// The value of `smtp_url`, with credentials.
    pub(crate) fn url_as(&self, password: &str) -> String {
        let login = format!("portal%40escritorio.com.br:{}@", password.replace(' ', "%20"));
        self.url().replacen("://", &format!("://{login}"), 1)
    }

    /// The behavior for the next mails. Later mails are accepted.
    pub(crate) fn script(&self, acts: impl IntoIterator<Item = Act>) {
        self.state.lock().unwrap().acts.extend(acts);
    }

    /// The task to abort at [`Act::Kill`].
    pub(crate) fn set_victim(&self, victim: AbortHandle) {
        self.state.lock().unwrap().victim = Some(victim);
    }

    pub(crate) fn accepted(&self) -> Vec<AcceptedMail> {
        self.state.lock().unwrap().taken.clone()
    }

    /// The Message-IDs in order of arrival.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.accepted().iter().map(AcceptedMail::id).collect()
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.lock().unwrap().connections
    }
}

/// A certificate for a name, and its authority.
fn certificate(name: &str) -> (TlsAcceptor, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec![name.to_owned()]).unwrap();
    let own = own.signed_by(&key, &authority).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![own.der().clone()],
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), authority.pem())
}

/// The context of a dialog.
#[derive(Clone)]
struct Talk {
    state: Arc<Mutex<State>>,
    holds: Arc<Notify>,
    go: Arc<Notify>,
}

type Ended<S> = std::io::Result<Option<S>>;

impl Talk {
    /// The next behavior, if it applies to one of these steps.
    fn act(&self, from: At, to: At) -> Option<Act> {
        let mut state = self.state.lock().unwrap();
        let act = *state.acts.front()?;
        let at = match act {
            Act::Say(at, _) | Act::HangUp(at) | Act::Hold(at) | Act::Mute(at) => at,
            Act::Take | Act::Kill => At::Mail,
        };
        if !(from..=to).contains(&at) {
            return None;
        }
        state.acts.pop_front()
    }

    /// Applies a behavior at a step. `None`: close the connection; `Some(false)`: rejected.
    async fn at<S: Stream>(&self, lines: &mut Lines<S>, now: At, act: Option<Act>) -> Option<bool> {
        match act {
            Some(Act::Say(at, words)) if at == now => {
                lines.say(words).await.ok()?;
                Some(false)
            }
            Some(Act::HangUp(at)) if at == now => None,
            Some(Act::Hold(at)) if at == now => {
                self.holds.notify_one();
                self.go.notified().await;
                Some(true)
            }
            Some(Act::Mute(at)) if at == now => {
                self.holds.notify_one();
                while lines.next().await.ok()?.is_some() {}
                None
            }
            _ => Some(true),
        }
    }

    async fn greet<S: Stream>(&self, mut lines: Lines<S>, start_tls: Option<()>) -> Ended<S> {
        let act = self.act(At::Banner, At::Banner);
        match self.at(&mut lines, At::Banner, act).await {
            None | Some(false) => return Ok(None),
            Some(true) => lines.say("220 mail.example.com ESMTP").await?,
        }
        self.serve_dialog(lines, start_tls.is_none(), start_tls).await
    }

    /// Serves the dialog until either side closes it, or TLS begins.
    async fn serve_dialog<S: Stream>(
        &self,
        mut lines: Lines<S>,
        encrypted: bool,
        start_tls: Option<()>,
    ) -> Ended<S> {
        let (mut signed_in, mut from, mut to, mut act) =
            (false, String::new(), String::new(), None);
        while let Some(line) = lines.next().await? {
            let line = String::from_utf8_lossy(&line).into_owned();
            let verb = line.split([' ', ':']).next().unwrap().to_uppercase();
            let step = match verb.as_str() {
                "AUTH" => At::Auth,
                "MAIL" => At::Mail,
                "RCPT" => At::Rcpt,
                "DATA" => At::Data,
                "STARTTLS" => {
                    lines.say("220 go on").await?;
                    return Ok(Some(lines.stream));
                }
                "EHLO" => {
                    let hello = self.act(At::Hello, At::Hello);
                    if self.at(&mut lines, At::Hello, hello).await != Some(true) {
                        return Ok(None);
                    }
                    let offer = if start_tls.is_some() { "STARTTLS" } else { "AUTH PLAIN LOGIN" };
                    lines
                        .say(&format!("250-mail.example.com\r\n250-8BITMIME\r\n250 {offer}"))
                        .await?;
                    continue;
                }
                "QUIT" => {
                    lines.say("221 bye").await?;
                    return Ok(None);
                }
                _ => {
                    lines.say("250 ok").await?;
                    continue;
                }
            };
            if step == At::Auth {
                act = self.act(At::Auth, At::Auth);
            } else if step == At::Mail {
                act = self.act(At::Mail, At::Dot);
            }
            match self.at(&mut lines, step, act).await {
                None => return Ok(None),
                Some(false) => continue,
                Some(true) => {}
            }
            match step {
                At::Auth => {
                    let plain = BASE64.encode(format!("\0{}\0{}", SECRET.0, SECRET.1));
                    signed_in = line == format!("AUTH PLAIN {plain}");
                    let words =
                        if signed_in { "235 welcome" } else { "535 5.7.8 wrong user or password" };
                    lines.say(words).await?;
                }
                At::Mail => {
                    from = between_brackets(&line);
                    lines.say("250 ok").await?;
                }
                At::Rcpt => {
                    to = between_brackets(&line);
                    lines.say("250 ok").await?;
                }
                _ => {
                    lines.say("354 go on").await?;
                    let bytes = lines.message().await?;
                    let taken = AcceptedMail {
                        from: from.clone(),
                        to: to.clone(),
                        bytes,
                        encrypted,
                        signed_in,
                    };
                    if matches!(act, Some(Act::Mute(At::Dot))) {
                        self.state.lock().unwrap().taken.push(taken);
                        self.at(&mut lines, At::Dot, act).await;
                        return Ok(None);
                    }
                    let goes_on = self.at(&mut lines, At::Dot, act).await;
                    if goes_on == Some(false) {
                        continue;
                    }
                    self.state.lock().unwrap().taken.push(taken);
                    if goes_on.is_none() {
                        return Ok(None);
                    }
                    lines.say("250 ok: queued").await?;
                    if matches!(act, Some(Act::Kill)) {
                        // There is no await in between, so on the single thread the client has not read the reply yet.
                        self.state.lock().unwrap().victim.take().unwrap().abort();
                    }
                }
            }
        }
        Ok(None)
    }
}

/// The text between the angle brackets.
fn between_brackets(line: &str) -> String {
    line.split(['<', '>']).nth(1).unwrap().to_owned()
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// Reads the lines of a stream. Every line must end with CRLF; a bare CR or LF fails the test.
struct Lines<S> {
    stream: S,
    read: Vec<u8>,
}

impl<S: Stream> Lines<S> {
    fn new(stream: S) -> Self {
        Self { stream, read: Vec::new() }
    }

    async fn next(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(end) = self.read.windows(2).position(|two| two == b"\r\n") {
                let line = self.read.drain(..end + 2).take(end).collect();
                return Ok(Some(line));
            }
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// A message up to the terminating dot, with dot-stuffing removed.
    async fn message(&mut self) -> std::io::Result<Vec<u8>> {
        let mut message = Vec::new();
        while let Some(line) = self.next().await? {
            if line == b"." {
                return Ok(message);
            }
            assert!(line.len() <= 998 && !line.contains(&b'\n') && !line.contains(&b'\r'));
            let stuffed = line.first() == Some(&b'.');
            message.extend_from_slice(&line[usize::from(stuffed)..]);
            message.extend_from_slice(b"\r\n");
        }
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }

    async fn say(&mut self, words: &str) -> std::io::Result<()> {
        self.stream.write_all(format!("{words}\r\n").as_bytes()).await?;
        self.stream.flush().await
    }
}
