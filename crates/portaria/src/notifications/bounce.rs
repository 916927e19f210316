//! Mails that came back: the recipient's server accepted the mail and reported later that it could not be delivered.

use sea_query::{Expr, ExprTrait, Query};

use crate::{
    db::{Error, Tx},
    mail::incoming::DeliveryFailure,
    security::ids::MailId,
};

/// Marks the mail of a report as failed, with the reason. Returns whether the report is about a mail that this portal sent
/// to one of these recipients.
///
/// # Errors
/// Database errors.
pub(crate) fn record(tx: &mut Tx<'_>, failure: &DeliveryFailure) -> Result<bool, Error> {
    let id = failure.message_id.split('@').next().unwrap_or_default();
    let Ok(id) = id.parse::<MailId>() else { return Ok(false) };
    let mut update = Query::update();
    update.table("outbox").value("state", "failed");
    update.value("last_error", format!("O e-mail foi devolvido: {}", failure.reason));
    update.and_where(Expr::col("id").eq(id)).and_where(Expr::col("state").eq("sent"));
    update.and_where(Expr::col("recipient").is_in(failure.recipients.iter().map(String::as_str)));
    Ok(tx.execute(&update)? > 0)
}
