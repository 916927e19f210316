//! The rules of the table `ticket_messages`, and the effect of a reply on its ticket.

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::table_write::{
    DuplicateKey, RateLimit, Row, TableHooks, WriteContext, WriteError, parse, text,
};
use crate::{
    audit::{Change, EventName, RowEvents, RowNaming},
    clock::format_timestamp,
    db::{Error, Tx},
    office::OfficeProfile,
    policy::{self, members},
    security::ids::TicketId,
    tickets::{
        attachments, history,
        hooks::{MAX_PER_MINUTE, ticket_of},
        model::{self, TicketStatus},
        notify, sla,
    },
};

/// The hooks of `ticket_messages`.
pub(crate) struct MessageHooks;

impl TableHooks for MessageHooks {
    /// Derives the owner of a message: the owner of its ticket, or none for a note.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        let owner = ctx.parent_owner(tx, row, ticket_of("ticket_id"))?;
        if ctx.caller.is_staff() {
            let client = if is_note(row) { None } else { owner };
            row.insert("from_staff", Some(true.into()));
            row.insert("client_id", client);
        } else {
            row.insert("internal", Some(false.into()));
            row.insert("member_name", members::name_of(tx, ctx.caller)?.map(Into::into));
        }
        Ok(())
    }

    /// Applies a reply to its ticket: `updated_at`, the history, and the notification of the client. A client's reply
    /// reopens a closed ticket within the period that `policy/` sets. A note changes nothing.
    ///
    /// # Errors
    /// PT409 after that period.
    fn after_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<(), WriteError> {
        let Some(id) = parse::<TicketId>(row, "ticket_id").filter(|_| !is_note(row)) else {
            return Ok(());
        };
        let before = model::lock(tx, model::by_id(&[id]))?;
        let mut statement = Query::update();
        statement.table("tickets").value("updated_at", format_timestamp(ctx.now));
        statement.and_where(Expr::col(("tickets", "id")).eq(id));
        if ctx.access.owner().is_some() {
            let open = policy::accepts_replies(ctx.caller, ctx.now)
                .map_err(|_| WriteError::row_denied(ctx.caller, ctx.table))?;
            statement.cond_where(open);
            if before.iter().any(|ticket| ticket.status == TicketStatus::Closed) {
                statement.value("status", TicketStatus::Open.as_str());
                statement.value("closed_at", Option::<String>::None);
            }
        }
        if tx.execute(&statement)? == 0 {
            return Err(reopen_window_over());
        }
        for ticket in &before {
            notify::notify_replied(tx, ctx.app, ctx.caller, ticket)?;
        }
        if let (true, Some(message), [ticket]) = (ctx.caller.is_staff(), text(row, "id"), &*before)
        {
            notify::notify_updated(tx, ctx.app, ctx.caller, ticket, message)?;
        }
        Ok(history::write(ctx, tx, &[id], &before)?)
    }

    /// Locks the tickets: a concurrent reply waits, because the response due date depends on all remaining messages.
    fn before_delete(
        &self,
        _ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
    ) -> Result<(), WriteError> {
        model::lock(tx, model::by_messages(which.clone()))?;
        Ok(())
    }

    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        let messages = Expr::col("message_id").is_in(keys.iter().map(String::as_str));
        attachments::release(tx, messages, ctx.now)?;
        let tickets = tickets_of(tx, keys)?;
        ctx.delete_rows(tx, keys)?;
        // Not from the cache: the due date stays, and the hours may just have changed on another node.
        let office = OfficeProfile::read(tx, &ctx.app.config)?;
        Ok(sla::update_due_dates(tx, &tickets, &office.calendar, &ctx.app.config.time_zone)?)
    }

    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        Some(DuplicateKey { columns: &["author_id", "idempotency_key"], within: None })
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        let counted = Condition::all().add(Expr::col("from_staff").eq(false));
        Some(RateLimit { per_minute: MAX_PER_MINUTE, counted })
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("body", 1)]
    }

    /// Only the text of a message can change: a note never becomes visible to the client.
    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["body"])
    }

    /// Names a message after its ticket.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.columns(["id", "subject", "user_id"].map(|name| ("tickets", name)));
        labels.expr(Expr::cust("CASE WHEN internal THEN 'noted' ELSE 'answered' END"));
        labels.from("ticket_messages").inner_join(
            "tickets",
            Expr::col(("tickets", "id")).equals(("ticket_messages", "ticket_id")),
        );
        let events = RowEvents::ByKind(|change, kind| match (change, kind) {
            (Change::Created, "noted") => EventName::TicketNoted,
            (Change::Created, _) => EventName::TicketAnswered,
            (Change::Updated, _) => EventName::MessageChanged,
            (Change::Deleted, _) => EventName::MessageDeleted,
        });
        Some(RowNaming::of_query(("ticket_messages", "id"), labels, events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("mensagens.json")
    }
}

/// Whether a message is a note, which only staff can read.
fn is_note(row: &Row) -> bool {
    row.get("internal") == Some(&Some(true.into()))
}

fn reopen_window_over() -> WriteError {
    WriteError::conflict("PT409", "The ticket was closed too long ago to be opened again")
        .hint("Insert a new ticket that names it as follow_up_of_id")
}

/// Returns the tickets of messages.
fn tickets_of(tx: &mut Tx<'_>, messages: &[String]) -> Result<Vec<TicketId>, Error> {
    let mut tickets = Query::select();
    tickets.column("ticket_id").distinct().from("ticket_messages");
    tickets.and_where(Expr::col("id").is_in(messages.iter().map(String::as_str)));
    tx.rows(&tickets)?.iter().map(|row| row.parse(0)).collect()
}
