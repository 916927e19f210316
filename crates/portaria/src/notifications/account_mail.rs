//! Letters about somebody's account: what proves an address, and what its owner must know. Nobody can turn them off.

use std::sync::LazyLock;

use jiff::SignedDuration;
use sea_query::{OnConflict, Query};

use crate::notifications::{NewMail, enqueue};
use crate::{
    accounts::user::User,
    app::App,
    db::{Error, Tx},
    mail::{layout, template::Values},
    security::keys,
};

const FOOTER: &str = "Mensagem automática de {{office.name}} sobre o seu acesso ao portal.";

/// A built-in mail.
#[derive(Debug)]
pub struct AccountMail {
    event: &'static str,
    /// Laid out once: that an address is unknown must cost no less than that it is known.
    letter: LazyLock<layout::MailLayout>,
}

macro_rules! letters {
    ($($name:ident $event:literal $subject:literal)*) => {$(
        #[doc = $subject]
        pub static $name: AccountMail = AccountMail {
            event: $event,
            letter: LazyLock::new(|| {
                let body = include_str!(concat!("../../templates/accounts/", $event, ".html"));
                layout::MailLayout::built_in($subject, body, FOOTER)
            }),
        };
    )*};
}

letters! {
    CONFIRMATION "confirmation" "Confirme o seu e-mail"
    INVITE "invite" "Seu acesso ao portal"
    WELCOME "welcome" "Seu acesso ao portal está pronto"
    MAGIC_LINK "magic_link" "Seu link de acesso"
    RECOVERY "recovery" "Redefinição de senha"
    EMAIL_CHANGE "email_change" "Confirme a troca de e-mail"
    REAUTHENTICATION "reauthentication" "Seu código de confirmação"
    PASSWORD_CHANGED "password_changed" "Sua senha foi alterada"
    SECOND_STEP_ON "second_step_on" "A verificação em duas etapas foi ligada"
    SECOND_STEP_OFF "second_step_off" "A verificação em duas etapas foi desligada"
    RECOVERY_CODE_USED "recovery_code_used" "Um código de recuperação foi usado"
    EMAIL_CHANGED "email_changed" "Seu e-mail de acesso foi alterado"
    EMAIL_SET "email_set" "Seu novo e-mail de acesso"
    SUSPICIOUS_ACCESS "suspicious_access" "Acesso suspeito"
    ACCOUNT_EXISTS "account_exists" "Você já tem acesso ao portal"
    DATA_ERASED "data_erased" "Seus dados foram apagados"
}

/// What is mailed to an address so that its owner can show that it is theirs.
#[derive(Debug)]
pub struct VerificationLink {
    /// The link to open.
    pub link: String,
    /// Or the six digits to type.
    pub code: String,
}

/// Sends a proof to an address, which need not be the account's yet.
pub fn send_verification(
    tx: &mut Tx<'_>,
    app: &App,
    letter: &AccountMail,
    user: &User,
    to: &str,
    proof: &VerificationLink,
) -> Result<(), Error> {
    send(tx, app, (letter, user), to, &keys::new_token(), proof)
}

/// Does the work of [`prove`] for an address that nobody has, and sends nothing: an unknown address is
/// answered no sooner than a known one.
pub fn simulate_send(tx: &mut Tx<'_>, app: &App, to: &str) -> Result<(), Error> {
    let token = keys::new_token();
    let user = User::new(to.to_owned(), app.clock.now());
    let proof = VerificationLink { link: token.clone(), code: app.keys.code(&token) };
    // As long as the mail would be, and nothing of the address: it is somebody's.
    let html = " ".repeat(RECOVERY.letter.render(&values(app, &user, to, &proof)).html.len());
    // A known address has a token, an account and a mail written. Spread over some rows, so that requests
    // do not wait for one another.
    for (row, value) in ["token", "account", "mail"].into_iter().zip(["", "", &html]) {
        let name = format!("nobody {row} {}", token.chars().next().unwrap_or_default());
        tx.execute(
            Query::insert()
                .into_table("facts")
                .columns(["name", "value"])
                .values_panic([name.into(), value.into()])
                .on_conflict(OnConflict::column("name").update_column("value").to_owned()),
        )?;
    }
    Ok(())
}

/// Tells somebody what happened to their account.
pub fn send_account_notice(
    tx: &mut Tx<'_>,
    app: &App,
    letter: &AccountMail,
    user: &User,
    to: &str,
) -> Result<(), Error> {
    let link = format!("{}/recuperar-senha", app.config.site_url);
    let proof = VerificationLink { link, code: String::new() };
    send(tx, app, (letter, user), to, &keys::new_token(), &proof)
}

/// Tells somebody that a refresh token of theirs was used twice: once for each time that a session ended so.
pub fn suspicious_access(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    session: &str,
) -> Result<(), Error> {
    let link = format!("{}/recuperar-senha", app.config.site_url);
    let proof = VerificationLink { link, code: String::new() };
    send(tx, app, (&SUSPICIOUS_ACCESS, user), &user.email, session, &proof)
}

/// The last letter: that a person's data are gone. It is tied to no account, for there is none any more; its row goes
/// with it (`mail/outbox.rs`).
pub fn send_erasure_confirmation(tx: &mut Tx<'_>, app: &App, user: &User) -> Result<(), Error> {
    let proof = VerificationLink { link: String::new(), code: String::new() };
    let mail = NewMail {
        event: DATA_ERASED.event,
        cause: &user.id.to_string(),
        user: None,
        about: None,
        to: &user.email,
        written: DATA_ERASED.letter.render(&values(app, user, &user.email, &proof)),
        topic: None,
        document: None,
        ticket: None,
    };
    enqueue(tx, app, mail).map(drop)
}

fn values(app: &App, user: &User, to: &str, proof: &VerificationLink) -> Values<'static> {
    // Whoever signs up chooses their name: it must not become a message to an address that is not proved theirs.
    let is_theirs = to == user.email && (user.email_confirmed_at.is_some() || !user.signed_up);
    let greeting = match user.full_name() {
        name if is_theirs && name != user.email => {
            format!("Olá, {}.", name.chars().take(80).collect::<String>())
        }
        _ => "Olá.".to_owned(),
    };
    Values::from([
        ("office.name", app.config.product_name.clone()),
        ("portal", app.config.site_url.clone()),
        ("greeting", greeting),
        ("address", to.to_owned()),
        ("link", proof.link.clone()),
        ("code", proof.code.clone()),
        ("new.email", user.new_email.clone().unwrap_or_default()),
        ("validity", in_words(app.config.mail_link_life)),
    ])
}

fn send(
    tx: &mut Tx<'_>,
    app: &App,
    (letter, user): (&AccountMail, &User),
    to: &str,
    cause: &str,
    proof: &VerificationLink,
) -> Result<(), Error> {
    let owner = user.id.to_string();
    let mail = NewMail {
        event: letter.event,
        cause: &format!("{cause}|{to}"),
        // An address that is yet to become somebody's, or no longer is, has no account.
        user: (to == user.email).then_some(owner.as_str()),
        about: Some(&owner),
        to,
        written: letter.letter.render(&values(app, user, to, proof)),
        topic: None,
        document: None,
        ticket: None,
    };
    enqueue(tx, app, mail).map(drop)
}

/// A time as people say it.
fn in_words(time: SignedDuration) -> String {
    let seconds = time.as_secs();
    let (number, one, many) = match seconds {
        _ if seconds % 3600 == 0 => (seconds / 3600, "hora", "horas"),
        _ if seconds % 60 == 0 => (seconds / 60, "minuto", "minutos"),
        _ => (seconds, "segundo", "segundos"),
    };
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use crate::notifications::account_mail::in_words;

    #[test]
    fn times_in_words() {
        for (seconds, expected) in [
            (3600, "1 hora"),
            (7200, "2 horas"),
            (60, "1 minuto"),
            (5400, "90 minutos"),
            (5, "5 segundos"),
        ] {
            assert_eq!(in_words(SignedDuration::from_secs(seconds)), expected);
        }
    }
}
