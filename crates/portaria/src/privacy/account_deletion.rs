//! Deletion of an account with the rows and files that belong to it. An erasure ([`erasure`](crate::privacy::erasure))
//! also removes the person's name from the rows that stay.

use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::{
    accounts::user,
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    documents::{legal_hold, trash::purge, versions, withdraw},
    inbox::{discard, publish},
    policy::members,
    privacy::{mails, member_removal},
    requests,
    security::ids::UserId,
    stored_files::object,
};

/// Deletes an account with its sessions, documents, files and tickets. Returns the numbers of documents, with those
/// in the trash, and of tickets. Documents under legal hold stay, without an owner. Mails about the documents, tickets and
/// request items are deleted with them, also those to other people.
pub fn delete_account(tx: &mut Tx<'_>, app: &App, id: UserId) -> Result<(u64, u64), Error> {
    let now = app.clock.now();
    let owned_by = |column: &'static str| Expr::col(column).eq(id);
    lock_records(tx, id)?;
    user::lock_for_delete(tx, id)?;
    for person in member_removal::people_without_other_client(tx, id)? {
        delete_account(tx, app, person)?;
    }
    members::forget_name(tx, id)?;
    withdraw::return_to_client(tx, id)?;
    mails::delete(tx, app, mails::about(id))?;
    versions::remove_of_client(tx, id, now)?;
    let trashed = purge::remove_of_client(tx, id, now)?;
    discard::delete_of_client(tx, id, now)?;
    publish::return_of_publisher(tx, id)?;

    let mut detach_held = Query::update();
    detach_held.table("documents").values([
        ("client_id", Option::<String>::None.into()),
        ("erased_client_id", id.into()),
        ("updated_at", format_timestamp(now).into()),
    ]);
    tx.execute(detach_held.and_where(owned_by("client_id")).cond_where(legal_hold::is_on_hold()))?;

    let held_files = Query::select()
        .column("file_url")
        .from("documents")
        .and_where(owned_by("erased_client_id"))
        .and_where(Expr::col("file_url").is_not_null())
        .take();
    let files = Query::select()
        .column("file_url")
        .from("documents")
        .and_where(owned_by("client_id"))
        .take();
    let files = object::of_documents(files).add(Expr::col("name").not_in_subquery(held_files));
    object::release(tx, &files, now)?;
    let documents =
        tx.execute(Query::delete().from_table("documents").and_where(owned_by("client_id")))?;

    requests::files::release(tx, owned_by("client_id"), now)?;

    let tickets =
        Query::select().column("id").from("tickets").and_where(owned_by("user_id")).take();
    let messages = Query::select()
        .column("id")
        .from("ticket_messages")
        .and_where(Expr::col("ticket_id").in_subquery(tickets))
        .take();
    let attachments = Query::select()
        .column("file_url")
        .from("ticket_attachments")
        .and_where(Expr::col("message_id").in_subquery(messages))
        .take();
    object::release(tx, &object::of_attachments(attachments), now)?;
    let tickets =
        tx.execute(Query::delete().from_table("tickets").and_where(owned_by("user_id")))?;

    tx.execute(Query::delete().from_table("users").and_where(owned_by("id")))?;
    Ok((documents + trashed, tickets))
}

/// Locks the tickets and documents of a client, and the folders of the documents. Other writes lock them before they need
/// the account; and no hold begins of which the deletion would not know.
pub(super) fn lock_records(tx: &mut Tx<'_>, id: UserId) -> Result<(), Error> {
    let mut tickets = Query::select();
    tickets.column("id").from("tickets").and_where(Expr::col("user_id").eq(id));
    tx.lock_rows(tickets.order_by("id", Order::Asc).take())?;
    let owner = |column| Expr::col(("documents", column)).eq(id);
    let is_owned = owner("client_id").or(owner("withdrawn_client_id"));
    let mut documents = Query::select();
    documents.column(("documents", "id")).from("documents").and_where(is_owned.clone());
    tx.lock_rows(documents.order_by(("documents", "id"), Order::Asc).take())?;
    legal_hold::lock_folders(tx, Condition::all().add(is_owned))
}
