//! A client of the websocket that speaks the protocol by hand.

use std::{net::SocketAddr, time::Duration};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest},
};

/// Time limit for a frame that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// An open connection.
pub(crate) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    references: u32,
}

/// A frame from the server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    pub(crate) topic: String,
    pub(crate) event: String,
    pub(crate) payload: Value,
}

impl Socket {
    pub(crate) async fn try_open(address: SocketAddr, key: &str) -> Result<Self, Error> {
        let url = format!("ws://{address}/realtime/v1/websocket?apikey={key}&vsn=2.0.0");
        let (stream, _) = connect_async(url).await?;
        Ok(Self { stream, references: 0 })
    }

    pub(crate) async fn open(address: SocketAddr, key: &str) -> Self {
        Self::try_open(address, key).await.unwrap()
    }

    /// Opens a connection whose handshake has a bearer token.
    pub(crate) async fn open_as(address: SocketAddr, key: &str, token: &str) -> Self {
        let url = format!("ws://{address}/realtime/v1/websocket?apikey={key}&vsn=2.0.0");
        let mut request = url.into_client_request().unwrap();
        let bearer = format!("Bearer {token}").parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        let (stream, _) = connect_async(request).await.unwrap();
        Self { stream, references: 0 }
    }

    pub(crate) async fn try_send_text(&mut self, text: String) -> Result<(), Error> {
        self.stream.send(Message::text(text)).await
    }

    pub(crate) async fn send_text(&mut self, text: String) {
        self.try_send_text(text).await.unwrap();
    }

    /// Sends a frame and returns the payload of its reply.
    pub(crate) async fn ask(&mut self, topic: &str, event: &str, payload: Value) -> Value {
        self.send(topic, event, payload).await;
        let reference = self.references.to_string();
        loop {
            let frame = self.next_array().await.expect("the server closed the connection");
            if frame[1] == reference {
                return frame[4].clone();
            }
        }
    }

    pub(crate) async fn send(&mut self, topic: &str, event: &str, payload: Value) {
        self.references += 1;
        let reference = self.references.to_string();
        self.send_text(json!(["1", reference, topic, event, payload]).to_string()).await;
    }

    /// Joins a channel for changes. Returns the payload of the reply.
    pub(crate) async fn join(&mut self, topic: &str, token: &str, changes: Value) -> Value {
        let payload = json!({"config": {"postgres_changes": changes}, "access_token": token});
        self.ask(topic, "phx_join", payload).await
    }

    /// Joins a channel for all changes of a table.
    pub(crate) async fn listen(&mut self, topic: &str, token: &str, table: &str) {
        let changes = json!([{"event": "*", "schema": "public", "table": table}]);
        let reply = self.join(topic, token, changes).await;
        assert_eq!(reply["status"], "ok", "{reply}");
    }

    /// The data of the next change.
    pub(crate) async fn change(&mut self) -> Value {
        loop {
            let frame = self.next().await.expect("the server closed the connection");
            assert!(!["phx_error", "phx_close"].contains(&&*frame.event), "{frame:?}");
            if frame.event == "postgres_changes" {
                return frame.payload["data"].clone();
            }
        }
    }

    /// The next frame; `None` when the server closed the connection.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        let frame = self.next_array().await?;
        let text = |place: usize| frame[place].as_str().unwrap().to_owned();
        Some(Frame { topic: text(2), event: text(3), payload: frame[4].clone() })
    }

    async fn next_array(&mut self) -> Option<Value> {
        loop {
            let message = timeout(PATIENCE, self.stream.next()).await;
            match message.expect("no frame came in time")? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Binary(bytes)) => return Some(delivery(&bytes)),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }
}

/// A delivered broadcast of JSON as the frame that carries the same in text.
fn delivery(bytes: &[u8]) -> Value {
    let [4, topic, event, 0, 1, rest @ ..] = bytes else { panic!("{bytes:?}") };
    let (topic, rest) = rest.split_at((*topic).into());
    let (event, payload) = rest.split_at((*event).into());
    let text = |bytes| std::str::from_utf8(bytes).unwrap();
    let payload: Value = serde_json::from_slice(payload).unwrap();
    let payload = json!({"type": "broadcast", "event": text(event), "payload": payload});
    json!([null, null, text(topic), "broadcast", payload])
}
