//! Generates documents of an office with known facts, and measures how well `portaria-recognize` reads them.
//!
//! Two families of generators were written independently. The rules were developed with the tuned one; the other one is
//! held aside and shows what the rules do with layouts that they were not made for.

mod case;
mod codes;
mod corpus;
mod facts;
mod independent;
mod independent_deeds;
mod invoices;
pub mod measure;
mod office;
mod paper;
mod press;
mod scan;
mod tuned;
mod tuned_papers;

pub use case::{Case, Truth};
pub use corpus::{Corpus, generate};
pub use facts::TODAY;
pub use office::{Client, Office};
