//! Mails that prove an address: a token, the moment noted in the account, the mail, in one transaction.

use url::form_urlencoded;

use super::{
    AuthError, attempts,
    one_time::{self, Purpose},
    pkce::Challenge,
    redirect::Redirect,
};
use crate::{
    app::App,
    clock::stamp,
    config::Config,
    db::Tx,
    events::{self, Letter, Proof},
    users::{self, User},
};

/// The page of the portal on which a password is chosen.
const PASSWORD_PAGE: &str = "/atualizar-senha";

/// How a mail was asked for.
#[derive(Debug)]
pub(super) struct Ask {
    /// Where its link shall lead.
    pub(super) redirect: Redirect,
    /// Whose session it will be.
    pub(super) challenge: Option<Challenge>,
}

/// Mails the account of an address what `mail` finds for it, unless the address was mailed too lately. `mail` says
/// whether it found anything: if not, the same work is done for nobody.
pub(super) fn to_address(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
    mail: impl FnOnce(&mut Tx<'_>, Option<User>) -> Result<bool, AuthError>,
) -> Result<(), AuthError> {
    if attempts::may_mail(tx, app, email)?.is_err() {
        return Ok(());
    }
    let account = users::locked_by_email(tx, email)?;
    if !mail(tx, account)? {
        events::prove_to_nobody(tx, app, email)?;
    }
    Ok(())
}

/// Mails a fresh token, and stores the account with it.
pub(super) fn send(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    purpose: Purpose,
    ask: &Ask,
) -> Result<(), AuthError> {
    let now = app.clock.now();
    let to = address(user, purpose);
    let token = one_time::issue(tx, app, user.id, purpose, &to, ask.challenge.as_ref())?;
    let link = mailed_link(&app.config, purpose, &token.text, ask);
    note(user, purpose, stamp(now));
    users::update(tx, user, &app.config, now)?;
    events::prove(tx, app, letter(purpose), user, &to, &Proof { link, code: token.code })?;
    Ok(())
}

/// The address that a token for this purpose goes to, and proves.
pub(super) fn address(user: &User, purpose: Purpose) -> String {
    let new = user.new_email.as_ref().filter(|_| purpose == Purpose::EmailChangeNew);
    new.unwrap_or(&user.email).clone()
}

/// Notes in the account when this was last mailed.
pub(super) fn note(user: &mut User, purpose: Purpose, now: String) {
    match purpose {
        Purpose::Signup => user.confirmation_sent_at = Some(now),
        Purpose::Invite => {
            user.confirmation_sent_at = Some(now.clone());
            user.invited_at = Some(now);
        }
        Purpose::MagicLink | Purpose::Recovery => user.recovery_sent_at = Some(now),
        Purpose::EmailChangeCurrent | Purpose::EmailChangeNew => {
            user.email_change_sent_at = Some(now);
        }
        Purpose::Reauthentication => user.reauthentication_sent_at = Some(now),
    }
}

/// The link that spends a token when it is opened, and goes on to a page (contract §1.4).
pub(super) fn action_link(
    config: &Config,
    token: &str,
    purpose: Purpose,
    redirect: &Redirect,
) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("token", token)
        .append_pair("type", purpose.verification_type())
        .append_pair("redirect_to", redirect.target(config).as_str())
        .finish();
    format!("{}/auth/v1/verify?{query}", config.site_url)
}

fn mailed_link(config: &Config, purpose: Purpose, token: &str, ask: &Ask) -> String {
    let is_for_password = matches!(purpose, Purpose::Recovery | Purpose::Invite);
    if is_for_password && ask.challenge.is_none() && ask.redirect.is_page(config, PASSWORD_PAGE) {
        // The token stands in the fragment, which no server sees, and is spent only when the form is sent:
        // programs that open links in mails use nothing up (behaviour A3).
        let kind = purpose.verification_type();
        return format!("{}{PASSWORD_PAGE}#token_hash={token}&type={kind}", config.site_url);
    }
    action_link(config, token, purpose, &ask.redirect)
}

fn letter(purpose: Purpose) -> &'static Letter {
    match purpose {
        Purpose::Signup => &events::CONFIRMATION,
        Purpose::Invite => &events::INVITE,
        Purpose::MagicLink => &events::MAGIC_LINK,
        Purpose::Recovery => &events::RECOVERY,
        Purpose::EmailChangeCurrent | Purpose::EmailChangeNew => &events::EMAIL_CHANGE,
        Purpose::Reauthentication => &events::REAUTHENTICATION,
    }
}
