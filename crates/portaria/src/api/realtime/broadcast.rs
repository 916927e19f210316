//! Broadcasts: messages of clients to the members of a private topic, in the frames of both protocol versions.

use axum::extract::ws::Message;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Value, value::RawValue};

use crate::api::realtime::frame::{Format, Incoming};

/// First byte of a binary frame that carries a broadcast of a client.
const PUSH: u8 = 3;
/// First byte of a binary frame that carries a broadcast to a client.
const DELIVERY: u8 = 4;
/// Encoding of JSON in a binary frame.
const JSON: u8 = 1;
/// Encoding of bytes in a binary frame.
const BYTES: u8 = 0;
/// Maximum length of the name of an event, in bytes.
const MAX_EVENT: usize = 255;

/// A message to the members of a topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Broadcast {
    event: String,
    content: Content,
}

/// The content of a broadcast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Content {
    /// JSON text.
    Json(String),
    #[serde(serialize_with = "write_base64", deserialize_with = "read_base64")]
    Bytes(Vec<u8>),
}

impl Broadcast {
    /// A broadcast of JSON text, which is checked.
    ///
    /// # Errors
    /// The reason of the refusal, for the client.
    pub(crate) fn json(event: String, text: &[u8]) -> Result<Self, String> {
        let text: &RawValue =
            serde_json::from_slice(text).map_err(|_| "the payload is not valid JSON")?;
        Self::new(event, Content::Json(text.get().to_owned()))
    }

    /// A broadcast of bytes.
    ///
    /// # Errors
    /// The reason of the refusal, for the client.
    pub(crate) fn bytes(event: String, bytes: &[u8]) -> Result<Self, String> {
        Self::new(event, Content::Bytes(bytes.to_vec()))
    }

    fn new(event: String, content: Content) -> Result<Self, String> {
        if event.is_empty() || event.len() > MAX_EVENT {
            return Err(format!("the name of an event has 1 to {MAX_EVENT} bytes"));
        }
        Ok(Self { event, content })
    }

    /// The size of the content, in bytes.
    pub(crate) fn size(&self) -> usize {
        match &self.content {
            Content::Json(text) => text.len(),
            Content::Bytes(bytes) => bytes.len(),
        }
    }

    /// Reads the payload of a text frame.
    ///
    /// # Errors
    /// The reason of the refusal, for the client.
    pub(crate) fn from_payload(payload: &Value) -> Result<Self, String> {
        let event = payload.get("event").and_then(Value::as_str).ok_or("event is missing")?;
        refuse_storage(payload)?;
        let content = payload.get("payload").map_or_else(|| "{}".to_owned(), Value::to_string);
        Self::new(event.to_owned(), Content::Json(content))
    }

    /// The frame for a member; `None` if the member's protocol has no frame for bytes.
    pub(crate) fn frame(&self, format: Format, topic: &str) -> Option<Message> {
        #[derive(Serialize)]
        struct Wrapped<'a> {
            r#type: &'a str,
            event: &'a str,
            payload: &'a RawValue,
        }
        let (encoding, content) = match (format, &self.content) {
            (Format::Object, Content::Bytes(_)) => return None,
            (Format::Object, Content::Json(text)) => {
                let payload = serde_json::from_str(text).ok()?;
                let payload = Wrapped { r#type: "broadcast", event: &self.event, payload };
                let payload = serde_json::value::to_raw_value(&payload).ok()?;
                return Some(format.write((None, None), topic, "broadcast", &payload));
            }
            (Format::Array, Content::Json(text)) => (JSON, text.as_bytes()),
            (Format::Array, Content::Bytes(bytes)) => (BYTES, &**bytes),
        };
        let lengths = (u8::try_from(topic.len()).ok()?, u8::try_from(self.event.len()).ok()?);
        let mut frame = vec![DELIVERY, lengths.0, lengths.1, 0, encoding];
        for part in [topic.as_bytes(), self.event.as_bytes(), content] {
            frame.extend_from_slice(part);
        }
        Some(Message::Binary(frame.into()))
    }
}

/// Parses a binary frame: its references and topic, and the broadcast or the reason of its refusal.
pub(crate) fn parse(bytes: &[u8]) -> Option<(Incoming, Result<Broadcast, String>)> {
    let [PUSH, join_ref, reference, topic, event, metadata, encoding, rest @ ..] = bytes else {
        return None;
    };
    let mut rest = rest;
    let mut text = |length: u8| {
        let (text, tail) = rest.split_at_checked(length.into())?;
        rest = tail;
        String::from_utf8(text.to_vec()).ok()
    };
    let (join_ref, reference, topic) = (text(*join_ref)?, text(*reference)?, text(*topic)?);
    let (event, metadata) = (text(*event)?, text(*metadata)?);
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let frame = Incoming {
        join_ref: given(join_ref),
        reference: given(reference),
        topic,
        event: "broadcast".into(),
        payload: Value::Null,
    };
    let metadata: Value = serde_json::from_str(&metadata).unwrap_or_default();
    let broadcast = refuse_storage(&metadata).and_then(|()| match *encoding {
        JSON => Broadcast::json(event, rest),
        BYTES => Broadcast::bytes(event, rest),
        _ => Err("unknown encoding".into()),
    });
    Some((frame, broadcast))
}

/// Refuses a broadcast that its sender wants to be stored.
fn refuse_storage(options: &Value) -> Result<(), String> {
    match options.get("persist") {
        None | Some(Value::Null | Value::Bool(false)) => Ok(()),
        Some(_) => Err("messages are not stored".into()),
    }
}

fn write_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
}

fn read_base64<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<u8>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(source)?).map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use axum::extract::ws::Message;
    use serde_json::json;

    use crate::api::realtime::{
        broadcast::{Broadcast, parse},
        frame::Format,
    };

    #[test]
    fn binary_push_becomes_a_delivery_of_each_form() {
        let mut bytes = vec![3, 1, 1, 10, 1, 0, 1];
        bytes.extend_from_slice(br#"17realtime:ae{"x":1}"#);
        let (frame, broadcast) = parse(&bytes).unwrap();
        assert_eq!((frame.topic.as_str(), frame.event.as_str()), ("realtime:a", "broadcast"));
        assert_eq!((frame.join_ref.as_deref(), frame.reference.as_deref()), (Some("1"), Some("7")));
        let broadcast = broadcast.unwrap();
        let object = r#"{"topic":"realtime:a","event":"broadcast","payload":{"type":"broadcast","event":"e","payload":{"x":1}},"ref":null,"join_ref":null}"#;
        assert_eq!(broadcast.frame(Format::Object, "realtime:a"), Some(Message::text(object)));
        let mut array = vec![4, 10, 1, 0, 1];
        array.extend_from_slice(br#"realtime:ae{"x":1}"#);
        assert_eq!(
            broadcast.frame(Format::Array, "realtime:a"),
            Some(Message::Binary(array.into()))
        );
    }

    #[test]
    fn bytes_reach_only_the_form_that_has_them() {
        let broadcast = Broadcast::bytes("e".into(), &[0, 255]).unwrap();
        assert_eq!(broadcast.frame(Format::Object, "t"), None);
        let frame = Message::Binary(vec![4, 1, 1, 0, 0, b't', b'e', 0, 255].into());
        assert_eq!(broadcast.frame(Format::Array, "t"), Some(frame));
        let copy = serde_json::to_string(&broadcast).unwrap();
        assert_eq!(serde_json::from_str::<Broadcast>(&copy).unwrap(), broadcast);
    }

    #[test]
    fn invalid_pushes_are_refused() {
        for bytes in [&[][..], &[1], &[3, 200, 0, 0, 0, 0, 0, 1], &[3, 1, 0, 0, 0, 0, 0, 255]] {
            assert!(parse(bytes).is_none(), "{bytes:?}");
        }
        let push = |event: &[u8], metadata: &[u8], encoding: u8, content: &[u8]| {
            let length = |part: &[u8]| u8::try_from(part.len()).unwrap();
            let head = [3, 0, 0, 1, length(event), length(metadata), encoding, b't'];
            parse(&[&head, event, metadata, content].concat()).unwrap().1.unwrap_err()
        };
        assert_eq!(push(b"e", b"", 1, b"{"), "the payload is not valid JSON");
        assert_eq!(push(b"", b"", 1, b"{}"), "the name of an event has 1 to 255 bytes");
        assert_eq!(push(b"e", b"", 7, b"{}"), "unknown encoding");
        assert_eq!(push(b"e", br#"{"persist":true}"#, 1, b"{}"), "messages are not stored");
        let payload = json!({"event": "e", "payload": {}, "persist": {"ttl": 5}});
        assert_eq!(Broadcast::from_payload(&payload).unwrap_err(), "messages are not stored");
        assert_eq!(Broadcast::from_payload(&json!({})).unwrap_err(), "event is missing");
    }
}
