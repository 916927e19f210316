//! Cancellation of mails whose reason is gone before they left: the document was deleted, withdrawn or has expired, the
//! ticket was deleted, the item of a request was deleted or answered, the recipient or the client is banned, or the
//! recipient muted the topic or does not reach the client any more. The mail log shows the reason. The mails of a deleted
//! account are deleted with it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement, UpdateStatement};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx},
    notifications::{digest, outbox, staff_mail},
    policy::{membership_reaches, staff_reaches},
    security::ids::{MailId, UserId},
};

/// Cancels the mails in `scope`, a condition on `outbox`, that have not left and whose reason is gone. Digests are
/// written anew without them.
pub(crate) fn cancel_obsolete(
    tx: &mut Tx<'_>,
    app: &App,
    scope: &Condition,
    now: Timestamp,
) -> Result<(), Error> {
    let mut digests: BTreeSet<MailId> = BTreeSet::new();
    for (reason, is_obsolete) in reasons(now) {
        let mut query = Query::select();
        query.columns(["id", "digest_id"].map(|name| ("outbox", name))).from("outbox");
        query.cond_where(scope.clone()).cond_where(unsent()).cond_where(is_obsolete);
        let mut ids: Vec<MailId> = Vec::new();
        for row in tx.rows(query.order_by(("outbox", "id"), Order::Asc).lock_exclusive())?.iter() {
            ids.push(row.parse(0)?);
            digests.extend(row.opt_parse::<MailId>(1)?);
        }
        for ids in ids.chunks(MAX_KEYS_PER_STATEMENT) {
            let mut statement = cancel(reason);
            tx.execute(statement.and_where(Expr::col("id").is_in(ids.iter().copied())))?;
        }
    }
    for digest in digests {
        digest::rewrite(tx, app, digest, now)?;
    }
    Ok(())
}

/// Returns an update that cancels mails. The caller adds the condition.
pub(crate) fn cancel(reason: &str) -> UpdateStatement {
    let mut statement = Query::update();
    statement.table("outbox").value("state", "cancelled").value("last_error", reason);
    statement.value("digest_id", Option::<String>::None);
    // A document that is released again is notified again.
    statement.value("dedupe_key", Expr::cust("dedupe_key || '|cancelled|' || id"));
    outbox::clear_claim(&mut statement);
    statement
}

/// Returns those of the documents about which a mail has not left.
pub(crate) fn documents_with_unsent_mail(
    tx: &mut Tx<'_>,
    documents: &[String],
) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.distinct().column(("outbox", "document_id")).from("outbox");
    query.cond_where(about_documents(documents)).cond_where(unsent());
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Condition on mails that have not left: waiting and claimed ones, and notifications in a digest that has not left.
fn unsent() -> Condition {
    Condition::all()
        .add(Expr::col(("outbox", "sent_at")).is_null())
        .add(Expr::col(("outbox", "state")).is_in(["queued", "sending", "sent"]))
}

/// The reasons to cancel a mail, each with the condition under which it applies.
fn reasons(now: Timestamp) -> [(&'static str, Condition); 11] {
    let now = format_timestamp(now);
    let about_document = Expr::col(("outbox", "document_id")).is_not_null();
    let mut reaching_membership = membership(("documents", "client_id"));
    reaching_membership.cond_where(membership_reaches(("documents", "folder_id_supabase")));
    let is_withdrawn = Condition::any()
        .add(Expr::col(("documents", "status")).eq("pending"))
        .add(Expr::col(("documents", "client_id")).is_null())
        .add(
            Condition::all()
                .add(Expr::col(("documents", "client_id")).not_equals(("outbox", "user_id")))
                .add(Expr::exists(reaching_membership).not()),
        );
    // A document that had expired when it was notified is a reason to write.
    let has_expired = Condition::all()
        .add(Expr::col(("documents", "expires_at")).lte(now.as_str()))
        .add(Expr::col(("documents", "expires_at")).gt(Expr::col(("outbox", "created_at"))));
    let about_item = Expr::col(("outbox", "request_item_id")).is_not_null();
    let is_answered = Expr::col(("request_items", "status")).is_not_in(["open", "refused"]);
    let muted = Query::select()
        .expr(Expr::cust("1"))
        .from("muted_topics")
        .and_where(Expr::col(("muted_topics", "client_id")).equals(("outbox", "user_id")))
        .and_where(Expr::col(("muted_topics", "topic")).equals(("outbox", "topic")))
        .take();
    let about_client = Expr::col(("outbox", "about_id"));
    let reaches = staff_reaches(&Expr::col(("outbox", "user_id")), &about_client);
    let former_staff = Query::select()
        .expr(Expr::cust("1"))
        .from("users")
        .and_where(Expr::col(("users", "id")).equals(("outbox", "user_id")))
        .and_where(Expr::col(("users", "is_admin")).eq(false))
        .take();
    [
        (
            "O documento foi excluído.",
            Condition::all().add(about_document).add(Expr::exists(document()).not()),
        ),
        (
            "O documento foi retirado do cliente.",
            Condition::all().add(Expr::exists(document().cond_where(is_withdrawn).take())),
        ),
        (
            "O documento venceu antes do envio.",
            Condition::all()
                .add(Expr::exists(document().cond_where(has_expired).take()))
                .add(Expr::col(("outbox", "event")).not_like("%expired")),
        ),
        (
            "A solicitação foi excluída.",
            Condition::all().add(about_item).add(Expr::exists(request_item()).not()),
        ),
        (
            "A solicitação já foi respondida.",
            Condition::all().add(Expr::exists(request_item().and_where(is_answered).take())),
        ),
        (
            "O ticket foi excluído.",
            Condition::all()
                .add(Expr::col(("outbox", "ticket_id")).is_not_null())
                .add(Expr::exists(ticket()).not()),
        ),
        (
            "A pessoa não acompanha mais este cliente.",
            Condition::all().add(is_to_staff().not()).add(has_left_client()),
        ),
        ("A pessoa não quer mais estes avisos.", Condition::all().add(Expr::exists(muted))),
        (
            "A pessoa não é mais do escritório.",
            Condition::all().add(is_to_staff()).add(Expr::exists(former_staff)),
        ),
        (
            "A pessoa não acompanha mais este cliente.",
            Condition::all().add(is_to_staff()).add(about_client.is_not_null()).add(reaches.not()),
        ),
        (
            "O acesso do cliente está suspenso.",
            Condition::any()
                .add(is_banned(("outbox", "user_id"), &now))
                .add(Condition::all().add(is_to_staff().not()).add(is_about_banned_client(&now))),
        ),
    ]
}

/// Condition on mails: a person may not use the portal at a time.
fn is_banned(person: (&'static str, &'static str), now: &str) -> Expr {
    let mut account = Query::select();
    account.expr(Expr::cust("1")).from("users");
    account.and_where(Expr::col(("users", "id")).equals(person));
    Expr::exists(account.and_where(Expr::col(("users", "banned_until")).gt(now)).take())
}

/// Condition on mails: the client of the record, for whom the recipient may act, is banned.
fn is_about_banned_client(now: &str) -> Condition {
    let records = [
        (document(), ("documents", "client_id")),
        (ticket(), ("tickets", "user_id")),
        (request_item(), ("request_items", "client_id")),
    ];
    records.into_iter().fold(Condition::any(), |any, (mut record, client)| {
        any.add(Expr::exists(record.and_where(is_banned(client, now)).take()))
    })
}

/// Condition on mails about tickets and items: the recipient does not act for the client any more.
fn has_left_client() -> Condition {
    let records =
        [(ticket(), ("tickets", "user_id")), (request_item(), ("request_items", "client_id"))];
    records.into_iter().fold(Condition::any(), |any, (mut record, client)| {
        record.and_where(Expr::col(client).not_equals(("outbox", "user_id")));
        any.add(Expr::exists(record.and_where(Expr::exists(membership(client)).not()).take()))
    })
}

/// Condition on mails to staff.
fn is_to_staff() -> Expr {
    Expr::col(("outbox", "event")).is_in(staff_mail::events())
}

/// The document of a mail.
fn document() -> SelectStatement {
    Query::select()
        .expr(Expr::cust("1"))
        .from("documents")
        .and_where(Expr::col(("documents", "id")).equals(("outbox", "document_id")))
        .take()
}

/// The ticket of a mail.
fn ticket() -> SelectStatement {
    Query::select()
        .expr(Expr::cust("1"))
        .from("tickets")
        .and_where(Expr::col(("tickets", "id")).equals(("outbox", "ticket_id")))
        .take()
}

/// The membership by which the recipient of a mail acts for the client in a column.
fn membership(client: (&'static str, &'static str)) -> SelectStatement {
    Query::select()
        .expr(Expr::cust("1"))
        .from("memberships")
        .and_where(Expr::col(("memberships", "client_id")).equals(client))
        .and_where(Expr::col(("memberships", "user_id")).equals(("outbox", "user_id")))
        .take()
}

/// The item of a mail.
fn request_item() -> SelectStatement {
    Query::select()
        .expr(Expr::cust("1"))
        .from("request_items")
        .and_where(Expr::col(("request_items", "id")).equals(("outbox", "request_item_id")))
        .take()
}

/// Condition on the mails about these documents.
#[must_use]
pub(crate) fn about_documents(ids: &[String]) -> Condition {
    let ids = ids.iter().map(String::as_str);
    Condition::all().add(Expr::col(("outbox", "document_id")).is_in(ids))
}

/// Condition on the mails to a user.
#[must_use]
pub(crate) fn to_user(user: UserId) -> Condition {
    Condition::all().add(Expr::col(("outbox", "user_id")).eq(user))
}

/// Condition on a mail and, if it is a digest, on the notifications in it.
#[must_use]
pub(crate) fn mail_with_parts(id: MailId) -> Condition {
    Condition::any()
        .add(Expr::col(("outbox", "id")).eq(id))
        .add(Expr::col(("outbox", "digest_id")).eq(id))
}
