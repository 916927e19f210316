//! Request body with the attributes of an account, for its creation and its change by an administrator.

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{accounts::user::User, app::App, clock::format_timestamp, security::password};
use crate::{
    accounts::{office_role, validation},
    api::auth::{AuthError, extract::non_blank},
};

/// The attributes as received.
#[derive(Deserialize)]
// The answer to a body that is no object contains this text.
#[serde(expecting = "struct Fields")]
pub struct UserPayload {
    #[serde(default)]
    pub(crate) id: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    phone: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    password_hash: Option<String>,
    #[serde(default)]
    email_confirm: Option<bool>,
    #[serde(default)]
    ban_duration: Option<String>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    user_metadata: Option<Map<String, Value>>,
    #[serde(default)]
    app_metadata: Option<Map<String, Value>>,
    /// Precondition of a change: the values of these keys when the caller read the account, null for a missing key.
    #[serde(default)]
    expected_user_metadata: Option<Map<String, Value>>,
}

/// The validated attributes.
pub(crate) struct ValidatedUserPayload {
    pub(crate) email: Option<String>,
    pub(crate) password_hash: Option<String>,
    confirm: bool,
    ban_duration: Option<String>,
    user_metadata: Map<String, Value>,
    app_metadata: Map<String, Value>,
    expected_user_metadata: Map<String, Value>,
}

impl UserPayload {
    /// Validates the attributes and hashes the password.
    pub(crate) async fn validate(self, app: &App) -> Result<ValidatedUserPayload, AuthError> {
        if non_blank(self.phone).is_some() {
            return Err(AuthError::phone_provider_disabled("Phone signups are disabled"));
        }
        if non_blank(self.role).is_some_and(|role| role != "authenticated") {
            // Permissions come from `app_metadata.roles`. The role of the protocol is the same for all users.
            return Err(AuthError::validation("role must be authenticated"));
        }
        let app_metadata = self.app_metadata.unwrap_or_default();
        if !office_role::is_valid(&app_metadata) {
            let message = "office_role must be employee or reader, assigned_clients_only a boolean, \
                           department a text of 1 to 60 characters";
            return Err(AuthError::validation(message));
        }
        Ok(ValidatedUserPayload {
            email: non_blank(self.email).map(|email| validation::email(&email)).transpose()?,
            ban_duration: non_blank(self.ban_duration),
            confirm: self.email_confirm == Some(true),
            user_metadata: self.user_metadata.unwrap_or_default(),
            app_metadata,
            expected_user_metadata: self.expected_user_metadata.unwrap_or_default(),
            password_hash: hash(app, self.password, non_blank(self.password_hash)).await?,
        })
    }
}

impl ValidatedUserPayload {
    /// Names of the changed columns, for the audit log. Role changes are recorded separately.
    pub(crate) fn changed_fields(&self) -> Vec<String> {
        let columns = [
            ("email", self.email.is_some()),
            ("password", self.password_hash.is_some()),
            ("email_confirmed_at", self.confirm),
            ("banned_until", self.ban_duration.is_some()),
        ];
        let columns =
            columns.into_iter().filter(|(_, given)| *given).map(|(name, _)| name.to_owned());
        columns.chain(changed_metadata(&self.user_metadata)).collect()
    }

    /// Checks the precondition against an account that the caller has locked.
    ///
    /// # Errors
    /// `account_changed`.
    pub(crate) fn require_unchanged(&self, user: &User) -> Result<(), AuthError> {
        let is_unchanged = |(key, expected): (&String, &Value)| {
            user.user_metadata.get(key).unwrap_or(&Value::Null) == expected
        };
        if self.expected_user_metadata.iter().all(is_unchanged) {
            return Ok(());
        }
        let message = "The account has changed since it was read";
        Err(AuthError::new(StatusCode::CONFLICT, "account_changed", message))
    }

    /// Returns whether the change may leave the portal without an administrator: `app_metadata` holds the role.
    pub(crate) fn may_remove_admin(&self) -> bool {
        !self.app_metadata.is_empty() || self.ban_duration.is_some()
    }

    /// Applies the attributes that need no further step to an account. The caller stores it.
    pub(crate) fn apply(self, app: &App, user: &mut User) -> Result<(), AuthError> {
        if self.confirm && user.email_confirmed_at.is_none() {
            user.email_confirmed_at = Some(format_timestamp(app.clock.now()));
        }
        if let Some(duration) = self.ban_duration {
            user.banned_until = validation::ban_end(&duration, app.clock.now())?;
        }
        validation::merge_metadata(&mut user.user_metadata, self.user_metadata)?;
        Ok(validation::merge_metadata(&mut user.app_metadata, self.app_metadata)?)
    }
}

/// Name under which a change of metadata is recorded. Other keys than `full_name` are free text and stay out of the
/// audit log.
pub(crate) fn changed_metadata(metadata: &Map<String, Value>) -> Option<String> {
    let column = if metadata.contains_key("full_name") { "full_name" } else { "user_metadata" };
    (!metadata.is_empty()).then(|| column.to_owned())
}

async fn hash(
    app: &App,
    password: Option<String>,
    hash: Option<String>,
) -> Result<Option<String>, AuthError> {
    match (password.filter(|password| !password.is_empty()), hash) {
        (Some(_), Some(_)) => {
            Err(AuthError::validation("Only a password or a password hash should be provided"))
        }
        (Some(password), None) => {
            validation::password(&password, &app.config)?;
            Ok(Some(app.passwords.hash(password).await?))
        }
        (None, Some(hash)) if !password::is_well_formed_hash(&hash) => Err(AuthError::validation(
            "Unsupported password hash: expected argon2id of at most 64 MiB, 4 passes and 4 lanes",
        )),
        (None, hash) => Ok(hash),
    }
}
