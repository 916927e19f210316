//! The frames of the Phoenix protocol, in the two forms that clients ask for with `vsn`: arrays (2.0.0) and objects
//! (1.0.0).

use axum::extract::ws::Message;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

/// The beginning of all topics of channels.
pub(crate) const PREFIX: &str = "realtime:";

/// The form of the frames of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    Object,
    Array,
}

/// A frame from a client.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Incoming {
    pub(crate) join_ref: Option<String>,
    #[serde(rename = "ref")]
    pub(crate) reference: Option<String>,
    pub(crate) topic: String,
    pub(crate) event: String,
    #[serde(default)]
    pub(crate) payload: Value,
}

/// Maximum length of a topic, in bytes.
pub(crate) const MAX_TOPIC: usize = 255;
/// Maximum length of a reference, in bytes.
const MAX_REFERENCE: usize = 64;

impl Incoming {
    /// Returns whether the parts that the reply repeats are short.
    fn is_bounded(&self) -> bool {
        let references = [&self.join_ref, &self.reference];
        let mut references = references.into_iter().flatten();
        self.topic.len() <= MAX_TOPIC
            && references.all(|reference| reference.len() <= MAX_REFERENCE)
    }
}

impl Format {
    /// Parses `vsn` of the address of the connection.
    pub(crate) fn from_version(version: &str) -> Option<Self> {
        match version {
            "1.0.0" => Some(Self::Object),
            "2.0.0" => Some(Self::Array),
            _ => None,
        }
    }

    /// Parses a text frame.
    pub(crate) fn parse(self, text: &str) -> Option<Incoming> {
        let frame = match self {
            Self::Object => serde_json::from_str(text).ok()?,
            Self::Array => {
                let (join_ref, reference, topic, event, payload) =
                    serde_json::from_str(text).ok()?;
                Incoming { join_ref, reference, topic, event, payload }
            }
        };
        Some(frame).filter(Incoming::is_bounded)
    }

    /// Writes a frame whose payload is JSON text already.
    pub(crate) fn write(
        self,
        (join_ref, reference): (Option<&str>, Option<&str>),
        topic: &str,
        event: &str,
        payload: &RawValue,
    ) -> Message {
        let frame = match self {
            Self::Array => serde_json::to_string(&(join_ref, reference, topic, event, payload)),
            Self::Object => {
                #[derive(serde::Serialize)]
                struct Object<'a> {
                    topic: &'a str,
                    event: &'a str,
                    payload: &'a RawValue,
                    r#ref: Option<&'a str>,
                    join_ref: Option<&'a str>,
                }
                serde_json::to_string(&Object { topic, event, payload, r#ref: reference, join_ref })
            }
        };
        Message::text(frame.expect("strings and JSON text serialize"))
    }

    /// Writes the reply to a frame.
    pub(crate) fn reply(self, to: &Incoming, status: &str, response: &Value) -> Message {
        let payload = raw(&json!({"status": status, "response": response}));
        let references = (to.join_ref.as_deref(), to.reference.as_deref());
        self.write(references, &to.topic, "phx_reply", &payload)
    }
}

/// Converts a value to JSON text.
pub(crate) fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).expect("a value is JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::api::realtime::frame::{Format, Incoming, raw};

    #[test]
    fn both_forms_carry_the_same_frame() {
        let frame = || Incoming {
            join_ref: Some("1".into()),
            reference: Some("2".into()),
            topic: "realtime:a".into(),
            event: "phx_join".into(),
            payload: json!({"config": {}}),
        };
        let array = r#"["1","2","realtime:a","phx_join",{"config":{}}]"#;
        let object = r#"{"topic":"realtime:a","event":"phx_join","payload":{"config":{}},"ref":"2","join_ref":"1"}"#;
        assert_eq!(Format::Array.parse(array), Some(frame()));
        assert_eq!(Format::Object.parse(object), Some(frame()));
        for (format, text) in [(Format::Array, array), (Format::Object, object)] {
            let payload = raw(&frame().payload);
            let written = format.write((Some("1"), Some("2")), "realtime:a", "phx_join", &payload);
            assert_eq!(written.to_text().unwrap(), text);
        }
        assert_eq!(Format::Array.parse("[1]"), None);
        for (reference, topic) in [("1".repeat(65), "a".into()), ("1".into(), "a".repeat(256))] {
            let long = json!([null, reference, topic, "heartbeat", {}]).to_string();
            assert_eq!(Format::Array.parse(&long), None);
        }
    }
}
