//! Tax ids: CPF (people) and CNPJ (companies).
//!
//! Since July 2026 the first twelve characters of a new CNPJ may be letters (Instrução Normativa RFB 2.229/2024). A
//! character counts as its ASCII code minus 48, which is the value of a digit.

use std::fmt;
use std::str::FromStr;

/// A tax id with valid check digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaxId(String);

/// A text that is no tax id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTaxId;

impl TaxId {
    /// Returns the characters without punctuation: 11 of a CPF, 14 of a CNPJ.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the tax id is a company's.
    #[must_use]
    pub fn is_cnpj(&self) -> bool {
        self.0.len() == 14
    }

    /// Returns the part of a CNPJ that all branches of a company share. `None` for a CPF.
    #[must_use]
    pub fn root(&self) -> Option<&str> {
        self.is_cnpj().then(|| self.0.get(..8)).flatten()
    }
}

serialize_as_text!(TaxId, "not a tax id");

impl FromStr for TaxId {
    type Err = InvalidTaxId;

    /// Parses a tax id with or without punctuation, in upper or lower case.
    fn from_str(text: &str) -> Result<Self, InvalidTaxId> {
        let is_separator = |c: char| c.is_ascii_whitespace() || "./-".contains(c);
        let canonical: String =
            text.chars().filter(|c| !is_separator(*c)).map(|c| c.to_ascii_uppercase()).collect();
        let has_form = match canonical.len() {
            11 => canonical.bytes().all(|byte| byte.is_ascii_digit()),
            14 => {
                let (body, check) = canonical.as_bytes().split_at(12);
                body.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
                    && check.iter().all(u8::is_ascii_digit)
            }
            _ => false,
        };
        if !has_form {
            return Err(InvalidTaxId);
        }
        let bytes = canonical.as_bytes();
        // Repeated digits, such as 111.111.111-11, pass the check and are never issued.
        let is_repetition = bytes.iter().all(|byte| Some(byte) == bytes.first());
        let max_weight = if bytes.len() == 11 { 11 } else { 9 };
        let is_checked = [bytes.len() - 2, bytes.len() - 1].into_iter().all(|place| {
            bytes.get(place).copied() == Some(check_digit(&bytes[..place], max_weight))
        });
        if is_checked && !is_repetition { Ok(Self(canonical)) } else { Err(InvalidTaxId) }
    }
}

/// Computes the check digit (modulo 11). The weights run from 2 to `max_weight`, from the right, and repeat.
fn check_digit(body: &[u8], max_weight: u32) -> u8 {
    let weighed = body.iter().rev().zip((2..=max_weight).cycle());
    let sum: u32 = weighed.map(|(byte, weight)| u32::from(byte.wrapping_sub(b'0')) * weight).sum();
    match sum % 11 {
        0 | 1 => b'0',
        remainder => b'0' + u8::try_from(11 - remainder).unwrap_or_default(),
    }
}

impl fmt::Display for TaxId {
    /// Writes the tax id with punctuation: `529.982.247-25`, `12.ABC.345/01DE-35`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ends, marks): (&[usize], &[&str]) = if self.is_cnpj() {
            (&[2, 5, 8, 12], &[".", ".", "/", "-"])
        } else {
            (&[3, 6, 9], &[".", ".", "-"])
        };
        let mut rest = self.0.as_str();
        let mut written = 0;
        for (end, mark) in ends.iter().zip(marks) {
            let (group, after) = rest.split_at(end - written);
            write!(out, "{group}{mark}")?;
            (rest, written) = (after, *end);
        }
        out.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use crate::TaxId;

    #[test]
    fn valid_tax_ids_are_accepted_with_and_without_punctuation() {
        for (text, formatted) in [
            ("52998224725", "529.982.247-25"),
            ("529.982.247-25", "529.982.247-25"),
            ("11222333000181", "11.222.333/0001-81"),
            // Example of the federal revenue service for the alphanumeric CNPJ.
            ("12.ABC.345/01DE-35", "12.ABC.345/01DE-35"),
            ("12abc34501de35", "12.ABC.345/01DE-35"),
        ] {
            assert_eq!(text.parse::<TaxId>().unwrap().to_string(), formatted);
        }
        let company: TaxId = "12.ABC.345/01DE-35".parse().unwrap();
        assert_eq!((company.as_str(), company.root()), ("12ABC34501DE35", Some("12ABC345")));
        assert_eq!("52998224725".parse::<TaxId>().unwrap().root(), None);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "529.982.247-26",
            "529.982.247-35",
            "5299822472",
            "111.111.111-11",
            "00000000000000",
            "11.222.333/0001-80",
            "12.ABC.345/01DE-36",
            "12.ABC.345/01DE-3A",
            "5299822472A",
            "52998224725é",
            "１１２２２３３３０００１８１",
        ] {
            assert!(text.parse::<TaxId>().is_err(), "{text}");
        }
    }
}
