//! The server's tests: each asks the whole portal through its router, on SQLite and on PostgreSQL.

mod auth;
mod http;
mod request;
mod rest;
mod storage;
mod tidy;
mod whole;
mod world;
