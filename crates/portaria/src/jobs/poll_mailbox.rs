//! Reads the mailbox of the setting `imap_url` once a minute: reports of failed deliveries, answers to mails about tickets,
//! and files for the inbox. Nothing in the mailbox changes.
//!
//! One node reads; the position behind the last message that was read is stored in the transaction that writes the
//! consequences of the message, so that each message has them once.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use sea_query::{Expr, ExprTrait, Query};
use serde::{Deserialize, Serialize};
use tokio::{task::spawn_blocking, time::sleep};

use crate::{
    app::App,
    db::{self, Tx},
    inbox::{
        add::Origin,
        intake::{self, IncomingFile},
    },
    lease::{self, LEASE_TTL, Lease},
    mail::{
        imap::{MailboxError, MailboxLocation, MailboxPosition, OpenMailbox},
        incoming::{self, IncomingMail},
    },
    notifications::bounce,
    security::email_address::canonical_address,
    stored_files::intake::IntakeError,
    table_write::WriteError,
    tickets::{
        mail_refusal::AnswerSender,
        mail_reply::{self, MailReply},
    },
};

/// Interval between readings.
const POLL_INTERVAL: Duration = Duration::from_mins(1);
/// Time after a reading before which no other node reads.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_secs(50);
/// Name of the lease whose value is the next due time.
const LEASE_NAME: &str = "mailbox";
/// Name of the row of `system_state` with the position.
const POSITION_NAME: &str = "mailbox position";
/// Maximum size of a message, in bytes: the limit of most mail servers. Larger ones are not read.
const MAX_MESSAGE: u32 = 36 * 1024 * 1024;
/// Number of attempts after which a message is skipped.
const MAX_ATTEMPTS: u32 = 3;

/// The position in the mailbox, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Position {
    /// The mailbox; another one is read from its own end.
    mailbox: String,
    uid_validity: u32,
    next_uid: u32,
    /// Number of attempts to read the message at `next_uid`.
    attempts: u32,
}

/// Reasons why the reading ended early.
#[derive(Debug, thiserror::Error)]
enum PollError {
    #[error("{0}")]
    Mailbox(#[from] MailboxError),
    #[error("{0}")]
    Database(#[from] db::Error),
    #[error("{0}")]
    Store(std::io::Error),
    #[error("{0}")]
    Refused(String),
}

impl PollError {
    /// Returns whether the message itself is not the reason: the mailbox, the store or the database is away.
    fn is_outage(&self) -> bool {
        match self {
            Self::Mailbox(_) | Self::Store(_) => true,
            Self::Database(error) => error.is_transient() || matches!(error, db::Error::TimedOut),
            Self::Refused(_) => false,
        }
    }
}

/// The consequence of a message.
enum Consequence {
    Failure(incoming::DeliveryFailure),
    Reply(Box<MailReply>),
    Files(Vec<IncomingFile>),
    Nothing,
}

/// Reads the mailbox until the process stops. Returns at once if no mailbox is set.
pub(crate) async fn run(app: Arc<App>) {
    while app.config.mailbox.is_some() {
        poll(&app).await;
        sleep(POLL_INTERVAL).await;
    }
}

/// Reads the new messages if no other node does. A failure is logged; the next reading continues behind the last message.
pub async fn poll(app: &Arc<App>) {
    let Some(location) = &app.config.mailbox else { return };
    let read = async {
        let now = app.clock.now();
        let Some(mut lease) = Lease::acquire_if_due(app, LEASE_NAME, now).await? else {
            return Ok(());
        };
        let result = read_new(app, location, &mut lease).await;
        lease.extend(app.clock.now() + MIN_INTERVAL).await?;
        result
    };
    if let Err(error) = read.await {
        let error: PollError = error;
        tracing::warn!(%error, "the mailbox could not be read, will retry");
    }
}

async fn read_new(
    app: &Arc<App>,
    location: &MailboxLocation,
    lease: &mut Lease,
) -> Result<(), PollError> {
    let mut mailbox = OpenMailbox::open(location).await?;
    let (name, end) = (name_of(location), mailbox.end());
    let stored = app.db.read(load_position).await?;
    let same =
        stored.filter(|stored| stored.mailbox == name && stored.uid_validity == end.uid_validity);
    let Some(mut position) = same else {
        let MailboxPosition { uid_validity, next_uid } = end;
        let start = Position { mailbox: name, uid_validity, next_uid, attempts: 0 };
        app.db.write(move |tx| store_position(tx, &start)).await?;
        mailbox.close().await;
        return Ok(());
    };
    for uid in mailbox.messages_from(position.next_uid).await? {
        position = read_message(app, &mut mailbox, position, uid).await?;
        // After an expired lease another node may be at work.
        if !lease.extend(app.clock.now() + LEASE_TTL).await? {
            return Ok(());
        }
    }
    mailbox.close().await;
    Ok(())
}

/// Reads one message with its consequences, and returns the position behind it.
async fn read_message(
    app: &Arc<App>,
    mailbox: &mut OpenMailbox,
    position: Position,
    uid: u32,
) -> Result<Position, PollError> {
    let attempts = if uid == position.next_uid { position.attempts + 1 } else { 1 };
    let next = Position { next_uid: uid.saturating_add(1), attempts: 0, ..position.clone() };
    let skipped = attempts > MAX_ATTEMPTS;
    let size = if skipped { None } else { mailbox.size(uid).await? };
    if skipped || size.is_none_or(|size| size > MAX_MESSAGE) {
        tracing::warn!(uid, size, skipped, "a message of the mailbox was not read");
        let sender = if skipped || size.is_none() {
            None
        } else {
            sender_of_large_message(app, mailbox, uid, &next).await?
        };
        let behind = next.clone();
        let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
            if let Some(sender) = &sender {
                sender.mail_too_large(tx, app)?;
            }
            store_position(tx, &behind)
        };
        app.write(write).await?;
        return Ok(next);
    }
    // A message that ends the process is skipped after some attempts. The time of an outage is no attempt.
    let attempt = Position { next_uid: uid, attempts, ..position };
    let repeated = Position { attempts: attempts - 1, ..attempt.clone() };
    app.db.write(move |tx| store_position(tx, &attempt)).await?;
    let result = process_message(app, mailbox, uid, &next).await;
    if result.as_ref().is_err_and(PollError::is_outage) {
        app.db.write(move |tx| store_position(tx, &repeated)).await?;
    }
    result.map(|()| next)
}

/// Reads one message, and writes its consequences with the position behind it.
async fn process_message(
    app: &Arc<App>,
    mailbox: &mut OpenMailbox,
    uid: u32,
    next: &Position,
) -> Result<(), PollError> {
    let bytes = mailbox.read(uid).await?.unwrap_or_default();
    // A panic of the parser costs this message only.
    let parsed = spawn_blocking(move || incoming::parse(&bytes)).await.unwrap_or_default();
    let consequence = if let Some(mut mail) = parsed {
        ensure_message_id(&mut mail, uid, next);
        consequence_of(app, mail).await?
    } else {
        tracing::warn!(uid, "a message of the mailbox cannot be read");
        Consequence::Nothing
    };
    apply(app, consequence, uid, next.clone()).await
}

/// Gives a message without a Message-ID one that is the same when it is read again.
fn ensure_message_id(mail: &mut IncomingMail, uid: u32, next: &Position) {
    if mail.message_id.is_empty() {
        mail.message_id = format!("{uid}.{}@mailbox", next.uid_validity);
    }
}

/// Reads the header of a message that is too large, and returns the sender if it is an answer about a ticket.
async fn sender_of_large_message(
    app: &Arc<App>,
    mailbox: &mut OpenMailbox,
    uid: u32,
    next: &Position,
) -> Result<Option<AnswerSender>, PollError> {
    let header = mailbox.read_header(uid).await?.unwrap_or_default();
    let Some(mut mail) = incoming::parse(&header) else { return Ok(None) };
    ensure_message_id(&mut mail, uid, next);
    Ok(mail_reply::find_sender(app, &mail).await?)
}

async fn consequence_of(app: &Arc<App>, mail: IncomingMail) -> Result<Consequence, PollError> {
    if let Some(failure) = mail.failure {
        return Ok(Consequence::Failure(failure));
    }
    match mail_reply::prepare(app, &mail).await {
        Ok(Some(reply)) => return Ok(Consequence::Reply(Box::new(reply))),
        Ok(None) => {}
        Err(error) => return Err(later(error)),
    }
    let from = canonical_address(&mail.from);
    if !app.config.inbox_senders.iter().any(|sender| canonical_address(sender) == from) {
        return Ok(Consequence::Nothing);
    }
    let mut files = Vec::new();
    for (at, attachment) in mail.attachments.iter().enumerate() {
        let id = format!("{} {at}", mail.message_id);
        let key = format!("mail{}", app.keys.reply_address().hmac_hex(&id));
        let content = attachment.bytes.as_slice();
        match intake::receive(app, &key, &attachment.name, content).await {
            Ok(file) => files.push(file),
            Err(IntakeError::Refused(reason)) => {
                tracing::info!(reason, "an attachment for the inbox was not accepted");
            }
            Err(error) => return Err(later(error)),
        }
    }
    Ok(if files.is_empty() { Consequence::Nothing } else { Consequence::Files(files) })
}

fn later(error: IntakeError) -> PollError {
    match error {
        IntakeError::Database(error) => PollError::Database(error),
        IntakeError::Source(error) | IntakeError::Store(error) => PollError::Store(error),
        IntakeError::Refused(reason) => PollError::Refused(reason),
    }
}

/// Writes a consequence, and the position behind the message. A consequence that the rules refuse is left out.
async fn apply(
    app: &Arc<App>,
    consequence: Consequence,
    uid: u32,
    next: Position,
) -> Result<(), PollError> {
    let behind = next.clone();
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let mut about = None;
        let refused = match consequence {
            Consequence::Failure(failure) => {
                bounce::record(tx, &failure)?;
                None
            }
            Consequence::Reply(reply) => match reply.insert(tx, app) {
                Ok(()) => None,
                Err(WriteError::Database(error)) => return Err(error),
                Err(WriteError::Rejected(why)) => {
                    let reason = why.message.clone();
                    about = Some((reply.sender, why));
                    Some(reason)
                }
            },
            Consequence::Files(files) => match intake::insert(tx, app, Origin::Mail, &files) {
                Ok(()) => None,
                Err(IntakeError::Database(error)) => return Err(error),
                Err(IntakeError::Refused(why)) => Some(why),
                Err(IntakeError::Source(error) | IntakeError::Store(error)) => {
                    Some(error.to_string())
                }
            },
            Consequence::Nothing => None,
        };
        match &refused {
            Some(_) => tx.rollback(),
            None => store_position(tx, &next)?,
        }
        Ok(refused.map(|reason| (reason, about)))
    };
    if let Some((reason, about)) = app.write(write).await? {
        tracing::warn!(uid, reason, "a message of the mailbox was refused");
        let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
            if let Some((sender, rejection)) = &about {
                sender.mail_rejection(tx, app, rejection)?;
            }
            store_position(tx, &behind)
        };
        app.write(write).await?;
    }
    Ok(())
}

fn name_of(location: &MailboxLocation) -> String {
    let user = location.server.login.as_ref().map_or("", |login| login.user.as_str());
    format!("{user}@{}/{}", location.server.host, location.folder)
}

fn load_position(tx: &mut Tx<'_>) -> Result<Option<Position>, db::Error> {
    let mut query = Query::select();
    query.column("value").from("system_state").and_where(Expr::col("name").eq(POSITION_NAME));
    let rows = tx.rows(&query)?;
    let text = rows.first().map(|row| row.text(0)).transpose()?;
    Ok(text.and_then(|text| serde_json::from_str(text).ok()))
}

fn store_position(tx: &mut Tx<'_>, position: &Position) -> Result<(), db::Error> {
    let value = serde_json::to_string(position);
    let value = value.map_err(|error| db::Error::Internal(error.to_string()))?;
    lease::set_state(tx, POSITION_NAME, &value)
}
