//! `/user`: the account of the signed-in user, and the JSON form of accounts.

pub mod get;
pub mod response;
pub mod update;
