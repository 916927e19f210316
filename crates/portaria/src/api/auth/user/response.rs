//! An account as clients see it (contract §1.2).

use serde_json::{Value, json};

use crate::api::auth::mfa;
use crate::{
    accounts::user::User,
    db::{Error, Tx},
};

/// An account with, for an administrator, the factors of their second step.
pub(crate) fn told(tx: &mut Tx<'_>, user: &User) -> Result<Value, Error> {
    let mut told = user.json();
    if user.is_admin() {
        let factors = mfa::for_user(tx, user.id)?;
        if !factors.is_empty() {
            told["factors"] = factors.iter().map(mfa::MfaFactor::json).collect();
        }
    }
    Ok(told)
}

impl User {
    /// Missing values are left out, as the original leaves them out.
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

/// `…+00:00` as `…Z`: the auth endpoints' form of a moment.
pub(crate) fn rfc3339(stamp: Option<&String>) -> Option<String> {
    stamp.map(|stamp| stamp.replace("+00:00", "Z"))
}
