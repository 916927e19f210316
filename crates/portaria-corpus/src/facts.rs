//! Invented facts of a document, and how they are written.

use fastrand::Rng;
use jiff::ToSpan;
use jiff::civil::Date;

use crate::codes::{self, SlipCode};
use crate::office::digits;

/// The day on which all documents are read.
pub const TODAY: Date = jiff::civil::date(2026, 11, 25);

pub(crate) const MONTHS: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// The facts of a payment or report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) year: i16,
    pub(crate) month: i8,
    pub(crate) due: Date,
    pub(crate) cents: i64,
}

impl Facts {
    pub(crate) fn invent(rng: &mut Rng) -> Facts {
        let due = TODAY.saturating_add(rng.i32(-200..60).days());
        let period = due.first_of_month().saturating_sub(1.days());
        Facts { year: period.year(), month: period.month(), due, cents: rng.i64(1_000..8_000_000) }
    }

    pub(crate) fn period(&self) -> (i16, i8) {
        (self.year, self.month)
    }

    /// Writes the month in one of several forms.
    pub(crate) fn written_period(&self, form: u8) -> String {
        let name = MONTHS[usize::from(self.month.unsigned_abs()) - 1];
        match form % 4 {
            0 => format!("{:02}/{}", self.month, self.year),
            1 => format!("{}/{}", capitalized(name), self.year),
            2 => format!("{name} de {}", self.year),
            _ => {
                let first = Date::constant(self.year, self.month, 1);
                format!("{} a {}", written(first), written(first.last_of_month()))
            }
        }
    }

    pub(crate) fn tax_code(&self, collector: &str, rng: &mut Rng) -> SlipCode {
        let is_modulo_10 = rng.bool();
        codes::tax_slip(5, is_modulo_10, collector, self.cents, &digits(rng, 25))
    }
}

/// Writes a date: `20/11/2026`.
pub(crate) fn written(date: Date) -> String {
    date.strftime("%d/%m/%Y").to_string()
}

/// Writes an amount: `1.234,56`.
pub(crate) fn decimal(cents: i64) -> String {
    let reais = (cents / 100).to_string();
    let groups: Vec<&str> = reais
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    format!("{},{:02}", groups.join("."), cents % 100)
}

pub(crate) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
