//! Push subscriptions: the devices that show a person's notifications.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use sea_query::{Condition, Expr, ExprTrait, LockType, OnConflict, Order, Query};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::push::endpoint,
    security::{
        ids::{PushSubscriptionId, SessionId, UserId},
        keys::sha256_hex,
        push_encryption::{AUTH_BYTES, PUBLIC_KEY_BYTES, encrypt},
    },
};

/// Maximum number of subscriptions of a person.
const MAX_PER_PERSON: usize = 10;
/// Maximum number of characters of a device's name.
const MAX_NAME_CHARS: usize = 80;

/// A device as its person sees it.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) created_at: String,
    pub(crate) last_used_at: Option<String>,
    /// SHA-256 of the endpoint, by which a browser recognizes its own subscription.
    pub(crate) endpoint_hash: String,
}

/// A subscription as a browser sends it, checked.
#[derive(Debug)]
pub(crate) struct NewSubscription {
    endpoint: String,
    p256dh: String,
    auth: String,
    device_name: String,
}

/// The person has the maximum number of subscriptions.
#[derive(Debug)]
pub(crate) struct TooManyDevices;

impl NewSubscription {
    /// Checks the values of a browser. `None` if the endpoint belongs to no known push service, the keys are no keys, or
    /// the name is empty or too long.
    pub(crate) fn parse(endpoint: &str, p256dh: &str, auth: &str, name: &str) -> Option<Self> {
        let endpoint = endpoint::parse(endpoint)?.to_string();
        let (point, secret) = (BASE64.decode(p256dh).ok()?, BASE64.decode(auth).ok()?);
        let has_lengths = point.len() == PUBLIC_KEY_BYTES && secret.len() == AUTH_BYTES;
        // The encryption checks that the point is on the curve.
        if !has_lengths || encrypt(b"", &point, &secret).is_none() {
            return None;
        }
        let device_name = name.trim().to_owned();
        let is_name = !device_name.is_empty()
            && device_name.chars().count() <= MAX_NAME_CHARS
            && !device_name.chars().any(char::is_control);
        let (p256dh, auth) = (p256dh.to_owned(), auth.to_owned());
        is_name.then_some(Self { endpoint, p256dh, auth, device_name })
    }
}

/// Returns the devices of a person, oldest first.
pub(crate) fn of_person(tx: &mut Tx<'_>, person: UserId) -> Result<Vec<Device>, Error> {
    let mut query = Query::select();
    query.columns(["id", "device_name", "created_at", "last_used_at", "endpoint"]);
    query.from("push_subscriptions").and_where(Expr::col("person_id").eq(person));
    query.order_by("created_at", Order::Asc).order_by("id", Order::Asc);
    let device = |row: crate::db::Row<'_>| {
        Ok(Device {
            id: row.text(0)?.to_owned(),
            name: row.text(1)?.to_owned(),
            created_at: row.text(2)?.to_owned(),
            last_used_at: row.opt_text(3)?.map(str::to_owned),
            endpoint_hash: sha256_hex(row.text(4)?),
        })
    };
    tx.rows(&query)?.iter().map(device).collect()
}

/// Adds a subscription. It replaces the one of the same browser, also of another person: the browser shows the
/// notifications of the person who subscribed last.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    app: &App,
    person: UserId,
    session: SessionId,
    new: NewSubscription,
) -> Result<Result<(), TooManyDevices>, Error> {
    // Serializes the subscriptions of a person, so that together they keep the limit.
    let mut lock = Query::select();
    lock.column("id").from("users").and_where(Expr::col("id").eq(person));
    tx.rows(lock.lock(LockType::NoKeyUpdate))?;
    let hash = sha256_hex(&new.endpoint);
    let others =
        of_person(tx, person)?.iter().filter(|device| device.endpoint_hash != hash).count();
    if others >= MAX_PER_PERSON {
        return Ok(Err(TooManyDevices));
    }
    let mut former = Query::delete();
    former.from_table("push_subscriptions").and_where(Expr::col("endpoint").eq(&*new.endpoint));
    tx.execute(&former)?;
    let now = app.clock.now();
    let row: [(&str, Expr); 8] = [
        ("id", PushSubscriptionId::new(now).into()),
        ("person_id", person.into()),
        ("session_id", session.into()),
        ("endpoint", new.endpoint.into()),
        ("p256dh", new.p256dh.into()),
        ("auth", new.auth.into()),
        ("device_name", new.device_name.into()),
        ("created_at", format_timestamp(now).into()),
    ];
    let (columns, values): (Vec<_>, Vec<_>) = row.into_iter().unzip();
    let mut insert = Query::insert();
    insert.into_table("push_subscriptions").columns(columns.clone()).values_panic(values);
    // Another request of the same browser may have added it since the deletion.
    let changed = columns.into_iter().filter(|column| *column != "id");
    insert.on_conflict(OnConflict::column("endpoint").update_columns(changed).to_owned());
    tx.execute(&insert)?;
    Ok(Ok(()))
}

/// Removes a subscription of a person. Returns whether there was one.
pub(crate) fn remove(
    tx: &mut Tx<'_>,
    person: UserId,
    id: PushSubscriptionId,
) -> Result<bool, Error> {
    let mut delete = Query::delete();
    delete.from_table("push_subscriptions").and_where(Expr::col("person_id").eq(person));
    Ok(tx.execute(delete.and_where(Expr::col("id").eq(id)))? > 0)
}

/// Removes the subscriptions that began in sessions which end now.
pub(crate) fn forget_sessions(tx: &mut Tx<'_>, which: &Condition) -> Result<(), Error> {
    let mut ended = Query::select();
    ended.column("id").from("sessions").cond_where(which.clone());
    let mut delete = Query::delete();
    delete.from_table("push_subscriptions");
    tx.execute(delete.and_where(Expr::col("session_id").in_subquery(ended))).map(drop)
}

/// Removes the subscriptions of a person, except those of the current session if given. Sessions may have ended before by
/// their age.
pub(crate) fn forget_person(
    tx: &mut Tx<'_>,
    person: UserId,
    current: Option<SessionId>,
) -> Result<(), Error> {
    let mut delete = Query::delete();
    delete.from_table("push_subscriptions").and_where(Expr::col("person_id").eq(person));
    if let Some(current) = current {
        delete.and_where(Expr::col("session_id").ne(current));
    }
    tx.execute(&delete).map(drop)
}
