//! Reads the facts of an office's documents: owner, kind, month, due date, amount and payment codes.
//!
//! The input is a file's name and bytes (PDF, JPEG, PNG, or the XML of an invoice), the output [`Findings`]. Files come
//! from strangers, so programs read them in a process of its own: [`child`] describes both sides.

pub mod child;
mod dates;
mod facts;
mod findings;
mod kinds;
mod labels;
mod layout;
mod money;
mod names;
mod office_kinds;
mod owner;
mod payment_line;
mod pdf;
mod photo;
mod picture;
mod pix;
mod read;
mod rules;
mod tax_id;
mod text;
mod xml;

pub use dates::Month;
pub use findings::{Findings, Format, Found, Kind, Line, Place, Problem, Role, TaxIdWithRole};
pub use money::parse_amount;
pub use office_kinds::{OfficeKind, kind_id};
pub use owner::{Certainty, Client, Directory, Doubt, OwnerMatch};
pub use photo::Photo;
pub use read::read;
pub use rules::Rules;
pub use tax_id::tax_ids_in_name;
pub use text::{Rect, fold};
