//! HTTP handlers, grouped by protocol: `auth` (GoTrue), `rest` (PostgREST) and `storage` (Supabase Storage), and
//! Portaria's own routes in `account` and `setup`. `table_hooks` finds the rules of a table;
//! `json_body` and `answer_memory` bound the memory of requests and answers.
//!
//! `docs/protocol/` describes what each of them promises to clients.

pub mod account;
pub(crate) mod answer_memory;
pub mod auth;
pub(crate) mod json_body;
pub(crate) mod openapi;
mod query_string;
pub mod realtime;
pub mod rest;
pub(crate) mod retry_after;
pub mod setup;
pub mod storage;
pub(crate) mod table_hooks;
