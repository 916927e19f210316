//! Mails that prove an address: a token, the moment noted in the account, the mail, in one transaction.

use url::form_urlencoded;

use crate::{
    accounts::user::{self, User},
    app::App,
    clock::format_timestamp,
    config::Config,
    db::Tx,
    notifications::{self, AccountMail, VerificationLink},
};
use crate::{
    accounts::{
        login_attempts,
        one_time_token::{self, TokenPurpose},
        pkce::Challenge,
    },
    api::auth::{AuthError, redirect_to::Redirect},
};

/// The page of the portal on which a password is chosen.
const PASSWORD_PAGE: &str = "/atualizar-senha";

/// How a mail was asked for.
#[derive(Debug)]
pub(crate) struct MailRequest {
    /// Where its link shall lead.
    pub(crate) redirect: Redirect,
    /// Whose session it will be.
    pub(crate) challenge: Option<Challenge>,
}

/// Mails the account of an address what `mail` finds for it, unless the address was mailed too lately. `mail` says
/// whether it found anything: if not, the same work is done for nobody.
pub(crate) fn send_if_account_exists(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
    mail: impl FnOnce(&mut Tx<'_>, Option<User>) -> Result<bool, AuthError>,
) -> Result<(), AuthError> {
    if login_attempts::check_mail_quota(tx, app, email)?.is_err() {
        return Ok(());
    }
    let account = user::locked_by_email(tx, email)?;
    if !mail(tx, account)? {
        notifications::simulate_send(tx, app, email)?;
    }
    Ok(())
}

/// Mails a fresh token, and stores the account with it.
pub(crate) fn send(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    purpose: TokenPurpose,
    ask: &MailRequest,
) -> Result<(), AuthError> {
    let now = app.clock.now();
    let to = recipient(user, purpose);
    let token = one_time_token::issue(tx, app, user.id, purpose, &to, ask.challenge.as_ref())?;
    let link = mailed_link(&app.config, purpose, &token.text, ask);
    stamp_sent_at(user, purpose, format_timestamp(now));
    user::update(tx, user, &app.config, now)?;
    notifications::send_verification(
        tx,
        app,
        letter(purpose),
        user,
        &to,
        &VerificationLink { link, code: token.code },
    )?;
    Ok(())
}

/// The address that a token for this purpose goes to, and proves.
pub(crate) fn recipient(user: &User, purpose: TokenPurpose) -> String {
    let new = user.new_email.as_ref().filter(|_| purpose == TokenPurpose::EmailChangeNew);
    new.unwrap_or(&user.email).clone()
}

/// Notes in the account when this was last mailed.
pub(crate) fn stamp_sent_at(user: &mut User, purpose: TokenPurpose, now: String) {
    match purpose {
        TokenPurpose::Signup => user.confirmation_sent_at = Some(now),
        TokenPurpose::Invite => {
            user.confirmation_sent_at = Some(now.clone());
            user.invited_at = Some(now);
        }
        TokenPurpose::MagicLink | TokenPurpose::Recovery => user.recovery_sent_at = Some(now),
        TokenPurpose::EmailChangeCurrent | TokenPurpose::EmailChangeNew => {
            user.email_change_sent_at = Some(now);
        }
        TokenPurpose::Reauthentication => user.reauthentication_sent_at = Some(now),
    }
}

/// The link that spends a token when it is opened, and goes on to a page (contract §1.4).
pub(crate) fn action_link(
    config: &Config,
    token: &str,
    purpose: TokenPurpose,
    redirect: &Redirect,
) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("token", token)
        .append_pair("type", purpose.verification_type())
        .append_pair("redirect_to", redirect.target(config).as_str())
        .finish();
    format!("{}/auth/v1/verify?{query}", config.site_url)
}

fn mailed_link(config: &Config, purpose: TokenPurpose, token: &str, ask: &MailRequest) -> String {
    let is_for_password = matches!(purpose, TokenPurpose::Recovery | TokenPurpose::Invite);
    if is_for_password && ask.challenge.is_none() && ask.redirect.is_page(config, PASSWORD_PAGE) {
        // The token stands in the fragment, which no server sees, and is spent only when the form is sent:
        // programs that open links in mails use nothing up (behaviour A3).
        let kind = purpose.verification_type();
        return format!("{}{PASSWORD_PAGE}#token_hash={token}&type={kind}", config.site_url);
    }
    action_link(config, token, purpose, &ask.redirect)
}

fn letter(purpose: TokenPurpose) -> &'static AccountMail {
    match purpose {
        TokenPurpose::Signup => &notifications::CONFIRMATION,
        TokenPurpose::Invite => &notifications::INVITE,
        TokenPurpose::MagicLink => &notifications::MAGIC_LINK,
        TokenPurpose::Recovery => &notifications::RECOVERY,
        TokenPurpose::EmailChangeCurrent | TokenPurpose::EmailChangeNew => {
            &notifications::EMAIL_CHANGE
        }
        TokenPurpose::Reauthentication => &notifications::REAUTHENTICATION,
    }
}
