//! The clients whom members of the staff care for: the rows of `client_assignments`
//! (`docs/decisions/0125-staff-roles.md`).

use std::collections::HashSet;

use sea_query::{Alias, Condition, Expr, ExprTrait, Query, SelectStatement};

use crate::{
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx, dialect::in_rows},
    policy::{Action, access},
    schema::TableId,
    security::{caller::Caller, ids::UserId},
};

/// Selects the ids of the clients who are assigned to a member of the staff.
pub(super) fn clients_of(staff: UserId) -> SelectStatement {
    let mut query = Query::select();
    query.column(("client_assignments", "client_id")).from("client_assignments");
    query.and_where(Expr::col(("client_assignments", "staff_id")).eq(staff)).take()
}

/// Selects the ids of the tickets of these clients.
pub(super) fn tickets_of(staff: UserId) -> SelectStatement {
    let mut query = Query::select();
    query.column(("tickets", "id")).from("tickets");
    query.and_where(in_rows(Expr::col(("tickets", "user_id")), clients_of(staff))).take()
}

/// The way from a row to its ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TicketReference {
    /// The row names the ticket.
    Ticket,
    /// The row names a message of the ticket. A note has no client, so only its ticket says whom it is about.
    Message,
}

impl TicketReference {
    /// The column of the row.
    pub(super) fn column(self) -> &'static [&'static str; 1] {
        match self {
            Self::Ticket => &["ticket_id"],
            Self::Message => &["message_id"],
        }
    }

    /// Selects the values of the column that refer to tickets of the clients who are assigned to a member of the staff.
    pub(super) fn keys_of(self, staff: UserId) -> SelectStatement {
        let tickets = tickets_of(staff);
        match self {
            Self::Ticket => tickets,
            Self::Message => Query::select()
                .column(("ticket_messages", "id"))
                .from("ticket_messages")
                .and_where(Expr::col(("ticket_messages", "ticket_id")).in_subquery(tickets))
                .take(),
        }
    }
}

/// Condition on mails, in the table with this alias, for a member of the staff. A person may act for several clients, so
/// a mail belongs to the client of its record, not to its recipient. A digest is within reach if all its parts are. Mails
/// to colleagues are theirs.
pub(super) fn mails_of(staff: UserId, alias: &str) -> Condition {
    let column = |name: &'static str| Expr::col((Alias::new(alias), Alias::new(name)));
    let parts = || {
        let mut parts = Query::select();
        parts.expr(Expr::cust("1")).from_as("outbox", "part");
        parts.and_where(Expr::col(("part", "digest_id")).eq(column("id"))).take()
    };
    let unreached_part = parts().cond_where(is_about_reached(staff, "part").not()).take();
    let colleague = Query::select()
        .expr(Expr::cust("1"))
        .from("users")
        .and_where(Expr::col(("users", "id")).eq(column("user_id")))
        .and_where(Expr::col(("users", "is_admin")).eq(true))
        .and_where(Expr::col(("users", "id")).ne(staff))
        .take();
    let is_about_a_client = Condition::any()
        .add(in_rows(column("user_id"), clients_of(staff)))
        .add(column("document_id").is_not_null())
        .add(column("ticket_id").is_not_null())
        .add(column("request_item_id").is_not_null())
        .add(Expr::exists(parts()));
    is_about_reached(staff, alias)
        .add(is_about_a_client)
        .add(Expr::exists(unreached_part).not())
        .add(Expr::exists(colleague).not())
}

/// Condition on mails: each record that a mail names is one of the clients who are assigned to a member of the staff. A
/// mail about a record that was deleted is about its recipient, if the person acts for no other client.
fn is_about_reached(staff: UserId, alias: &str) -> Condition {
    let column = |name: &'static str| Expr::col((Alias::new(alias), Alias::new(name)));
    let record = |table: &'static str, reference: &'static str| {
        let mut record = Query::select();
        record.expr(Expr::cust("1")).from(table);
        record.and_where(Expr::col((table, "id")).eq(column(reference))).take()
    };
    let membership = Query::select()
        .expr(Expr::cust("1"))
        .from("memberships")
        .and_where(Expr::col(("memberships", "user_id")).eq(column("user_id")))
        .take();
    let is_about_recipient = Condition::all()
        .add(in_rows(column("user_id"), clients_of(staff)))
        .add(Expr::exists(membership).not());
    let is_reached = |reference, owners: &[(&'static str, &'static str)]| {
        let mut is_gone = is_about_recipient.clone();
        let mut any = Condition::any().add(column(reference).is_null());
        for (table, owner) in owners {
            let mut owned = record(table, reference);
            owned.and_where(in_rows(Expr::col((*table, *owner)), clients_of(staff)));
            any = any.add(Expr::exists(owned));
            is_gone = is_gone.add(Expr::exists(record(table, reference)).not());
        }
        any.add(is_gone)
    };
    let documents = [
        ("documents", "client_id"),
        ("documents", "withdrawn_client_id"),
        ("deleted_documents", "client_id"),
    ];
    let about = column("about_id");
    let is_assigned = in_rows(about.clone(), clients_of(staff));
    Condition::all()
        .add(is_reached("document_id", &documents))
        .add(is_reached("ticket_id", &[("tickets", "user_id")]))
        .add(is_reached("request_item_id", &[("request_items", "client_id")]))
        .add(Condition::any().add(about.is_null()).add(is_assigned))
}

/// Whether a client is assigned to a member of the staff.
pub(super) fn is_assigned(tx: &mut Tx<'_>, staff: UserId, client: UserId) -> Result<bool, Error> {
    let mut query = clients_of(staff);
    query.and_where(Expr::col(("client_assignments", "client_id")).eq(client));
    Ok(!tx.rows(&query)?.is_empty())
}

/// Condition on a member of the staff and a client, given by columns or values: the person reaches the client.
pub(crate) fn staff_reaches(staff: &Expr, client: &Expr) -> Condition {
    let mut assignment = Query::select();
    assignment.expr(Expr::cust("1")).from("client_assignments");
    assignment.and_where(Expr::col(("client_assignments", "staff_id")).eq(staff.clone()));
    assignment.and_where(Expr::col(("client_assignments", "client_id")).eq(client.clone()));
    Condition::any().add(Expr::exists(assignment)).add(is_limited(staff).not())
}

/// Condition on a member of the staff, given by a column or a value: the person reaches assigned clients only.
pub(crate) fn is_limited(staff: &Expr) -> Expr {
    let account = Alias::new("limited_staff");
    let mut limited = Query::select();
    limited.expr(Expr::cust("1")).from_as("users", account.clone());
    limited.and_where(Expr::col((account.clone(), Alias::new("id"))).eq(staff.clone()));
    limited.and_where(Expr::col((account, Alias::new("assigned_clients_only"))).eq(true));
    Expr::exists(limited)
}

/// Whether a caller may perform an action on all of the named rows. For a caller who may perform it on every row of the
/// table, the rows need not exist; for others, a row that does not exist is like one out of reach.
///
/// # Errors
/// Of the database.
pub(crate) fn reaches_all(
    tx: &mut Tx<'_>,
    caller: Caller,
    table: TableId,
    action: Action,
    ids: &[String],
) -> Result<bool, Error> {
    let Ok(access) = access(caller, table, action) else { return Ok(false) };
    if access.is_unrestricted() {
        return Ok(true);
    }
    let unique: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let name = table.table().name;
    let unique: Vec<&str> = unique.into_iter().collect();
    for ids in unique.chunks(MAX_KEYS_PER_STATEMENT) {
        let key = || Expr::col((Alias::new(name), Alias::new(table.table().key)));
        let mut query = Query::select();
        query.expr(key()).from(Alias::new(name)).and_where(key().is_in(ids.iter().copied()));
        query.cond_where(access.condition(name));
        if tx.rows(&query)?.iter().count() < ids.len() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a caller may read all of these clients.
///
/// # Errors
/// Of the database.
pub(crate) fn reaches_clients(
    tx: &mut Tx<'_>,
    caller: Caller,
    clients: &[String],
) -> Result<bool, Error> {
    reaches_all(tx, caller, TableId::Clients, Action::Select, clients)
}
