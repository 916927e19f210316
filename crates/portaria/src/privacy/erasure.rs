//! The portal forgets a person (LGPD art. 18, VI): what is theirs goes, and from what stays go their names.
//!
//! What the law has kept stays and is nobody's (`holds.rs`). The bytes follow: blobs after their grace, the database
//! file's free space in the night (`jobs/nightly.rs`). Whose data were erased is listed outside of the database too,
//! by ids alone, so that no restored backup brings anybody back.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, OnConflict, Query, SelectStatement};
use serde_json::json;
use tokio::task::spawn_blocking;
use uuid::Uuid;

pub use crate::privacy::erasure_preview::{ErasurePreview, HeldDocument, Mention, plan};
pub use crate::privacy::tombstones::{
    copy_to_backup, merge, read_backup_tombstones, read_tombstones, reapply_tombstones, write,
};

use crate::{
    accounts::user,
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::{Db, Error, Tx},
    notifications,
    policy::Caller,
    security::keys,
    stored_files::{object, upload},
};

/// Under this name the database knows that its file still holds what was erased.
const UNPURGED: &str = "erased bytes";

/// The last letter waits so long for a server that takes it.
const LETTER: SignedDuration = SignedDuration::from_hours(48);

/// What went, and what stayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ErasureReport {
    pub documents: u64,
    pub tickets: u64,
    pub mails: u64,
    /// Lines of the log from which names went.
    pub lines: u64,
    /// Documents that a legal hold keeps.
    pub held: u64,
}

/// Erases a person, of whom there need be no account any more. `farewell`: they are told by a last mail, if mails leave.
///
/// # Errors
/// Those of the database; nothing is erased then.
pub fn erase(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    person: Uuid,
    farewell: bool,
) -> Result<ErasureReport, Error> {
    let (now, id) = (app.clock.now(), person.to_string());
    // Whoever signs in or changes the account at this moment does so before or after.
    user::lock_for_delete(tx, person)?;
    let user = user::by_id(tx, person)?;
    // Asked before any of it is gone.
    let lines = audit::redact_names(tx, &id, done_to(&id))?;
    let mails = mails(tx, &id, user.as_ref())?;
    if let Some(user) = &user {
        let emails = [Some(&user.email), user.new_email.as_ref()];
        let hashes = emails.into_iter().flatten().map(|email| keys::hash(email));
        let mut attempts = Query::delete();
        tx.execute(attempts.from_table("attempts").and_where(Expr::col("subject").is_in(hashes)))?;
    }
    let (documents, tickets) = user::delete(tx, person, now)?;
    leftovers(tx, &id, app)?;
    if let Some(user) = user.filter(|_| farewell && app.config.mail_server.is_some()) {
        notifications::send_erasure_confirmation(tx, app, &user)?;
    }
    let mut held = Query::select();
    held.expr(Expr::cust("count(*)")).from("documents");
    let held = tx.rows(held.and_where(Expr::col("erased_client_id").eq(&id)))?;
    let held = held.first().map_or(Ok(0), |row| row.int(0))?.unsigned_abs();
    let mut listed = Query::insert();
    listed.into_table("erasures").columns(["person_id", "created_at"]);
    listed.values_panic([id.as_str().into(), format_timestamp(now).into()]);
    tx.execute(listed.on_conflict(OnConflict::column("person_id").do_nothing().to_owned()))?;
    unpurged(tx, now)?;
    let erased = ErasureReport { documents, tickets, mails, lines, held };
    let detail = json!({"documents": documents, "tickets": tickets, "mails": mails, "lines": lines, "held": held});
    audit::record(
        tx,
        app,
        caller,
        [AuditEvent::new("account.erased").person(Some(id)).detail(detail)],
    );
    Ok(erased)
}

/// Notes that the database's file holds what nobody is to find there any more.
fn unpurged(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let mut note = Query::insert();
    note.into_table("facts").columns(["name", "value"]);
    note.values_panic([UNPURGED.into(), format_timestamp(now).into()]);
    tx.execute(note.on_conflict(OnConflict::column("name").update_column("value").to_owned()))
        .map(drop)
}

/// Takes the last letters away, once they have left or will not leave any more.
///
/// # Errors
/// Those of the database.
pub fn purge_mail(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let over = Condition::any()
        .add(Expr::col("state").is_in(["sent", "failed", "cancelled"]))
        .add(Expr::col("created_at").lt(format_timestamp(now - LETTER)));
    let mut letters = Query::delete();
    letters.from_table("outbox").and_where(Expr::col("event").eq("data_erased")).cond_where(over);
    if tx.execute(&letters)? > 0 { unpurged(tx, now) } else { Ok(()) }
}

/// Rids the database's file of what was erased since it was last done. On PostgreSQL that is the server's own business.
///
/// # Errors
/// Those of the database; it is done again then.
pub async fn purge(app: &App) -> Result<(), Error> {
    let noted = |tx: &mut Tx<'_>| {
        let mut query = Query::select();
        query.column("value").from("facts").and_where(Expr::col("name").eq(UNPURGED));
        let rows = tx.rows(&query)?;
        rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
    };
    let Some(since) = app.db.read(noted).await? else { return Ok(()) };
    if app.config.database.is_none() {
        let folder = app.config.data_dir.clone();
        let purged = spawn_blocking(move || Db::vacuum(&folder)).await;
        purged.map_err(|error| Error::Internal(error.to_string()))??;
    }
    let done = move |tx: &mut Tx<'_>| {
        let mut done = Query::delete();
        done.from_table("facts").and_where(Expr::col("name").eq(UNPURGED));
        // Not if somebody was erased meanwhile.
        tx.execute(done.and_where(Expr::col("value").eq(since))).map(drop)
    };
    app.db.write(done).await
}

/// The ids of what lines of the log may tell of without naming the person: others did it to what is theirs.
fn done_to(id: &str) -> Vec<SelectStatement> {
    let ids = |table: &'static str, owner: &'static str| {
        Query::select().column("id").from(table).and_where(Expr::col(owner).eq(id)).take()
    };
    let mut ids = vec![
        ids("documents", "client_id"),
        ids("tickets", "user_id"),
        Query::select().column("id").from("outbox").cond_where(told_of(id)).take(),
    ];
    let mut files = Query::select();
    files.column("id").from("objects").cond_where(files_of(id));
    ids.push(files);
    ids
}

/// The files that lie where only this client's do, and those of the client's tickets.
fn files_of(id: &str) -> Condition {
    let below = |bucket: &'static str, folder: String| {
        Condition::all()
            .add(Expr::col("bucket_id").eq(bucket))
            .add(Expr::col("name").gte(format!("{folder}/")))
            // The character after the slash.
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
        .add(below(object::DOCUMENTS_BUCKET, format!("public/{id}")))
        .add(below(object::ATTACHMENTS_BUCKET, id.to_owned()))
        .add(object::of_attachments(attached))
}

/// The mails that tell of a person's documents and tickets, whoever they are for.
pub(crate) fn told_of(id: &str) -> Condition {
    let owned = |table: &'static str, owner: &'static str| {
        Query::select().column("id").from(table).and_where(Expr::col(owner).eq(id)).take()
    };
    Condition::any()
        .add(Expr::col("user_id").eq(id))
        .add(Expr::col("about_id").eq(id))
        .add(Expr::col("document_id").in_subquery(owned("documents", "client_id")))
        .add(Expr::col("ticket_id").in_subquery(owned("tickets", "user_id")))
}

/// Mails to the person, and of what is theirs.
fn mails(tx: &mut Tx<'_>, id: &str, user: Option<&user::User>) -> Result<u64, Error> {
    let mut which = told_of(id);
    if let Some(user) = user {
        let emails = [Some(user.email.as_str()), user.new_email.as_deref()];
        let to_them = Condition::all()
            .add(Expr::col("user_id").is_null())
            .add(Expr::col("recipient").is_in(emails.into_iter().flatten()));
        which = which.add(to_them);
    }
    tx.execute(Query::delete().from_table("outbox").cond_where(which))
}

/// Files that never got their document or message, and those under way.
fn leftovers(tx: &mut Tx<'_>, id: &str, app: &App) -> Result<(), Error> {
    let now = app.clock.now();
    upload::abort(tx, files_of(id).add(Expr::col("owner_id").eq(id)), now)?;
    let shown = Query::select()
        .column("file_url")
        .from("documents")
        .and_where(Expr::col("file_url").is_not_null())
        .and_where(Expr::col("erased_client_id").eq(id))
        .take();
    // Their tickets are gone; a ticket that was handed to somebody else is theirs, with its files.
    let attached = Query::select()
        .expr(Expr::cust("1"))
        .from("ticket_attachments")
        .and_where(Expr::col(("ticket_attachments", "file_url")).equals(("objects", "name")))
        .take();
    let left = Condition::all().add(files_of(id)).add(Expr::col("name").not_in_subquery(shown));
    let left = left.add(Expr::exists(attached).not());
    object::release(tx, &left, now).map(drop)
}

/// Erases on behalf of whoever runs a command; `None` for administrators, whose role is taken away first.
///
/// # Errors
/// Those of the database, and of the list outside of it.
pub async fn erase_from_cli(app: &Arc<App>, person: Uuid) -> Result<Option<ErasureReport>, Error> {
    let inner = Arc::clone(app);
    let forget = move |tx: &mut Tx<'_>| {
        if user::by_id(tx, person)?.is_some_and(|user| user.is_admin()) {
            return Ok(None);
        }
        erase(tx, &inner, Caller::Service, person, false).map(Some)
    };
    let erased = app.db.write(forget).await?;
    write(app).await?;
    Ok(erased)
}
