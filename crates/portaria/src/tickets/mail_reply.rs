//! Answers by mail: a message to the address of a ticket becomes a message of the ticket, with the attached files
//! (docs/decisions/0133-answers-by-mail.md).
//!
//! The message is written in the name of the person whose account has the sender's address, by the rules of the table
//! `ticket_messages`. That person belongs to the client of the ticket, or to the staff
//! (docs/decisions/0145-staff-answer-by-mail.md). A message that was read before is found by its Message-ID and not
//! written again.

use std::{fmt::Write as _, sync::Arc};

use sea_query::{Condition, Expr, ExprTrait, Query};
use serde_json::{Map, Value, json};

use crate::{
    accounts::user,
    app::App,
    db::{self, Tx},
    error::file_error,
    mail::incoming::{Attachment, IncomingMail},
    policy::{self, Action, members},
    schema::{ATTACHMENTS_BUCKET, STAFF_PREFIX, TableId},
    security::{
        caller::Caller,
        email_address::canonical_address,
        ids::{ObjectId, TicketId, UserId},
    },
    stored_files::{
        file_type::{DOCUMENT_EXTENSIONS, SENT_EXTENSIONS},
        intake::{self, IntakeError, Place, ReceivedFile},
        quota,
    },
    table_write::{Row, TableHooks, WriteContext, WriteError},
    tickets::{
        attachments::AttachmentHooks,
        hooks::TicketHooks,
        mail_refusal::AnswerSender,
        messages::MessageHooks,
        reply_address::{ReplySide, ReplyToken},
    },
};

/// Maximum number of files of a message, as in the browser.
const MAX_FILES: usize = 20;
/// Maximum number of characters of a text; the column holds a little more. A longer text is also attached as a file.
const MAX_TEXT_CHARS: usize = 9_000;
/// Name of the file that contains a long text.
const WHOLE_TEXT: &str = "mensagem.txt";
/// The text of a message without one.
const FILES_ONLY: &str = "Arquivos enviados por e-mail.";

/// An answer whose files are stored, and which has no row yet.
pub(crate) struct MailReply {
    pub(crate) sender: AnswerSender,
    body: String,
    files: Vec<(String, ReceivedFile)>,
    /// Sentences about files that were not accepted; empty if there were none.
    refused_files: String,
}

/// Finds the sender of a message that is an answer. `None` for other messages.
///
/// # Errors
/// Of the database.
pub(crate) async fn find_sender(
    app: &Arc<App>,
    mail: &IncomingMail,
) -> Result<Option<AnswerSender>, db::Error> {
    let Some(token) = ReplyToken::find(app, &mail.recipients) else { return Ok(None) };
    if mail.is_automatic {
        return Ok(None);
    }
    let from = canonical_address(&mail.from);
    let answer_from = from.clone();
    if app.read(move |tx, app| sender(tx, app, &token, &from)).await?.is_none() {
        return Ok(None);
    }
    let hash = app.keys.reply_address().hmac_hex(&format!("message {}", mail.message_id));
    let key = hash.get(..32).and_then(|hex| hex.parse().ok()).unwrap_or_default();
    Ok(Some(AnswerSender { token, from: answer_from, key }))
}

/// Stores the files of an answer. Returns `None` for a message that is none: it was written by a program, has no
/// address of a ticket, or its sender is not the person to whom that address was given.
///
/// # Errors
/// Errors of the database and of the store, after which the message can be read again.
pub(crate) async fn prepare(
    app: &Arc<App>,
    mail: &IncomingMail,
) -> Result<Option<MailReply>, IntakeError> {
    let Some(sender) = find_sender(app, mail).await? else { return Ok(None) };
    let (mut files, mut refused, mut refused_files) = (Vec::new(), String::new(), String::new());
    let is_long = mail.text.chars().nth(MAX_TEXT_CHARS).is_some();
    let whole_text = is_long.then_some((WHOLE_TEXT, mail.text.as_bytes()));
    let attached = mail.attachments.iter();
    let attached = attached.map(|Attachment { name, bytes }| (name.as_str(), bytes.as_slice()));
    for (at, (name, bytes)) in whole_text.into_iter().chain(attached).enumerate() {
        let stored = if at < MAX_FILES {
            let accepted = [DOCUMENT_EXTENSIONS, SENT_EXTENSIONS];
            intake::receive(app, ATTACHMENTS_BUCKET, name, &accepted, bytes).await
        } else {
            Err(IntakeError::Refused(format!("Uma mensagem tem no máximo {MAX_FILES} arquivos.")))
        };
        match stored {
            Ok(file) => files.push((name.to_owned(), file)),
            Err(IntakeError::Refused(why)) => {
                let _ = write!(refused, "\n\n[O arquivo {name} não foi aceito. {why}]");
                let _ = write!(refused_files, "O arquivo {name} não foi aceito. {why} ");
            }
            Err(error) => return Err(error),
        }
    }
    let mut text: String = mail.text.chars().take(MAX_TEXT_CHARS).collect();
    if is_long && files.first().is_some_and(|(name, _)| name == WHOLE_TEXT) {
        let _ = write!(text, "\n\n[O texto completo está no arquivo {WHOLE_TEXT}.]");
    }
    let text = if text.is_empty() && !mail.attachments.is_empty() { FILES_ONLY } else { &text };
    let refused: String = refused.chars().take(900).collect();
    let refused_files = refused_files.chars().take(900).collect();
    Ok(Some(MailReply { sender, body: format!("{text}{refused}"), files, refused_files }))
}

/// Returns the person who sent an answer, as the caller who acts for the client of the ticket or is a member of the staff
/// who reaches it. `None` for others.
pub(crate) fn sender(
    tx: &mut Tx<'_>,
    app: &App,
    token: &ReplyToken,
    from: &str,
) -> Result<Option<Caller>, db::Error> {
    let now = app.clock.now();
    let person = user::by_email(tx, from)?
        .filter(|user| user.email_confirmed_at.is_some() && !user.is_banned(now));
    let Some(person) = person else { return Ok(None) };
    let side = if person.is_admin() { ReplySide::Staff } else { ReplySide::Client };
    if !token.belongs_to(app, person.id, side) {
        return Ok(None);
    }
    let mut query = Query::select();
    query.column("user_id").from("tickets").and_where(Expr::col("id").eq(token.ticket));
    let rows = tx.rows(&query)?;
    let client: Option<UserId> = rows.first().map(|row| row.opt_parse(0)).transpose()?.flatten();
    let Some(client) = client else { return Ok(None) };
    match side {
        ReplySide::Client if client == person.id => Ok(Some(Caller::own_account(person.id))),
        ReplySide::Client => members::acting_for(tx, person.id, client, now),
        ReplySide::Staff => {
            let (caller, ticket) = (person.as_caller(), token.ticket.to_string());
            let reaches =
                policy::reaches_all(tx, caller, TableId::Tickets, Action::Select, &[ticket])?;
            Ok(reaches.then_some(caller))
        }
    }
}

impl MailReply {
    /// Writes the message and its files, unless a message with its Message-ID exists.
    ///
    /// # Errors
    /// [`WriteError`]; the caller rolls back.
    pub(crate) fn insert(&self, tx: &mut Tx<'_>, app: &App) -> Result<(), WriteError> {
        quota::lock(tx, app)?;
        let AnswerSender { token, from, key } = &self.sender;
        let caller = sender(tx, app, token, from)?;
        let table = TableId::TicketMessages;
        let caller = caller.ok_or_else(|| WriteError::row_denied(Caller::Anon, table.table()))?;
        let values = json!({
            "ticket_id": token.ticket,
            "body": self.body,
            "idempotency_key": key,
        });
        let Some(message) = create(tx, app, caller, table, &MessageHooks, &values)? else {
            return Ok(());
        };
        for (name, file) in &self.files {
            let path = self.attach(tx, app, caller, name, file)?;
            let values = json!({ "message_id": message, "name": name, "file_url": path });
            create(tx, app, caller, TableId::TicketAttachments, &AttachmentHooks, &values)?;
        }
        if let (true, Some(person)) = (caller.is_staff(), caller.user()) {
            assign_if_unassigned(tx, app, caller, person, token.ticket)?;
            self.sender.mail_posted(tx, app)?;
        }
        if !self.refused_files.is_empty() {
            self.sender.mail_refused_files(tx, app, self.refused_files.trim_end())?;
        }
        Ok(())
    }

    /// Inserts the object of a file beside the ticket, and returns its name.
    fn attach(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        caller: Caller,
        name: &str,
        file: &ReceivedFile,
    ) -> Result<String, WriteError> {
        let now = app.clock.now();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_lowercase();
        let sender = caller.client().map_or_else(|| STAFF_PREFIX.to_owned(), |id| id.to_string());
        let TicketId(ticket) = self.sender.token.ticket;
        let path = format!("{sender}/{ticket}/{}.{extension}", ObjectId::new(now));
        let place = Place {
            bucket: ATTACHMENTS_BUCKET,
            name: path.clone(),
            owner: caller.user(),
            metadata: None,
        };
        match intake::insert(tx, app, file, place, now) {
            Ok(_) => Ok(path),
            Err(IntakeError::Database(error)) => Err(error.into()),
            Err(IntakeError::Refused(why)) => Err(WriteError::unprocessable("QuotaExceeded", why)),
            Err(IntakeError::Source(error) | IntakeError::Store(error)) => {
                Err(file_error("an attachment", &error).into())
            }
        }
    }
}

/// Inserts a row in the name of a caller, and returns its key; `None` if the row repeats an existing one.
fn create(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    table: TableId,
    hooks: &'static dyn TableHooks,
    values: &Value,
) -> Result<Option<String>, WriteError> {
    let context = WriteContext::new(app, caller, table, hooks, Action::Insert)?;
    let values: Map<String, Value> = values.as_object().cloned().unwrap_or_default();
    let row = context.build_row(tx, &values, &context.table.columns_in(&values), true)?;
    if context.find_duplicate(tx, &row)?.is_some() {
        return Ok(None);
    }
    context.check_rate(tx)?;
    context.insert_new(tx, &row).map(Some)
}

/// Assigns a ticket without an assignee to the member of the staff who answered it, as the back office does.
fn assign_if_unassigned(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    person: UserId,
    ticket: TicketId,
) -> Result<(), WriteError> {
    let context = WriteContext::new(app, caller, TableId::Tickets, &TicketHooks, Action::Update)?;
    let changes = Row::from([("assignee_id", Some(person.to_string().into()))]);
    let changes = context.validate_changes(tx, changes)?;
    let is_unassigned = Condition::all()
        .add(Expr::col(("tickets", "id")).eq(ticket))
        .add(Expr::col(("tickets", "assignee_id")).is_null());
    context.change(tx, &is_unassigned, &changes).map(drop)
}
