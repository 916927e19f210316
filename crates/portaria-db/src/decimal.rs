//! Sums and averages of integers in the digits that PostgreSQL prints for its numeric type.
//!
//! Hand-written, because the scale of a quotient is PostgreSQL's own, which no crate for decimal numbers has.

/// Number of significant digits that a quotient has at least.
const MIN_SIGNIFICANT_DIGITS: i32 = 16;
/// PostgreSQL stores numbers to this base, in digits of four decimal places.
const BASE: u128 = 10_000;
const BASE_PLACES: i32 = 4;

/// The sum and the number of the integers that an aggregate has seen. 2^63 integers of 64 bits fit into the sum.
#[derive(Debug, Default)]
pub(crate) struct Total {
    sum: i128,
    count: u128,
}

impl Total {
    pub(crate) fn add(&mut self, number: i64) {
        self.sum += i128::from(number);
        self.count += 1;
    }

    /// Returns the sum, or `None` without any number.
    pub(crate) fn sum(&self) -> Option<String> {
        (self.count > 0).then(|| self.sum.to_string())
    }

    /// Returns the average, or `None` without any number.
    pub(crate) fn average(&self) -> Option<String> {
        if self.count == 0 {
            return None;
        }
        let sign = if self.sum < 0 { "-" } else { "" };
        Some(format!("{sign}{}", divide(self.sum.unsigned_abs(), self.count)))
    }
}

/// Divides like PostgreSQL's `div_var` with the scale of `select_div_scale`, and rounds a half up.
fn divide(dividend: u128, divisor: u128) -> String {
    let scale = quotient_scale(dividend, divisor);
    let mut digits = (dividend / divisor).to_string();
    let mut point = digits.len();
    let mut rest = dividend % divisor;
    for _ in 0..scale {
        rest *= 10;
        digits.push_str(&(rest / divisor).to_string());
        rest %= divisor;
    }
    if rest * 2 >= divisor {
        let length = digits.len();
        digits = increment(&digits);
        point += digits.len() - length;
    }
    if scale > 0 {
        digits.insert(point, '.');
    }
    digits
}

/// Returns the number of decimal places of a quotient. It is estimated from the first digits of both numbers.
fn quotient_scale(dividend: u128, divisor: u128) -> i32 {
    let ((weight, first), (divisor_weight, divisor_first)) = (leading(dividend), leading(divisor));
    let mut quotient_weight = weight - divisor_weight;
    if first <= divisor_first {
        quotient_weight -= 1;
    }
    (MIN_SIGNIFICANT_DIGITS - quotient_weight * BASE_PLACES).max(0)
}

/// Returns the position and the value of the first digit to [`BASE`].
fn leading(mut number: u128) -> (i32, u128) {
    let mut weight = 0;
    while number >= BASE {
        number /= BASE;
        weight += 1;
    }
    (weight, number)
}

/// Adds one to a number in decimal digits.
fn increment(digits: &str) -> String {
    let nines = digits.len() - digits.trim_end_matches('9').len();
    let (head, _) = digits.split_at(digits.len() - nines);
    let (rest, last) = head.split_at(head.len().saturating_sub(1));
    let next = last.parse::<u8>().unwrap_or(0) + 1;
    format!("{rest}{next}{}", "0".repeat(nines))
}

#[cfg(test)]
mod tests {
    use crate::decimal::{Total, divide};

    /// Values as PostgreSQL prints `avg(bigint)`.
    #[test]
    fn quotient_has_the_digits_of_postgresql() {
        for (dividend, divisor, expected) in [
            (8_800, 8, "1100.0000000000000000"),
            (0, 3, "0.00000000000000000000"),
            (1, 3, "0.33333333333333333333"),
            (2, 3, "0.66666666666666666667"),
            (5, 2, "2.5000000000000000"),
            (100_000, 3, "33333.333333333333"),
            (19_999_999_999_999_999_999, 20, "1000000000000000000"),
            (9_223_372_036_854_775_807, 1, "9223372036854775807"),
        ] {
            assert_eq!(divide(dividend, divisor), expected, "{dividend} / {divisor}");
        }
    }

    #[test]
    fn total_exceeds_64_bits_and_is_null_without_numbers() {
        let mut total = Total::default();
        assert_eq!((total.sum(), total.average()), (None, None));
        for number in [i64::MIN, i64::MIN] {
            total.add(number);
        }
        assert_eq!(total.sum().as_deref(), Some("-18446744073709551616"));
        assert_eq!(total.average().as_deref(), Some("-9223372036854775808"));
    }
}
