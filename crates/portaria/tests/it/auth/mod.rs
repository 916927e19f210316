//! The auth endpoints: who people are, and how they prove it.

mod accounts;
mod addresses;
mod email_change;
mod first_access;
mod invitations;
mod limits;
mod links;
mod magic;
mod offered;
mod own_account;
mod pkce;
mod races;
mod reauthentication;
mod recovery;
pub(crate) mod second_step;
mod sessions;
mod setup;
mod sign_in;
mod sign_up;
mod tokens;
mod view_as;
