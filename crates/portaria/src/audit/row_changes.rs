//! Which changes of which tables are told, and how the rows are called.

use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::Value;

use crate::audit::{AuditEvent, record};
use crate::{
    app::App,
    db::{Error, Tx},
    policy::Caller,
    schema::TableId,
};

/// Keys in one statement at most.
const AT_ONCE: usize = 500;

/// What became of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Change {
    Created,
    Updated,
    Deleted,
}

/// A row as it is told of.
#[derive(Debug)]
pub struct RowLabel {
    id: String,
    name: Option<String>,
    person: Option<String>,
    /// What kind of row it is, where a table holds several.
    kind: Option<String>,
}

/// How rows are called at this moment: asked before they are deleted, after they were created or changed. None for
/// tables whose changes are not told.
pub fn describe_rows(
    tx: &mut Tx<'_>,
    table: TableId,
    keys: &[String],
) -> Result<Vec<RowLabel>, Error> {
    let mut named = Vec::new();
    let Some((key, select)) = naming(table) else { return Ok(named) };
    for keys in keys.chunks(AT_ONCE) {
        let mut query = select.clone();
        query.and_where(Expr::col(key).is_in(keys.iter().map(String::as_str)));
        for row in tx.rows(query.order_by(key, Order::Asc))?.iter() {
            let text = |cell| row.opt_text(cell).map(|text| text.map(str::to_owned));
            let id = row.text(0)?.to_owned();
            named.push(RowLabel { id, name: text(1)?, person: text(2)?, kind: text(3)? });
        }
    }
    Ok(named)
}

/// Tells what became of rows.
pub fn record_rows(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    (table, change): (TableId, Change),
    mut named: Vec<RowLabel>,
    detail: &Value,
) {
    if table == TableId::EmailNotificationSettings {
        // They are saved all at once, and are one thing to whoever saves them.
        named.truncate(1);
    }
    let line = |row: RowLabel| {
        let event = event(table, change, row.kind.as_deref().unwrap_or_default());
        AuditEvent::new(event)
            .person(row.person)
            .subject(Some(row.id), row.name)
            .detail(detail.clone())
    };
    record(tx, app, caller, named.into_iter().map(line));
}

/// The table's key, and the select of the subject's id, its name, whom it is about and its kind.
fn naming(table: TableId) -> Option<((&'static str, &'static str), SelectStatement)> {
    const NOTHING: &str = "NULL";
    let plain = |table: &'static str, key, name, person: Option<&'static str>| {
        let mut query = Query::select();
        query.columns([(table, key), (table, name)]).from(table);
        match person {
            Some(person) => query.column((table, person)),
            None => query.expr(Expr::cust(NOTHING)),
        };
        query.expr(Expr::cust(NOTHING));
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
                query.expr(Expr::cust(NOTHING));
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

fn event(table: TableId, change: Change, kind: &str) -> String {
    let what = match (table, change) {
        (TableId::DocumentReceipts, Change::Created) => return format!("document.{kind}"),
        (TableId::TicketMessages, Change::Created) => return format!("ticket.{kind}"),
        (TableId::Sessions, _) => return "session.ended".into(),
        // By the state that it is in now.
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
    let became = match change {
        Change::Created => "created",
        Change::Updated => "changed",
        Change::Deleted => "deleted",
    };
    format!("{what}.{became}")
}
