//! Property tests: no text makes a parser panic, canonical forms survive parsing, and every wrong digit is found.

use jiff::civil::date;
use portaria_codes::{PaymentLine, PixCode, TaxId, pix};
use proptest::prelude::*;

/// The first digits of a boleto.
const BOLETO: &str = "(00[1-9]|[1-79][0-9]{2})9";
/// The first digits of another slip whose check digits are modulo 10, and modulo 11.
const MODULO_10: &str = "8[1-79][67]";
const MODULO_11: &str = "8[1-79][89]";

/// Payment lines, from random barcodes with the general check digit that fits.
fn payment_line(start: &'static str) -> impl Strategy<Value = PaymentLine> {
    (start, "[0-9]{40}").prop_map(|(start, rest)| {
        let barcode = |check| format!("{start}{check}{rest}").chars().take(44).collect::<String>();
        (0..10)
            .find_map(|check| PaymentLine::from_barcode(&barcode(check)).ok())
            .expect("one check digit fits")
    })
}

/// Pix codes with amounts, names and ids.
fn pix_code() -> impl Strategy<Value = String> {
    ("[a-z0-9@.-]{1,40}", 0..1_000_000_i64, "[A-Za-zé ]{1,25}", "[A-Z ]{1,15}", "[A-Za-z0-9]{1,25}")
        .prop_map(|(key, cents, name, city, txid)| {
            let field = |id: &str, value: &str| format!("{id}{:02}{value}", value.chars().count());
            let account = field("00", "br.gov.bcb.pix") + &field("01", &key);
            let body = [
                field("00", "01"),
                field("26", &account),
                field("52", "0000"),
                field("53", "986"),
                field("54", &format!("{}.{:02}", cents / 100, cents % 100)),
                field("58", "BR"),
                field("59", &name),
                field("60", &city),
                field("62", &field("05", &txid)),
                "6304".to_owned(),
            ]
            .concat();
            let checksum = pix::checksum(&body);
            format!("{body}{checksum}")
        })
}

/// Replaces the character at a place with another digit.
fn with_other_digit(text: &str, place: usize, change: u32) -> String {
    let replace = |(index, c): (usize, char)| match c.to_digit(10) {
        Some(digit) if index == place => char::from_digit((digit + change) % 10, 10).unwrap_or(c),
        _ => c,
    };
    text.chars().enumerate().map(replace).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsers_survive_any_text(text in any::<String>(), digits in "[0-9. -]{40,60}", codes in "[0-9a-zA-Z]{0,80}") {
        for text in [&text, &digits, &codes] {
            let _ = (text.parse::<TaxId>(), text.parse::<PaymentLine>(), text.parse::<PixCode>());
            let _ = PaymentLine::from_barcode(text);
        }
    }

    #[test]
    fn payment_line_survives_formatting_and_conversion(line in prop_oneof![payment_line(BOLETO), payment_line(MODULO_10), payment_line(MODULO_11)]) {
        prop_assert_eq!(line.to_string().parse::<PaymentLine>(), Ok(line.clone()));
        prop_assert_eq!(line.as_str().parse::<PaymentLine>(), Ok(line.clone()));
        prop_assert_eq!(PaymentLine::from_barcode(line.barcode()), Ok(line.clone()));
        let today = date(2026, 11, 25);
        if let Some(due) = line.due_date(today) {
            prop_assert!((-3000..6000).contains(&(due - today).get_days()), "{due}");
        }
    }

    /// Modulo 10 finds every wrong digit. Modulo 11 has the same check digit for two remainders, and is alone for the
    /// amount and the due date of a boleto.
    #[test]
    fn wrong_digit_is_found_modulo_10(
        boleto in payment_line(BOLETO),
        other in payment_line(MODULO_10),
        // The first digits select the kind of check.
        place in 3..33_usize,
        change in 1..10_u32,
    ) {
        for line in [boleto, other] {
            prop_assert!(with_other_digit(line.as_str(), place, change).parse::<PaymentLine>().is_err());
        }
    }

    #[test]
    fn pix_code_survives_parsing_and_wrong_characters_are_found(code in pix_code(), place in 0..200_usize, change in 1..10_u32) {
        let parsed: PixCode = code.parse().map_err(|error| TestCaseError::fail(format!("{error:?} {code}")))?;
        prop_assert_eq!(parsed.as_str(), code.as_str());
        let wrong = with_other_digit(&code, place, change);
        prop_assert!(wrong == code || wrong.parse::<PixCode>().is_err(), "{wrong}");
    }

    #[test]
    fn tax_id_survives_formatting_and_wrong_check_digits_are_found(body in "[0-9]{9}|[0-9A-Z]{12}", change in 1..10_u32) {
        let found = (0..100).find_map(|check| format!("{body}{check:02}").parse::<TaxId>().ok());
        // Repetitions such as 000.000.000-00 are refused.
        prop_assume!(found.is_some());
        let Some(tax_id) = found else { return Ok(()) };
        prop_assert_eq!(tax_id.to_string().parse::<TaxId>(), Ok(tax_id.clone()));
        for place in [body.len(), body.len() + 1] {
            prop_assert!(with_other_digit(tax_id.as_str(), place, change).parse::<TaxId>().is_err());
        }
    }
}
