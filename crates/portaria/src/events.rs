//! What happened becomes mail here and nowhere else: a row in the outbox, in the transaction of its cause.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use sea_query::{OnConflict, Query};

use crate::{
    app::App,
    clock::stamp,
    db::{Error, Tx},
    keys,
    mail::render,
    users::User,
};

/// A built-in mail.
#[derive(Debug)]
pub struct Letter {
    event: &'static str,
    subject: &'static str,
    body: &'static str,
}

macro_rules! letters {
    ($($name:ident $event:literal $subject:literal)*) => {$(
        #[doc = $subject]
        pub static $name: Letter = Letter {
            event: $event,
            subject: $subject,
            body: include_str!(concat!("../templates/", $event, ".html")),
        };
    )*};
}

letters! {
    CONFIRMATION "confirmation" "Confirme o seu e-mail"
    INVITE "invite" "Seu acesso ao portal"
    MAGIC_LINK "magic_link" "Seu link de acesso"
    RECOVERY "recovery" "Redefinição de senha"
    EMAIL_CHANGE "email_change" "Confirme a troca de e-mail"
    REAUTHENTICATION "reauthentication" "Seu código de confirmação"
    PASSWORD_CHANGED "password_changed" "Sua senha foi alterada"
    SECOND_STEP_ON "second_step_on" "A verificação em duas etapas foi ligada"
    SECOND_STEP_OFF "second_step_off" "A verificação em duas etapas foi desligada"
    RECOVERY_CODE_USED "recovery_code_used" "Um código de recuperação foi usado"
    EMAIL_CHANGED "email_changed" "Seu e-mail de acesso foi alterado"
    SUSPICIOUS_ACCESS "suspicious_access" "Acesso suspeito"
    ACCOUNT_EXISTS "account_exists" "Você já tem acesso ao portal"
}

/// What is mailed to an address so that its owner can show that it is theirs.
#[derive(Debug)]
pub struct Proof {
    /// The link to open.
    pub link: String,
    /// Or the six digits to type.
    pub code: String,
}

/// Sends a proof to an address, which need not be the account's yet.
pub fn prove(
    tx: &mut Tx<'_>,
    app: &App,
    letter: &Letter,
    user: &User,
    to: &str,
    proof: &Proof,
) -> Result<(), Error> {
    queue(tx, app, letter, to, &keys::new_token(), &values(app, user, to, proof))
}

/// Does the work of [`prove`] for an address that nobody has, and sends nothing: an unknown address is
/// answered no sooner than a known one.
pub fn prove_to_nobody(tx: &mut Tx<'_>, app: &App, to: &str) -> Result<(), Error> {
    let token = keys::new_token();
    let user = User::new(to.to_owned(), app.clock.now());
    let proof = Proof { link: token.clone(), code: app.keys.code(&token) };
    let html = RECOVERY.render(&values(app, &user, to, &proof));
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
pub fn notify(
    tx: &mut Tx<'_>,
    app: &App,
    letter: &Letter,
    user: &User,
    to: &str,
) -> Result<(), Error> {
    let link = format!("{}/recuperar-senha", app.config.site_url);
    let proof = Proof { link, code: String::new() };
    queue(tx, app, letter, to, &keys::new_token(), &values(app, user, to, &proof))
}

/// Tells somebody that a refresh token of theirs was used twice: once for each time that a session ended so.
pub fn suspicious_access(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    session: &str,
) -> Result<(), Error> {
    let link = format!("{}/recuperar-senha", app.config.site_url);
    let proof = Proof { link, code: String::new() };
    let values = values(app, user, &user.email, &proof);
    queue(tx, app, &SUSPICIOUS_ACCESS, &user.email, session, &values)
}

type Values = BTreeMap<&'static str, String>;

fn values(app: &App, user: &User, to: &str, proof: &Proof) -> Values {
    // Whoever signs up chooses their name: it must not become a message to an address that is not proved theirs.
    let is_theirs = to == user.email && (user.email_confirmed_at.is_some() || !user.signed_up);
    let greeting = match user.full_name() {
        name if is_theirs && name != user.email => {
            format!("Olá, {}.", name.chars().take(80).collect::<String>())
        }
        _ => "Olá.".to_owned(),
    };
    BTreeMap::from([
        ("office.name", app.config.product_name.clone()),
        ("greeting", greeting),
        ("link", proof.link.clone()),
        ("code", proof.code.clone()),
        ("new.email", user.new_email.clone().unwrap_or_default()),
        ("validity", in_words(app.config.mail_link_life)),
    ])
}

impl Letter {
    fn render(&self, values: &Values) -> String {
        const LAYOUT: &str = include_str!("../templates/layout.html");
        // Mail programs ignore style sheets, so the few styles are written into the tags.
        const STYLES: [(&str, &str); 4] = [
            ("<h1>", r#"<h1 style="margin:0 0 16px;font-size:22px">"#),
            ("<p>", r#"<p style="margin:0 0 24px;line-height:1.5">"#),
            (
                r#"<p class="code">"#,
                r#"<p style="margin:0 0 24px;font-size:28px;letter-spacing:6px;font-weight:600">"#,
            ),
            (
                r#"<a class="button""#,
                r#"<a style="display:inline-block;padding:12px 20px;background:#0E5A6B;color:#FFFFFF;border-radius:8px;text-decoration:none""#,
            ),
        ];
        let page = LAYOUT.replace("{{content}}", self.body.trim_end());
        let page = STYLES.iter().fold(page, |page, (tag, styled)| page.replace(tag, styled));
        render(&page, values)
    }
}

fn queue(
    tx: &mut Tx<'_>,
    app: &App,
    letter: &Letter,
    to: &str,
    cause: &str,
    values: &Values,
) -> Result<(), Error> {
    let now = app.clock.now();
    tx.insert(
        "outbox",
        [
            ("id", keys::new_id(now).to_string().into()),
            ("event", letter.event.into()),
            ("dedupe_key", format!("{}|{cause}|{to}", letter.event).into()),
            ("recipient", to.into()),
            ("subject", letter.subject.into()),
            ("html", letter.render(values).into()),
            ("state", "queued".into()),
            ("next_attempt_at", stamp(now).into()),
            ("created_at", stamp(now).into()),
        ],
    )
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

    use super::in_words;

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
