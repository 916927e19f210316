//! Amounts in reais: `R$ 1.234,56`.

/// Maximum number of digits of an amount.
const MAX_DIGITS: usize = 13;

/// Parses the amount at the start of a folded text. Returns the cents and the number of bytes.
pub(crate) fn amount_at_start(text: &str) -> Option<(i64, usize)> {
    let bytes = text.as_bytes();
    let mut at = skip(bytes, 0, b" :*=()");
    if text[at..].starts_with("R$") {
        at = skip(bytes, at + 2, b" .*");
    }
    let start = at;
    while at < bytes.len() && (bytes[at].is_ascii_digit() || matches!(bytes[at], b'.' | b',')) {
        at += 1;
    }
    let number = text[start..at].trim_end_matches(['.', ',']);
    let end = start + number.len();
    // A longer number, a date or a percentage is no amount.
    if matches!(bytes.get(end), Some(b'%' | b'/' | b'-'))
        && bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
        || bytes.get(end) == Some(&b'%')
    {
        return None;
    }
    parse_amount(number).map(|cents| (cents, end))
}

/// Parses `1.234,56`, `1234,56`, and `1234.56`. Returns the cents.
#[must_use]
pub fn parse_amount(number: &str) -> Option<i64> {
    let at = number.len().checked_sub(3)?;
    let separator = number.as_bytes()[at];
    let (whole, cents) = (&number[..at], &number[at + 1..]);
    if whole.is_empty() || !matches!(separator, b',' | b'.') || !is_digits(cents) {
        return None;
    }
    let thousands = if separator == b',' { '.' } else { ',' };
    let groups: Vec<&str> = whole.split(thousands).collect();
    let are_groups_valid = groups.len() == 1
        || (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|group| group.len() == 3);
    let digits = groups.concat();
    if !are_groups_valid || !is_digits(&digits) || digits.len() > MAX_DIGITS {
        return None;
    }
    format!("{digits}{cents}").parse().ok()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn skip(bytes: &[u8], from: usize, skipped: &[u8]) -> usize {
    from + bytes[from..].iter().take_while(|byte| skipped.contains(byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{amount_at_start, parse_amount};

    #[test]
    fn amounts_are_read_at_the_start() {
        for (text, expected) in [
            ("R$ 1.234,56", Some(123_456)),
            (": R$1234,56 ATE", Some(123_456)),
            ("0,50", Some(50)),
            ("***1.000.000,00", Some(100_000_000)),
            ("1,234.56", Some(123_456)),
            ("12,34%", None),
            ("10/11/2026", None),
            ("1.23,45", None),
            ("R$", None),
            ("123", None),
        ] {
            assert_eq!(amount_at_start(text).map(|(cents, _)| cents), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn written_amounts_are_read_again(cents in 0_i64..10_000_000_000) {
            prop_assert_eq!(parse_amount(&format!("{},{:02}", cents / 100, cents % 100)), Some(cents));
        }

        #[test]
        fn parser_never_panics(text in "[ -~]{0,30}") {
            amount_at_start(&text);
            let _ = parse_amount(&text);
        }
    }
}
