//! Integration tests of the server. Each test sends requests through the router, once on SQLite with a data folder and
//! once on PostgreSQL with a bucket.

#![expect(clippy::unwrap_used, reason = "a failed precondition fails the test")]

mod abuse_cases;
mod access_records;
mod account;
mod architecture;
mod audit;
mod auth;
mod backup;
mod body_limits;
mod clock;
mod cluster;
mod connections;
mod database_outage;
mod delivery;
mod erasure;
mod fsck;
mod harness;
mod http;
mod inbox;
mod inbox_publication;
mod inbox_tokens;
mod load_shedding;
mod mail;
mod mailbox;
mod mailbox_staff;
mod notifications;
mod office;
mod process;
mod property;
mod proxies;
mod realtime;
mod recognition_rules;
mod replica;
mod rest;
mod restart;
mod retention;
mod storage;
mod types;
mod upgrade;
mod watched_folder;
