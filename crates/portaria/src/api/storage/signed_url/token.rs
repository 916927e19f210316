//! Tokens of signed URLs.
//!
//! A token names its issuer, whose permission is checked again when the URL is used. A document that was deleted or
//! withdrawn is therefore unreachable through older URLs (`docs/decisions/0014-signed-urls-check-their-issuer.md`).

use serde::{Deserialize, Serialize};

use crate::api::storage::{StorageError, extract::ObjectPath};
use crate::{
    accounts::authenticate::Credential, app::App, policy::Denied, security::caller::Caller,
    security::ids::UserId,
};

/// Purpose of a signed URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    Download,
    Upload,
}

/// Claims of a signed URL. `iat` and `exp` are Unix seconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SignedUrlToken {
    url: String,
    scope: Scope,
    /// Issuer; `None` for the service key.
    sub: Option<UserId>,
    iat: i64,
    exp: i64,
    /// Whether an upload may replace an existing file.
    #[serde(default)]
    upsert: bool,
}

impl SignedUrlToken {
    /// Builds a token that `caller` issues for a file, valid for `life` seconds.
    ///
    /// # Errors
    /// [`Denied`] for an anonymous caller, whose token without `sub` would have the rights of the service key.
    pub(crate) fn new(
        app: &App,
        caller: Caller,
        path: &ObjectPath,
        scope: Scope,
        life: i64,
    ) -> Result<Self, Denied> {
        let sub = match caller {
            Caller::Anon => return Err(Denied),
            Caller::Service => None,
            // During impersonation the issuer is the administrator, not the client.
            Caller::Client(id) | Caller::Admin(id) | Caller::Viewer { admin: id, .. } => Some(id),
        };
        let iat = app.clock.now().as_second();
        let url = format!("{}/{}", path.bucket, path.name);
        Ok(Self { url, scope, sub, iat, exp: iat.saturating_add(life), upsert: false })
    }

    /// Sets whether an upload may replace an existing file.
    pub(crate) fn with_upsert(self, upsert: bool) -> Self {
        Self { upsert, ..self }
    }

    /// Signs the token. Returns the URL relative to `/storage/v1`, and the token.
    pub(crate) fn sign(&self, app: &App) -> (String, String) {
        let token = app.keys.sign_link(self);
        let route = match self.scope {
            Scope::Download => "sign",
            Scope::Upload => "upload/sign",
        };
        (format!("/object/{route}/{}?token={token}", self.url), token)
    }

    /// Verifies the token of a request for a file.
    ///
    /// # Errors
    /// `InvalidJWT` if the token is invalid or expired, `InvalidSignature` if it is for another file or purpose.
    pub(crate) fn read(
        app: &App,
        token: Option<&str>,
        path: &ObjectPath,
        scope: Scope,
    ) -> Result<Self, StorageError> {
        let claims: Self = app
            .keys
            .verify_link(token.unwrap_or_default())
            .map_err(|_| StorageError::invalid_url_token("signature verification failed"))?;
        if claims.exp <= app.clock.now().as_second() {
            return Err(StorageError::url_token_expired());
        }
        if claims.scope != scope {
            let message = match scope {
                Scope::Download => "Token is not scoped for download",
                Scope::Upload => "Token is not scoped for upload",
            };
            return Err(StorageError::invalid_signature(message));
        }
        if claims.url != format!("{}/{}", path.bucket, path.name) {
            return Err(StorageError::invalid_signature("Invalid signature"));
        }
        Ok(claims)
    }

    /// Returns the issuer as a credential, without a session.
    pub(crate) fn issuer(&self) -> Credential {
        match self.sub {
            None => Credential::Service,
            Some(user) => Credential::Person { user, session: None },
        }
    }

    /// Expiry in Unix seconds.
    pub(crate) fn exp(&self) -> i64 {
        self.exp
    }

    /// Whether an upload may replace an existing file.
    pub(crate) fn upsert(&self) -> bool {
        self.upsert
    }
}
