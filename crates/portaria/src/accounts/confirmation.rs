//! Effects of a consumed one-time token: it verifies the e-mail address of an account, or one side of an e-mail change.

use crate::accounts::{
    email_change::{self, EmailChangeSide},
    one_time_token::{ConsumedToken, TokenPurpose},
};
use crate::{
    accounts::{
        AccountError,
        authenticate::SessionError,
        user::{self, User},
    },
    app::App,
    clock::format_timestamp,
    db::Tx,
};

/// Returns the user who may now receive a session, or `None` while an e-mail change waits for its other side.
///
/// # Errors
/// `user_banned`; `otp_expired` if the account has another address by now; `email_exists`.
pub(crate) fn apply_token(
    tx: &mut Tx<'_>,
    app: &App,
    token: &ConsumedToken,
) -> Result<Option<User>, AccountError> {
    let now = app.clock.now();
    let mut user = user::locked_by_id(tx, token.user)?.ok_or(AccountError::LinkExpired)?;
    if user.is_banned(now) {
        return Err(SessionError::Banned.into());
    }

    let expected = match token.purpose {
        TokenPurpose::EmailChangeNew => user.new_email.as_ref(),
        _ => Some(&user.email),
    };
    if expected != Some(&token.email) {
        return Err(AccountError::LinkExpired);
    }

    let side = match token.purpose {
        TokenPurpose::EmailChangeCurrent => Some(EmailChangeSide::Current),
        TokenPurpose::EmailChangeNew => Some(EmailChangeSide::New),
        _ => None,
    };
    if let Some(side) = side {
        return email_change::confirm(tx, app, user, side);
    }

    if user.email_confirmed_at.is_none() {
        // The person who signed up has not proved that the address is theirs. Only the link of that sign-up confirms
        // the password they chose; any other proof of the address removes it, because it may be another person's.
        if user.signed_up && token.purpose != TokenPurpose::Signup {
            user.password_hash = None;
        }
        user.email_confirmed_at = Some(format_timestamp(now));
    }
    user::update(tx, &mut user, &app.config, now)?;
    Ok(Some(user))
}
