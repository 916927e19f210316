//! The caller of a request: the origin of the request and its present rights. `policy/` maps a caller to rows and files.

use crate::security::ids::UserId;

/// Origin of a request, with its present rights. Built by `accounts/authenticate.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// The public key, without a session.
    Anon,
    /// An account without the role `admin`.
    Client(UserId),
    /// An account with the role `admin`.
    Admin(UserId),
    /// An administrator who impersonates a client: reads what the client may read, and changes nothing.
    Viewer {
        /// The impersonated client.
        client: UserId,
        /// The impersonating administrator.
        admin: UserId,
    },
    /// The service key.
    Service,
}

impl Caller {
    /// Returns whether the caller belongs to the office: an administrator or the service key. Staff columns exist for
    /// no other caller.
    #[must_use]
    pub fn is_staff(self) -> bool {
        matches!(self, Self::Admin(_) | Self::Service)
    }

    /// Returns the account in whose name the caller acts.
    #[must_use]
    pub fn user(self) -> Option<UserId> {
        match self {
            Self::Client(id) | Self::Admin(id) => Some(id),
            // Neither changes data in the name of an account.
            Self::Anon | Self::Service | Self::Viewer { .. } => None,
        }
    }
}
