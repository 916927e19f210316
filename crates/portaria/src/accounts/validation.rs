//! What an e-mail address and a password must be.

use email_address::{EmailAddress, Options};
use jiff::{SignedDuration, Timestamp};

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use crate::api::auth::AuthError;
use crate::{clock::format_timestamp, config::Config, display_name, security::password};

/// The most that an account's metadata may take as JSON. Bytes.
const MAX_METADATA: usize = 8 << 10;
/// What is tried first by whoever guesses: a password a line, in lower case, in this country and everywhere.
const COMMON: &str = include_str!("common_passwords.txt");

/// An address as it is stored: lower case, checked.
///
/// # Errors
/// `validation_failed` when it is no address.
pub fn email(text: &str) -> Result<String, AuthError> {
    let refused = || AuthError::validation("Unable to validate email address: invalid format");
    let text = text.trim().to_lowercase();
    let options =
        Options::default().with_required_tld().without_display_text().without_domain_literal();
    let legal = EmailAddress::parse_with_options(&text, options).is_ok();
    // A quoted local part may hold anything, line ends included, and no mailbox here needs one.
    if !legal
        || text.len() > 254
        || text.contains(|c: char| c == '"' || c.is_control() || c.is_whitespace())
    {
        return Err(refused());
    }
    Ok(text)
}

/// Checks a new password.
///
/// # Errors
/// `weak_password` when it is too short or among the first to be tried (security T10), `validation_failed` when it cannot be hashed.
pub fn password(text: &str, config: &Config) -> Result<(), AuthError> {
    if text.len() > password::MAX_LENGTH {
        return Err(AuthError::validation("Password is too long"));
    }
    if text.chars().count() < config.password_min {
        return Err(AuthError::short_password(config.password_min));
    }
    let lower = text.to_lowercase();
    if COMMON.lines().any(|common| common == lower) {
        return Err(AuthError::common_password());
    }
    Ok(())
}

/// Until when a ban lasts: `24h`, `1h30m`; `none` lifts it.
///
/// # Errors
/// `validation_failed` when it is no such time.
pub fn ban(duration: &str, now: Timestamp) -> Result<Option<String>, AuthError> {
    if duration == "none" {
        return Ok(None);
    }
    let lasts = duration.parse().ok().filter(SignedDuration::is_positive);
    let until = lasts.and_then(|lasts| now.checked_add(lasts).ok());
    let until = until.ok_or_else(|| AuthError::validation("Invalid format for ban duration"))?;
    Ok(Some(format_timestamp(until)))
}

/// Refuses what is no phone number, by E.164.
///
/// # Errors
/// `validation_failed`.
pub(crate) fn phone(text: &str) -> Result<(), AuthError> {
    let digits = text.trim().trim_start_matches('+');
    let legal = (2..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    if legal {
        Ok(())
    } else {
        Err(AuthError::validation("Invalid phone number format (E.164 required)"))
    }
}

/// Merges metadata key by key; null removes one.
///
/// # Errors
/// `validation_failed` when there would be so much that the access token, which carries it, is too long to send.
pub(crate) fn merge(
    metadata: &mut Map<String, Value>,
    changes: Map<String, Value>,
) -> Result<(), AuthError> {
    for (key, mut value) in changes {
        if let ("full_name", Value::String(name)) = (key.as_str(), &mut value) {
            *name = display_name::sanitize_display_name(name);
        }
        if value.is_null() {
            metadata.shift_remove(&key);
        } else {
            metadata.insert(key, value);
        }
    }
    let length = serde_json::to_string(metadata).map_or(usize::MAX, |text| text.len());
    if length > MAX_METADATA {
        return Err(AuthError::validation("Metadata is too long"));
    }
    Ok(())
}

/// Refuses the fixed administrator's address, which nobody can take by an ordinary way (behaviour A7).
///
/// # Errors
/// `email_exists`, as if the account existed already.
pub fn not_reserved(email: &str, config: &Config) -> Result<(), AuthError> {
    // In letters of another width it is the same to whoever reads it.
    if config.admin_email == Some(email.nfkc().collect::<String>().to_lowercase()) {
        Err(AuthError::email_exists())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::accounts::validation::email;

    #[test]
    fn addresses() {
        assert_eq!(email(" João.Silva@Exemplo.com.BR ").unwrap(), "joão.silva@exemplo.com.br");
        for bad in [
            "",
            "a@b",
            "a@@b.c",
            "a b@c.d",
            "\"a\r\nBcc:x\"@b.c",
            "a@b.c\0",
            "a@[127.0.0.1]",
            "<a@b.c>",
        ] {
            assert!(email(bad).is_err(), "{bad:?}");
        }
        assert!(email(&format!("{}@b.com", "a".repeat(255))).is_err());
    }
}
