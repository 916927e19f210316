//! E-mail changes: requested by the user, then confirmed at the new address and, with `secure_email_change`, at the old
//! one as well (`docs/protocol/auth.md`, section 5.6).

use serde_json::json;

use crate::accounts::{
    login_attempts,
    one_time_token::{self, TokenPurpose},
    validation,
    verification_mail::{self, MailRequest},
};
use crate::{
    accounts::{
        AccountError,
        user::{self, User},
    },
    app::App,
    audit,
    db::Tx,
    notifications,
};

/// The two addresses of an e-mail change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmailChangeSide {
    Current,
    New,
}

impl EmailChangeSide {
    fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::New => "new",
        }
    }
}

/// Starts an e-mail change and stores the account.
///
/// # Errors
/// `email_address_not_ascii`, `over_email_send_rate_limit`. `email_exists` only with `autoconfirm`, where a sign-up
/// reveals the same. Otherwise the owner of the address receives a mail, and the response is the same.
pub(crate) fn request(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    new_email: String,
    mail_request: &MailRequest,
) -> Result<(), AccountError> {
    validation::require_ascii_local_part(&new_email)?;
    let is_reserved = validation::require_not_reserved(&new_email, &app.config).is_err();
    let owner = user::by_email(tx, &new_email)?;
    if app.config.autoconfirm && (owner.is_some() || is_reserved) {
        return Err(AccountError::EmailExists);
    }

    // Locking in sorted order prevents a deadlock between two changes that cross.
    let mut addresses = [user.email.as_str(), new_email.as_str()];
    addresses.sort_unstable();
    for address in addresses {
        login_attempts::check_mail_quota(tx, app, address)?;
    }

    user.new_email = Some(new_email);
    if let Some(owner) = &owner {
        notifications::send_account_notice(
            tx,
            app,
            &notifications::ACCOUNT_EXISTS,
            &owner.recipient(),
            &owner.email,
        )?;
    }
    send_confirmations(tx, app, user, owner.is_none() && !is_reserved, mail_request)
}

/// Sends the mails of a pending e-mail change again.
pub(crate) fn resend(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    mail_request: &MailRequest,
) -> Result<(), AccountError> {
    let Some(new_email) = user.new_email.clone() else { return Ok(()) };
    let is_free = user::by_email(tx, &new_email)?.is_none()
        && validation::require_not_reserved(&new_email, &app.config).is_ok();
    send_confirmations(tx, app, user, is_free, mail_request)
}

fn send_confirmations(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    new_is_available: bool,
    mail_request: &MailRequest,
) -> Result<(), AccountError> {
    user.email_change_confirmed = None;
    if app.config.requires_both_email_confirmations() {
        verification_mail::send(tx, app, user, TokenPurpose::EmailChangeCurrent, mail_request)?;
    }
    if new_is_available {
        verification_mail::send(tx, app, user, TokenPurpose::EmailChangeNew, mail_request)?;
    } else {
        verification_mail::stamp_sent_at(
            user,
            TokenPurpose::EmailChangeNew,
            crate::clock::format_timestamp(app.clock.now()),
        );
        user::update(tx, user, &app.config, app.clock.now())?;
    }
    Ok(())
}

/// Records the confirmation of one side. The address changes when no other confirmation is missing.
pub(crate) fn confirm(
    tx: &mut Tx<'_>,
    app: &App,
    mut user: User,
    side: EmailChangeSide,
) -> Result<Option<User>, AccountError> {
    let now = app.clock.now();
    let other_side = match side {
        EmailChangeSide::Current => EmailChangeSide::New,
        EmailChangeSide::New => EmailChangeSide::Current,
    };
    if app.config.requires_both_email_confirmations()
        && user.email_change_confirmed.as_deref() != Some(other_side.as_str())
    {
        user.email_change_confirmed = Some(side.as_str().into());
        user::update(tx, &mut user, &app.config, now)?;
        return Ok(None);
    }

    let Some(new_email) = user.new_email.clone() else { return Err(AccountError::LinkExpired) };
    validation::require_not_reserved(&new_email, &app.config)?;
    let old_email = std::mem::replace(&mut user.email, new_email);

    cancel(&mut user);
    one_time_token::revoke_all(tx, user.id)?;
    user::update(tx, &mut user, &app.config, now)?;

    notifications::retarget_pending(tx, user.id, &user.email)?;
    notifications::send_account_notice(
        tx,
        app,
        &notifications::EMAIL_CHANGED,
        &user.recipient(),
        &old_email,
    )?;
    let changed =
        user.audit_event(audit::EventName::AccountChanged).detail(json!({"columns": ["email"]}));
    audit::record(tx, app, user.as_caller(), [changed]);
    Ok(Some(user))
}

/// Cancels a pending e-mail change. The caller stores the account.
pub(crate) fn cancel(user: &mut User) {
    user.new_email = None;
    user.email_change_confirmed = None;
    user.email_change_sent_at = None;
}
