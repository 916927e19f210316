//! `/account/v1/push`: the caller's devices that show notifications, and the topics that they show.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
    http::StatusCode,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::authenticate::Credential,
    api::account::{AccountError, extract::JsonBody, require_person},
    app::App,
    db::Tx,
    notifications::push::{
        subscriptions::{self, Device, NewSubscription, TooManyDevices},
        topics::{self, TOPICS},
    },
    security::ids::PushSubscriptionId,
};

/// A subscription as browsers serialize it, with the name of the device.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subscription {
    endpoint: String,
    keys: BrowserKeys,
    device_name: String,
}

/// The keys of a browser (RFC 8291, section 2).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BrowserKeys {
    p256dh: String,
    auth: String,
}

/// `GET`: returns `{public_key, devices, muted_topics}`.
///
/// # Errors
/// As `require_person`.
pub async fn show(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Json<Value>, AccountError> {
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let person = require_person(tx, &credential, app)?;
        let devices = subscriptions::of_person(tx, person.id)?;
        Ok::<_, AccountError>((devices, topics::muted(tx, person.id)?))
    };
    let (devices, muted) = app.read(read).await?;
    let devices: Vec<_> = devices.iter().map(device_json).collect();
    let public_key = app.keys.vapid().public_key();
    Ok(Json(json!({"public_key": public_key, "devices": devices, "muted_topics": muted})))
}

fn device_json(device: &Device) -> Value {
    json!({
        "id": device.id,
        "device_name": device.name,
        "created_at": device.created_at,
        "last_used_at": device.last_used_at,
        "endpoint_hash": device.endpoint_hash,
    })
}

/// `POST …/devices`: adds the browser's subscription, which replaces an earlier one of the same browser.
///
/// # Errors
/// As `require_person`; `validation_failed` for an endpoint of no known push service and for invalid keys or names;
/// `too_many_devices`.
pub async fn add_device(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    JsonBody(body): JsonBody<Subscription>,
) -> Result<StatusCode, AccountError> {
    let Subscription { endpoint, keys, device_name } = body;
    let new = NewSubscription::parse(&endpoint, &keys.p256dh, &keys.auth, &device_name);
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let person = require_person(tx, &credential, app)?;
        let new = new.ok_or_else(AccountError::invalid_subscription)?;
        // A token without a session is a program's, and has no sign-out.
        let Credential::Person { session: Some(session), .. } = credential else {
            return Err(AccountError::no_person());
        };
        let added = subscriptions::add(tx, app, person.id, session, new)?;
        added.map_err(|TooManyDevices| AccountError::too_many_devices())?;
        Ok(StatusCode::NO_CONTENT)
    };
    app.write(write).await
}

/// `DELETE …/devices/{id}`: removes a device.
///
/// # Errors
/// As `require_person`; `not_found` for a device that is not the caller's.
pub async fn remove_device(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let person = require_person(tx, &credential, app)?;
        let id: PushSubscriptionId = id.parse().map_err(|_| AccountError::not_found())?;
        if subscriptions::remove(tx, person.id, id)? {
            Ok(StatusCode::NO_CONTENT)
        } else {
            Err(AccountError::not_found())
        }
    };
    app.write(write).await
}

/// `PUT …/topics/{topic}`: the devices show notifications of a topic, as without a choice.
///
/// # Errors
/// As `require_person`; `not_found` for an unknown topic.
pub async fn show_topic(
    app: State<Arc<App>>,
    credential: Extension<Credential>,
    topic: Path<String>,
) -> Result<StatusCode, AccountError> {
    set_topic(app, credential, topic, true).await
}

/// `DELETE …/topics/{topic}`: the devices show no notifications of a topic.
///
/// # Errors
/// As [`show_topic`].
pub async fn mute_topic(
    app: State<Arc<App>>,
    credential: Extension<Credential>,
    topic: Path<String>,
) -> Result<StatusCode, AccountError> {
    set_topic(app, credential, topic, false).await
}

async fn set_topic(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(topic): Path<String>,
    is_wanted: bool,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let person = require_person(tx, &credential, app)?;
        if !TOPICS.contains(&topic.as_str()) {
            return Err(AccountError::not_found());
        }
        if is_wanted {
            topics::unmute(tx, person.id, &topic)?;
        } else {
            topics::mute(tx, app, person.id, &topic)?;
        }
        Ok(StatusCode::NO_CONTENT)
    };
    app.write(write).await
}
