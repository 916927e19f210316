//! Payment lines ("linha digitável"): the digits that a person types to pay a slip, and its barcode.
//!
//! A boleto has 47 digits (FEBRABAN, "Layout de cobrança"), a slip of a utility or of a tax 48 (FEBRABAN, "Layout
//! padrão de arrecadação/recebimento com utilização do código de barras"). Both encode a barcode of 44 digits.

use std::fmt;
use std::str::FromStr;

use jiff::ToSpan;
use jiff::civil::{Date, date};

use crate::digits::{all_digits, modulo_10, remainder_11};

/// A payment line whose check digits are correct.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PaymentLine {
    /// 47 or 48 digits.
    line: String,
    /// 44 digits.
    barcode: String,
}

/// The reason why a text is no payment line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidPaymentLine {
    /// The text has other characters than digits and separators, or another number of digits.
    Length,
    /// A check digit is wrong, or the digits name no known kind of slip.
    CheckDigit,
}

/// The kind of a payment line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentKind {
    /// A boleto of a bank: 47 digits.
    Boleto,
    /// A slip of a utility, a tax or a fee: 48 digits.
    Collection,
}

/// The day of the due-date factor 0 in its first cycle.
const FIRST_EPOCH: Date = date(1997, 10, 7);
/// The smallest factor. Smaller ones, such as 0000, encode no date.
const MIN_FACTOR: i32 = 1000;
/// Number of days after which factors repeat: 9999 was 2025-02-21, and 1000 is 2025-02-22 too.
const CYCLE_DAYS: i32 = 9000;
/// Number of days for which a past date is possible. An older one is the date of the next cycle.
const PAST_DAYS: i32 = 3000;

impl PaymentLine {
    /// Converts a barcode of 44 digits.
    ///
    /// # Errors
    /// The text has another length, or a check digit is wrong.
    pub fn from_barcode(barcode: &str) -> Result<Self, InvalidPaymentLine> {
        if barcode.len() != 44 || !all_digits(barcode) {
            return Err(InvalidPaymentLine::Length);
        }
        check_barcode(barcode)?;
        let line = if barcode.starts_with('8') {
            let modulus = CollectionModulus::of(barcode)?;
            let groups = [0, 11, 22, 33].map(|start| &barcode[start..start + 11]);
            groups.map(|group| format!("{group}{}", modulus.check_digit(group))).concat()
        } else {
            let fields = [
                format!("{}{}", &barcode[..4], &barcode[19..24]),
                barcode[24..34].to_owned(),
                barcode[34..44].to_owned(),
            ];
            let fields = fields.map(|field| format!("{field}{}", modulo_10(&field)));
            format!("{}{}{}", fields.concat(), &barcode[4..5], &barcode[5..19])
        };
        Ok(Self { line, barcode: barcode.to_owned() })
    }

    /// Returns the digits: 47 of a boleto, 48 of another slip.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.line
    }

    /// Returns the 44 digits of the barcode.
    #[must_use]
    pub fn barcode(&self) -> &str {
        &self.barcode
    }

    /// Returns the kind of the slip.
    #[must_use]
    pub fn kind(&self) -> PaymentKind {
        if self.line.len() == 47 { PaymentKind::Boleto } else { PaymentKind::Collection }
    }

    /// Returns the four digits of a tax slip that name the collecting body: 0328 is the Simples Nacional. `None` for a
    /// boleto, and for a body that a CNPJ names.
    #[must_use]
    pub fn collector(&self) -> Option<&str> {
        let is_short = self.kind() == PaymentKind::Collection && &self.barcode[1..2] != "6";
        is_short.then(|| &self.barcode[15..19])
    }

    /// Returns the amount in cents. `None` if the payer fills it in, or if it is not in reais.
    #[must_use]
    pub fn amount_cents(&self) -> Option<i64> {
        let digits = match self.kind() {
            PaymentKind::Boleto => &self.barcode[9..19],
            // The identifiers 7 and 9 denote a quantity of another currency.
            PaymentKind::Collection if matches!(&self.barcode[2..3], "6" | "8") => {
                &self.barcode[4..15]
            }
            PaymentKind::Collection => return None,
        };
        digits.parse().ok().filter(|cents| *cents > 0)
    }

    /// Returns the due date of a boleto. `None` for a boleto without one, and for other slips.
    ///
    /// The factor of four digits began again at 1000 on 2025-02-22, so that it denotes several days, 9,000 days
    /// apart. The result is the first of them that is at most 3,000 days before `today`.
    #[must_use]
    pub fn due_date(&self, today: Date) -> Option<Date> {
        if self.kind() != PaymentKind::Boleto {
            return None;
        }
        let factor: i32 = self.barcode[5..9].parse().ok()?;
        if factor < MIN_FACTOR {
            return None;
        }
        let first = FIRST_EPOCH.checked_add(factor.days()).ok()?;
        let distance = (today - first).get_days();
        let cycles = (distance - PAST_DAYS + CYCLE_DAYS - 1).div_euclid(CYCLE_DAYS).max(0);
        first.checked_add((cycles * CYCLE_DAYS).days()).ok()
    }
}

serialize_as_text!(PaymentLine, "not a payment line");

impl FromStr for PaymentLine {
    type Err = InvalidPaymentLine;

    /// Parses a line. Spaces, dots and hyphens are ignored.
    fn from_str(text: &str) -> Result<Self, InvalidPaymentLine> {
        let is_separator = |c: char| c.is_whitespace() || matches!(c, '.' | '-');
        let line: String = text.chars().filter(|c| !is_separator(*c)).collect();
        if !all_digits(&line) {
            return Err(InvalidPaymentLine::Length);
        }
        let barcode = match line.len() {
            47 => format!(
                "{}{}{}{}{}{}",
                &line[..4],
                &line[32..33],
                &line[33..47],
                &line[4..9],
                &line[10..20],
                &line[21..31]
            ),
            48 => (0..4).map(|index| &line[index * 12..index * 12 + 11]).collect(),
            _ => return Err(InvalidPaymentLine::Length),
        };
        let parsed = Self::from_barcode(&barcode)?;
        // The line that belongs to the barcode has the correct check digits, and no other line.
        if parsed.line == line { Ok(parsed) } else { Err(InvalidPaymentLine::CheckDigit) }
    }
}

impl fmt::Display for PaymentLine {
    /// Writes the line in its usual groups: `34191.10121 34567.880058 71234.570001 6 16670000012345`,
    /// `84670000001-7 43590024020-9 02405000243-5 84221010811-9`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = &self.line;
        match self.kind() {
            PaymentKind::Boleto => write!(
                out,
                "{}.{} {}.{} {}.{} {} {}",
                &line[..5],
                &line[5..10],
                &line[10..15],
                &line[15..21],
                &line[21..26],
                &line[26..32],
                &line[32..33],
                &line[33..]
            ),
            PaymentKind::Collection => {
                for start in [0, 12, 24, 36] {
                    let space = if start == 0 { "" } else { " " };
                    write!(
                        out,
                        "{space}{}-{}",
                        &line[start..start + 11],
                        &line[start + 11..start + 12]
                    )?;
                }
                Ok(())
            }
        }
    }
}

/// Checks the general check digit of a barcode of 44 digits, and that its first digits name a kind of slip.
fn check_barcode(barcode: &str) -> Result<(), InvalidPaymentLine> {
    let (place, expected) = if barcode.starts_with('8') {
        // A segment of the economy: 1 cities … 7 traffic fines, 9 the bank's own.
        if matches!(&barcode[1..2], "0" | "8") {
            return Err(InvalidPaymentLine::CheckDigit);
        }
        let modulus = CollectionModulus::of(barcode)?;
        (3, modulus.check_digit(&format!("{}{}", &barcode[..3], &barcode[4..])))
    } else {
        // The currency code 9 denotes the real.
        if &barcode[3..4] != "9" || barcode.starts_with("000") {
            return Err(InvalidPaymentLine::CheckDigit);
        }
        let remainder = remainder_11(&format!("{}{}", &barcode[..4], &barcode[5..]));
        (4, if matches!(remainder, 0 | 1) { 1 } else { 11 - remainder })
    };
    if barcode[place..=place] == expected.to_string() {
        Ok(())
    } else {
        Err(InvalidPaymentLine::CheckDigit)
    }
}

/// The modulus of the check digits of a slip with 48 digits. Its third digit selects it.
#[derive(Debug, Clone, Copy)]
enum CollectionModulus {
    Ten,
    Eleven,
}

impl CollectionModulus {
    fn of(barcode: &str) -> Result<Self, InvalidPaymentLine> {
        match &barcode[2..3] {
            "6" | "7" => Ok(Self::Ten),
            "8" | "9" => Ok(Self::Eleven),
            _ => Err(InvalidPaymentLine::CheckDigit),
        }
    }

    fn check_digit(self, digits: &str) -> u32 {
        match self {
            Self::Ten => modulo_10(digits),
            Self::Eleven => match remainder_11(digits) {
                0 | 1 => 0,
                remainder => 11 - remainder,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use crate::payment_line::{InvalidPaymentLine, PaymentKind, PaymentLine};

    /// Examples of Banco do Brasil and Itaú, of a utility (modulo 10), and of a tax (modulo 11).
    const BB: &str = "00190.50095 40144.816069 06809.350314 3 37370000000100";
    const ITAU: &str = "34191.10121 34567.880058 71234.570001 6 16670000012345";
    const UTILITY: &str = "84670000001-7 43590024020-9 02405000243-5 84221010811-9";
    const TAX: &str = "85890000460-9 52460179160-5 60759305086-5 83148300001-0";

    fn parse(text: &str) -> PaymentLine {
        text.parse().unwrap()
    }

    #[test]
    fn official_examples_are_accepted_and_formatted() {
        for (text, kind, barcode, cents) in [
            (BB, PaymentKind::Boleto, "00193373700000001000500940144816060680935031", 100),
            (ITAU, PaymentKind::Boleto, "34196166700000123451101234567880057123457000", 12_345),
            (
                UTILITY,
                PaymentKind::Collection,
                "84670000001435900240200240500024384221010811",
                14_359,
            ),
            (
                TAX,
                PaymentKind::Collection,
                "85890000460524601791606075930508683148300001",
                4_605_246,
            ),
        ] {
            let line = parse(text);
            assert_eq!(line.to_string(), text);
            assert_eq!(line.kind(), kind);
            assert_eq!(line.barcode(), barcode);
            assert_eq!(line.amount_cents(), Some(cents));
            assert_eq!(PaymentLine::from_barcode(barcode).unwrap(), line);
            assert_eq!(line.as_str().parse(), Ok(line));
        }
    }

    #[test]
    fn amount_is_absent_if_the_payer_fills_it_in() {
        let mut barcode = parse(ITAU).barcode().replace("0000012345", "0000000000");
        for check in '1'..='9' {
            barcode.replace_range(4..5, &check.to_string());
            if let Ok(line) = PaymentLine::from_barcode(&barcode) {
                assert_eq!(line.amount_cents(), None);
                return;
            }
        }
        panic!("no check digit fits");
    }

    #[test]
    fn due_date_is_in_the_cycle_of_the_day() {
        let today = date(2026, 11, 25);
        assert_eq!(parse(ITAU).due_date(date(2002, 4, 1)), Some(date(2002, 5, 1)));
        // The same factor in the second cycle.
        assert_eq!(parse(ITAU).due_date(today), Some(date(2026, 12, 21)));
        assert_eq!(parse(UTILITY).due_date(today), None);
        for (factor, today, due) in [
            ("9999", date(2025, 2, 20), Some(date(2025, 2, 21))),
            ("9999", date(2026, 11, 25), Some(date(2025, 2, 21))),
            ("1000", date(2025, 2, 20), Some(date(2025, 2, 22))),
            ("1000", date(2000, 7, 1), Some(date(2000, 7, 3))),
            ("1000", date(1990, 1, 1), Some(date(2000, 7, 3))),
            // 3,000 and 3,001 days after 2025-02-21.
            ("9999", date(2033, 5, 10), Some(date(2025, 2, 21))),
            ("9999", date(2033, 5, 11), Some(date(2049, 10, 13))),
            ("0000", date(2026, 11, 25), None),
            ("0999", date(2026, 11, 25), None),
        ] {
            assert_eq!(boleto_with_factor(factor).due_date(today), due, "{factor} {today}");
        }
    }

    fn boleto_with_factor(factor: &str) -> PaymentLine {
        let codes =
            (1..=9).map(|check| format!("3419{check}{factor}00000123451101234567880057123457000"));
        codes.into_iter().find_map(|code| PaymentLine::from_barcode(&code).ok()).unwrap()
    }

    #[test]
    fn separators_are_ignored_and_other_texts_refused() {
        assert_eq!(parse(&ITAU.replace(' ', "\u{a0} \n")), parse(ITAU));
        for text in ["", "R$ 10", "12", &ITAU[1..], &format!("{ITAU}00"), &ITAU.replace('.', ",")] {
            assert_eq!(text.parse::<PaymentLine>(), Err(InvalidPaymentLine::Length), "{text}");
        }
        // Another number of digits than the first one announces, a segment 0, an unknown identifier, another currency.
        for text in [
            format!("{ITAU}0"),
            UTILITY.replacen("84", "80", 1),
            UTILITY.replacen("846", "841", 1),
            ITAU.replacen("3419", "3418", 1),
        ] {
            assert_eq!(text.parse::<PaymentLine>(), Err(InvalidPaymentLine::CheckDigit), "{text}");
        }
    }
}
