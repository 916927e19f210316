//! The issuer of a signed URL. Its permission, session and password are checked when the URL is used.

use serde::{Deserialize, Serialize};

use crate::{
    accounts::{
        authenticate::{Credential, SessionError},
        user,
    },
    api::storage::{StorageError, caller},
    app::App,
    db::{Error, Tx},
    security::{
        caller::Caller,
        ids::{SessionId, UserId},
        keys,
    },
};

/// The issuer as claims of a token. The service key has none of them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Issuer {
    sub: Option<UserId>,
    /// Session in which the URL was signed. A program that holds the portal's secret has none.
    #[serde(default)]
    session_id: Option<SessionId>,
    /// Fingerprint of the password at that time.
    #[serde(default)]
    password: Option<String>,
}

impl Issuer {
    /// Returns the issuer of a request, or `None` without an identity: a token without `sub` would have the rights of
    /// the service key. During impersonation the issuer is the administrator, not the client.
    pub(crate) fn load(tx: &mut Tx<'_>, credential: &Credential) -> Result<Option<Self>, Error> {
        let (user, session_id) = match credential {
            Credential::Nothing | Credential::Anon | Credential::Invalid(_) => return Ok(None),
            Credential::Service => {
                return Ok(Some(Self { sub: None, session_id: None, password: None }));
            }
            Credential::Person { user, session } => (*user, *session),
            Credential::Viewer { admin, session, .. } => (*admin, Some(*session)),
        };
        let password = Some(password_fingerprint(tx, user)?);
        Ok(Some(Self { sub: Some(user), session_id, password }))
    }

    /// Whether the issuer is a program with the service key.
    pub(crate) fn is_program(&self) -> bool {
        self.sub.is_none()
    }

    /// Returns the issuer as a credential.
    pub(crate) fn credential(&self) -> Credential {
        match self.sub {
            None => Credential::Service,
            Some(user) => Credential::Person { user, session: self.session_id },
        }
    }

    /// Resolves the issuer to a caller.
    ///
    /// # Errors
    /// `AccessDenied` for an ended session, a banned or deleted account, and a password that was changed since.
    pub(crate) fn authenticate(&self, tx: &mut Tx<'_>, app: &App) -> Result<Caller, StorageError> {
        let caller = caller(tx, &self.credential(), app)?;
        let current = self.sub.map(|user| password_fingerprint(tx, user)).transpose()?;
        if current == self.password { Ok(caller) } else { Err(SessionError::SessionEnded.into()) }
    }
}

/// Returns a short digest of the stored password hash. The hash is salted, so the digest reveals nothing.
fn password_fingerprint(tx: &mut Tx<'_>, user: UserId) -> Result<String, Error> {
    let hash = user::by_id(tx, user)?.and_then(|user| user.password_hash).unwrap_or_default();
    let mut fingerprint = keys::sha256_hex(&hash);
    fingerprint.truncate(16);
    Ok(fingerprint)
}
