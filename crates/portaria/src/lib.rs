//! Portaria: a client portal for small offices, in one binary. Read ARCHITECTURE.md for the map.

pub mod app;
pub mod auth;
pub mod catalog;
pub mod cli;
pub mod clock;
pub mod config;
pub mod db;
mod demo;
pub mod error;
pub mod events;
pub mod files;
pub mod http;
pub mod jobs;
pub mod keys;
pub mod limits;
pub mod mail;
pub mod objects;
pub mod passwords;
pub mod policy;
pub mod request_id;
pub mod rest;
pub mod session;
pub mod settings;
pub mod storage;
pub mod units;
pub mod users;
