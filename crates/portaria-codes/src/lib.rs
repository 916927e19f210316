//! Brazilian identifiers with check digits: tax ids, payment lines and Pix codes.
//!
//! Each type holds a value whose check digits are correct, in one canonical form. The crate does no IO, and no input
//! makes it panic.

mod digits;
/// Serializes an identifier as its text, and parses the text when it is deserialized.
macro_rules! serialize_as_text {
    ($name:ident, $text:literal) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(source)?;
                text.parse().map_err(|_| serde::de::Error::custom($text))
            }
        }
    };
}

pub mod payment_line;
pub mod pix;
pub mod tax_id;

pub use crate::payment_line::PaymentLine;
pub use crate::pix::PixCode;
pub use crate::tax_id::TaxId;
