//! The wire surface `/realtime/v1`: the channels of Phoenix over a websocket (`docs/protocol/realtime.md`).
//!
//! `socket` serves one connection, `join` opens a channel, `hub` knows the open channels, and `feed` sends them
//! the committed changes of rows that their callers may read. `rooms` holds the private topics.

mod broadcast;
mod event;
mod feed;
mod filter;
mod frame;
mod hub;
mod join;
mod like;
mod nodes;
mod outbox;
mod rooms;
pub mod send;
mod socket;
mod topic;
pub mod upgrade;

pub use crate::api::realtime::hub::Hub;
