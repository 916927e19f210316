//! The auth endpoints: who people are, and how they prove it.

mod accounts;
mod own_account;
mod recovery;
mod sessions;
mod setup;
mod sign_in;
mod tokens;
