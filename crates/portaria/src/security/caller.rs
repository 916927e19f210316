//! The caller of a request: the origin of the request and its present rights. `policy/` maps a caller to rows and files.

use crate::security::ids::{MembershipId, UserId};

/// Origin of a request, with its present rights. Built by `accounts/authenticate.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// The public key, without a session.
    Anon,
    /// A person without the role `admin`, who acts for a client: for the person's own account, or for one whose member
    /// the person is (`docs/decisions/0100-a-session-acts-for-one-client.md`).
    Client {
        /// The person who signed in.
        person: UserId,
        /// The client whose rows and files the person uses.
        client: UserId,
        /// The membership whose folders limit the person; `None` for all folders
        /// (`docs/decisions/0155-members-may-be-limited-to-folders.md`).
        limited_by: Option<MembershipId>,
    },
    /// An account with the role `admin` and all rights.
    Admin(UserId),
    /// An account with the role `admin` whose rights are limited (`docs/decisions/0125-staff-roles.md`).
    Employee {
        /// The person who signed in.
        person: UserId,
        /// The rights of the person.
        rights: EmployeeRights,
    },
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

/// A member of a client who reaches the documents of some folders only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderLimit {
    /// The person who signed in.
    pub person: UserId,
    /// The client for whom the person acts.
    pub client: UserId,
    /// The membership that names the folders.
    pub membership: MembershipId,
}

/// The rights of a member of the staff who is no administrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmployeeRights {
    /// Whether the person may change what the person may read.
    pub may_write: bool,
    /// Whether the person reaches only the clients of `client_assignments`.
    pub assigned_clients_only: bool,
}

impl Caller {
    /// Returns the caller for an account that acts for itself.
    #[must_use]
    pub fn own_account(id: UserId) -> Self {
        Self::Client { person: id, client: id, limited_by: None }
    }

    /// Returns whether the caller belongs to the office: a member of the staff or the service key. Staff columns exist
    /// for no other caller.
    #[must_use]
    pub fn is_staff(self) -> bool {
        matches!(self, Self::Admin(_) | Self::Employee { .. } | Self::Service)
    }

    /// Returns the person, if the caller reaches only the clients assigned to that person.
    #[must_use]
    pub fn limited_to_assigned(self) -> Option<UserId> {
        match self {
            Self::Employee { person, rights } => rights.assigned_clients_only.then_some(person),
            _ => None,
        }
    }

    /// Returns the limit of a caller who reaches the documents of some folders only.
    #[must_use]
    pub fn folder_limit(self) -> Option<FolderLimit> {
        match self {
            Self::Client { person, client, limited_by } => {
                limited_by.map(|membership| FolderLimit { person, client, membership })
            }
            _ => None,
        }
    }

    /// Returns the account in whose name the caller acts.
    #[must_use]
    pub fn user(self) -> Option<UserId> {
        match self {
            Self::Client { person: id, .. }
            | Self::Admin(id)
            | Self::Employee { person: id, .. } => Some(id),
            // Neither changes data in the name of an account.
            Self::Anon | Self::Service | Self::Viewer { .. } => None,
        }
    }

    /// Returns the client for whom the caller changes data.
    #[must_use]
    pub fn client(self) -> Option<UserId> {
        match self {
            Self::Client { client, .. } => Some(client),
            Self::Anon
            | Self::Admin(_)
            | Self::Employee { .. }
            | Self::Service
            | Self::Viewer { .. } => None,
        }
    }
}
