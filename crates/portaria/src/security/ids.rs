//! Typed ids. Every id is a UUID, which both databases keep as text. Two kinds of ids cannot be confused.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::security::keys;

macro_rules! id_types {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Creates a new id whose order is the order of creation (UUID version 7, RFC 9562).
            #[must_use]
            pub fn new(now: Timestamp) -> Self {
                Self(keys::new_id(now))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl From<$name> for sea_query::Value {
            fn from(id: $name) -> Self {
                id.0.to_string().into()
            }
        }

        impl sea_query::Nullable for $name {
            fn null() -> sea_query::Value {
                String::null()
            }
        }
    )+};
}

id_types! {
    /// An account: a client or a member of the office.
    UserId;
    /// A signed-in session.
    SessionId;
    /// A second factor of an account.
    FactorId;
    /// A passkey of an account.
    PasskeyId;
    /// A document that the office published.
    DocumentId;
    /// A folder of documents.
    FolderId;
    /// An item that the office asks a client for.
    RequestItemId;
    /// A membership: a person who acts for a client.
    MembershipId;
    /// A ticket.
    TicketId;
    /// A mail in the outbox.
    MailId;
    /// A push subscription.
    PushSubscriptionId;
    /// A push message.
    PushMessageId;
    /// A token that adds files to the inbox.
    InboxTokenId;
    /// A stored file.
    ObjectId;
    /// A key that signs access tokens.
    SigningKeyId;
}
