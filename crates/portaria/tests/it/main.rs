//! The server's tests: each asks the whole portal through its router, on SQLite and a folder, and on PostgreSQL and a bucket.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod abuse;
mod access_records;
mod activity;
mod auth;
mod backup;
mod clock;
mod database_away;
mod delivery;
mod doors;
mod erasure;
mod fsck;
mod http;
mod line;
mod mail;
mod nodes;
mod notices;
mod overload;
mod own;
mod proof;
mod request;
mod rest;
mod retention;
mod storage;
mod store;
mod tidy;
mod upgrade;
mod whole;
mod world;
