//! What happened is written down here and nowhere else: lines of the table `activity`, in the transaction of their cause.
//!
//! Whoever changes something says so by [`tell`] or [`rows()`], at any moment of the transaction; the lines are chained
//! at its end (`activity/chain.rs`). Nobody changes a line, and no caller's query writes one (`policy.rs`).

pub mod hash_chain;
pub mod redaction;
pub mod row_changes;

use jiff::SignedDuration;
use serde_json::{Value, json};
use uuid::Uuid;

pub use crate::audit::hash_chain::{ChainBreak, ChainReport, ChainVerifier};
pub use crate::audit::redaction::{count_named, prune_before, redact_names, redact_person};
pub use crate::audit::row_changes::{Change, RowLabel, describe_rows, record_rows};

use crate::{
    accounts::user::{self, User},
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    policy::Caller,
    stored_files::object::{self, Object},
};

/// Something that happened: `{what}.{what became of it}`. Who did it, and when, is added by [`tell`].
#[derive(Debug, Clone)]
pub struct AuditEvent {
    event: String,
    person: Option<String>,
    person_name: Option<String>,
    subject_id: Option<String>,
    subject: Option<String>,
    detail: Value,
}

impl AuditEvent {
    /// An event that is about nobody and nothing in particular.
    pub fn new(event: impl Into<String>) -> Self {
        Self {
            event: event.into(),
            person: None,
            person_name: None,
            subject_id: None,
            subject: None,
            detail: json!({}),
        }
    }

    /// An event of an account, which is told by its name, and by its address as what the event is about.
    pub fn for_user(event: impl Into<String>, user: &User) -> Self {
        Self {
            person: Some(user.id.to_string()),
            person_name: Some(user.full_name().to_owned()),
            subject: Some(user.email.clone()),
            ..Self::new(event)
        }
    }

    /// An event of a stored file, which is about the client whose folder it lies in.
    pub fn for_file(event: impl Into<String>, file: &Object) -> Self {
        let mut parts = file.name.rsplit('/');
        let name = parts.next().map(str::to_owned);
        let is_clients = [object::DOCUMENTS_BUCKET, object::ATTACHMENTS_BUCKET]
            .contains(&file.bucket_id.as_str());
        let whose = is_clients.then(|| parts.nth(1)).flatten();
        Self::new(event)
            .person(whose.and_then(|id| Uuid::parse_str(id).ok()).map(|id| id.to_string()))
            .subject(Some(file.id.clone()), name)
            .detail(json!({"bucket": file.bucket_id}))
    }

    /// Whom it is about.
    #[must_use]
    pub fn person(self, person: Option<String>) -> Self {
        Self { person, ..self }
    }

    /// What it was done to, and how that is called.
    #[must_use]
    pub fn subject(self, id: Option<String>, name: Option<String>) -> Self {
        Self { subject_id: id, subject: name, ..self }
    }

    /// Particulars. They cannot be erased, so they say nothing personal.
    #[must_use]
    pub fn detail(self, detail: Value) -> Self {
        Self { detail, ..self }
    }
}

/// Writes down what a caller did.
pub fn record(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    lines: impl IntoIterator<Item = AuditEvent>,
) {
    let lines: Vec<AuditEvent> = lines.into_iter().collect();
    if lines.is_empty() {
        return;
    }
    let (seal, actor) = (app.keys.activity(), actor(app, caller));
    tx.last(move |tx| hash_chain::append(tx, seal, &actor, lines));
}

/// Writes down what a caller did, unless a line says already that they did it to the same so shortly before.
pub fn record_once(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    line: AuditEvent,
    within: SignedDuration,
) {
    let (seal, actor) = (app.keys.activity(), actor(app, caller));
    let since = format_timestamp(app.clock.now() - within);
    tx.last(move |tx| {
        if hash_chain::recently_recorded(tx, &actor, &line, &since)? {
            return Ok(());
        }
        hash_chain::append(tx, seal, &actor, vec![line])
    });
}

fn actor(app: &App, caller: Caller) -> hash_chain::Actor {
    let (kind, id) = match caller {
        Caller::Anon => ("nobody", None),
        Caller::Client(id) => ("client", Some(id)),
        Caller::Admin(id) | Caller::Viewer { admin: id, .. } => ("staff", Some(id)),
        Caller::Service => ("program", None),
    };
    hash_chain::Actor {
        kind,
        id: id.map(|id| id.to_string()),
        at: format_timestamp(app.clock.now()),
    }
}

/// Somebody of the staff looks at the portal as a client sees it.
pub fn impersonation(tx: &mut Tx<'_>, app: &App, caller: Caller, client: Uuid) {
    record(tx, app, caller, [AuditEvent::new("client.viewed").person(Some(client.to_string()))]);
}

/// The account itself as the one who did it.
#[must_use]
pub fn from_user(user: &User) -> Caller {
    if user.is_admin() { Caller::Admin(user.id) } else { Caller::Client(user.id) }
}

/// What became of an account's role, if anything.
#[must_use]
pub fn role_change(before: bool, user: &User) -> Option<AuditEvent> {
    match (before, user.is_admin()) {
        (false, true) => Some(AuditEvent::for_user("role.granted", user)),
        (true, false) => Some(AuditEvent::for_user("role.removed", user)),
        _ => None,
    }
}

/// What people are called, by their ids.
fn names(tx: &mut Tx<'_>, ids: &[&str]) -> Result<Vec<(String, String)>, Error> {
    let mut found = Vec::new();
    for id in ids {
        // One statement, prepared once, serves whatever number of people; it is hardly ever more than two.
        let Ok(known) = Uuid::parse_str(id) else { continue };
        if let Some(name) = user::name_of(tx, known)? {
            found.push(((*id).to_owned(), name));
        }
    }
    Ok(found)
}
