//! The audit log: rows of the table `activity`, written in the transaction of their cause. Only this module writes
//! them.
//!
//! Code that changes data calls [`record`] or [`record_rows`] at any time in the transaction. The events are appended
//! to the hash chain at the end of the transaction ([`hash_chain`]), so that the lock on the head of the chain is held
//! briefly. No event is ever changed, except for the erasure of names ([`redaction`]), and no query of a caller writes
//! one (`policy/`).

pub mod events;
pub mod hash_chain;
pub mod redaction;
pub mod row_changes;

use jiff::SignedDuration;
use sea_query::{Expr, ExprTrait, Query, SelectStatement};
use serde_json::{Map, Value, json};

pub use crate::audit::events::EventName;
pub use crate::audit::hash_chain::{ChainBreak, ChainReport, ChainVerifier};
pub use crate::audit::redaction::{count_named, prune_before, redact_names, redact_person};
pub use crate::audit::row_changes::{
    Change, RowEvents, RowLabel, RowNaming, describe_rows, record_rows,
};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Rows, Tx},
    security::{caller::Caller, ids::UserId},
};

/// An audit event. [`record`] adds actor and time.
#[derive(Debug, Clone)]
pub struct AuditEvent {
    event: EventName,
    person: Option<UserId>,
    person_name: Option<String>,
    subject_id: Option<String>,
    subject: Option<String>,
    detail: Value,
}

impl AuditEvent {
    /// Creates an event without person, subject and detail.
    #[must_use]
    pub fn new(event: EventName) -> Self {
        Self {
            event,
            person: None,
            person_name: None,
            subject_id: None,
            subject: None,
            detail: json!({}),
        }
    }

    /// Sets the person that the event is about.
    #[must_use]
    pub fn person(self, person: Option<UserId>) -> Self {
        Self { person, ..self }
    }

    /// Sets the name of the person, if the account's stored name is not to be read when the event is appended.
    #[must_use]
    pub fn person_name(self, name: impl Into<String>) -> Self {
        Self { person_name: Some(name.into()), ..self }
    }

    /// Sets the id and the name of the event's subject.
    #[must_use]
    pub fn subject(self, id: Option<String>, name: Option<String>) -> Self {
        Self { subject_id: id, subject: name, ..self }
    }

    /// Sets the details. They cannot be erased, so they must not contain personal data.
    #[must_use]
    pub fn detail(self, detail: Value) -> Self {
        Self { detail, ..self }
    }
}

/// Records events of a caller.
pub fn record(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    events: impl IntoIterator<Item = AuditEvent>,
) {
    let events: Vec<AuditEvent> = events.into_iter().collect();
    if events.is_empty() {
        return;
    }
    let (key, actor) = (app.keys.activity(), actor(app, caller));
    tx.before_commit(move |tx| hash_chain::append(tx, key, &actor, events));
}

/// Records an event of a caller, unless the same event about the same subject was recorded for them `within` this time.
pub fn record_once(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    event: AuditEvent,
    within: SignedDuration,
) {
    let (key, actor) = (app.keys.activity(), actor(app, caller));
    let since = format_timestamp(app.clock.now() - within);
    tx.before_commit(move |tx| {
        // No concurrent transaction must record it as well.
        hash_chain::lock_head(tx, "end")?;
        if hash_chain::recently_recorded(tx, &actor, &event, &since)? {
            return Ok(());
        }
        hash_chain::append(tx, key, &actor, vec![event])
    });
}

/// Whether the same event about the same subject was recorded for a caller `within` this time. Reads only, so that a
/// reader can spare the transaction of [`record_once`].
///
/// # Errors
/// A database error.
pub fn is_recorded(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    event: &AuditEvent,
    within: SignedDuration,
) -> Result<bool, Error> {
    let since = format_timestamp(app.clock.now() - within);
    hash_chain::recently_recorded(tx, &actor(app, caller), event, &since)
}

fn actor(app: &App, caller: Caller) -> hash_chain::Actor {
    let (kind, id) = match caller {
        Caller::Anon => ("nobody", None),
        Caller::Client { person, .. } => ("client", Some(person)),
        Caller::Admin(id)
        | Caller::Employee { person: id, .. }
        | Caller::Viewer { admin: id, .. } => ("staff", Some(id)),
        Caller::Service => ("program", None),
    };
    hash_chain::Actor { kind, id, at: format_timestamp(app.clock.now()) }
}

/// Records the start of an impersonation.
pub fn record_impersonation(tx: &mut Tx<'_>, app: &App, caller: Caller, client: UserId) {
    record(tx, app, caller, [AuditEvent::new(EventName::ClientViewed).person(Some(client))]);
}

/// Returns the name of an account as the log writes it, or `None` for an unknown account.
pub(crate) fn name_of(tx: &mut Tx<'_>, id: UserId) -> Result<Option<String>, Error> {
    read_name(&tx.rows(&select_name(id))?)
}

/// Builds the query for the name of an account. One query per person: the prepared statement is reused.
fn select_name(id: UserId) -> SelectStatement {
    let mut query = Query::select();
    query.columns(["email", "user_metadata"]).from("users").and_where(Expr::col("id").eq(id));
    query
}

/// Returns the name in the result of [`select_name`]: the full name, or the e-mail address of an account without one.
fn read_name(rows: &Rows) -> Result<Option<String>, Error> {
    let Some(row) = rows.first() else { return Ok(None) };
    let metadata: Map<String, Value> = serde_json::from_str(row.text(1)?)
        .map_err(|error| Error::Internal(format!("metadata: {error}")))?;
    let full_name = metadata.get("full_name").and_then(Value::as_str);
    Ok(Some(full_name.map_or_else(|| row.text(0), Ok)?.to_owned()))
}
