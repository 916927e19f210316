//! `PUT /admin/users/{id}`: changes an account.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde_json::{Value, json};

use crate::{
    accounts::{
        assignment_hooks, email_change,
        one_time_token::{self, TokenPurpose},
        passkeys,
        redirect_to::Redirect,
        session, validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError,
        admin::users::{get::find_user, payload::UserPayload},
        extract::Json,
        require_user_admin,
        user::{response, update::set_password},
    },
};
use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    audit,
    db::Tx,
    notifications,
    security::caller::Caller,
};

/// Returns the changed account. Metadata merges key by key. A new e-mail address counts at once. A new address and a
/// new password end all sessions.
///
/// # Errors
/// `user_not_found`, `account_changed`, `email_exists`, `weak_password`; `not_admin` for callers without the role;
/// `own_role` for removing the role from oneself; `last_admin` for removing it from the last administrator who can sign
/// in, and for banning that one.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    redirect: Redirect,
    Json(payload): Json<UserPayload>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let (presented, user_id) = (credential.clone(), id.clone());
    app.read(move |tx, app| {
        require_user_admin(tx, app, &presented)?;
        find_user(tx, &user_id).map(drop)
    })
    .await?;

    let mut payload = payload.validate(&app).await?;
    app.write(move |tx, app| {
        let caller = require_user_admin(tx, app, &credential)?;
        let user = find_user(tx, &id)?;
        if payload.may_remove_admin() {
            user::lock_admins(tx)?;
        }
        let user = user::locked_by_id(tx, user.id)?;
        let mut user = user.ok_or_else(AuthError::user_not_found)?;
        payload.require_unchanged(&user)?;
        let changed_columns = payload.changed_fields();
        let before = user.as_caller();
        let was_active_admin = user.is_active_admin(now);

        let email = payload.email.take().filter(|email| *email != user.email);
        let old_email = match email {
            None => None,
            Some(email) => {
                validation::require_ascii_local_part(&email)?;
                validation::require_not_reserved(&email, &app.config)?;
                // Tokens that were mailed to the old address do not verify the new one.
                one_time_token::revoke_all(tx, user.id)?;
                email_change::cancel(&mut user);
                Some(std::mem::replace(&mut user.email, email))
            }
        };

        if let Some(hash) = payload.password_hash.take() {
            set_password(tx, app, &mut user, hash)?;
            session::end_others(tx, user.id, None)?;
            // The office chooses a password to shut others out of the account, or hands the account over.
            passkeys::remove_all(tx, app, caller, &user)?;
        }
        payload.apply(app, &mut user)?;
        user::update(tx, &mut user, &app.config, now)?;

        let ceases = was_active_admin && !user.is_active_admin(now);
        let was_administrator = matches!(before, Caller::Admin(_));
        if (ceases && user::count_active_admins(tx, now)? == 0)
            || (was_administrator && user::count_admins(tx)? == 0)
        {
            return Err(AuthError::last_admin());
        }
        if was_administrator && !user.is_administrator() && caller.user() == Some(user.id) {
            let message = "Administrators cannot take the role from themselves";
            return Err(AuthError::forbidden("own_role", message));
        }
        if before.is_staff() != user.is_admin() {
            assignment_hooks::remove_all(tx, user.id)?;
        }
        if user.is_banned(now) {
            notifications::cancel_mails_to(tx, app, user.id)?;
        }

        if let Some(old_email) = old_email {
            let mail_request = MailRequest { redirect, challenge: None };
            complete_email_change(tx, app, caller, &mut user, &old_email, &mail_request)?;
        }

        let changed = user
            .audit_event(audit::EventName::AccountChanged)
            .detail(json!({"columns": changed_columns}));
        let changed = (!changed_columns.is_empty()).then_some(changed);
        let role = user.role_change_event(before);
        audit::record(tx, app, caller, changed.into_iter().chain(role));
        Ok(Answer(response::user_response(tx, &user)?))
    })
    .await
}

/// Completes a change of address by the office: ends all sessions, redirects pending mail, and informs the user.
fn complete_email_change(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    user: &mut User,
    old_email: &str,
    mail_request: &MailRequest,
) -> Result<(), AuthError> {
    session::end_others(tx, user.id, None)?;
    notifications::retarget_pending(tx, user.id, &user.email)?;
    // An account without any sign-in had a mistyped address, which belongs to a person who is not concerned.
    let was_used = user.last_sign_in_at.is_some();
    if was_used {
        notifications::send_account_notice(
            tx,
            app,
            &notifications::EMAIL_CHANGED,
            &user.recipient(),
            old_email,
        )?;
    }
    // Programs with the service key send their own mails.
    if caller.user().is_none() {
        return Ok(());
    }
    if user.password_hash.is_none() {
        return Ok(verification_mail::send(tx, app, user, TokenPurpose::Invite, mail_request)?);
    }
    let mail = if was_used { &notifications::EMAIL_SET } else { &notifications::WELCOME };
    Ok(notifications::send_account_notice(tx, app, mail, &user.recipient(), &user.email)?)
}
