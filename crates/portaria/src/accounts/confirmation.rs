//! What a token that came back changes: an address is proved, or one half of a change of address.

use crate::{
    accounts::user::{self, User},
    app::App,
    clock::format_timestamp,
    db::Tx,
};
use crate::{
    accounts::{
        email_change::{self, EmailChangeSide},
        one_time_token::{ConsumedToken, TokenPurpose},
    },
    api::auth::AuthError,
};

/// The person who may now have a session; none when the other half of a change of address is still missing.
///
/// # Errors
/// `user_banned`; `otp_expired` when the account has another address by now; `email_exists`.
pub(crate) fn confirm(
    tx: &mut Tx<'_>,
    app: &App,
    spent: &ConsumedToken,
) -> Result<Option<User>, AuthError> {
    let now = app.clock.now();
    let mut user = user::locked_by_id(tx, spent.user)?.ok_or_else(AuthError::link_expired)?;
    if user.is_banned(now) {
        return Err(AuthError::forbidden("user_banned", "User is banned"));
    }
    let expected = match spent.purpose {
        TokenPurpose::EmailChangeNew => user.new_email.as_ref(),
        _ => Some(&user.email),
    };
    if expected != Some(&spent.email) {
        return Err(AuthError::link_expired());
    }
    let half = match spent.purpose {
        TokenPurpose::EmailChangeCurrent => Some(EmailChangeSide::Current),
        TokenPurpose::EmailChangeNew => Some(EmailChangeSide::New),
        _ => None,
    };
    if let Some(half) = half {
        return email_change::confirm(tx, app, user, half);
    }
    if user.email_confirmed_at.is_none() {
        // Whoever signed up with this address never proved that it is theirs. The link of the sign-up itself
        // makes it so; after any other proof their password must not open what is another's.
        if user.signed_up && spent.purpose != TokenPurpose::Signup {
            user.password_hash = None;
        }
        user.email_confirmed_at = Some(format_timestamp(now));
    }
    user::update(tx, &mut user, &app.config, now)?;
    Ok(Some(user))
}
