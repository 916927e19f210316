//! Invitations that were not accepted: sent again by their own link, and withdrawn.

use crate::{
    accounts::{
        AccountError, login_attempts,
        one_time_token::{self, TokenPurpose},
        redirect_to::Redirect,
        user::{self, User},
        verification_mail::{self, MailRequest},
    },
    app::App,
    audit::{self, EventName},
    db::{Error, Tx},
    security::{caller::Caller, ids::UserId},
};

/// Removes what a stranger may have left who signed up with the address of an unconfirmed account: the password, and the
/// tokens that would confirm it. The caller of this function updates the account.
pub(crate) fn forget_sign_up(tx: &mut Tx<'_>, user: &mut User) -> Result<(), Error> {
    if !user.signed_up {
        return Ok(());
    }
    user.password_hash = None;
    let purposes = [TokenPurpose::Signup, TokenPurpose::MagicLink, TokenPurpose::Recovery];
    one_time_token::revoke(tx, user.id, &purposes)
}

/// Mails a new invitation to the account that an expired one was sent to. Returns `false` if the token is unknown, or
/// if its account was confirmed or suspended since. Beyond the limits for requested mails it succeeds and sends nothing.
pub(crate) fn renew(tx: &mut Tx<'_>, app: &App, token: &str) -> Result<bool, AccountError> {
    let Some(id) = one_time_token::invitee(tx, token)? else { return Ok(false) };
    let Some(mut user) = user::locked_by_id(tx, id)? else { return Ok(false) };
    if user.email_confirmed_at.is_some() || user.is_banned(app.clock.now()) {
        return Ok(false);
    }
    if login_attempts::may_request_mail(tx, app, &user.email)? {
        audit::record(tx, app, Caller::Anon, [user.audit_event(EventName::AccountInvited)]);
        let mail_request = MailRequest { redirect: Redirect::default(), challenge: None };
        verification_mail::send(tx, app, &mut user, TokenPurpose::Invite, &mail_request)?;
    }
    Ok(true)
}

/// Withdraws an invitation. The account stays and can be invited again. Returns `false` if it has no invitation that is
/// not accepted.
pub(crate) fn withdraw(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    id: UserId,
) -> Result<bool, AccountError> {
    let Some(mut user) = user::locked_by_id(tx, id)? else { return Ok(false) };
    if user.email_confirmed_at.is_some() || user.invited_at.is_none() {
        return Ok(false);
    }
    one_time_token::revoke(tx, id, &[TokenPurpose::Invite])?;
    user.invited_at = None;
    user::update(tx, &mut user, &app.config, app.clock.now())?;
    audit::record(tx, app, caller, [user.audit_event(EventName::AccountInvitationWithdrawn)]);
    Ok(true)
}
