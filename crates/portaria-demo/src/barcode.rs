//! Barcodes of Brazilian payment slips for taxes and utilities: the 44-digit code, its typed line, and its bars.

/// Returns the code of a slip for `cents`. Its free field holds a serial number and no due date.
///
/// The payee number 0000 is not assigned, so no bank accepts a demo slip.
pub(crate) fn code(cents: i64, serial: u32) -> String {
    let rest = format!("{cents:011}0000{serial:025}");
    let check = check_digit(&format!("856{rest}"));
    format!("856{check}{rest}")
}

/// Returns the code as people type it: four groups of eleven digits, each with its own check digit.
pub(crate) fn typed_line(code: &str) -> String {
    let groups = (0..4).map(|index| &code[index * 11..(index + 1) * 11]);
    groups.map(|group| format!("{group}-{}", check_digit(group))).collect::<Vec<_>>().join("  ")
}

/// Returns the amount in the code of a slip.
pub(crate) fn cents(code: &str) -> i64 {
    code[4..15].parse().expect("the code holds the amount as digits")
}

/// Encodes digits as Interleaved 2 of 5. Returns for each element whether it is wide; bars and gaps alternate, and a
/// bar is first.
pub(crate) fn bars(digits: &str) -> Vec<bool> {
    const WIDE: [[u8; 5]; 10] = [
        *b"00110", *b"10001", *b"01001", *b"11000", *b"00101", *b"10100", *b"01100", *b"00011",
        *b"10010", *b"01010",
    ];
    let pattern = |digit: u8| WIDE[usize::from(digit - b'0')];
    let mut elements = vec![false; 4];
    for pair in digits.as_bytes().chunks_exact(2) {
        for (bar, gap) in pattern(pair[0]).into_iter().zip(pattern(pair[1])) {
            elements.extend([bar == b'1', gap == b'1']);
        }
    }
    elements.extend([true, false, false]);
    elements
}

/// Computes the modulo 10 check digit: the weights 2 and 1 alternate from the right, and the digits of each product
/// are added.
fn check_digit(digits: &str) -> u32 {
    let weighed = digits.bytes().rev().zip([2, 1].into_iter().cycle()).map(|(digit, weight)| {
        let product = u32::from(digit - b'0') * weight;
        product / 10 + product % 10
    });
    (10 - weighed.sum::<u32>() % 10) % 10
}

#[cfg(test)]
mod tests {
    use crate::barcode::{bars, check_digit, code, typed_line};

    #[test]
    fn check_digit_matches_official_example() {
        // Example of the layout of the banks' federation (FEBRABAN): 01230067896 has the check digit 3.
        assert_eq!(check_digit("01230067896"), 3);
    }

    #[test]
    fn code_has_44_digits_and_contains_the_amount() {
        let code = code(123_456, 7);
        assert_eq!(code.len(), 44);
        assert_eq!(&code[4..15], "00000123456");
        assert_eq!(typed_line(&code).replace(['-', ' '], "").len(), 48);
        assert_eq!(bars(&code).len(), 4 + 44 * 5 + 3);
    }
}
