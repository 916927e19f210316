//! Check digits. The functions expect texts of ASCII digits.

/// Computes the modulo 10 check digit: the weights 2 and 1 alternate from the right, and the digits of each product are
/// added.
pub(crate) fn modulo_10(digits: &str) -> u32 {
    let products = values(digits).rev().zip([2, 1].into_iter().cycle());
    let sum: u32 = products
        .map(|(digit, weight)| {
            let product = digit * weight;
            product / 10 + product % 10
        })
        .sum();
    (10 - sum % 10) % 10
}

/// Computes the weighted sum modulo 11, with the weights 2 to 9 from the right.
pub(crate) fn remainder_11(digits: &str) -> u32 {
    values(digits).rev().zip((2..=9).cycle()).map(|(digit, weight)| digit * weight).sum::<u32>()
        % 11
}

/// Returns the value of each digit.
fn values(digits: &str) -> impl DoubleEndedIterator<Item = u32> {
    digits.bytes().map(|digit| u32::from(digit.wrapping_sub(b'0')))
}

/// Returns whether a text consists of ASCII digits.
pub(crate) fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::digits::{modulo_10, remainder_11};

    /// Examples of the layout for collections of the banks' federation (FEBRABAN), appendix on check digits.
    #[test]
    fn check_digits_match_official_examples() {
        assert_eq!(modulo_10("01230067896"), 3);
        assert_eq!(remainder_11("01230067896"), 0);
    }
}
