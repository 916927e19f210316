//! Time-based one-time passwords (RFC 6238): six digits, a new code every 30 seconds.
//!
//! The algorithm is a dozen lines over the HMAC of `aws-lc-rs`, and the tests hold the vectors of the RFCs.

use aws_lc_rs::hmac;
use data_encoding::BASE32_NOPAD;
use jiff::Timestamp;
use subtle::ConstantTimeEq;

/// Size of a secret, in bytes: the length of a SHA-1 digest (RFC 4226, section 4, R6).
pub const SECRET_BYTES: usize = 20;
/// Duration of a time step, in seconds.
const PERIOD_SECONDS: i64 = 30;
/// Tolerated difference between the clocks of phone and server, in time steps.
const MAX_DRIFT_STEPS: i64 = 1;

/// Returns the time step of a valid code that is later than `last`, the step of the last accepted code. `None` for a
/// wrong or reused code.
#[must_use]
pub fn verify(secret: &[u8], code: &str, now: Timestamp, last: Option<i64>) -> Option<i64> {
    let current = now.as_second().div_euclid(PERIOD_SECONDS);
    // Every candidate is compared, in constant time, so that the duration does not reveal a match.
    let is_match = |step: &i64| {
        bool::from(crate::security::totp::code(secret, *step).as_bytes().ct_eq(code.as_bytes()))
    };
    let steps = (current - MAX_DRIFT_STEPS..=current + MAX_DRIFT_STEPS).filter(is_match);
    steps.filter(|step| last.is_none_or(|last| *step > last)).max()
}

/// Returns the code of a time step. Authenticator apps support only SHA-1; HMAC does not depend on its collision
/// resistance.
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

/// Encodes a secret in base32 (RFC 4648, section 6), without padding, as authenticator apps expect it.
#[must_use]
pub fn base32(bytes: &[u8]) -> String {
    BASE32_NOPAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use crate::security::totp::{base32, code, verify};

    /// RFC 6238, appendix B, with the last six of its eight digits.
    #[test]
    fn code_matches_rfc_6238_vectors() {
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
    fn code_is_accepted_once_and_within_one_step_of_drift() {
        let secret = b"12345678901234567890";
        let now: Timestamp = "2026-11-21T12:00:15Z".parse().unwrap();
        let current = now.as_second() / 30;
        let verify_step = |step, last| verify(secret, &code(secret, step), now, last);
        for (step, expected) in [(-2, None), (-1, Some(-1)), (0, Some(0)), (1, Some(1)), (2, None)]
        {
            assert_eq!(verify_step(current + step, None), expected.map(|step: i64| current + step));
        }
        assert_eq!(verify_step(current, Some(current)), None);
        assert_eq!(verify_step(current - 1, Some(current)), None);
        assert_eq!(verify_step(current + 1, Some(current)), Some(current + 1));
        assert_eq!(verify(secret, "", now, None), None);
    }

    /// RFC 4648, section 10.
    #[test]
    fn base32_matches_rfc_4648_vectors() {
        for (text, expected) in
            [("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foobar", "MZXW6YTBOI")]
        {
            assert_eq!(base32(text.as_bytes()), expected);
        }
    }
}
