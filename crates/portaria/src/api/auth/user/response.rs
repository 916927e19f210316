//! JSON form of an account (`docs/protocol/auth.md`, section 3.1).

use serde_json::{Value, json};

use crate::{
    accounts::{
        mfa_factor::{self, MfaFactor},
        user::User,
    },
    db::{Error, Tx},
};

/// Returns an account with its MFA factors.
pub(crate) fn user_response(tx: &mut Tx<'_>, user: &User) -> Result<Value, Error> {
    Ok(with_factors(user, &mfa_factor::for_user(tx, user.id)?))
}

/// Returns accounts with their MFA factors, which are read at once.
pub(crate) fn user_responses(tx: &mut Tx<'_>, users: &[User]) -> Result<Vec<Value>, Error> {
    let mut factors = mfa_factor::for_users(tx, users.iter().map(|user| user.id).collect())?;
    let with_own = |user: &User| with_factors(user, &factors.remove(&user.id).unwrap_or_default());
    Ok(users.iter().map(with_own).collect())
}

fn with_factors(user: &User, factors: &[MfaFactor]) -> Value {
    let mut body = user.json();
    if !factors.is_empty() {
        body["factors"] = factors.iter().map(MfaFactor::json).collect();
    }
    body
}

impl User {
    /// JSON form without factors. Missing values are omitted, as in GoTrue.
    #[must_use]
    pub fn json(&self) -> Value {
        let confirmed = self.email_confirmed_at.is_some();
        let mut user = json!({
            "id": self.id,
            "aud": "authenticated",
            "role": "authenticated",
            "email": self.email,
            "phone": "",
            "app_metadata": self.app_metadata,
            "user_metadata": self.user_metadata,
            "identities": [{
                "identity_id": self.id,
                "id": self.id,
                "user_id": self.id,
                "identity_data": {
                    "sub": self.id, "email": self.email, "email_verified": confirmed, "phone_verified": false,
                },
                "provider": "email",
                "last_sign_in_at": rfc3339(self.last_sign_in_at.as_ref()),
                "created_at": rfc3339(Some(&self.created_at)),
                "updated_at": rfc3339(Some(&self.updated_at)),
                "email": self.email,
            }],
            "created_at": rfc3339(Some(&self.created_at)),
            "updated_at": rfc3339(Some(&self.updated_at)),
            "is_anonymous": false,
        });
        for (key, value) in [
            ("email_confirmed_at", &self.email_confirmed_at),
            ("confirmed_at", &self.email_confirmed_at),
            ("confirmation_sent_at", &self.confirmation_sent_at),
            ("invited_at", &self.invited_at),
            ("recovery_sent_at", &self.recovery_sent_at),
            ("reauthentication_sent_at", &self.reauthentication_sent_at),
            ("email_change_sent_at", &self.email_change_sent_at),
            ("last_sign_in_at", &self.last_sign_in_at),
            ("banned_until", &self.banned_until),
        ] {
            if value.is_some() {
                user[key] = rfc3339(value.as_ref()).into();
            }
        }
        if let Some(email) = &self.new_email {
            user["new_email"] = email.as_str().into();
        }
        user
    }
}

impl MfaFactor {
    /// JSON form for the client library, without the secret.
    pub(crate) fn json(&self) -> Value {
        let mut body = json!({
            "id": self.id,
            "friendly_name": self.friendly_name,
            "factor_type": self.kind.as_str(),
            "status": if self.verified { "verified" } else { "unverified" },
            "created_at": rfc3339(Some(&self.created_at)),
            "updated_at": rfc3339(Some(&self.updated_at)),
        });
        if self.last_challenged_at.is_some() {
            body["last_challenged_at"] = rfc3339(self.last_challenged_at.as_ref()).into();
        }
        body
    }
}

/// Converts a stored timestamp to the form of `/auth/v1`: `…Z` instead of `…+00:00`.
pub(crate) fn rfc3339(timestamp: Option<&String>) -> Option<String> {
    timestamp.map(|timestamp| timestamp.replace("+00:00", "Z"))
}
