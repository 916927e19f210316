//! One line to the server, as a browser keeps it: it stays open between requests, and is opened anew when it ended.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    body::Incoming,
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, time::timeout};

use crate::{Outcome, load::Request};

/// Nobody looks at a spinning wheel for longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// What came of a request.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Whether it says when to come back.
    pub(crate) says_when: bool,
    pub(crate) body: Bytes,
    /// From the request's first byte to the answer's last.
    pub(crate) took: Duration,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether it was sent away as it should be: come back, and when.
    pub(crate) fn is_orderly_refusal(&self) -> bool {
        self.status == 503 && self.says_when
    }
}

/// The line.
pub(crate) struct Line {
    address: SocketAddr,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Line {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, sender: None }
    }

    pub(crate) async fn open(&mut self) -> Outcome<()> {
        let socket = TcpStream::connect(self.address).await?;
        socket.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(socket)).await?;
        tokio::spawn(connection);
        self.sender = Some(sender);
        Ok(())
    }

    /// Asks, and reads the whole answer.
    pub(crate) async fn ask(&mut self, request: Request) -> Outcome<Answer> {
        let begin = Instant::now();
        let asked = timeout(PATIENCE, self.exchange(request)).await;
        let asked = asked.unwrap_or_else(|_| Err("no answer within a minute".into()));
        if asked.is_err() {
            self.sender = None;
        }
        let (status, says_when, body) = asked?;
        Ok(Answer { status, says_when, body, took: begin.elapsed() })
    }

    async fn exchange(&mut self, request: Request) -> Outcome<(u16, bool, Bytes)> {
        let response = match self.send(request.clone()).await {
            // The server closed the line before it was asked; a browser asks again, too.
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
        let sender = self.sender.as_mut().ok_or("the line is not open")?;
        sender.ready().await?;
        Ok(sender.send_request(request).await?)
    }
}
