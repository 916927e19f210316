//! Generates the demo office: PDF, DOCX and XLSX files, and a manifest of its people, folders, documents and tickets.
//!
//! The results are committed under `crates/portaria/demo-assets/`, and `serve --demo` inserts them. `cargo xtask
//! demo-assets` generates them again. PDF layout and DOCX are hand-written, because the files are small and simple.

mod barcode;
mod context;
mod documents;
mod docx;
mod ledger;
mod manifest;
mod markup;
mod output;
mod payment_slips;
mod pdf;
mod people;
mod pix;
mod reports;
mod tickets;
mod xlsx;

pub use output::{generate, write};
