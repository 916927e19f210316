//! A generated document and its truth.

use jiff::civil::Date;

/// A document with its name, bytes and facts.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The layout's name, for reports.
    pub layout: String,
    pub truth: Truth,
}

/// The facts that a document's paper shows in a form that can be read without recognition of drawn letters.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    pub kind: &'static str,
    /// Index of the client that owns the document. `None` if it is no client's, or if the paper does not say whose.
    pub owner: Option<usize>,
    /// Whether a person must look at it: it names two clients, or belongs to somebody else.
    pub must_be_flagged: bool,
    /// Year and month.
    pub period: Option<(i16, i8)>,
    pub due: Option<Date>,
    pub amount_cents: Option<i64>,
    pub valid_until: Option<Date>,
    /// Digits of typed lines.
    pub payment_lines: Vec<String>,
    pub pix: Vec<String>,
}
