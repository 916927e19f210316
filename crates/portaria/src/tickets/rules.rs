//! Rules for tickets, messages, attachments and presence, and the consequences of their changes: status, history,
//! due dates and notifications.

use sea_query::{Condition, Expr, ExprTrait, Query, SelectStatement, Value as Sql};

use crate::{
    api::rest::RestError,
    schema::write::{Row, WriteContext},
};
use crate::{
    clock::format_timestamp,
    db::Tx,
    policy,
    schema::{ATTACHMENTS_BUCKET, STAFF_PREFIX, TableId},
    security::keys,
    stored_files::object,
    tickets::{notify, sla},
};

/// Maximum number of attachments of one message.
const MAX_FILES_PER_MESSAGE: i64 = 10;

/// A ticket with its present owner and status.
#[derive(Debug)]
pub(crate) struct TicketState {
    id: String,
    owner: Option<String>,
    status: String,
}

/// Locks the selected tickets until the end of the transaction, and returns their state.
pub(crate) fn lock_tickets(
    tx: &mut Tx<'_>,
    mut selection: SelectStatement,
) -> Result<Vec<TicketState>, RestError> {
    selection.clear_selects().columns(["id", "user_id", "status"].map(|name| ("tickets", name)));
    // One lock order prevents deadlocks.
    selection.from("tickets").order_by(("tickets", "id"), sea_query::Order::Asc).lock_exclusive();
    let read = |row: crate::db::Row<'_>| {
        Ok(TicketState {
            id: row.text(0)?.to_owned(),
            owner: row.opt_text(1)?.map(str::to_owned),
            status: row.text(2)?.to_owned(),
        })
    };
    tx.rows(&selection)?.iter().map(read).collect()
}

/// Builds the selection of tickets by their ids for [`lock_tickets`].
pub(crate) fn by_id<'a>(ids: impl IntoIterator<Item = &'a str>) -> SelectStatement {
    Query::select().and_where(Expr::col(("tickets", "id")).is_in(ids)).take()
}

/// Builds the selection of the tickets of messages for [`lock_tickets`].
pub(crate) fn by_messages(messages: Condition) -> SelectStatement {
    let threads =
        Query::select().column("ticket_id").from("ticket_messages").cond_where(messages).take();
    Query::select().and_where(Expr::col(("tickets", "id")).in_subquery(threads)).take()
}

/// Moves the messages, attachments and history of tickets to another owner, except notes. References between these
/// tickets and follow-up tickets of the previous owner are removed.
pub(crate) fn reassign_thread(
    tx: &mut Tx<'_>,
    tickets: &[String],
    owner: Option<&Sql>,
) -> Result<(), RestError> {
    let owner = || owner.cloned().map_or_else(|| Expr::cust("NULL"), Expr::val);
    let matches_ids =
        |column: &'static str| Expr::col(column).is_in(tickets.iter().map(String::as_str));
    let mut messages = Query::update();
    messages
        .table("ticket_messages")
        .value("client_id", owner())
        .and_where(matches_ids("ticket_id"));
    tx.execute(messages.and_where(Expr::col("internal").eq(false)))?;
    let visible = Query::select()
        .column("id")
        .from("ticket_messages")
        .and_where(matches_ids("ticket_id"))
        .and_where(Expr::col("internal").eq(false))
        .take();
    let mut files = Query::update();
    files.table("ticket_attachments").value("client_id", owner());
    tx.execute(files.and_where(Expr::col("message_id").in_subquery(visible)))?;
    let mut history = Query::update();
    history.table("ticket_history").value("client_id", owner()).and_where(matches_ids("ticket_id"));
    tx.execute(&history)?;
    let mut followed = Query::update();
    followed.table("tickets").value("follows_id", Option::<String>::None);
    tx.execute(
        followed.cond_where(Condition::any().add(matches_ids("id")).add(matches_ids("follows_id"))),
    )?;
    Ok(())
}

/// Builds the query for the names of the attachments that are deleted together with rows of a table.
pub(crate) fn attachment_names(table: TableId, keys: &[String]) -> Option<SelectStatement> {
    let matches_ids =
        |column: &'static str| Expr::col(column).is_in(keys.iter().map(String::as_str));
    let files = |condition: Expr| {
        Query::select().column("file_url").from("ticket_attachments").and_where(condition).take()
    };
    match table {
        TableId::TicketAttachments => Some(files(matches_ids("id"))),
        TableId::TicketMessages => Some(files(matches_ids("message_id"))),
        TableId::Tickets => {
            let messages = Query::select()
                .column("id")
                .from("ticket_messages")
                .and_where(matches_ids("ticket_id"))
                .take();
            Some(files(Expr::col("message_id").in_subquery(messages)))
        }
        _ => None,
    }
}

/// Returns the tickets of messages.
pub(crate) fn tickets_of_messages(
    tx: &mut Tx<'_>,
    messages: &[String],
) -> Result<Vec<String>, RestError> {
    let mut tickets = Query::select();
    tickets.column("ticket_id").distinct().from("ticket_messages");
    tickets.and_where(Expr::col("id").is_in(messages.iter().map(String::as_str)));
    crate::api::rest::request::payload::returned_keys(&tx.rows(&tickets)?)
}

impl WriteContext<'_> {
    /// Applies the rules for a new ticket: `closed_at` of a closed ticket, the assignee, and a follow-up that belongs
    /// to the same client.
    pub(crate) fn ticket(&self, tx: &mut Tx<'_>, row: &mut Row) -> Result<(), RestError> {
        let closed = row.get("status") == Some(&Some("closed".into()));
        if closed && row.get("closed_at").is_none_or(Option::is_none) {
            row.insert("closed_at", Some(format_timestamp(self.now).into()));
        }
        // Only `sla.rs` sets the due date.
        row.insert("due_at", None);
        self.assignee(tx, row)?;
        if row.get("follows_id").is_some_and(Option::is_some) {
            let owner = self.parent_owner(tx, row, ("tickets", "follows_id", "user_id"))?;
            if row.get("user_id") != Some(&owner) {
                return Err(RestError::foreign_key(self.table.name));
            }
        }
        Ok(())
    }

    /// Checks a change of a ticket by staff. Follow-up, idempotency key and due date cannot be changed.
    pub(crate) fn ticket_change(&self, tx: &mut Tx<'_>, row: &Row) -> Result<(), RestError> {
        if ["follows_id", "idempotency_key", "due_at"].iter().any(|name| row.contains_key(name)) {
            return Err(RestError::row_denied(self.caller, self.table));
        }
        self.assignee(tx, row)
    }

    /// Checks that the assignee is a member of staff.
    fn assignee(&self, tx: &mut Tx<'_>, row: &Row) -> Result<(), RestError> {
        let Some(assignee) = row.get("assignee_id").cloned().flatten() else { return Ok(()) };
        let mut staff = Query::select();
        staff.column("id").from("staff").and_where(Expr::col("id").eq(assignee));
        if tx.rows(&staff)?.is_empty() {
            return Err(RestError::foreign_key(self.table.name));
        }
        Ok(())
    }

    /// Sets user and time of a presence row to the caller and the present.
    pub(crate) fn ticket_presence(&self, row: &mut Row) {
        row.insert("user_id", self.caller.user().map(|id| id.to_string().into()));
        row.insert("touched_at", Some(format_timestamp(self.now).into()));
    }

    /// Derives the owner of a message: the owner of its ticket, or none for a note.
    pub(crate) fn ticket_message(&self, tx: &mut Tx<'_>, row: &mut Row) -> Result<(), RestError> {
        let owner = self.parent_owner(tx, row, ("tickets", "ticket_id", "user_id"))?;
        if self.caller.is_staff() {
            let is_note = row.get("internal") == Some(&Some(true.into()));
            row.insert("from_staff", Some(true.into()));
            row.insert("client_id", if is_note { None } else { owner });
        } else {
            row.insert("internal", Some(false.into()));
        }
        Ok(())
    }

    /// Checks that an attachment refers to a file under its ticket and to a message of the caller's side.
    ///
    /// # Errors
    /// 42501 for clients and 23503 for staff, equally for rows that do not exist and for rows of others.
    pub(crate) fn ticket_attachment(
        &self,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), RestError> {
        let denied = || match self.access.owner() {
            Some(_) => RestError::row_denied(self.caller, self.table),
            None => RestError::foreign_key(self.table.name),
        };
        let given = |name| match row.get(name) {
            Some(Some(Sql::String(Some(text)))) => Ok(text.clone()),
            _ => Err(RestError::not_null(self.table, name)),
        };
        let (message, path) = (given("message_id")?, given("file_url")?);
        let mut query = Query::select();
        query.columns([("tickets", "id"), ("ticket_messages", "client_id")]);
        query.from("ticket_messages").inner_join(
            "tickets",
            Expr::col(("tickets", "id")).equals(("ticket_messages", "ticket_id")),
        );
        query.and_where(Expr::col(("ticket_messages", "id")).eq(message));
        query.and_where(match self.access.owner() {
            Some((_, client)) => Expr::col(("ticket_messages", "author_id")).eq(client.to_string()),
            None => Expr::col(("ticket_messages", "from_staff")).eq(true),
        });
        let rows = tx.rows(&query)?;
        let found = rows.first().ok_or_else(denied)?;
        let client = self.access.owner().map(|(_, client)| client.to_string());
        let prefix = format!("{}/{}/", client.as_deref().unwrap_or(STAFF_PREFIX), found.text(0)?);
        let object = object::lock(tx, object::by_name(ATTACHMENTS_BUCKET, &[&path]))?.pop();
        let object = object.filter(|object| object.name.starts_with(&prefix)).ok_or_else(denied)?;
        let client_id = found.opt_text(1)?.map(Into::into);
        if client.is_some() && object.owner_id != client {
            return Err(denied());
        }
        row.insert("client_id", client_id);
        row.insert("size", Some(i64::try_from(object.size).unwrap_or(i64::MAX).into()));
        Ok(())
    }

    /// Applies the consequences of a new row: a reply changes its ticket, a presence removes expired ones, and the
    /// number of attachments is limited.
    pub(crate) fn after_insert(&self, tx: &mut Tx<'_>, row: &Row) -> Result<(), RestError> {
        match self.table.id {
            TableId::TicketMessages => self.apply_reply(tx, row),
            // Expired presence is never read. Deleting it here needs no job.
            TableId::TicketPresence => {
                let expired_before = format_timestamp(self.now - policy::PRESENCE_TTL);
                let mut expired = Query::delete();
                expired
                    .from_table("ticket_presence")
                    .and_where(Expr::col("touched_at").lte(expired_before));
                tx.execute(&expired).map(drop).map_err(Into::into)
            }
            TableId::TicketAttachments => {
                let Some(message) = row.get("message_id").cloned().flatten() else { return Ok(()) };
                let mut query = Query::select();
                query.expr(Expr::cust("count(*)")).from("ticket_attachments");
                let rows = tx.rows(query.and_where(Expr::col("message_id").eq(message)))?;
                let files = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
                if files <= MAX_FILES_PER_MESSAGE {
                    Ok(())
                } else {
                    Err(RestError::too_many_attachments(MAX_FILES_PER_MESSAGE))
                }
            }
            _ => Ok(()),
        }
    }

    /// Applies a reply to its ticket: `updated_at`, the history, and the notification of the client. A client's reply
    /// reopens a closed ticket within the period that `policy.rs` sets. A note changes nothing.
    ///
    /// # Errors
    /// PT409 after that period.
    fn apply_reply(&self, tx: &mut Tx<'_>, row: &Row) -> Result<(), RestError> {
        let id = match row.get("ticket_id") {
            Some(Some(Sql::String(Some(id))))
                if row.get("internal") != Some(&Some(true.into())) =>
            {
                id
            }
            _ => return Ok(()),
        };
        let before = lock_tickets(tx, by_id([id.as_str()]))?;
        let mut statement = Query::update();
        statement.table("tickets").value("updated_at", format_timestamp(self.now));
        statement.and_where(Expr::col(("tickets", "id")).eq(id));
        if self.access.owner().is_some() {
            let open = policy::accepts_replies(self.caller, self.now)
                .map_err(|_| RestError::row_denied(self.caller, self.table))?;
            statement.cond_where(open);
            if before.iter().any(|ticket| ticket.status == "closed") {
                statement.value("status", "open").value("closed_at", Option::<String>::None);
            }
        }
        if tx.execute(&statement)? == 0 {
            return Err(RestError::reopen_window_over());
        }
        if let (true, Some(Some(Sql::String(Some(message))))) =
            (self.caller.is_staff(), row.get("id"))
        {
            notify::notify_updated(tx, self.app, self.caller, id, message)?;
        }
        self.write_history(tx, [id.as_str()], &before)
    }

    /// Records the status of new tickets and of tickets whose status differs from `before`, notifies their clients, and
    /// updates the due dates of all of them.
    pub(crate) fn write_history<'a>(
        &self,
        tx: &mut Tx<'_>,
        tickets: impl IntoIterator<Item = &'a str>,
        before: &[TicketState],
    ) -> Result<(), RestError> {
        let mut tickets = tickets.into_iter().peekable();
        if tickets.peek().is_none() {
            return Ok(());
        }
        let tickets = lock_tickets(tx, by_id(tickets))?;
        let ids: Vec<String> = tickets.iter().map(|ticket| ticket.id.clone()).collect();
        sla::update_due_dates(tx, &ids, &self.app.config.time_zone)?;
        for ticket in tickets {
            let is_unchanged =
                |old: &&TicketState| old.id == ticket.id && old.status == ticket.status;
            if before.iter().any(|old| is_unchanged(&old)) {
                continue;
            }
            let id = keys::new_id(self.now).to_string();
            if before.iter().any(|old| old.id == ticket.id) {
                notify::notify_updated(tx, self.app, self.caller, &ticket.id, &id)?;
            } else {
                notify::notify_created(tx, self.app, &ticket.id)?;
            }
            tx.insert(
                "ticket_history",
                [
                    ("id", id.into()),
                    ("ticket_id", ticket.id.into()),
                    ("client_id", ticket.owner.into()),
                    ("author_id", self.caller.user().map(|id| id.to_string()).into()),
                    ("from_staff", self.caller.is_staff().into()),
                    ("status", ticket.status.into()),
                    ("created_at", format_timestamp(self.now).into()),
                ],
            )?;
        }
        Ok(())
    }
}
