//! Portaria: a client portal for small offices, in one binary. `ARCHITECTURE.md` has the map.

pub mod accounts;
pub mod api;
pub mod app;
pub mod audit;
pub mod backup;
pub mod cli;
pub mod clock;
pub mod config;
pub mod data_dir;
mod demo;
pub mod display_name;
pub mod doctor;
pub mod documents;
pub mod email_templates;
pub mod error;
pub mod folders;
pub mod fsck;
pub mod http;
pub mod inbox;
pub mod jobs;
pub mod lease;
pub mod notifications;
pub mod office;
pub mod policy;
pub mod privacy;
pub mod requests;
pub mod schema;
pub mod security;
pub mod stored_files;
mod table_write;
pub mod telemetry;
pub mod tickets;

pub use portaria_blob as blob;
pub use portaria_db as db;
pub use portaria_mail as mail;
