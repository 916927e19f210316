//! Verification mails: issues a token, stamps the account and queues the mail, in one transaction.

use url::form_urlencoded;

use crate::accounts::{
    login_attempts,
    one_time_token::{self, TokenPurpose},
    pkce::Challenge,
};
use crate::{
    accounts::{
        AccountError,
        redirect_to::Redirect,
        user::{self, User},
    },
    app::App,
    clock::format_timestamp,
    config::{Config, pages::Page},
    db::Tx,
    notifications::{self, AccountMail, VerificationLink},
};

/// Parameters of a requested mail.
#[derive(Debug)]
pub(crate) struct MailRequest {
    /// Target of the link.
    pub(crate) redirect: Redirect,
    /// Code challenge of a PKCE flow.
    pub(crate) challenge: Option<Challenge>,
}

/// Calls `mail` with the account of an address, unless the limits for requested mails are exceeded. If `mail` returns
/// that it sent none, equivalent work is simulated, because a difference in time would reveal which addresses have an
/// account.
pub(crate) fn send_if_account_exists(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
    mail: impl FnOnce(&mut Tx<'_>, Option<User>) -> Result<bool, AccountError>,
) -> Result<(), AccountError> {
    if !login_attempts::may_request_mail(tx, app, email)? {
        return Ok(());
    }
    let account = user::locked_by_email(tx, email)?;
    if !mail(tx, account)? {
        notifications::simulate_send(tx, app, email)?;
    }
    Ok(())
}

/// Issues a token, mails it, and stores the account.
pub(crate) fn send(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    purpose: TokenPurpose,
    mail_request: &MailRequest,
) -> Result<(), AccountError> {
    let now = app.clock.now();
    let to = recipient(user, purpose);
    let token =
        one_time_token::issue(tx, app, user.id, purpose, &to, mail_request.challenge.as_ref())?;
    let link = mailed_link(&app.config, purpose, &token.value, mail_request);
    stamp_sent_at(user, purpose, format_timestamp(now));
    user::update(tx, user, &app.config, now)?;
    notifications::send_verification(
        tx,
        app,
        account_mail(purpose),
        &user.recipient(),
        &to,
        &VerificationLink { link, code: token.code, life: purpose.life(&app.config) },
    )?;
    Ok(())
}

/// Address that a token for this purpose is sent to and verifies.
pub(crate) fn recipient(user: &User, purpose: TokenPurpose) -> String {
    let new = user.new_email.as_ref().filter(|_| purpose == TokenPurpose::EmailChangeNew);
    new.unwrap_or(&user.email).clone()
}

/// Stamps the time of this mail in the account.
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

/// Builds the link that consumes a token when it is opened, and then redirects to a page (`docs/protocol/auth.md`,
/// section 5.4).
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

fn mailed_link(
    config: &Config,
    purpose: TokenPurpose,
    token: &str,
    mail_request: &MailRequest,
) -> String {
    let redirect = &mail_request.redirect;
    let page = match purpose {
        TokenPurpose::Recovery | TokenPurpose::Invite => {
            Some(Page::NewPassword).filter(|page| redirect.is_page(config, &page.to_string()))
        }
        TokenPurpose::MagicLink => Some(Page::SignInCode)
            .filter(|page| redirect.is_requested_page(config, &page.to_string())),
        TokenPurpose::EmailChangeCurrent | TokenPurpose::EmailChangeNew => Some(Page::ConfirmEmail)
            .filter(|page| redirect.is_requested_page(config, &page.to_string())),
        _ => None,
    };
    let Some(page) = page.filter(|_| mail_request.challenge.is_none()) else {
        return action_link(config, token, purpose, redirect);
    };
    // The fragment is not sent to servers, and a person consumes the token with a button of the page. Programs that open
    // links in mails therefore confirm nothing, and the code of the same mail stays valid.
    let kind = purpose.verification_type();
    format!("{}#token_hash={token}&type={kind}", config.page_url(page))
}

fn account_mail(purpose: TokenPurpose) -> &'static AccountMail {
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
