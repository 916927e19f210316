//! Payment lines and Pix codes of invented slips. The check digits are computed here once more, so that an error of the
//! recognition does not repeat itself in its measurement.

use jiff::civil::{Date, date};

/// A slip's bar code and typed line.
#[derive(Clone, Debug)]
pub(crate) struct SlipCode {
    pub(crate) barcode: String,
    /// The typed line with its usual punctuation.
    pub(crate) typed: String,
}

impl SlipCode {
    /// The digits of the typed line.
    pub(crate) fn digits(&self) -> String {
        self.typed.chars().filter(char::is_ascii_digit).collect()
    }
}

/// A bank slip.
pub(crate) fn bank_slip(bank: &str, due: Date, cents: i64, free: &str) -> SlipCode {
    let factor = 1000 + (due - date(2025, 2, 22)).get_days();
    let rest = format!("{bank}9{factor:04}{cents:010}{free}");
    let sum = weighed(&rest, 9);
    let check = match 11 - sum % 11 {
        0 | 10 | 11 => 1,
        digit => digit,
    };
    let barcode = format!("{bank}9{check}{factor:04}{cents:010}{free}");
    let field = |digits: &str, at: usize| {
        let whole = format!("{digits}{}", modulo_10(digits));
        format!("{}.{}", &whole[..at], &whole[at..])
    };
    let first = format!("{bank}9{}", &free[..5]);
    let typed = format!(
        "{} {} {} {check} {factor:04}{cents:010}",
        field(&first, 5),
        field(&free[5..15], 5),
        field(&free[15..25], 5)
    );
    SlipCode { barcode, typed }
}

/// A tax slip whose check digits are modulo 10, or else modulo 11.
pub(crate) fn tax_slip(
    segment: u8,
    is_modulo_10: bool,
    collector: &str,
    cents: i64,
    free: &str,
) -> SlipCode {
    let check_digit = |digits: &str| {
        if is_modulo_10 {
            return modulo_10(digits);
        }
        match weighed(digits, 9) % 11 {
            0 | 1 => 0,
            rest => 11 - rest,
        }
    };
    let start = format!("8{segment}{}", if is_modulo_10 { 6 } else { 8 });
    let rest = format!("{cents:011}{collector}{free}");
    let barcode = format!("{start}{}{rest}", check_digit(&format!("{start}{rest}")));
    let groups = (0..4).map(|index| &barcode[index * 11..(index + 1) * 11]);
    let typed: Vec<String> =
        groups.map(|group| format!("{group}-{}", check_digit(group))).collect();
    SlipCode { barcode, typed: typed.join("  ") }
}

/// A static Pix code.
pub(crate) fn pix(key: &str, cents: i64, merchant: &str, txid: &str) -> String {
    let field = |tag: &str, value: &str| format!("{tag}{:02}{value}", value.chars().count());
    let account = field("00", "br.gov.bcb.pix") + &field("01", key);
    let amount = format!("{}.{:02}", cents / 100, cents % 100);
    let content = [
        field("00", "01"),
        field("26", &account),
        field("52", "0000"),
        field("53", "986"),
        field("54", &amount),
        field("58", "BR"),
        field("59", merchant),
        field("60", "SAO PAULO"),
        field("62", &field("05", txid)),
    ]
    .concat();
    let content = content + "6304";
    let mut crc = 0xFFFF_u16;
    for byte in content.bytes() {
        crc ^= u16::from(byte) << 8;
        for _ in 0..8 {
            crc = (crc << 1) ^ if crc >> 15 == 1 { 0x1021 } else { 0 };
        }
    }
    format!("{content}{crc:04X}")
}

/// Two check digits of a CPF or CNPJ, appended to its base.
pub(crate) fn with_tax_id_check(base: &str) -> String {
    let max_weight = if base.len() == 9 { 11 } else { 9 };
    let mut whole = base.to_owned();
    for _ in 0..2 {
        let rest = weighed(&whole, max_weight) % 11;
        let digit = if rest < 2 { 0 } else { 11 - rest };
        whole.push_str(&digit.to_string());
    }
    whole
}

/// Encodes digits as Interleaved 2 of 5. Returns for each element whether it is wide; a bar is first, then bars and gaps
/// alternate.
pub(crate) fn bars(digits: &str) -> Vec<bool> {
    const WIDE: [&str; 10] =
        ["00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010"];
    let pattern = |digit: u8| WIDE[usize::from(digit - b'0')].bytes().map(|wide| wide == b'1');
    let pairs = digits.as_bytes().chunks_exact(2);
    let middle = pairs
        .flat_map(|pair| pattern(pair[0]).zip(pattern(pair[1])).flat_map(|(bar, gap)| [bar, gap]));
    [false; 4].into_iter().chain(middle).chain([true, false, false]).collect()
}

fn modulo_10(digits: &str) -> u32 {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(index, byte)| {
            let product = u32::from(byte - b'0') * if index % 2 == 0 { 2 } else { 1 };
            if product > 9 { product - 9 } else { product }
        })
        .sum();
    (10 - sum % 10) % 10
}

fn weighed(text: &str, max_weight: u32) -> u32 {
    let mut weight = 1;
    text.bytes().rev().fold(0, |sum, byte| {
        weight = if weight == max_weight { 2 } else { weight + 1 };
        sum + u32::from(byte - b'0') * weight
    })
}
