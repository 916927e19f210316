//! Pix codes ("Pix copia e cola"): a BR Code (Banco Central do Brasil, "Manual de Padrões para Iniciação do Pix"),
//! which is a merchant-presented QR code of EMV. It is a list of fields with an id, a length and a value; the last one
//! is a CRC of everything before it.

use std::fmt;
use std::str::FromStr;

/// A Pix code whose checksum is correct.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PixCode {
    code: String,
    amount_cents: Option<i64>,
    merchant: String,
    city: String,
    txid: Option<String>,
    key: Option<String>,
    url: Option<String>,
}

/// The reason why a text is no Pix code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidPixCode {
    /// The text is not a list of fields, or a field that every code has is missing.
    Form,
    /// The checksum is wrong.
    Checksum,
}

/// The identifier of Pix in the field of the account.
const DOMAIN: &str = "br.gov.bcb.pix";

impl PixCode {
    /// Returns the code.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.code
    }

    /// Returns the amount in cents. `None` if the payer fills it in, or if the receiver's bank supplies it.
    #[must_use]
    pub fn amount_cents(&self) -> Option<i64> {
        self.amount_cents
    }

    /// Returns the name of the receiver.
    #[must_use]
    pub fn merchant(&self) -> &str {
        &self.merchant
    }

    /// Returns the city of the receiver.
    #[must_use]
    pub fn city(&self) -> &str {
        &self.city
    }

    /// Returns the transaction id. `None` for the placeholder `***`.
    #[must_use]
    pub fn txid(&self) -> Option<&str> {
        self.txid.as_deref()
    }

    /// Returns the Pix key of a static code.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns the address of a dynamic code, without its scheme.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }
}

serialize_as_text!(PixCode, "not a Pix code");

impl FromStr for PixCode {
    type Err = InvalidPixCode;

    /// Parses a code. White space at both ends is ignored.
    fn from_str(text: &str) -> Result<Self, InvalidPixCode> {
        let code = text.trim();
        let fields = fields(code).ok_or(InvalidPixCode::Form)?;
        let (body, crc) =
            code.split_at_checked(code.len().saturating_sub(4)).ok_or(InvalidPixCode::Form)?;
        let is_last = fields.last().is_some_and(|(id, value)| *id == "63" && *value == crc);
        if !is_last || fields.first() != Some(&("00", "01")) {
            return Err(InvalidPixCode::Form);
        }
        if !crc.eq_ignore_ascii_case(&checksum(body)) {
            return Err(InvalidPixCode::Checksum);
        }

        let accounts = fields.iter().filter(|(id, _)| ("26"..="51").contains(id));
        let mut accounts = accounts.filter_map(|(_, value)| self::fields(value));
        let account = accounts
            .find(|account| find(account, "00").is_some_and(|gui| gui.eq_ignore_ascii_case(DOMAIN)))
            .ok_or(InvalidPixCode::Form)?;
        let required = |id| find(&fields, id).ok_or(InvalidPixCode::Form);
        let is_brazilian = required("53")? == "986" && required("58")? == "BR";
        let amount_cents = find(&fields, "54").map(cents).transpose()?.filter(|cents| *cents > 0);
        let (key, url) = (find(&account, "01"), find(&account, "25"));
        if !is_brazilian || key.is_some() == url.is_some() {
            return Err(InvalidPixCode::Form);
        }
        let additional = find(&fields, "62").and_then(self::fields).unwrap_or_default();
        let txid = find(&additional, "05").filter(|txid| *txid != "***");
        Ok(Self {
            amount_cents,
            merchant: required("59")?.to_owned(),
            city: required("60")?.to_owned(),
            txid: txid.map(str::to_owned),
            key: key.map(str::to_owned),
            url: url.map(str::to_owned),
            code: code.to_owned(),
        })
    }
}

impl fmt::Display for PixCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.code)
    }
}

/// Computes the checksum of a code without its last four characters: CRC-16/CCITT-FALSE in upper-case hexadecimal.
#[must_use]
pub fn checksum(body: &str) -> String {
    let crc = body.bytes().fold(0xFFFF_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    });
    format!("{crc:04X}")
}

/// Splits a text into fields: an id of two digits, the length of the value in characters as two digits, the value.
fn fields(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut fields = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (id, after) = rest.split_at_checked(2)?;
        let (length, after) = after.split_at_checked(2)?;
        if !crate::digits::all_digits(id) || !crate::digits::all_digits(length) {
            return None;
        }
        let length: usize = length.parse().ok()?;
        let end = after.char_indices().map(|(place, _)| place).chain([after.len()]).nth(length)?;
        let (value, after) = after.split_at_checked(end)?;
        fields.push((id, value));
        rest = after;
    }
    Some(fields)
}

fn find<'a>(fields: &[(&str, &'a str)], id: &str) -> Option<&'a str> {
    fields.iter().find(|(field, _)| *field == id).map(|(_, value)| *value)
}

/// Parses an amount such as `10`, `10.5` or `10.50`.
fn cents(text: &str) -> Result<i64, InvalidPixCode> {
    let (reais, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !crate::digits::all_digits(reais)
        || reais.len() > 12
        || fraction.len() > 2
        || !fraction.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Err(InvalidPixCode::Form);
    }
    let digits = format!("{reais}{fraction:0<2}");
    digits.parse().map_err(|_| InvalidPixCode::Form)
}

#[cfg(test)]
mod tests {
    use crate::pix::{InvalidPixCode, PixCode, checksum};

    /// The example of the manual of the central bank.
    const EXAMPLE: &str = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

    fn with_checksum(body: &str) -> String {
        let body = format!("{body}6304");
        format!("{body}{}", checksum(&body))
    }

    #[test]
    fn official_example_is_accepted() {
        let code: PixCode = format!(" {EXAMPLE}\n").parse().unwrap();
        assert_eq!(code.as_str(), EXAMPLE);
        assert_eq!((code.merchant(), code.city()), ("Fulano de Tal", "BRASILIA"));
        assert_eq!(code.key(), Some("123e4567-e12b-12d1-a456-426655440000"));
        assert_eq!((code.amount_cents(), code.txid(), code.url()), (None, None, None));
        assert_eq!(EXAMPLE.replace("1D3D", "1d3d").parse::<PixCode>().unwrap().key(), code.key());
    }

    #[test]
    fn checksum_matches_the_reference_value() {
        // The check value of CRC-16/CCITT-FALSE in the catalog of CRC parameters.
        assert_eq!(checksum("123456789"), "29B1");
    }

    #[test]
    fn amount_txid_and_address_are_read() {
        let code = with_checksum(
            "00020101021226460014br.gov.bcb.pix2524pix.exemplo.com/v2/abcde52040000530398654041.505802BR5908PREFEITO6009SAO PAULO62080504A1B2",
        );
        let code: PixCode = code.parse().unwrap();
        assert_eq!(code.amount_cents(), Some(150));
        assert_eq!((code.txid(), code.url()), (Some("A1B2"), Some("pix.exemplo.com/v2/abcde")));
    }

    #[test]
    fn other_texts_are_refused() {
        let without =
            |field: &str| with_checksum(&EXAMPLE[..EXAMPLE.len() - 8].replacen(field, "", 1));
        let cases = [
            (String::new(), InvalidPixCode::Form),
            ("https://example.com".into(), InvalidPixCode::Form),
            (EXAMPLE[..40].into(), InvalidPixCode::Form),
            (EXAMPLE.replace("Fulano", "Gulano"), InvalidPixCode::Checksum),
            (EXAMPLE.replace("1D3D", "1D3E"), InvalidPixCode::Checksum),
            (without("000201"), InvalidPixCode::Form),
            (without("5303986"), InvalidPixCode::Form),
            (without("5802BR"), InvalidPixCode::Form),
            (without("6008BRASILIA"), InvalidPixCode::Form),
            (EXAMPLE.replace("br.gov.bcb.pix", "br.gov.bcb.nix"), InvalidPixCode::Checksum),
            (
                with_checksum(&EXAMPLE[..EXAMPLE.len() - 8].replace("bcb.pix", "bcb.nix")),
                InvalidPixCode::Form,
            ),
            (
                with_checksum(&EXAMPLE[..EXAMPLE.len() - 8].replacen(
                    "5802BR",
                    "54041,505802BR",
                    1,
                )),
                InvalidPixCode::Form,
            ),
            ("00020é".into(), InvalidPixCode::Form),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<PixCode>(), Err(expected), "{text}");
        }
    }
}
