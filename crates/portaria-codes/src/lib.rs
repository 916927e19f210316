//! Brazilian identifiers with check digits: tax ids, payment lines and Pix codes.
//!
//! Each type holds a value whose check digits are correct, in one canonical form. The crate does no IO, and no input
//! makes it panic.

mod digits;
pub mod payment_line;
pub mod pix;
pub mod tax_id;

pub use crate::payment_line::PaymentLine;
pub use crate::pix::PixCode;
pub use crate::tax_id::TaxId;
