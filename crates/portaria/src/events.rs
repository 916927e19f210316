//! What happened becomes mail here and nowhere else: a row in the outbox, in the transaction of its cause.

use std::collections::BTreeMap;

use crate::{
    app::App,
    clock::stamp,
    db::{Error, Tx},
    keys,
    mail::render,
    users::User,
};

/// Somebody asked for a new password: the link on which they can set one.
pub fn password_reset(tx: &mut Tx<'_>, app: &App, user: &User, token: &str) -> Result<(), Error> {
    // The token stands in the fragment, which no server sees, and is spent only when the form is sent:
    // programs that open links in mails use nothing up (behaviour A3).
    let link = format!("{}/atualizar-senha#token_hash={token}&type=recovery", app.config.site_url);
    queue(
        tx,
        app,
        user,
        &Mail {
            event: "recovery",
            cause: keys::hash(token),
            subject: "Redefinição de senha",
            template: include_str!("../templates/recovery.html"),
            link,
        },
    )
}

/// Somebody's password was changed, by themselves or by the office.
pub fn password_changed(tx: &mut Tx<'_>, app: &App, user: &User) -> Result<(), Error> {
    queue(
        tx,
        app,
        user,
        &Mail {
            event: "password_changed",
            cause: keys::new_token(),
            subject: "Sua senha foi alterada",
            template: include_str!("../templates/password_changed.html"),
            link: format!("{}/recuperar-senha", app.config.site_url),
        },
    )
}

struct Mail {
    event: &'static str,
    /// What the same mail must not be sent for twice.
    cause: String,
    subject: &'static str,
    template: &'static str,
    link: String,
}

fn queue(tx: &mut Tx<'_>, app: &App, user: &User, mail: &Mail) -> Result<(), Error> {
    let now = app.clock.now();
    let values = BTreeMap::from([
        ("office.name", app.config.product_name.clone()),
        ("client.name", user.full_name().to_owned()),
        ("link", mail.link.clone()),
    ]);
    tx.insert(
        "outbox",
        [
            ("id", keys::new_id(now).to_string().into()),
            ("event", mail.event.into()),
            ("dedupe_key", format!("{}|{}|{}", mail.event, mail.cause, user.email).into()),
            ("recipient", user.email.as_str().into()),
            ("subject", mail.subject.into()),
            ("html", render(mail.template, &values).into()),
            ("state", "queued".into()),
            ("created_at", stamp(now).into()),
        ],
    )
}
