//! Mails that prove an address: a token, the moment noted in the account, the mail, in one transaction.

use url::form_urlencoded;

use crate::{
    accounts::user::{self, User},
    app::App,
    clock::stamp,
    config::Config,
    db::Tx,
    notifications::{self, Letter, Proof},
};
use crate::{
    accounts::{
        login_attempts,
        one_time_token::{self, Purpose},
        pkce::Challenge,
    },
    api::auth::{AuthError, redirect_to::Redirect},
};

/// The page of the portal on which a password is chosen.
const PASSWORD_PAGE: &str = "/atualizar-senha";

/// How a mail was asked for.
#[derive(Debug)]
pub(crate) struct Ask {
    /// Where its link shall lead.
    pub(crate) redirect: Redirect,
    /// Whose session it will be.
    pub(crate) challenge: Option<Challenge>,
}

/// Mails the account of an address what `mail` finds for it, unless the address was mailed too lately. `mail` says
/// whether it found anything: if not, the same work is done for nobody.
pub(crate) fn to_address(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
    mail: impl FnOnce(&mut Tx<'_>, Option<User>) -> Result<bool, AuthError>,
) -> Result<(), AuthError> {
    if login_attempts::may_mail(tx, app, email)?.is_err() {
        return Ok(());
    }
    let account = user::locked_by_email(tx, email)?;
    if !mail(tx, account)? {
        notifications::prove_to_nobody(tx, app, email)?;
    }
    Ok(())
}

/// Mails a fresh token, and stores the account with it.
pub(crate) fn send(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    purpose: Purpose,
    ask: &Ask,
) -> Result<(), AuthError> {
    let now = app.clock.now();
    let to = address(user, purpose);
    let token = one_time_token::issue(tx, app, user.id, purpose, &to, ask.challenge.as_ref())?;
    let link = mailed_link(&app.config, purpose, &token.text, ask);
    note(user, purpose, stamp(now));
    user::update(tx, user, &app.config, now)?;
    notifications::prove(tx, app, letter(purpose), user, &to, &Proof { link, code: token.code })?;
    Ok(())
}

/// The address that a token for this purpose goes to, and proves.
pub(crate) fn address(user: &User, purpose: Purpose) -> String {
    let new = user.new_email.as_ref().filter(|_| purpose == Purpose::EmailChangeNew);
    new.unwrap_or(&user.email).clone()
}

/// Notes in the account when this was last mailed.
pub(crate) fn note(user: &mut User, purpose: Purpose, now: String) {
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
pub(crate) fn action_link(
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
        Purpose::Signup => &notifications::CONFIRMATION,
        Purpose::Invite => &notifications::INVITE,
        Purpose::MagicLink => &notifications::MAGIC_LINK,
        Purpose::Recovery => &notifications::RECOVERY,
        Purpose::EmailChangeCurrent | Purpose::EmailChangeNew => &notifications::EMAIL_CHANGE,
        Purpose::Reauthentication => &notifications::REAUTHENTICATION,
    }
}
