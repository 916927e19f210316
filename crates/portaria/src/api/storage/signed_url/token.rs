//! Signed links: what they say, and who stands behind them.
//!
//! A link stands for the person who made it: when it is used, that person's leave is asked for again, so a
//! document that was deleted or withdrawn cannot be read through a link made before.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::api::storage::{StorageError, extract::ObjectPath};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    policy::{Caller, Denied},
};

/// What a link is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    Download,
    Upload,
}

/// A link's claims.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SignedUrlToken {
    url: String,
    scope: Scope,
    /// Whose leave it is; none for a program of the office.
    sub: Option<Uuid>,
    iat: i64,
    exp: i64,
    /// Whether what it uploads may replace a file.
    #[serde(default)]
    upsert: bool,
}

impl SignedUrlToken {
    /// A link that the caller makes for a file, good for so many seconds.
    ///
    /// # Errors
    /// [`Denied`] for nobody: a link without a person would be the office's.
    pub(crate) fn new(
        app: &App,
        caller: Caller,
        place: &ObjectPath,
        scope: Scope,
        life: i64,
    ) -> Result<Self, Denied> {
        let sub = match caller {
            Caller::Anon => return Err(Denied),
            Caller::Service => None,
            // A link that a viewer makes stands for the administrator, not for the client.
            Caller::Client(id) | Caller::Admin(id) | Caller::Viewer { admin: id, .. } => Some(id),
        };
        let iat = app.clock.now().as_second();
        let url = format!("{}/{}", place.bucket, place.name);
        Ok(Self { url, scope, sub, iat, exp: iat.saturating_add(life), upsert: false })
    }

    pub(crate) fn replacing(self, upsert: bool) -> Self {
        Self { upsert, ..self }
    }

    /// The address relative to the storage's own, and the token in it.
    pub(crate) fn sign(&self, app: &App) -> (String, String) {
        let token = app.keys.sign_link(self);
        let way = match self.scope {
            Scope::Download => "sign",
            Scope::Upload => "upload/sign",
        };
        (format!("/object/{way}/{}?token={token}", self.url), token)
    }

    /// The link that came with a request for a file.
    ///
    /// # Errors
    /// `InvalidJWT` when it is not ours or too old, `InvalidSignature` when it is for something else.
    pub(crate) fn read(
        app: &App,
        token: Option<&str>,
        place: &ObjectPath,
        scope: Scope,
    ) -> Result<Self, StorageError> {
        let link: Self = app
            .keys
            .verify_link(token.unwrap_or_default())
            .map_err(|_| StorageError::invalid_link("signature verification failed"))?;
        if link.exp <= app.clock.now().as_second() {
            return Err(StorageError::link_expired());
        }
        if link.scope != scope {
            let wanted = match scope {
                Scope::Download => "Token is not scoped for download",
                Scope::Upload => "Token is not scoped for upload",
            };
            return Err(StorageError::invalid_signature(wanted));
        }
        if link.url != format!("{}/{}", place.bucket, place.name) {
            return Err(StorageError::invalid_signature("Invalid signature"));
        }
        Ok(link)
    }

    /// Who made it.
    pub(crate) fn issuer(&self) -> Credential {
        match self.sub {
            None => Credential::Service,
            Some(user) => Credential::Person { user, session: None },
        }
    }

    pub(crate) fn exp(&self) -> i64 {
        self.exp
    }

    pub(crate) fn upsert(&self) -> bool {
        self.upsert
    }
}
