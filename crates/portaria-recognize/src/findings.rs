//! The facts that were read in a document, each with its place and confidence.

use jiff::civil::Date;
use portaria_codes::{PaymentLine, PixCode, TaxId};
use serde::{Deserialize, Serialize};

use crate::dates::Month;
use crate::text::Rect;

/// The values that were read in a document.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Findings {
    /// `None` for a format that is not read: only the file name was searched.
    pub format: Option<Format>,
    /// The reason why the content could not be read.
    pub problem: Option<Problem>,
    /// Number of pages of the file.
    pub pages: u32,
    /// Whether the text of every page was read. False for scans, and for files with too many pages.
    pub is_complete: bool,
    /// Every tax id, in reading order, those of the file name first.
    pub tax_ids: Vec<Found<TaxIdWithRole>>,
    pub kind: Option<Found<Kind>>,
    pub period: Option<Found<Month>>,
    pub due: Option<Found<Date>>,
    pub amount_cents: Option<Found<i64>>,
    /// The last day of validity of a certificate.
    pub valid_until: Option<Found<Date>>,
    /// Distinct payment lines.
    pub payment_lines: Vec<Found<PaymentLine>>,
    /// Distinct Pix codes.
    pub pix: Vec<Found<PixCode>>,
    /// The first lines of the text, in which names are searched.
    pub lines: Vec<Line>,
}

impl Findings {
    /// Proposes a name for the document, such as `DAS – outubro de 2026`. `None` without a kind.
    #[must_use]
    pub fn document_name(&self) -> Option<String> {
        let kind = &self.kind.as_ref()?.value;
        let name = kind
            .code_name
            .as_ref()
            .map_or_else(|| kind.name.clone(), |code_name| format!("{} {code_name}", kind.name));
        Some(match &self.period {
            Some(period) => format!("{name} – {}", period.value.in_words()),
            None => name,
        })
    }
}

/// A value with the place where it was read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Found<T> {
    pub value: T,
    pub place: Place,
    /// From 0 to 1.
    pub confidence: f32,
}

/// The place of a value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Place {
    FileName,
    /// Text on a page, counted from 1.
    Page {
        page: u32,
        rect: Rect,
    },
    /// A bar code or QR code on a page, counted from 1.
    Barcode {
        page: u32,
        rect: Rect,
    },
    /// A field of an XML file.
    Field,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Pdf,
    Jpeg,
    Png,
    Xml,
}

/// The reason why a file's content was not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    PasswordProtected,
    Damaged,
    /// The file needs more memory or time than a reader has.
    TooLarge,
}

/// A tax id, and the part of its owner in the document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TaxIdWithRole {
    pub tax_id: TaxId,
    pub role: Option<Role>,
}

/// The part of a person or company in a document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The payer, taxpayer or employer.
    Payer,
    /// The issuer of an invoice or slip.
    Issuer,
    /// The recipient of goods or services.
    Recipient,
    /// An employee or partner.
    Employee,
}

/// The kind of a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kind {
    /// The id of its rule.
    pub id: String,
    pub name: String,
    /// The roles that the owner of such a document can have.
    pub owner_roles: Vec<Role>,
    /// The revenue code of a DARF or GPS.
    pub code: Option<String>,
    /// The name of the code, if it is known.
    pub code_name: Option<String>,
    /// Whether the owner pays such a document, so that its amount is one to pay. Payslips and invoices have an amount, too.
    #[serde(default = "is_payable_by_default")]
    pub is_payable: bool,
}

/// Findings of earlier releases do not contain the value.
fn is_payable_by_default() -> bool {
    true
}

/// A line of text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// 0 for a text without pages.
    pub page: u32,
    pub rect: Option<Rect>,
    pub text: String,
}
