//! The server's tests: each asks the whole portal through its router, on SQLite and on PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod abuse;
mod activity;
mod auth;
mod delivery;
mod http;
mod mail;
mod notices;
mod own;
mod proof;
mod request;
mod rest;
mod storage;
mod tidy;
mod whole;
mod world;
