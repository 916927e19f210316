//! `PUT /admin/users/{id}`: an administrator changes an account.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde_json::{Value, json};

use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    notifications,
    policy::Caller,
};
use crate::{
    accounts::{
        email_change,
        one_time_token::{self, TokenPurpose},
        session, validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError,
        admin::users::{get::named, payload::UserPayload},
        extract::Json,
        redirect_to::Redirect,
        require_user_admin,
        user::{response, update::set_password},
    },
};

/// Answers with the changed account. Metadata merges key by key; a new address counts at once (behaviour F5); it and a
/// new password end all sessions.
///
/// # Errors
/// `user_not_found`, `email_exists`, `weak_password`; `not_admin` for everybody else, `own_role` and `last_admin` for
/// taking the role from oneself and from the last administrator.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    redirect: Redirect,
    Json(fields): Json<UserPayload>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let (inner, asked, asked_id) = (Arc::clone(&app), credential.clone(), id.clone());
    app.db
        .read(move |tx| {
            require_user_admin(tx, &inner, &asked)?;
            named(tx, &asked_id).map(drop)
        })
        .await?;
    let mut fields = fields.check(&app).await?;
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let caller = require_user_admin(tx, &inner, &credential)?;
        let user = named(tx, &id)?;
        if fields.changes_role() {
            user::lock_admins(tx)?;
        }
        let user = user::locked_by_id(tx, user.id)?;
        let mut user = user.ok_or_else(AuthError::user_not_found)?;
        let (told, was_admin) = (fields.changed_fields(), user.is_admin());
        let email = fields.email.take().filter(|email| *email != user.email);
        let old_email = match email {
            None => None,
            Some(email) => {
                validation::not_reserved(&email, &inner.config)?;
                // What was mailed to the old address proves nothing of the new one.
                one_time_token::revoke_all(tx, user.id)?;
                email_change::cancel(&mut user);
                Some(std::mem::replace(&mut user.email, email))
            }
        };
        if let Some(hash) = fields.password_hash.take() {
            set_password(tx, &inner, &mut user, hash)?;
            session::end_others(tx, user.id, None)?;
        }
        fields.apply(&inner, &mut user)?;
        user::update(tx, &mut user, &inner.config, now)?;
        if was_admin && user::count_admins(tx)? == 0 {
            return Err(AuthError::last_admin());
        }
        if was_admin && !user.is_admin() && caller.user() == Some(user.id) {
            return Err(AuthError::own_role());
        }
        if let Some(old_email) = old_email {
            let ask = MailRequest { redirect, challenge: None };
            moved(tx, &inner, caller, (&mut user, &old_email), &ask)?;
        }
        let changed =
            AuditEvent::for_user("account.changed", &user).detail(json!({"columns": told}));
        let changed = (!told.is_empty()).then_some(changed);
        let role = audit::role_change(was_admin, &user);
        audit::record(tx, &inner, caller, changed.into_iter().chain(role));
        Ok(Answer(response::told(tx, &user)?))
    };
    app.db.write(write).await
}

/// The office gave somebody another address: whoever reads at the old one is out, and what waits goes to the new one.
fn moved(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    (user, old_email): (&mut User, &str),
    ask: &MailRequest,
) -> Result<(), AuthError> {
    session::end_others(tx, user.id, None)?;
    notifications::retarget_pending(tx, user.id, &user.email)?;
    // An address that nobody ever signed in with was mistyped, and is somebody's whom it does not concern.
    let was_used = user.last_sign_in_at.is_some();
    if was_used {
        notifications::send_account_notice(
            tx,
            app,
            &notifications::EMAIL_CHANGED,
            user,
            old_email,
        )?;
    }
    // Programs of the office have their own words.
    if caller.user().is_none() {
        return Ok(());
    }
    if user.password_hash.is_none() {
        return verification_mail::send(tx, app, user, TokenPurpose::Invite, ask);
    }
    let letter = if was_used { &notifications::EMAIL_SET } else { &notifications::WELCOME };
    Ok(notifications::send_account_notice(tx, app, letter, user, &user.email)?)
}
