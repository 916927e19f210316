//! The auth API: accounts, sessions, and proofs of identity.

mod accounts;
mod addresses;
mod admin_email;
mod capabilities;
mod edit_conflict;
mod email_change;
mod forced_password_change;
mod impersonation;
mod invitations;
mod limits;
mod links;
mod magic_link;
pub(crate) mod mfa;
pub(crate) mod passkeys;
mod pkce;
mod races;
mod reauthentication;
mod recovery;
mod sessions;
mod setup;
mod sign_in;
mod sign_up;
pub(crate) mod signing_keys;
mod tokens;
mod user;
