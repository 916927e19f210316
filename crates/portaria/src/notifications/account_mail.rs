//! Account mails: links and codes that verify an address, notices about changes of an account, and about answers by mail
//! that were not taken or were published for a member of the staff. Recipients cannot turn them off.

use std::sync::LazyLock;

use jiff::SignedDuration;
use uuid::Uuid;

use crate::notifications::{NewMail, Recipient, enqueue};
use crate::{
    app::App,
    config::pages::Page,
    db::{Error, Tx},
    lease,
    mail::{layout, template::Values},
    security::{
        ids::{SessionId, UserId},
        keys,
    },
};

const FOOTER: &str = "Mensagem automática de {{office.name}} sobre o seu acesso ao portal.";

const REPLY_FOOTER: &str =
    "Mensagem automática de {{office.name}} sobre a sua resposta por e-mail.";

/// An account mail with its built-in text.
#[derive(Debug)]
pub struct AccountMail {
    event: &'static str,
    /// Parsed once, on first use, so that requests for known and unknown addresses take the same time.
    layout: LazyLock<layout::MailLayout>,
}

impl AccountMail {
    fn render(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        user: &Recipient,
        to: &str,
        verification: &VerificationLink,
    ) -> Result<layout::RenderedMail, Error> {
        let office = app.office_in(tx)?.letterhead();
        Ok(self.layout.render(&office, values(app, user, to, verification)))
    }
}

macro_rules! account_mails {
    ($($name:ident $event:literal $subject:literal)*) => {$(
        #[doc = $subject]
        pub static $name: AccountMail = AccountMail {
            event: $event,
            layout: LazyLock::new(|| {
                let body = include_str!(concat!("../../templates/accounts/", $event, ".html"));
                layout::MailLayout::built_in($subject, body, footer_of($event))
            }),
        };
    )*
        /// The events of all account mails, as `outbox` names them.
        pub const EVENTS: &[&str] = &[$($event),*];
    };
}

account_mails! {
    CONFIRMATION "confirmation" "Confirme o seu e-mail"
    INVITE "invite" "Seu acesso ao portal"
    MEMBER_ADDED "member_added" "Você acompanha mais um cliente no portal"
    WELCOME "welcome" "Seu acesso ao portal está pronto"
    MAGIC_LINK "magic_link" "Seu link de acesso"
    RECOVERY "recovery" "Redefinição de senha"
    EMAIL_CHANGE "email_change" "Confirme a troca de e-mail"
    REAUTHENTICATION "reauthentication" "Seu código de confirmação"
    PASSWORD_CREATED "password_created" "Sua senha foi criada"
    PASSWORD_CHANGED "password_changed" "Sua senha foi alterada"
    SECOND_STEP_ON "second_step_on" "A verificação em duas etapas foi ligada"
    SECOND_STEP_OFF "second_step_off" "A verificação em duas etapas foi desligada"
    RECOVERY_CODE_USED "recovery_code_used" "Um código de recuperação foi usado"
    PASSKEY_ADDED "passkey_added" "Uma chave de acesso foi adicionada"
    PASSKEY_REMOVED "passkey_removed" "Uma chave de acesso foi removida"
    EMAIL_CHANGED "email_changed" "Seu e-mail de acesso foi alterado"
    EMAIL_SET "email_set" "Seu novo e-mail de acesso"
    SUSPICIOUS_ACCESS "suspicious_access" "Acesso suspeito"
    ACCOUNT_EXISTS "account_exists" "Você já tem acesso ao portal"
    DOCUMENT_CODE "document_code" "Seu código para abrir o documento"
    DATA_ERASED "data_erased" "Seus dados foram apagados"
    MAIL_REPLY_POSTED "mail_reply_posted" "Sua resposta por e-mail foi publicada"
    MAIL_REPLY_REFUSED "mail_reply_refused" "Sua resposta por e-mail não foi recebida"
    MAIL_REPLY_INCOMPLETE "mail_reply_incomplete" "Um arquivo da sua resposta não foi recebido"
}

fn footer_of(event: &str) -> &'static str {
    if event.starts_with("mail_reply") { REPLY_FOOTER } else { FOOTER }
}

/// The link and the code of a mail that verifies an address.
#[derive(Debug)]
pub struct VerificationLink {
    /// URL to open.
    pub link: String,
    /// Six digits to type instead. Empty if the mail has no code.
    pub code: String,
    /// Time for which both are valid.
    pub life: SignedDuration,
}

/// Queues a mail that verifies the address `to`, which need not be the account's address yet.
pub fn send_verification(
    tx: &mut Tx<'_>,
    app: &App,
    account_mail: &AccountMail,
    user: &Recipient,
    to: &str,
    verification: &VerificationLink,
) -> Result<(), Error> {
    send(tx, app, account_mail, user, to, &keys::new_token(), verification)
}

/// Does the work of [`send_verification`] for an address without an account, and sends nothing. The duration of an
/// answer therefore does not reveal which addresses have an account (`docs/security-model.md`, Account enumeration).
pub fn simulate_send(tx: &mut Tx<'_>, app: &App, to: &str) -> Result<(), Error> {
    let token = keys::new_token();
    let user = Recipient {
        id: UserId(Uuid::nil()),
        email: to.to_owned(),
        new_email: None,
        full_name: None,
        is_address_trusted: true,
        is_address_confirmed: true,
        is_admin: false,
        banned_until: None,
    };
    let verification = VerificationLink {
        link: token.clone(),
        code: app.keys.otp_code(&token),
        life: app.config.mail_link_life,
    };
    // As long as the mail would be, but without the address, which may belong to a person.
    let html = " ".repeat(RECOVERY.render(tx, app, &user, to, &verification)?.html.len());
    // For a known address a token, an account and a mail are written. The writes use several rows, so that requests
    // do not wait for the same row lock.
    for (kind, value) in ["token", "account", "mail"].into_iter().zip(["", "", &html]) {
        let name = format!("nobody {kind} {}", token.chars().next().unwrap_or_default());
        lease::set_state(tx, &name, value)?;
    }
    Ok(())
}

/// Queues a notice about a change of an account.
pub fn send_account_notice(
    tx: &mut Tx<'_>,
    app: &App,
    account_mail: &AccountMail,
    user: &Recipient,
    to: &str,
) -> Result<(), Error> {
    let link = app.config.page_url(Page::ForgotPassword);
    let verification =
        VerificationLink { link, code: String::new(), life: app.config.mail_link_life };
    send(tx, app, account_mail, user, to, &keys::new_token(), &verification)
}

/// Queues a notice that a refresh token was used twice, once per session that ended for this reason.
pub fn suspicious_access(
    tx: &mut Tx<'_>,
    app: &App,
    user: &Recipient,
    session: SessionId,
) -> Result<(), Error> {
    let link = app.config.page_url(Page::ForgotPassword);
    let verification =
        VerificationLink { link, code: String::new(), life: app.config.mail_link_life };
    send(tx, app, &SUSPICIOUS_ACCESS, user, &user.email, &session.to_string(), &verification)
}

/// Queues the confirmation that a person's data were erased. It refers to no account, because the account no longer
/// exists. `privacy::erasure::purge_mail` deletes its row after delivery.
pub fn send_erasure_confirmation(
    tx: &mut Tx<'_>,
    app: &App,
    user: &Recipient,
) -> Result<(), Error> {
    let verification = VerificationLink {
        link: String::new(),
        code: String::new(),
        life: app.config.mail_link_life,
    };
    let mail = NewMail {
        event: DATA_ERASED.event,
        cause: &user.id.to_string(),
        user: None,
        about_user_id: None,
        to: &user.email,
        rendered: DATA_ERASED.render(tx, app, user, &user.email, &verification)?,
        topic: None,
        subject: None,
    };
    enqueue(tx, app, mail).map(drop)
}

/// An answer by mail about which its sender is notified.
#[derive(Debug)]
pub(crate) struct ReplyNotice<'a> {
    /// Names the message: about each message a person receives one mail.
    pub(crate) key: &'a str,
    /// The subject of the ticket.
    pub(crate) ticket_subject: &'a str,
    /// The page of the ticket.
    pub(crate) link: &'a str,
    /// Sentences for the person; empty without a reason.
    pub(crate) reason: &'a str,
}

/// Queues a mail about an answer by mail. It names no ticket in the outbox and so has no reply address: a program that
/// answers it writes to no ticket.
pub(crate) fn send_reply_notice(
    tx: &mut Tx<'_>,
    app: &App,
    account_mail: &AccountMail,
    user: &Recipient,
    reply: &ReplyNotice<'_>,
) -> Result<(), Error> {
    let verification = VerificationLink {
        link: reply.link.to_owned(),
        code: String::new(),
        life: app.config.mail_link_life,
    };
    let mut values = values(app, user, &user.email, &verification);
    values.insert("subject", reply.ticket_subject.to_owned());
    values.insert("reason", reply.reason.to_owned());
    let office = app.office_in(tx)?.letterhead();
    let mail = NewMail {
        event: account_mail.event,
        cause: &format!("{}|{}", reply.key, user.id),
        user: Some(user.id),
        about_user_id: Some(user.id),
        to: &user.email,
        rendered: account_mail.layout.render(&office, values),
        topic: None,
        subject: None,
    };
    enqueue(tx, app, mail).map(drop)
}

fn values(
    app: &App,
    user: &Recipient,
    to: &str,
    verification: &VerificationLink,
) -> Values<'static> {
    // People choose their name at sign-up: it must not carry a message to an address that they have not confirmed.
    let is_address_trusted = to == user.email && user.is_address_trusted;
    let greeting = match user.name() {
        name if is_address_trusted && name != user.email => {
            format!("Olá, {}.", name.chars().take(80).collect::<String>())
        }
        _ => "Olá.".to_owned(),
    };
    Values::from([
        ("portal", app.config.site_url.clone()),
        ("greeting", greeting),
        ("address", to.to_owned()),
        ("link", verification.link.clone()),
        ("code", verification.code.clone()),
        ("new.email", user.new_email.clone().unwrap_or_default()),
        ("validity", duration_in_words(verification.life)),
    ])
}

fn send(
    tx: &mut Tx<'_>,
    app: &App,
    account_mail: &AccountMail,
    user: &Recipient,
    to: &str,
    cause: &str,
    verification: &VerificationLink,
) -> Result<(), Error> {
    let mail = NewMail {
        event: account_mail.event,
        cause: &format!("{cause}|{to}"),
        // A new address before its confirmation, or a previous address, belongs to no account.
        user: (to == user.email).then_some(user.id),
        about_user_id: Some(user.id),
        to,
        rendered: account_mail.render(tx, app, user, to, verification)?,
        topic: None,
        subject: None,
    };
    enqueue(tx, app, mail).map(drop)
}

/// Formats a duration in Portuguese, in its largest whole unit.
fn duration_in_words(time: SignedDuration) -> String {
    let seconds = time.as_secs();
    let (number, one, many) = match seconds {
        _ if seconds % 86_400 == 0 => (seconds / 86_400, "dia", "dias"),
        _ if seconds % 3600 == 0 => (seconds / 3600, "hora", "horas"),
        _ if seconds % 60 == 0 => (seconds / 60, "minuto", "minutos"),
        _ => (seconds, "segundo", "segundos"),
    };
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use crate::notifications::account_mail::duration_in_words;

    #[test]
    fn durations_are_written_in_words() {
        for (seconds, expected) in [
            (3600, "1 hora"),
            (7200, "2 horas"),
            (604_800, "7 dias"),
            (60, "1 minuto"),
            (5400, "90 minutos"),
            (5, "5 segundos"),
        ] {
            assert_eq!(duration_in_words(SignedDuration::from_secs(seconds)), expected);
        }
    }
}
