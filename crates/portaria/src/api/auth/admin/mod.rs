//! `/admin/*` and `/invite`: administration of accounts, for administrators and the service key
//! (`docs/protocol/auth.md`, section 7).

pub mod generate_link;
pub mod invite;
pub mod users;
