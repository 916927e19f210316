//! Mails of the portal. A mail is a row of the table `outbox`, written in the transaction of its cause; only this
//! module writes such rows, and only `jobs/deliver_mail.rs` sends them.
//!
//! - Account mails ([`account_mail`]) concern an account: links, codes, security notices. They are always sent.
//! - Notifications ([`catalog`], [`notifier`]) concern documents, due dates and tickets. Settings enable them,
//!   templates define their text, and recipients can mute their topics. The callers are `documents/notify.rs`,
//!   `documents/expiry.rs` and `tickets/notify.rs`.
//! - Mails to staff ([`staff_mail`]) are about what clients did, as each member of the staff chose.
//! - The notification center (`center`) shows the same events in the portal, to each person.
//! - Reminders (`reminders`) are notifications of what clients did not do.
//! - Push messages ([`push`]) show the notifications of the center on the devices of a person.

pub mod account_mail;
pub(crate) mod bounce;
pub(crate) mod cancellation;
pub mod catalog;
pub(crate) mod center;
pub mod digest;
pub(crate) mod hooks;
pub mod mail_status;
pub mod notifier;
pub mod outbox;
pub mod push;
pub mod recipient;
pub(crate) mod reminders;
pub mod staff_mail;
pub mod unsubscribe_token;

use sea_query::{Expr, ExprTrait, OnConflict, Query};

// Most callers of this module send account mails.
pub use crate::notifications::account_mail::{
    ACCOUNT_EXISTS, AccountMail, CONFIRMATION, DATA_ERASED, DOCUMENT_CODE, EMAIL_CHANGE,
    EMAIL_CHANGED, EMAIL_SET, INVITE, MAGIC_LINK, MAIL_REPLY_INCOMPLETE, MAIL_REPLY_POSTED,
    MAIL_REPLY_REFUSED, MEMBER_ADDED, PASSKEY_ADDED, PASSKEY_REMOVED, PASSWORD_CHANGED,
    PASSWORD_CREATED, REAUTHENTICATION, RECOVERY, RECOVERY_CODE_USED, SECOND_STEP_OFF,
    SECOND_STEP_ON, VerificationLink, WELCOME, send_account_notice, send_erasure_confirmation,
    send_verification, simulate_send, suspicious_access,
};
pub(crate) use crate::notifications::account_mail::{ReplyNotice, send_reply_notice};
pub use crate::notifications::notifier::built_in_text;
pub use crate::notifications::recipient::Recipient;

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    mail::layout::RenderedMail,
    notifications::notifier::NotificationSubject,
    security::ids::{MailId, UserId},
};

/// A mail to insert into the outbox.
#[derive(Debug)]
pub(crate) struct NewMail<'a> {
    pub(crate) event: &'a str,
    /// The deduplication key, together with `event`: a mail whose key exists is not inserted again.
    pub(crate) cause: &'a str,
    /// The account to which the address `to` belongs.
    pub(crate) user: Option<UserId>,
    /// The account that the mail is about. The address `to` may belong to another account, or to none.
    pub(crate) about_user_id: Option<UserId>,
    pub(crate) to: &'a str,
    pub(crate) rendered: RenderedMail,
    pub(crate) topic: Option<&'a str>,
    /// The row that a notification is about.
    pub(crate) subject: Option<NotificationSubject>,
}

/// Inserts a mail and returns its id, or `None` if a mail with the same event and cause exists.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    app: &App,
    mail: NewMail<'_>,
) -> Result<Option<MailId>, Error> {
    let now = app.clock.now();
    let id = MailId::new(now);
    let mut statement = Query::insert();
    statement.into_table("outbox");
    let (mut document, mut ticket, mut request_item) = (None, None, None);
    match mail.subject {
        Some(NotificationSubject::Document(id)) => document = Some(id),
        Some(NotificationSubject::Ticket(id)) => ticket = Some(id),
        Some(NotificationSubject::RequestItem(id)) => request_item = Some(id),
        None => {}
    }
    let values: [(&'static str, Expr); 15] = [
        ("id", id.into()),
        ("event", mail.event.into()),
        ("dedupe_key", format!("{}|{}", mail.event, mail.cause).into()),
        ("user_id", mail.user.into()),
        ("about_id", mail.about_user_id.into()),
        ("recipient", mail.to.into()),
        ("subject", mail.rendered.subject.into()),
        ("html", mail.rendered.html.into()),
        ("topic", mail.topic.into()),
        ("document_id", document.into()),
        ("ticket_id", ticket.into()),
        ("request_item_id", request_item.into()),
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

/// Cancels the mails to a banned user that have not left.
pub fn cancel_mails_to(tx: &mut Tx<'_>, app: &App, user: UserId) -> Result<(), Error> {
    let to_user = cancellation::to_user(user);
    cancellation::cancel_obsolete(tx, app, &to_user, app.clock.now())
}

/// Changes the recipient of a user's unsent notifications to their new address. Account mails keep their recipient,
/// because their links and codes prove access to the address that they were written for.
pub fn retarget_pending(tx: &mut Tx<'_>, user: UserId, to: &str) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("outbox").value("recipient", to);
    statement.and_where(Expr::col("user_id").eq(user));
    statement.and_where(Expr::col("topic").is_not_null());
    statement.and_where(Expr::col("state").is_in(["queued", "failed", "cancelled"]));
    tx.execute(&statement).map(drop)
}
