//! `/admin/users`: accounts, their MFA factors, impersonation and erasure.

pub mod create;
pub mod delete;
pub mod erase;
pub mod factors;
pub mod get;
pub mod impersonate;
pub mod list;
pub mod passkeys;
pub mod payload;
pub mod update;
