//! Audit events of changed rows: the tables whose changes are recorded, and the labels of their rows.

use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::Value;

use crate::audit::{AuditEvent, record};
use crate::{
    app::App,
    db::{Error, Tx},
    schema::TableId,
    security::caller::Caller,
};

/// Maximum number of keys in one statement.
const MAX_KEYS: usize = 500;

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are self-explanatory")]
pub enum Change {
    Created,
    Updated,
    Deleted,
}

/// A row's label in the audit log.
#[derive(Debug)]
pub struct RowLabel {
    id: String,
    name: Option<String>,
    person: Option<String>,
    /// The kind of row, for tables with several kinds.
    kind: Option<String>,
}

/// Reads the labels of rows. Called before rows are deleted, or after they were created or updated. Returns no labels
/// for tables whose changes are not recorded.
pub fn describe_rows(
    tx: &mut Tx<'_>,
    table: TableId,
    keys: &[String],
) -> Result<Vec<RowLabel>, Error> {
    let mut labels = Vec::new();
    let Some((key, select)) = label_query(table) else { return Ok(labels) };
    for keys in keys.chunks(MAX_KEYS) {
        let mut query = select.clone();
        query.and_where(Expr::col(key).is_in(keys.iter().map(String::as_str)));
        for row in tx.rows(query.order_by(key, Order::Asc))?.iter() {
            let text = |cell| row.opt_text(cell).map(|text| text.map(str::to_owned));
            let id = row.text(0)?.to_owned();
            labels.push(RowLabel { id, name: text(1)?, person: text(2)?, kind: text(3)? });
        }
    }
    Ok(labels)
}

/// Records an event for each changed row.
pub fn record_rows(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    (table, change): (TableId, Change),
    mut labels: Vec<RowLabel>,
    detail: &Value,
) {
    if table == TableId::EmailNotificationSettings {
        // The screen saves all settings at once, which is one event.
        labels.truncate(1);
    }
    let to_event = |row: RowLabel| {
        let name = event_name(table, change, row.kind.as_deref().unwrap_or_default());
        AuditEvent::new(name)
            .person(row.person)
            .subject(Some(row.id), row.name)
            .detail(detail.clone())
    };
    record(tx, app, caller, labels.into_iter().map(to_event));
}

/// Returns the key column of a table, and a query for the subject's id, its name, its person and its kind.
fn label_query(table: TableId) -> Option<((&'static str, &'static str), SelectStatement)> {
    const NULL: &str = "NULL";
    let plain = |table: &'static str, key, name, person: Option<&'static str>| {
        let mut query = Query::select();
        query.columns([(table, key), (table, name)]).from(table);
        match person {
            Some(person) => query.column((table, person)),
            None => query.expr(Expr::cust(NULL)),
        };
        query.expr(Expr::cust(NULL));
        Some(((table, key), query))
    };
    match table {
        TableId::Folders => plain("folders", "id", "name", None),
        TableId::Documents => plain("documents", "id", "name", Some("client_id")),
        TableId::Tickets => plain("tickets", "id", "subject", Some("user_id")),
        TableId::EmailTemplates => plain("email_templates", "id", "name", None),
        TableId::SavedReplies => plain("saved_replies", "id", "title", None),
        TableId::EmailNotificationSettings => {
            let (table, key) = ("email_notification_settings", "document_type_event");
            let mut query = Query::select();
            query.column((table, key)).from(table);
            for _ in 0..3 {
                query.expr(Expr::cust(NULL));
            }
            Some(((table, key), query))
        }
        TableId::Sessions => plain("sessions", "id", "user_agent", Some("user_id")),
        TableId::TicketMessages => {
            let mut query = Query::select();
            query.columns([("tickets", "id"), ("tickets", "subject"), ("tickets", "user_id")]);
            query.expr(Expr::cust("CASE WHEN internal THEN 'noted' ELSE 'answered' END"));
            query.from("ticket_messages").inner_join(
                "tickets",
                Expr::col(("tickets", "id")).equals(("ticket_messages", "ticket_id")),
            );
            Some((("ticket_messages", "id"), query))
        }
        TableId::DocumentReceipts => {
            let mut query = Query::select();
            query.columns([("documents", "id"), ("documents", "name")]);
            query.columns([("document_receipts", "client_id"), ("document_receipts", "action")]);
            query.from("document_receipts").inner_join(
                "documents",
                Expr::col(("documents", "id")).equals(("document_receipts", "document_id")),
            );
            Some((("document_receipts", "id"), query))
        }
        TableId::Outbox => {
            let mut query = Query::select();
            query.columns(["id", "subject", "user_id", "state"].map(|name| ("outbox", name)));
            query.from("outbox");
            Some((("outbox", "id"), query))
        }
        TableId::Clients
        | TableId::Staff
        | TableId::TicketAttachments
        | TableId::TicketPresence
        | TableId::TicketHistory
        | TableId::MutedTopics
        | TableId::Activity => None,
    }
}

fn event_name(table: TableId, change: Change, kind: &str) -> String {
    let prefix = match (table, change) {
        (TableId::DocumentReceipts, Change::Created) => return format!("document.{kind}"),
        (TableId::TicketMessages, Change::Created) => return format!("ticket.{kind}"),
        (TableId::Sessions, _) => return "session.ended".into(),
        // The new state of the mail determines the event.
        (TableId::Outbox, _) if kind == "cancelled" => return "mail.cancelled".into(),
        (TableId::Outbox, _) => return "mail.resent".into(),
        (TableId::Folders, _) => "folder",
        (TableId::Documents, _) => "document",
        (TableId::Tickets, _) => "ticket",
        (TableId::TicketMessages, _) => "message",
        (TableId::DocumentReceipts, _) => "receipt",
        (TableId::EmailTemplates, _) => "template",
        (TableId::SavedReplies, _) => "saved_reply",
        _ => "settings",
    };
    let suffix = match change {
        Change::Created => "created",
        Change::Updated => "changed",
        Change::Deleted => "deleted",
    };
    format!("{prefix}.{suffix}")
}
