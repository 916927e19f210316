//! `PUT /admin/users/{id}`: an administrator changes an account.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde_json::{Value, json};

use super::{
    AuthError, admin_fields::Fields, admin_get::named, body::Json, email_change, manager, one_time,
    rules, tokens, update_user::set_password, user_json,
};
use crate::{
    activity::{self, Line},
    app::App,
    db::Tx,
    session::Credential,
    users,
};

/// Answers with the changed account. Metadata merges key by key; a new address counts at once; a new password
/// ends all sessions.
///
/// # Errors
/// `user_not_found`, `email_exists`, `weak_password`; `not_admin` for everybody else, `own_role` and `last_admin` for
/// taking the role from oneself and from the last administrator.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Json(fields): Json<Fields>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let (inner, asked, asked_id) = (Arc::clone(&app), credential.clone(), id.clone());
    app.db
        .read(move |tx| {
            manager(tx, &inner, &asked)?;
            named(tx, &asked_id).map(drop)
        })
        .await?;
    let mut fields = fields.check(&app).await?;
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let caller = manager(tx, &inner, &credential)?;
        let mut user = named(tx, &id)?;
        let told = fields.told();
        let was_admin = user.is_admin();
        if was_admin {
            users::lock_admins(tx)?;
        }
        if let Some(email) = fields.email.take().filter(|email| *email != user.email) {
            rules::not_reserved(&email, &inner.config)?;
            user.email = email;
            // What was mailed to the old address proves nothing of the new one.
            one_time::revoke_all(tx, user.id)?;
            email_change::forget(&mut user);
        }
        if let Some(hash) = fields.password_hash.take() {
            set_password(tx, &inner, &mut user, hash)?;
            tokens::end_others(tx, user.id, None)?;
        }
        fields.apply(&inner, &mut user)?;
        users::update(tx, &mut user, &inner.config, now)?;
        if was_admin && users::count_admins(tx)? == 0 {
            return Err(AuthError::last_admin());
        }
        if was_admin && !user.is_admin() && caller.user() == Some(user.id) {
            return Err(AuthError::own_role());
        }
        let changed = Line::of("account.changed", &user).with(json!({"columns": told}));
        let changed = (!told.is_empty()).then_some(changed);
        let role = activity::role(was_admin, &user);
        activity::tell(tx, &inner, caller, changed.into_iter().chain(role));
        Ok(Answer(user_json::told(tx, &user)?))
    };
    app.db.write(write).await
}
