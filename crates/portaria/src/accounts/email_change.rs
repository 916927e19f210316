//! A change of address: asked for by the person, confirmed at the new address and, unless the settings say
//! otherwise, at the old one too (contract §1.5).

use serde_json::json;

use crate::{
    accounts::user::{self, User},
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    notifications,
};
use crate::{
    accounts::{
        login_attempts,
        one_time_token::{self, TokenPurpose},
        validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::AuthError,
};

/// One of the two addresses of a change.
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

/// Begins a change, and stores the account with it.
///
/// # Errors
/// `over_email_send_rate_limit`. An address in use is refused only where a sign-up would tell it as well;
/// elsewhere its owner hears of it, and the caller cannot.
pub(crate) fn request(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    new_email: String,
    ask: &MailRequest,
) -> Result<(), AuthError> {
    let is_reserved = validation::not_reserved(&new_email, &app.config).is_err();
    let owner = user::by_email(tx, &new_email)?;
    if app.config.autoconfirm && (owner.is_some() || is_reserved) {
        return Err(AuthError::email_exists());
    }
    // In one order always, or two changes that cross would wait for each other.
    let mut both = [user.email.as_str(), new_email.as_str()];
    both.sort_unstable();
    for address in both {
        login_attempts::check_mail_quota(tx, app, address)?.map_err(AuthError::mail_too_often)?;
    }
    user.new_email = Some(new_email);
    if let Some(owner) = &owner {
        notifications::send_account_notice(
            tx,
            app,
            &notifications::ACCOUNT_EXISTS,
            owner,
            &owner.email,
        )?;
    }
    mail_halves(tx, app, user, owner.is_none() && !is_reserved, ask)
}

/// Mails both halves of a change anew.
pub(crate) fn resend(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    ask: &MailRequest,
) -> Result<(), AuthError> {
    let Some(new_email) = user.new_email.clone() else { return Ok(()) };
    let is_free = user::by_email(tx, &new_email)?.is_none()
        && validation::not_reserved(&new_email, &app.config).is_ok();
    mail_halves(tx, app, user, is_free, ask)
}

fn mail_halves(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    to_the_new: bool,
    ask: &MailRequest,
) -> Result<(), AuthError> {
    user.email_change_confirmed = None;
    if app.config.requires_both_email_confirmations() {
        verification_mail::send(tx, app, user, TokenPurpose::EmailChangeCurrent, ask)?;
    }
    if to_the_new {
        verification_mail::send(tx, app, user, TokenPurpose::EmailChangeNew, ask)?;
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

/// One half is confirmed; with the second the address changes.
pub(crate) fn confirm(
    tx: &mut Tx<'_>,
    app: &App,
    mut user: User,
    half: EmailChangeSide,
) -> Result<Option<User>, AuthError> {
    let now = app.clock.now();
    let other = match half {
        EmailChangeSide::Current => EmailChangeSide::New,
        EmailChangeSide::New => EmailChangeSide::Current,
    };
    if app.config.requires_both_email_confirmations()
        && user.email_change_confirmed.as_deref() != Some(other.as_str())
    {
        user.email_change_confirmed = Some(half.as_str().into());
        user::update(tx, &mut user, &app.config, now)?;
        return Ok(None);
    }
    let Some(new_email) = user.new_email.clone() else { return Err(AuthError::link_expired()) };
    validation::not_reserved(&new_email, &app.config)?;
    let old_email = std::mem::replace(&mut user.email, new_email);
    cancel(&mut user);
    one_time_token::revoke_all(tx, user.id)?;
    user::update(tx, &mut user, &app.config, now)?;
    notifications::retarget_pending(tx, user.id, &user.email)?;
    notifications::send_account_notice(tx, app, &notifications::EMAIL_CHANGED, &user, &old_email)?;
    let changed =
        AuditEvent::for_user("account.changed", &user).detail(json!({"columns": ["email"]}));
    audit::record(tx, app, audit::from_user(&user), [changed]);
    Ok(Some(user))
}

/// A change under way comes to nothing.
pub(crate) fn cancel(user: &mut User) {
    user.new_email = None;
    user.email_change_confirmed = None;
    user.email_change_sent_at = None;
}
