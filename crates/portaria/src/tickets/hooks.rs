//! The rules of the table `tickets`, and the consequences of changes: history, owner of the thread, released files.

use jiff::SignedDuration;
use sea_query::{Condition, Expr, ExprTrait, Func, Query};

use crate::table_write::{
    DuplicateKey, Parent, RateLimit, Row, TableHooks, WriteContext, WriteError, parse, parse_keys,
    text,
};
use crate::{
    audit::{EventName, RowNaming},
    clock::format_timestamp,
    db::{Error, Tx},
    documents,
    notifications::center,
    policy::members,
    schema::TableId,
    security::ids::{TicketId, UserId},
    tickets::{
        attachments, history,
        model::{self, TicketStatus},
    },
};

/// Time within which a client's equal ticket without an idempotency key counts as a repetition.
const DUPLICATE_WINDOW: SignedDuration = SignedDuration::from_secs(10);

/// Maximum number of tickets, and of replies, that a client may create per minute. Each causes mail.
pub(crate) const MAX_PER_MINUTE: u64 = 20;

/// The hooks of `tickets`.
pub(crate) struct TicketHooks;

impl TableHooks for TicketHooks {
    /// Sets `closed_at` of a closed ticket, and checks the assignee. The ticket that it follows up and the document that
    /// it is about belong to the same client.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        let is_closed = parse(row, "status") == Some(TicketStatus::Closed);
        if is_closed && row.get("closed_at").is_none_or(Option::is_none) {
            row.insert("closed_at", Some(format_timestamp(ctx.now).into()));
        }
        if !ctx.caller.is_staff() {
            row.insert("member_name", members::name_of(tx, ctx.caller)?.map(Into::into));
        }
        // Only `sla.rs` sets the due date.
        row.insert("due_at", None);
        set_priority_rank(row);
        ctx.check_reference(tx, row, "assignee_id", "staff")?;
        for parent in [ticket_of("follow_up_of_id"), documents::PARENT] {
            if row.get(parent.reference).is_some_and(Option::is_some) {
                let owner = ctx.parent_owner(tx, row, parent)?;
                if row.get("user_id") != Some(&owner) {
                    return Err(WriteError::foreign_key(ctx.table.name));
                }
            }
        }
        Ok(())
    }

    fn after_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<(), WriteError> {
        let Some(id) = parse::<TicketId>(row, "id") else { return Ok(()) };
        Ok(history::write(ctx, tx, &[id], &[])?)
    }

    /// A client can only close a ticket. Staff cannot change follow-up, document, idempotency key and due date.
    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        let is_allowed = if ctx.caller.is_staff() {
            !["follow_up_of_id", "document_id", "idempotency_key", "due_at"]
                .iter()
                .any(|name| changes.contains_key(name))
        } else {
            changes.len() == 1 && parse(changes, "status") == Some(TicketStatus::Closed)
        };
        if !is_allowed {
            return Err(WriteError::row_denied(ctx.caller, ctx.table));
        }
        set_priority_rank(changes);
        if ctx.caller.is_staff() {
            ctx.check_reference(tx, changes, "assignee_id", "staff")
        } else {
            Ok(())
        }
    }

    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        let has_status = changes.contains_key("status");
        let before = if has_status {
            model::lock(tx, Query::select().cond_where(which.clone()).take())?
        } else {
            Vec::new()
        };
        let closed_at = (has_status && !changes.contains_key("closed_at"))
            .then(|| ("closed_at", closed_at(changes, &format_timestamp(ctx.now))));
        let keys = ctx.update_rows(tx, which, changes, closed_at)?;
        let tickets = parse_keys::<TicketId>(&keys)?;
        if changes.contains_key("user_id") {
            reassign_thread(tx, &tickets, parse(changes, "user_id"))?;
        }
        if has_status {
            history::write(ctx, tx, &tickets, &before)?;
        }
        Ok(keys)
    }

    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        let messages = Query::select()
            .column("id")
            .from("ticket_messages")
            .and_where(Expr::col("ticket_id").is_in(keys.iter().map(String::as_str)))
            .take();
        attachments::release(tx, Expr::col("message_id").in_subquery(messages), ctx.now)?;
        ctx.delete_rows(tx, keys)
    }

    fn duplicate_key(&self, ctx: &WriteContext<'_>, row: &Row) -> Option<DuplicateKey> {
        if row.get("idempotency_key").is_some_and(Option::is_some) {
            return Some(DuplicateKey { columns: &["user_id", "idempotency_key"], within: None });
        }
        (!ctx.caller.is_staff()).then_some(DuplicateKey {
            columns: &["user_id", "subject", "message"],
            within: Some(DUPLICATE_WINDOW),
        })
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(RateLimit { per_minute: MAX_PER_MINUTE, counted: Condition::all() })
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("message", 10), ("subject", 1)]
    }

    /// The assignee is invisible to the client, so assigning a ticket leaves `updated_at` unchanged.
    fn keeps_updated_at(&self, changes: &Row) -> bool {
        changes.keys().eq(["assignee_id"].iter())
    }

    fn audit(&self) -> Option<RowNaming> {
        let events = [EventName::TicketCreated, EventName::TicketChanged, EventName::TicketDeleted];
        Some(RowNaming::of_columns("tickets", "subject", Some("user_id"), events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("tickets.json")
    }
}

/// Returns the reference of a row to its ticket. The lock serializes concurrent replies to one ticket.
pub(crate) const fn ticket_of(reference: &'static str) -> Parent {
    Parent { table: TableId::Tickets, reference, owner: "user_id", is_locked: true }
}

/// Returns the value of `closed_at` for a new status. A ticket that is already closed keeps its time.
fn closed_at(changes: &Row, now: &str) -> Expr {
    if parse(changes, "status") == Some(TicketStatus::Closed) {
        Func::coalesce([Expr::col("closed_at"), Expr::val(now)]).into()
    } else {
        Expr::cust("NULL")
    }
}

/// Moves the messages, attachments and history of tickets to another owner, except notes. References between these
/// tickets and documents or follow-up tickets of the previous owner are removed, and that owner's notifications.
fn reassign_thread(
    tx: &mut Tx<'_>,
    tickets: &[TicketId],
    owner: Option<UserId>,
) -> Result<(), Error> {
    let matches_ids = |column: &'static str| Expr::col(column).is_in(tickets.iter().copied());
    let mut messages = Query::update();
    messages.table("ticket_messages").value("client_id", owner).and_where(matches_ids("ticket_id"));
    tx.execute(messages.and_where(Expr::col("internal").eq(false)))?;
    let visible = Query::select()
        .column("id")
        .from("ticket_messages")
        .and_where(matches_ids("ticket_id"))
        .and_where(Expr::col("internal").eq(false))
        .take();
    let mut files = Query::update();
    files.table("ticket_attachments").value("client_id", owner);
    tx.execute(files.and_where(Expr::col("message_id").in_subquery(visible)))?;
    let mut history = Query::update();
    history.table("ticket_history").value("client_id", owner).and_where(matches_ids("ticket_id"));
    tx.execute(&history)?;
    let mut followed = Query::update();
    followed.table("tickets").value("follow_up_of_id", Option::<String>::None);
    tx.execute(
        followed.cond_where(
            Condition::any().add(matches_ids("id")).add(matches_ids("follow_up_of_id")),
        ),
    )?;
    let mut documents = Query::update();
    documents.table("tickets").value("document_id", Option::<String>::None);
    tx.execute(documents.and_where(matches_ids("id")))?;
    center::move_tickets(tx, tickets, owner)
}

/// Derives `priority_rank`, by which the queue is sorted, from the priority. A value from the caller is discarded.
fn set_priority_rank(row: &mut Row) {
    row.remove("priority_rank");
    if let Some(priority) = text(row, "priority") {
        let rank = model::priority_rank(priority);
        row.insert("priority_rank", Some(rank.into()));
    }
}
