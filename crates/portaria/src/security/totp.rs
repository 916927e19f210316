//! The codes of an authenticator app (RFC 6238): six digits, others every half minute.

use aws_lc_rs::hmac;
use jiff::Timestamp;
use subtle::ConstantTimeEq;

/// As many bytes as a SHA-1 (RFC 4226 §4, R6).
pub const SECRET: usize = 20;
/// Seconds.
const PERIOD: i64 = 30;
/// The telephone's clock and ours may differ by so many steps.
const DRIFT: i64 = 1;

/// The time step whose code this is, among those that may be shown at this moment and are later than `last`, the
/// newest that was shown.
#[must_use]
pub fn verify(secret: &[u8], code: &str, now: Timestamp, last: Option<i64>) -> Option<i64> {
    let current = now.as_second().div_euclid(PERIOD);
    // All are compared: how long it takes does not tell which one it was.
    let same = |step: &i64| {
        bool::from(crate::security::totp::code(secret, *step).as_bytes().ct_eq(code.as_bytes()))
    };
    let steps = (current - DRIFT..=current + DRIFT).filter(same);
    steps.filter(|step| last.is_none_or(|last| *step > last)).max()
}

/// The code of a time step. Apps know SHA-1 alone, whose known weakness is none here.
#[must_use]
pub fn code(secret: &[u8], step: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let digest = tag.as_ref();
    let offset = usize::from(digest[digest.len() - 1] & 0xf);
    let number =
        digest[offset..].iter().take(4).fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
    format!("{:06}", (number & 0x7fff_ffff) % 1_000_000)
}

/// A secret as people type it (RFC 4648 §6, without padding).
#[must_use]
pub fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let (mut text, mut held, mut bits) = (String::new(), 0_u32, 0);
    for byte in bytes {
        held = held << 8 | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(ALPHABET[(held >> bits & 31) as usize]));
        }
    }
    if bits > 0 {
        text.push(char::from(ALPHABET[(held << (5 - bits) & 31) as usize]));
    }
    text
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use crate::security::totp::{base32, code, verify};

    /// RFC 6238, appendix B, by the last six of its eight digits.
    #[test]
    fn the_codes_of_the_standard() {
        for (second, expected) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(b"12345678901234567890", second / 30), expected, "{second}");
        }
    }

    #[test]
    fn a_code_is_good_for_one_step_of_drift_and_once() {
        let secret = b"12345678901234567890";
        let now: Timestamp = "2026-11-21T12:00:15Z".parse().unwrap();
        let current = now.as_second() / 30;
        let at = |step, last| verify(secret, &code(secret, step), now, last);
        for (step, expected) in [(-2, None), (-1, Some(-1)), (0, Some(0)), (1, Some(1)), (2, None)]
        {
            assert_eq!(at(current + step, None), expected.map(|step: i64| current + step));
        }
        assert_eq!(at(current, Some(current)), None);
        assert_eq!(at(current - 1, Some(current)), None);
        assert_eq!(at(current + 1, Some(current)), Some(current + 1));
        assert_eq!(verify(secret, "", now, None), None);
    }

    /// RFC 4648 §10.
    #[test]
    fn secrets_are_written_in_base32() {
        for (text, expected) in
            [("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foobar", "MZXW6YTBOI")]
        {
            assert_eq!(base32(text.as_bytes()), expected);
        }
    }
}
