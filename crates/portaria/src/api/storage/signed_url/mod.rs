//! Signed URLs: tokens that permit one download or upload without a session.

pub mod create;
pub mod create_many;
pub mod issuer;
pub mod token;
pub mod upload;
