//! admin

pub mod generate_link;
pub mod invite;
pub mod users;
