//! A generated office with users and rows, from two seeds: one for everything that a certain client may see, and one
//! for the rest.
//!
//! Two offices with the same shared seed agree byte for byte on what the client may see, and differ in the rest.

use std::collections::BTreeMap;

use sea_query::{Alias, Expr, Query};
use serde_json::json;

use crate::harness::{PDF, TestPortal};
use crate::property::{fixtures, rng::Rng};

/// The value of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Text(String),
    Int(i64),
    Bool(bool),
}

pub(crate) type Row = BTreeMap<&'static str, Value>;

/// A user with an account and a session.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) session: String,
}

/// The complete content of the database, and the bytes of the files.
pub(crate) struct Office {
    /// The client whose view depends on the shared seed.
    pub(crate) client: Member,
    pub(crate) other: Member,
    pub(crate) admin: Member,
    /// A member of the client who is limited to folders, in a limited office.
    pub(crate) limited: Option<Member>,
    /// Table and row, parents before children.
    pub(crate) rows: Vec<(&'static str, Row)>,
    /// Whether the client may see the row; in a limited office the limited member.
    pub(crate) shared: Vec<bool>,
}

/// Tables in an order in which they can be emptied.
const TABLES: [&str; 51] = [
    "staff_mail_choices",
    "saved_views",
    "notifications",
    "received_files",
    "request_items",
    "request_templates",
    "office_settings",
    "inbox_files",
    "inbox_rules",
    "inbox_tokens",
    "recognition_rules",
    "reminder_rules",
    "document_receipts",
    "document_payments",
    "document_approvals",
    "document_contacts",
    "ticket_attachments",
    "ticket_messages",
    "ticket_history",
    "ticket_presence",
    "documents",
    "deleted_documents",
    "document_versions",
    "tickets",
    "folders",
    "renditions",
    "objects",
    "uploads",
    "buckets",
    "blob_gc",
    "saved_replies",
    "email_notification_settings",
    "email_templates",
    "one_time_tokens",
    "auth_codes",
    "attempts",
    "muted_topics",
    "calendar_feeds",
    "push_messages",
    "push_subscriptions",
    "push_muted_topics",
    "personal_links",
    "outbox",
    "erasures",
    "idempotency_keys",
    "member_folders",
    "memberships",
    "client_assignments",
    "sessions",
    "users",
    "system_state",
];

impl Office {
    pub(crate) fn new(shared: u64, private: u64) -> Self {
        fixtures::fill(&mut Rng::new(shared), &mut Rng::new(private))
    }

    /// An office in which the shared seed determines what a limited member of the client may see.
    pub(crate) fn limited(shared: u64, private: u64) -> Self {
        fixtures::fill_limited(&mut Rng::new(shared), &mut Rng::new(private))
    }

    /// The rows of a table.
    pub(crate) fn table(&self, name: &str) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |(table, _)| *table == name).map(|(_, row)| row)
    }

    /// An access token of a user, valid for a day.
    pub(crate) fn token(portal: &TestPortal, member: &Member) -> String {
        let now = portal.now().as_second();
        portal.app.keys.sign_token(&json!({
            "sub": member.id, "session_id": member.session, "role": "authenticated",
            "aud": "authenticated", "iat": now, "exp": now + 86_400,
        }))
    }

    /// Replaces the content of a portal with this office.
    pub(crate) async fn move_in(&self, portal: &TestPortal) -> Furnished {
        // All files have the same bytes, because only the access matters here.
        let blob = portal.app.files.create().await.unwrap();
        let written = blob.write(PDF.into()).await.unwrap().commit().await.unwrap();
        let mut rows = self.rows.clone();
        for (table, row) in &mut rows {
            if *table == "objects" {
                row.insert("blob", Value::Text(written.blob.clone()));
                row.insert("sha256", Value::Text(written.sha256.clone()));
            }
        }
        let furnished = Furnished(rows);
        furnished.restore(portal).await;
        furnished
    }
}

/// A loaded office, which can be reset to its original state.
pub(crate) struct Furnished(Vec<(&'static str, Row)>);

impl Furnished {
    /// Undoes all updates, inserts and deletions.
    pub(crate) async fn restore(&self, portal: &TestPortal) {
        let rows = self.0.clone();
        let write = move |tx: &mut portaria::db::Tx<'_>| {
            for table in TABLES {
                tx.execute(Query::delete().from_table(Alias::new(table)))?;
            }
            // All rows of a table have the same columns.
            for rows in rows.chunk_by(|(one, _), (other, _)| one == other) {
                let (table, first) = &rows[0];
                let mut insert = Query::insert();
                insert.into_table(Alias::new(*table));
                insert.columns(first.keys().map(|name| Alias::new(*name)));
                for (_, row) in rows {
                    insert.values_panic(row.values().map(|value| match value {
                        Value::Null => Expr::cust("NULL"),
                        Value::Text(text) => Expr::val(text),
                        Value::Int(number) => Expr::val(*number),
                        Value::Bool(value) => Expr::val(*value),
                    }));
                }
                tx.execute(&insert)?;
            }
            Ok::<_, portaria::db::Error>(())
        };
        portal.app.db.write(write).await.unwrap();
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
