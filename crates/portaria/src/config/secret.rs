//! A secret setting, which is never printed.
//!
//! Hand-written in 27 lines. Unlike `secrecy::SecretString` it can be compared, and it does not overwrite its memory.

use std::{fmt, ops::Deref};

/// A string whose `Debug` output is masked, also inside other types.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl Deref for Secret {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("********")
    }
}
