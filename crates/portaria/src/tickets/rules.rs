//! Tickets: what the server decides about them, their messages and files, and what it writes down.

use sea_query::{Condition, Expr, ExprTrait, Query, SelectStatement, Value as Sql};

use crate::{
    api::rest::RestError,
    schema::write::{Row, WriteContext},
};
use crate::{
    clock::format_timestamp,
    db::Tx,
    policy,
    schema::TableId,
    security::keys,
    stored_files::object::{self, ATTACHMENTS_BUCKET, STAFF_PREFIX},
    tickets::{notify, sla},
};

/// Files that one message holds at most.
const FILES: i64 = 10;

/// A ticket and the status that it has.
#[derive(Debug)]
pub(crate) struct TicketState {
    id: String,
    owner: Option<String>,
    status: String,
}

/// The tickets that a select of their ids names, as they stand; nobody else changes them before the end of this
/// transaction.
pub(crate) fn lock_tickets(
    tx: &mut Tx<'_>,
    mut which: SelectStatement,
) -> Result<Vec<TicketState>, RestError> {
    which.clear_selects().columns(["id", "user_id", "status"].map(|name| ("tickets", name)));
    // All who lock several do so in one order.
    which.from("tickets").order_by(("tickets", "id"), sea_query::Order::Asc).lock_exclusive();
    let read = |row: crate::db::Row<'_>| {
        Ok(TicketState {
            id: row.text(0)?.to_owned(),
            owner: row.opt_text(1)?.map(str::to_owned),
            status: row.text(2)?.to_owned(),
        })
    };
    tx.rows(&which)?.iter().map(read).collect()
}

/// The select for [`standing`] of some tickets by their ids.
pub(crate) fn by_id<'a>(ids: impl IntoIterator<Item = &'a str>) -> SelectStatement {
    Query::select().and_where(Expr::col(("tickets", "id")).is_in(ids)).take()
}

/// The select for [`standing`] of the tickets whose threads these messages are of.
pub(crate) fn of_some(messages: Condition) -> SelectStatement {
    let threads =
        Query::select().column("ticket_id").from("ticket_messages").cond_where(messages).take();
    Query::select().and_where(Expr::col(("tickets", "id")).in_subquery(threads)).take()
}

/// With a ticket its thread changes hands; notes among staff stay theirs. What it went on with was another's.
pub(crate) fn reassign_thread(
    tx: &mut Tx<'_>,
    tickets: &[String],
    owner: Option<&Sql>,
) -> Result<(), RestError> {
    let owner = || owner.cloned().map_or_else(|| Expr::cust("NULL"), Expr::val);
    let these = |column: &'static str| Expr::col(column).is_in(tickets.iter().map(String::as_str));
    let mut messages = Query::update();
    messages.table("ticket_messages").value("client_id", owner()).and_where(these("ticket_id"));
    tx.execute(messages.and_where(Expr::col("internal").eq(false)))?;
    let shown = Query::select()
        .column("id")
        .from("ticket_messages")
        .and_where(these("ticket_id"))
        .and_where(Expr::col("internal").eq(false))
        .take();
    let mut files = Query::update();
    files.table("ticket_attachments").value("client_id", owner());
    tx.execute(files.and_where(Expr::col("message_id").in_subquery(shown)))?;
    let mut history = Query::update();
    history.table("ticket_history").value("client_id", owner()).and_where(these("ticket_id"));
    tx.execute(&history)?;
    let mut followed = Query::update();
    followed.table("tickets").value("follows_id", Option::<String>::None);
    tx.execute(followed.cond_where(Condition::any().add(these("id")).add(these("follows_id"))))?;
    Ok(())
}

/// The files of what is deleted along with rows of these keys, by their names.
pub(crate) fn attachment_names(table: TableId, keys: &[String]) -> Option<SelectStatement> {
    let these = |column: &'static str| Expr::col(column).is_in(keys.iter().map(String::as_str));
    let files = |which: Expr| {
        Query::select().column("file_url").from("ticket_attachments").and_where(which).take()
    };
    match table {
        TableId::TicketAttachments => Some(files(these("id"))),
        TableId::TicketMessages => Some(files(these("message_id"))),
        TableId::Tickets => {
            let messages = Query::select()
                .column("id")
                .from("ticket_messages")
                .and_where(these("ticket_id"))
                .take();
            Some(files(Expr::col("message_id").in_subquery(messages)))
        }
        _ => None,
    }
}

/// The tickets whose threads these messages are of.
pub(crate) fn tickets_of_messages(
    tx: &mut Tx<'_>,
    messages: &[String],
) -> Result<Vec<String>, RestError> {
    let mut tickets = Query::select();
    tickets.column("ticket_id").distinct().from("ticket_messages");
    tickets.and_where(Expr::col("id").is_in(messages.iter().map(String::as_str)));
    crate::api::rest::request::payload::keys(&tx.rows(&tickets)?)
}

impl WriteContext<'_> {
    /// A closed ticket says since when. One that goes on with another goes on with one of the same client's.
    pub(crate) fn ticket(&self, tx: &mut Tx<'_>, row: &mut Row) -> Result<(), RestError> {
        let closed = row.get("status") == Some(&Some("closed".into()));
        if closed && row.get("closed_at").is_none_or(Option::is_none) {
            row.insert("closed_at", Some(format_timestamp(self.now).into()));
        }
        // Nobody decides by when but the promise (deadlines.rs).
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

    /// What a ticket goes on with, and what it was sent as, was settled when it was.
    pub(crate) fn ticket_change(&self, tx: &mut Tx<'_>, row: &Row) -> Result<(), RestError> {
        if ["follows_id", "idempotency_key", "due_at"].iter().any(|name| row.contains_key(name)) {
            return Err(RestError::row_denied(self.caller, self.table));
        }
        self.assignee(tx, row)
    }

    /// Somebody of the staff sees to a ticket, nobody else.
    fn assignee(&self, tx: &mut Tx<'_>, row: &Row) -> Result<(), RestError> {
        let Some(assignee) = row.get("assignee_id").cloned().flatten() else { return Ok(()) };
        let mut staff = Query::select();
        staff.column("id").from("staff").and_where(Expr::col("id").eq(assignee));
        if tx.rows(&staff)?.is_empty() {
            return Err(RestError::foreign_key(self.table.name));
        }
        Ok(())
    }

    /// Everybody says of themselves alone that they are writing, and of now alone.
    pub(crate) fn ticket_presence(&self, row: &mut Row) {
        row.insert("user_id", self.caller.user().map(|id| id.to_string().into()));
        row.insert("touched_at", Some(format_timestamp(self.now).into()));
    }

    /// A message belongs to the owner of its ticket, or to the staff alone if it is a note.
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

    /// A file that lies where its ticket's files do, beside a message of the caller's own side. What is not there
    /// and what is another's are answered alike.
    pub(crate) fn ticket_attachment(
        &self,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), RestError> {
        let refused = || match self.access.owner() {
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
        let found = rows.first().ok_or_else(refused)?;
        let client = self.access.owner().map(|(_, client)| client.to_string());
        let place = format!("{}/{}/", client.as_deref().unwrap_or(STAFF_PREFIX), found.text(0)?);
        let object = object::lock(tx, object::by_name(ATTACHMENTS_BUCKET, &[&path]))?.pop();
        let object = object.filter(|object| object.name.starts_with(&place)).ok_or_else(refused)?;
        let client_id = found.opt_text(1)?.map(Into::into);
        if client.is_some() && object.owner_id != client {
            return Err(refused());
        }
        row.insert("client_id", client_id);
        row.insert("size", Some(i64::try_from(object.size).unwrap_or(i64::MAX).into()));
        Ok(())
    }

    /// What a row that was just added brings about elsewhere.
    pub(crate) fn after_insert(&self, tx: &mut Tx<'_>, row: &Row) -> Result<(), RestError> {
        match self.table.id {
            TableId::TicketMessages => self.apply_reply(tx, row),
            // What no longer holds is read by nobody; here it goes.
            TableId::TicketPresence => {
                let lapsed = format_timestamp(self.now - policy::PRESENCE_TTL);
                let mut sweep = Query::delete();
                sweep.from_table("ticket_presence").and_where(Expr::col("touched_at").lte(lapsed));
                tx.execute(&sweep).map(drop).map_err(Into::into)
            }
            TableId::TicketAttachments => {
                let Some(message) = row.get("message_id").cloned().flatten() else { return Ok(()) };
                let mut query = Query::select();
                query.expr(Expr::cust("count(*)")).from("ticket_attachments");
                let rows = tx.rows(query.and_where(Expr::col("message_id").eq(message)))?;
                let files = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
                if files <= FILES { Ok(()) } else { Err(RestError::too_many_files(FILES)) }
            }
            _ => Ok(()),
        }
    }

    /// A reply moves its ticket on; a client's opens it again if it was closed, for as long as that may be
    /// (behaviour C2). Of notes nothing shows.
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

    /// Writes down which tickets have another status than before, those that were not there before being new, and by
    /// when each is to be answered.
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
            let same = |old: &&TicketState| old.id == ticket.id && old.status == ticket.status;
            if before.iter().any(|old| same(&old)) {
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
