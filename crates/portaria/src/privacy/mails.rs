//! The mails about a person: those to the person, and those to others about the person's records.

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    app::App,
    db::{Error, Tx},
    notifications::digest,
    security::ids::{MailId, UserId},
};

/// Returns the condition for mails to a person and mails about their account, documents, tickets or request items, for
/// any recipient.
pub(crate) fn about(id: UserId) -> Condition {
    let owned = |table: &'static str, owner: &'static str| {
        Query::select().column("id").from(table).and_where(Expr::col(owner).eq(id)).take()
    };
    Condition::any()
        .add(Expr::col("user_id").eq(id))
        .add(Expr::col("about_id").eq(id))
        .add(Expr::col("document_id").in_subquery(owned("documents", "client_id")))
        .add(Expr::col("document_id").in_subquery(owned("deleted_documents", "client_id")))
        .add(Expr::col("ticket_id").in_subquery(owned("tickets", "user_id")))
        .add(Expr::col("request_item_id").in_subquery(owned("request_items", "client_id")))
}

/// Deletes mails, and returns their number. Digests to other people that contained some of them are written anew, or lose
/// their text if they have left.
pub(crate) fn delete(tx: &mut Tx<'_>, app: &App, which: Condition) -> Result<u64, Error> {
    let mut digests = Query::select();
    digests.distinct().column("digest_id").from("outbox").cond_where(which.clone());
    let rows = tx.rows(digests.and_where(Expr::col("digest_id").is_not_null()))?;
    let digests: Vec<MailId> = rows.iter().map(|row| row.parse(0)).collect::<Result<_, _>>()?;
    let deleted = tx.execute(Query::delete().from_table("outbox").cond_where(which))?;
    for digest in digests {
        digest::rewrite(tx, app, digest, app.clock.now())?;
        let mut text = Query::update();
        text.table("outbox").value("html", "").and_where(Expr::col("id").eq(digest));
        tx.execute(text.and_where(Expr::col("state").is_not_in(["queued", "sending"])))?;
    }
    Ok(deleted)
}
