//! `POST /realtime/v1/api/broadcast` and `…/{topic}/events/{event}`: send broadcasts without a websocket.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    body::{Body, Bytes},
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

use crate::api::{
    json_body,
    query_string::query_pairs,
    realtime::{
        broadcast::Broadcast,
        frame::{MAX_TOPIC, PREFIX},
        hub::Hub,
        topic,
    },
    retry_after,
};
use crate::{
    accounts::authenticate::{AuthenticationError, Credential},
    app::App,
};

/// Maximum size of a body, in bytes.
const MAX_BODY: usize = 64 * 1024;
/// The answer to a body of another form.
const NO_BATCH: &str = "expected {\"messages\": [{\"topic\", \"event\", \"payload\"}]}";
/// Maximum number of messages of a request.
const MAX_MESSAGES: usize = 50;

#[derive(Debug, Deserialize)]
struct Batch<'a> {
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    topic: String,
    event: String,
    #[serde(borrow)]
    payload: &'a RawValue,
    #[serde(default)]
    private: bool,
}

/// A refusal with its reason.
type Refusal = (StatusCode, String);

/// Sends the messages of a JSON body: all of them, or none.
pub async fn batch(
    State(app): State<Arc<App>>,
    Extension(hub): Extension<Arc<Hub>>,
    Extension(credential): Extension<Credential>,
    body: Body,
) -> Response {
    let send = async {
        let body = read(&app, &credential, body).await?;
        let invalid = |reason: String| (StatusCode::UNPROCESSABLE_ENTITY, reason);
        let Batch { messages } =
            serde_json::from_slice(&body).map_err(|_| invalid(NO_BATCH.into()))?;
        if messages.len() > MAX_MESSAGES {
            return Err(invalid(format!("a request has at most {MAX_MESSAGES} messages")));
        }
        let messages = messages.into_iter().map(|Message { topic, event, payload, private }| {
            let broadcast = Broadcast::json(event, payload.get().as_bytes()).map_err(invalid)?;
            private_topic(topic, private).map(|topic| (topic, broadcast))
        });
        send(&app, &hub, credential, messages.collect::<Result<_, _>>()?).await
    };
    respond(send.await)
}

/// Sends the body as one message, JSON or bytes.
pub async fn single(
    State(app): State<Arc<App>>,
    Extension(hub): Extension<Arc<Hub>>,
    Extension(credential): Extension<Credential>,
    Path((topic, event)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let send = async {
        let body = read(&app, &credential, body).await?;
        let pairs = || query_pairs(query.as_deref().unwrap_or_default());
        if pairs().any(|pair| pair.name.starts_with("persist")) {
            return Err((StatusCode::UNPROCESSABLE_ENTITY, "messages are not stored".into()));
        }
        let private = pairs().any(|pair| pair.name == "private" && pair.value == Some("true"));
        let topic = private_topic(topic, private)?;
        let kind = headers.get(header::CONTENT_TYPE).map(header::HeaderValue::as_bytes);
        let broadcast = match kind {
            Some(b"application/octet-stream") => Broadcast::bytes(event, &body),
            _ => Broadcast::json(event, &body),
        };
        let broadcast = broadcast.map_err(|reason| (StatusCode::UNPROCESSABLE_ENTITY, reason))?;
        send(&app, &hub, credential, vec![(topic, broadcast)]).await
    };
    respond(send.await)
}

async fn read(app: &App, credential: &Credential, body: Body) -> Result<Bytes, Refusal> {
    let body =
        json_body::read(app, credential, body).await.ok().filter(|body| body.len() <= MAX_BODY);
    body.ok_or_else(|| (StatusCode::PAYLOAD_TOO_LARGE, "the body has at most 64 KiB".into()))
}

fn private_topic(topic: String, private: bool) -> Result<String, Refusal> {
    if PREFIX.len() + topic.len() > MAX_TOPIC {
        Err((StatusCode::UNPROCESSABLE_ENTITY, "the topic is too long".into()))
    } else if private {
        Ok(topic)
    } else {
        Err((StatusCode::FORBIDDEN, "the channel is not private".into()))
    }
}

/// Sends broadcasts, if the caller may send to all their topics.
async fn send(
    app: &Arc<App>,
    hub: &Arc<Hub>,
    credential: Credential,
    messages: Vec<(String, Broadcast)>,
) -> Result<(), Refusal> {
    let unavailable = |error: &dyn std::fmt::Display| {
        tracing::warn!(%error, "sending a broadcast failed");
        (StatusCode::SERVICE_UNAVAILABLE, "the server is busy".to_owned())
    };
    if matches!(credential, Credential::Nothing | Credential::Anon | Credential::Invalid(_)) {
        return Err((StatusCode::UNAUTHORIZED, "a valid access token is required".into()));
    }
    if let Some(person) = credential.person() {
        let size = messages.iter().map(|(_, broadcast)| broadcast.size()).sum();
        let limited = app.limits.messages(person, messages.len(), size);
        limited.map_err(|_| (StatusCode::TOO_MANY_REQUESTS, "too many messages".into()))?;
    }
    let topics: Vec<String> = messages.iter().map(|(topic, _)| topic.clone()).collect();
    let permitted = app.read(move |tx, app| {
        let caller = credential.caller(tx, &app.config, app.clock.now())?;
        for topic in topics {
            if !topic::access(tx, caller, &topic)?.is_some_and(|access| access.may_send) {
                return Ok(false);
            }
        }
        Ok(true)
    });
    let permitted = permitted.await.map_err(|error| match error {
        AuthenticationError::Session(_) => {
            (StatusCode::UNAUTHORIZED, "the session grants no access".to_owned())
        }
        AuthenticationError::Database(error) => unavailable(&error),
    })?;
    if !permitted {
        let reason = "this caller may not send to the topic";
        return Err((StatusCode::FORBIDDEN, reason.into()));
    }
    // Members on other nodes receive the message through the feed.
    hub.start_feed(app).await.map_err(|error| unavailable(&error))?;
    for (topic, broadcast) in messages {
        hub.broadcast(&format!("{PREFIX}{topic}"), None, broadcast);
    }
    Ok(())
}

fn respond(sent: Result<(), Refusal>) -> Response {
    match sent {
        Ok(()) => StatusCode::ACCEPTED.into_response(),
        Err((status, reason)) => {
            let response = (status, Json(json!({"message": reason}))).into_response();
            // The limit is one of messages a second.
            let is_limited = status == StatusCode::TOO_MANY_REQUESTS;
            retry_after::add(response, is_limited.then_some(Duration::from_secs(1)))
        }
    }
}
