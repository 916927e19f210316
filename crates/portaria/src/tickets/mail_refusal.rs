//! Mails to people about their answers by mail: what was not taken (docs/decisions/0133-answers-by-mail.md), and what was
//! published in the name of a member of the staff (docs/decisions/0145-staff-answer-by-mail.md).

use sea_query::{Expr, ExprTrait, Query};
use uuid::Uuid;

use crate::{
    app::App,
    config::pages::{Area, Page},
    db::{Error, Tx},
    notifications::{
        self, AccountMail, MAIL_REPLY_INCOMPLETE, MAIL_REPLY_POSTED, MAIL_REPLY_REFUSED, Recipient,
        ReplyNotice,
    },
    table_write::{Rejection, RejectionKind},
    tickets::{mail_reply::sender, reply_address::ReplyToken},
};

/// The reason for a message that is larger than the portal reads.
const TOO_LARGE: &str = "A mensagem é grande demais. Envie os arquivos pelo portal.";

/// A person's answer by mail, as far as a mail about it needs it.
#[derive(Debug)]
pub(crate) struct AnswerSender {
    pub(crate) token: ReplyToken,
    /// The address of the sender.
    pub(crate) from: String,
    /// Names the message.
    pub(crate) key: Uuid,
}

impl AnswerSender {
    /// Queues the mail about an answer that the rules refused.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn mail_rejection(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        rejection: &Rejection,
    ) -> Result<(), Error> {
        self.mail(tx, app, &MAIL_REPLY_REFUSED, &reason_of(rejection))
    }

    /// Queues the mail about a message that is too large to be read.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn mail_too_large(&self, tx: &mut Tx<'_>, app: &App) -> Result<(), Error> {
        self.mail(tx, app, &MAIL_REPLY_REFUSED, TOO_LARGE)
    }

    /// Queues the mail about files that were not taken from an answer. `reasons` are sentences.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn mail_refused_files(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        reasons: &str,
    ) -> Result<(), Error> {
        self.mail(tx, app, &MAIL_REPLY_INCOMPLETE, reasons)
    }

    /// Queues the mail that lets a member of the staff notice an answer that somebody else wrote.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn mail_posted(&self, tx: &mut Tx<'_>, app: &App) -> Result<(), Error> {
        self.mail(tx, app, &MAIL_REPLY_POSTED, "")
    }

    /// Queues a mail to the sender, who may have lost the right to answer since.
    fn mail(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        mail: &AccountMail,
        reason: &str,
    ) -> Result<(), Error> {
        let Some(caller) = sender(tx, app, &self.token, &self.from)? else { return Ok(()) };
        let Some(person) = caller.user() else { return Ok(()) };
        let Some(recipient) = Recipient::load(tx, person)? else { return Ok(()) };
        let (area, ticket) = (Area::of(caller.is_staff()), self.token.ticket);
        let mut query = Query::select();
        query.column("subject").from("tickets").and_where(Expr::col("id").eq(ticket));
        let rows = tx.rows(&query)?;
        let Some(row) = rows.first() else { return Ok(()) };
        let reply = ReplyNotice {
            key: &self.key.to_string(),
            ticket_subject: row.text(0)?,
            link: &app.config.page_url(Page::Ticket(area, &ticket.to_string())),
            reason,
        };
        notifications::send_reply_notice(tx, app, mail, &recipient, &reply)
    }
}

/// Returns the reason of a rejection as sentences for the person.
fn reason_of(rejection: &Rejection) -> String {
    match (rejection.code, rejection.kind) {
        ("PT409", _) => {
            "O ticket foi fechado há mais de sete dias. Abra um novo ticket pelo portal.".to_owned()
        }
        (_, RejectionKind::RateLimited(_)) => {
            "Chegaram muitas mensagens em pouco tempo. Envie de novo em alguns minutos.".to_owned()
        }
        ("42501", _) => "O seu acesso não permite responder a este ticket.".to_owned(),
        ("23514", _) => {
            "A mensagem não tinha arquivos, nem texto acima da linha de resposta. Escreva a resposta acima da linha."
                .to_owned()
        }
        (_, RejectionKind::Unprocessable) => rejection.message.clone(),
        _ => "Envie a resposta pelo portal.".to_owned(),
    }
}
