//! `POST /invite`: an administrator invites somebody to choose a password.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    AuthError,
    body::Json,
    mailing::{self, Ask},
    manager,
    one_time::Purpose,
    redirect::Redirect,
    rules,
    user_json::told,
};
use crate::{
    activity::{self, Line},
    app::App,
    db::Tx,
    policy::Caller,
    session::Credential,
    users::{self, User},
};

/// Who is invited.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
}

/// Answers with the account.
///
/// # Errors
/// `email_exists` for somebody who has confirmed theirs; `not_admin` for everybody else's wish.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let caller = manager(tx, &inner, &credential)?;
        let email = rules::email(&body.email.unwrap_or_default())?;
        let data = body.data.unwrap_or_default();
        let mut user = invited(tx, &inner, caller, email, data)?;
        activity::tell(tx, &inner, caller, [Line::of("account.invited", &user)]);
        let ask = Ask { redirect, challenge: None };
        mailing::send(tx, &inner, &mut user, Purpose::Invite, &ask)?;
        Ok(Answer(told(tx, &user)?))
    };
    app.db.write(write).await
}

/// The account of somebody to be invited: a new one, or one that was never confirmed.
pub(super) fn invited(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    email: String,
    data: Map<String, Value>,
) -> Result<User, AuthError> {
    rules::not_reserved(&email, &app.config)?;
    match users::locked_by_email(tx, &email)? {
        Some(user) if user.email_confirmed_at.is_some() => Err(AuthError::email_exists()),
        Some(user) => Ok(user),
        None => {
            let mut user = User::new(email, app.clock.now());
            rules::merge(&mut user.user_metadata, data)?;
            users::insert(tx, &mut user, &app.config)?;
            activity::tell(tx, app, caller, [Line::of("account.created", &user)]);
            Ok(user)
        }
    }
}
