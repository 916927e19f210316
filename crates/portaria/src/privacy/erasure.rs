//! Erasure of a person's data (LGPD, art. 18, VI): deletes the person's rows and files, and removes their names from
//! rows that stay, such as audit events.
//!
//! Documents under legal hold stay, without their client (`documents/legal_hold.rs`). Bytes are removed later: blobs by
//! `jobs/garbage_collect.rs`, free pages of the database file by `jobs/nightly.rs`. A tombstone outside the database
//! ([`tombstones`](crate::privacy::tombstones)) records the person's id, so that a restored backup is erased again.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, OnConflict, Query, SelectStatement};
use serde_json::json;
use tokio::task::spawn_blocking;

pub use crate::privacy::erasure_preview::{ErasurePreview, HeldDocument, Mention, preview};
pub use crate::privacy::tombstones::{
    copy_to_backup, merge, read_backup_tombstones, read_tombstones, reapply_tombstones,
    write_tombstones,
};

use crate::{
    accounts::user,
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::{Db, Error, Tx},
    documents::withdraw,
    lease, notifications,
    privacy::{account_deletion, mails},
    schema,
    security::{caller::Caller, ids::UserId, keys},
    stored_files::{object, upload},
};

/// Name of the row of `system_state` that exists while the database file may still contain erased data.
const PURGE_MARK: &str = "erased bytes";

/// Time for which the confirmation of an erasure waits for the mail server.
const CONFIRMATION_TTL: SignedDuration = SignedDuration::from_hours(48);

/// Numbers of rows that an erasure removed, changed or kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are self-explanatory")]
pub struct ErasureReport {
    pub documents: u64,
    pub tickets: u64,
    pub mails: u64,
    /// Audit events from which names were removed.
    pub events: u64,
    /// Documents that stay because of a legal hold.
    pub held: u64,
}

/// Erases a person, whose account may already be deleted. `confirm_by_mail` queues a mail that confirms the erasure, if
/// a mail server is configured.
///
/// # Errors
/// Database errors; nothing is erased then.
pub fn erase(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    person: UserId,
    confirm_by_mail: bool,
) -> Result<ErasureReport, Error> {
    let now = app.clock.now();
    account_deletion::lock_records(tx, person)?;
    // Serializes the erasure with sign-ins and changes of the account.
    user::lock_for_delete(tx, person)?;
    let user = user::by_id(tx, person)?;
    withdraw::return_to_client(tx, person)?;

    // Must run before the rows that it selects are deleted.
    let lines = audit::redact_names(tx, person, audited_subjects(person))?;
    notifications::staff_mail::clear_digests(tx)?;
    let mails = mails::delete(tx, app, mails::about(person).add(to_own_addresses(user.as_ref())))?;
    if let Some(user) = &user {
        let emails = [Some(&user.email), user.new_email.as_ref()];
        let hashes = emails.into_iter().flatten().map(|email| keys::sha256_hex(email));
        let mut attempts = Query::delete();
        tx.execute(attempts.from_table("attempts").and_where(Expr::col("subject").is_in(hashes)))?;
    }

    let (documents, tickets) = account_deletion::delete_account(tx, app, person)?;
    delete_leftover_files(tx, person, app)?;
    if let Some(user) = user.filter(|_| confirm_by_mail && app.config.mail_server.is_some()) {
        notifications::send_erasure_confirmation(tx, app, &user.recipient())?;
    }

    let mut held = Query::select();
    held.expr(Expr::cust("count(*)")).from("documents");
    let held = tx.rows(held.and_where(Expr::col("erased_client_id").eq(person)))?;
    let held = held.first().map_or(Ok(0), |row| row.int(0))?.unsigned_abs();

    let mut tombstone = Query::insert();
    tombstone.into_table("erasures").columns(["person_id", "created_at"]);
    tombstone.values_panic([person.into(), format_timestamp(now).into()]);
    tx.execute(tombstone.on_conflict(OnConflict::column("person_id").do_nothing().to_owned()))?;
    mark_unpurged(tx, now)?;

    let erased = ErasureReport { documents, tickets, mails, events: lines, held };
    let detail = json!({"documents": documents, "tickets": tickets, "mails": mails, "lines": lines, "held": held});
    audit::record(
        tx,
        app,
        caller,
        [AuditEvent::new(audit::EventName::AccountErased).person(Some(person)).detail(detail)],
    );
    Ok(erased)
}

/// Records that the database file contains erased data.
fn mark_unpurged(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    lease::set_state(tx, PURGE_MARK, &format_timestamp(now))
}

/// Deletes confirmations of erasures that were sent, or that will not be sent any more.
///
/// # Errors
/// Database errors.
pub fn purge_mail(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let over = Condition::any()
        .add(Expr::col("state").is_in(["sent", "failed", "cancelled"]))
        .add(Expr::col("created_at").lt(format_timestamp(now - CONFIRMATION_TTL)));
    let mut mails = Query::delete();
    mails.from_table("outbox").and_where(Expr::cust("event = 'data_erased'")).cond_where(over);
    if tx.execute(&mails)? > 0 { mark_unpurged(tx, now) } else { Ok(()) }
}

/// Rewrites the SQLite file if it may contain erased data. PostgreSQL reuses freed space by itself.
///
/// # Errors
/// Database errors; the next night tries again.
pub async fn purge(app: &App) -> Result<(), Error> {
    let read_mark = |tx: &mut Tx<'_>| {
        let mut query = Query::select();
        query.column("value").from("system_state").and_where(Expr::col("name").eq(PURGE_MARK));
        let rows = tx.rows(&query)?;
        rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
    };
    let Some(since) = app.db.read(read_mark).await? else { return Ok(()) };
    if app.config.database.is_none() {
        let folder = app.config.data_dir.clone();
        let purged = spawn_blocking(move || Db::vacuum(&folder)).await;
        if !purged.map_err(|error| Error::Internal(error.to_string()))?? {
            tracing::warn!("the database was busy after its rewrite; the next night repeats it");
            return Ok(());
        }
    }
    let clear_mark = move |tx: &mut Tx<'_>| {
        let mut deletion = Query::delete();
        deletion.from_table("system_state").and_where(Expr::col("name").eq(PURGE_MARK));
        // The mark stays if another person was erased meanwhile.
        tx.execute(deletion.and_where(Expr::col("value").eq(since))).map(drop)
    };
    app.db.write(clear_mark).await
}

/// Returns queries for the ids of a person's documents, tickets, request items, mails and files. Audit events of other actors may
/// contain these ids without the person's.
fn audited_subjects(id: UserId) -> Vec<SelectStatement> {
    let ids = |table: &'static str, owner: &'static str| {
        Query::select().column("id").from(table).and_where(Expr::col(owner).eq(id)).take()
    };
    let mut ids = vec![
        ids("documents", "client_id"),
        ids("deleted_documents", "client_id"),
        ids("tickets", "user_id"),
        ids("request_items", "client_id"),
        ids("received_files", "client_id"),
        Query::select().column("id").from("outbox").cond_where(mails::about(id)).take(),
    ];
    let mut files = Query::select();
    files.column("id").from("objects").cond_where(files_of_client(id));
    ids.push(files);
    ids
}

/// Returns the condition for the files in the client's folders, and for those of the client's tickets.
fn files_of_client(id: UserId) -> Condition {
    let below = |bucket: &'static str, folder: String| {
        Condition::all()
            .add(Expr::col("bucket_id").eq(bucket))
            .add(Expr::col("name").gte(format!("{folder}/")))
            // '0' is the character after '/', so the range contains exactly the names with this prefix.
            .add(Expr::col("name").lt(format!("{folder}0")))
    };
    let attached = Query::select()
        .column("file_url")
        .from("ticket_attachments")
        .inner_join(
            "ticket_messages",
            Expr::col(("ticket_messages", "id")).equals(("ticket_attachments", "message_id")),
        )
        .inner_join(
            "tickets",
            Expr::col(("tickets", "id")).equals(("ticket_messages", "ticket_id")),
        )
        .and_where(Expr::col(("tickets", "user_id")).eq(id))
        .take();
    Condition::any()
        .add(below(schema::DOCUMENTS_BUCKET, format!("public/{id}")))
        .add(below(schema::ATTACHMENTS_BUCKET, id.to_string()))
        .add(below(schema::RECEIVED_BUCKET, id.to_string()))
        .add(below(schema::TRASH_BUCKET, id.to_string()))
        .add(below(schema::VERSIONS_BUCKET, id.to_string()))
        .add(object::of_attachments(attached))
}

/// Returns the condition for mails to the addresses of an account that name no account.
fn to_own_addresses(user: Option<&user::User>) -> Condition {
    let emails = user.map(|user| [Some(user.email.as_str()), user.new_email.as_deref()]);
    Condition::all()
        .add(Expr::col("user_id").is_null())
        .add(Expr::col("recipient").is_in(emails.into_iter().flatten().flatten()))
}

/// Deletes files without a document or message, and uploads in progress.
fn delete_leftover_files(tx: &mut Tx<'_>, id: UserId, app: &App) -> Result<(), Error> {
    let now = app.clock.now();
    upload::abort(tx, files_of_client(id).add(Expr::col("owner_id").eq(id)), now)?;
    let held_files = Query::select()
        .column("file_url")
        .from("documents")
        .and_where(Expr::col("file_url").is_not_null())
        .and_where(Expr::col("erased_client_id").eq(id))
        .take();
    // The client's tickets are deleted by now. Files of a ticket that was moved to another client stay with it.
    let attached = Query::select()
        .expr(Expr::cust("1"))
        .from("ticket_attachments")
        .and_where(Expr::col(("ticket_attachments", "file_url")).equals(("objects", "name")))
        .take();
    let leftover = Condition::all()
        .add(files_of_client(id))
        .add(Expr::col("name").not_in_subquery(held_files));
    let leftover = leftover.add(Expr::exists(attached).not());
    object::release(tx, &leftover, now).map(drop)
}

/// Erases a person on behalf of the command line. Returns `None` for an administrator: the role must be removed first.
///
/// # Errors
/// Database errors, and errors of writing the tombstones.
pub async fn erase_from_cli(
    app: &Arc<App>,
    person: UserId,
) -> Result<Option<ErasureReport>, Error> {
    let erased = app
        .write(move |tx, app| {
            if user::by_id(tx, person)?.is_some_and(|user| user.is_admin()) {
                return Ok(None);
            }
            erase(tx, app, Caller::Service, person, false).map(Some)
        })
        .await?;
    write_tombstones(app).await?;
    Ok(erased)
}
