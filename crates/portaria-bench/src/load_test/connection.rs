//! A keep-alive connection, as a browser uses it. It is opened again when the server closed it.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    body::Incoming,
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpSocket, time::timeout};

use crate::{Outcome, load::Request};

/// Timeout for a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_mins(1);

/// A response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Whether it has a `Retry-After` header.
    pub(crate) has_retry_after: bool,
    pub(crate) body: Bytes,
    /// Time from the first byte of the request to the last byte of the response.
    pub(crate) took: Duration,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns whether it is a refusal with a time to retry.
    pub(crate) fn is_orderly_refusal(&self) -> bool {
        self.status == 503 && self.has_retry_after
    }
}

/// The connection.
pub(crate) struct Connection {
    source: IpAddr,
    address: SocketAddr,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Connection {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self::from(Ipv4Addr::UNSPECIFIED.into(), address)
    }

    /// As [`Connection::new`], from an address of this machine.
    pub(crate) fn from(source: IpAddr, address: SocketAddr) -> Self {
        Self { source, address, sender: None }
    }

    pub(crate) async fn open(&mut self) -> Outcome<()> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(self.source, 0))?;
        let socket = socket.connect(self.address).await?;
        socket.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(socket)).await?;
        tokio::spawn(connection);
        self.sender = Some(sender);
        Ok(())
    }

    /// Sends a request and reads the whole response.
    pub(crate) async fn ask(&mut self, request: Request) -> Outcome<Answer> {
        let begin = Instant::now();
        let response = timeout(RESPONSE_TIMEOUT, self.exchange(request)).await;
        let response = response.unwrap_or_else(|_| Err("no response within a minute".into()));
        if response.is_err() {
            self.sender = None;
        }
        let (status, says_when, body) = response?;
        Ok(Answer { status, has_retry_after: says_when, body, took: begin.elapsed() })
    }

    async fn exchange(&mut self, request: Request) -> Outcome<(u16, bool, Bytes)> {
        let response = match self.send(request.clone()).await {
            // The server closed the connection before the request was sent. A browser retries too.
            Err(error) if error.downcast_ref().is_some_and(hyper::Error::is_canceled) => {
                self.sender = None;
                self.send(request).await?
            }
            sent => sent?,
        };
        let status = response.status().as_u16();
        let says_when = response.headers().contains_key("retry-after");
        let body = response.into_body().collect().await?.to_bytes();
        Ok((status, says_when, body))
    }

    async fn send(&mut self, request: Request) -> Outcome<hyper::Response<Incoming>> {
        if self.sender.as_ref().is_none_or(SendRequest::is_closed) {
            self.open().await?;
        }
        let sender = self.sender.as_mut().ok_or("the connection is not open")?;
        sender.ready().await?;
        Ok(sender.send_request(request).await?)
    }
}
