//! The issuer of a signed URL. Its permission, session and password are checked when the URL is used.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    accounts::{
        authenticate::{Credential, SessionError},
        user,
    },
    api::storage::{StorageError, caller},
    app::App,
    db::Tx,
    security::{
        caller::Caller,
        ids::{SessionId, UserId},
    },
};

/// The issuer as claims of a token. The service key has none of them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Issuer {
    sub: Option<UserId>,
    /// Session in which the URL was signed. A program that holds the portal's secret has none.
    #[serde(default)]
    session_id: Option<SessionId>,
}

impl Issuer {
    /// Returns the issuer of a request, or `None` without an identity: a token without `sub` would have the rights of
    /// the service key. During impersonation the issuer is the administrator, not the client.
    pub(crate) fn of(credential: &Credential) -> Option<Self> {
        let (sub, session_id) = match credential {
            Credential::Nothing | Credential::Anon | Credential::Invalid(_) => return None,
            Credential::Service => (None, None),
            Credential::Person { user, session, .. } => (Some(*user), *session),
            Credential::Viewer { admin, session, .. } => (Some(*admin), Some(*session)),
        };
        Some(Self { sub, session_id })
    }

    /// Whether the issuer is a program with the service key.
    pub(crate) fn is_program(self) -> bool {
        self.sub.is_none()
    }

    /// Returns the issuer as a credential.
    pub(crate) fn credential(self) -> Credential {
        match self.sub {
            None => Credential::Service,
            Some(user) => Credential::Person { user, session: self.session_id, was_admin: false },
        }
    }

    /// Resolves the issuer of a URL that was signed at `signed_at` to a caller.
    ///
    /// # Errors
    /// `AccessDenied` for an ended session, a banned or deleted account, and a password that was changed since.
    pub(crate) fn authenticate(
        self,
        tx: &mut Tx<'_>,
        app: &App,
        signed_at: Timestamp,
    ) -> Result<Caller, StorageError> {
        let caller = caller(tx, &self.credential(), app)?;
        let Some(user) = self.sub else { return Ok(caller) };
        match user::password_changed_at(tx, user)? {
            Some(changed_at) if changed_at >= signed_at => Err(SessionError::SessionEnded.into()),
            _ => Ok(caller),
        }
    }
}
