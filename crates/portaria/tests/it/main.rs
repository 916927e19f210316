//! The server's tests: each asks the whole portal through its router, on SQLite and a folder, and on PostgreSQL and a bucket.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod abuse_cases;
mod access_records;
mod account;
mod architecture;
mod audit;
mod auth;
mod backup;
mod clock;
mod cluster;
mod database_outage;
mod delivery;
mod erasure;
mod fsck;
mod harness;
mod http;
mod load_shedding;
mod mail;
mod notifications;
mod process;
mod property;
mod rest;
mod restart;
mod retention;
mod storage;
mod types;
mod upgrade;
