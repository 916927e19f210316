//! What happened becomes mail here and nowhere else: a row in the outbox, in the transaction of its cause.
//!
//! Letters are about somebody's account and are always sent (`accounts.rs`). Notices are about the office's business
//! (`documents.rs`, `tickets.rs`, `expiries.rs`): settings turn them on, templates say them, and their readers may
//! turn them off (`desk.rs`).

pub mod account_mail;
pub mod catalog;
pub mod digest;
pub mod notifier;
pub mod outbox;
pub mod unsubscribe_token;

use sea_query::{Expr, ExprTrait, OnConflict, Query};
use uuid::Uuid;

// Most callers write letters, and write them about one account.
pub use crate::notifications::account_mail::{
    ACCOUNT_EXISTS, AccountMail, CONFIRMATION, DATA_ERASED, EMAIL_CHANGE, EMAIL_CHANGED, EMAIL_SET,
    INVITE, MAGIC_LINK, PASSWORD_CHANGED, REAUTHENTICATION, RECOVERY, RECOVERY_CODE_USED,
    SECOND_STEP_OFF, SECOND_STEP_ON, VerificationLink, WELCOME, send_account_notice,
    send_erasure_confirmation, send_verification, simulate_send, suspicious_access,
};
pub use crate::notifications::notifier::built_in;

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    mail::layout::RenderedMail,
    security::keys,
};

/// A mail on its way into the outbox.
#[derive(Debug)]
pub(crate) struct NewMail<'a> {
    pub(crate) event: &'a str,
    /// What makes it the same mail as one that is there: then it is not written again.
    pub(crate) cause: &'a str,
    /// The account whose address it is.
    pub(crate) user: Option<&'a str>,
    /// The account that it tells of, where the address may be another's.
    pub(crate) about: Option<&'a str>,
    pub(crate) to: &'a str,
    pub(crate) written: RenderedMail,
    pub(crate) topic: Option<&'a str>,
    pub(crate) document: Option<&'a str>,
    pub(crate) ticket: Option<&'a str>,
}

/// Whether it was not there yet; its id.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    app: &App,
    mail: NewMail<'_>,
) -> Result<Option<String>, Error> {
    let now = app.clock.now();
    let id = keys::new_id(now).to_string();
    let mut statement = Query::insert();
    statement.into_table("outbox");
    let values: [(&'static str, Expr); 14] = [
        ("id", id.as_str().into()),
        ("event", mail.event.into()),
        ("dedupe_key", format!("{}|{}", mail.event, mail.cause).into()),
        ("user_id", mail.user.into()),
        ("about_id", mail.about.into()),
        ("recipient", mail.to.into()),
        ("subject", mail.written.subject.into()),
        ("html", mail.written.html.into()),
        ("topic", mail.topic.into()),
        ("document_id", mail.document.into()),
        ("ticket_id", mail.ticket.into()),
        ("state", "queued".into()),
        ("next_attempt_at", format_timestamp(now).into()),
        ("created_at", format_timestamp(now).into()),
    ];
    let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    statement.columns(columns).values_panic(values);
    statement.on_conflict(OnConflict::column("dedupe_key").do_nothing().to_owned());
    let is_new = tx.execute(&statement)? > 0;
    if is_new {
        outbox::notify_worker(tx, app);
    }
    Ok(is_new.then_some(id))
}

/// What was written to somebody and did not leave goes to their new address: notices, for a letter about the account
/// is for whoever reads at the address that it names.
pub fn retarget_pending(tx: &mut Tx<'_>, user: Uuid, to: &str) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("outbox").value("recipient", to);
    statement.and_where(Expr::col("user_id").eq(user.to_string()));
    statement.and_where(Expr::col("topic").is_not_null());
    statement.and_where(Expr::col("state").is_in(["queued", "failed", "cancelled"]));
    tx.execute(&statement).map(drop)
}
