//! Validation of e-mail addresses, passwords, metadata and ban durations.

use email_address::{EmailAddress, Options};
use jiff::{SignedDuration, Timestamp};

use serde_json::{Map, Value};
use unicode_normalization::UnicodeNormalization;

use crate::{
    accounts::AccountError,
    clock::format_timestamp,
    config::Config,
    display_name,
    schema::value::normalize_texts,
    security::{
        email_address::{canonical_address, canonical_domain},
        password,
    },
};

/// Maximum size of an account's metadata as JSON, in bytes. The access token contains it and must fit into a header.
const MAX_METADATA_BYTES: usize = 8 << 10;
/// Key of CPF or CNPJ in the metadata of a client.
const TAX_ID: &str = "tax_id";
/// Passwords that attackers try first, worldwide and in Brazil: one per line, in lower case.
const COMMON_PASSWORDS: &str = include_str!("common_passwords.txt");

/// Validates an e-mail address and returns it in the form in which addresses are stored.
///
/// # Errors
/// `validation_failed` if it is no valid address.
pub fn email(text: &str) -> Result<String, AccountError> {
    let refused = || AccountError::Invalid("Unable to validate email address: invalid format");
    let text = canonical_address(text);
    let (_, domain) = text.rsplit_once('@').ok_or_else(refused)?;
    if canonical_domain(domain).is_none() {
        return Err(refused());
    }
    let options =
        Options::default().with_required_tld().without_display_text().without_domain_literal();
    let is_valid = EmailAddress::parse_with_options(&text, options).is_ok();
    // A quoted local part could contain line breaks, which must not reach a mail header.
    if !is_valid
        || text.len() > 254
        || text.contains(|c: char| c == '"' || c.is_control() || c.is_whitespace())
    {
        return Err(refused());
    }
    Ok(text)
}

/// Rejects a local part outside ASCII, which few mail servers accept (RFC 6531), in an address that an account is about
/// to receive. Accounts of earlier versions keep theirs.
///
/// # Errors
/// `email_address_not_ascii`.
pub fn require_ascii_local_part(email: &str) -> Result<(), AccountError> {
    let local = email.rsplit_once('@').map_or(email, |(local, _)| local);
    if local.is_ascii() { Ok(()) } else { Err(AccountError::EmailNotAscii) }
}

/// Validates a new password.
///
/// # Errors
/// `weak_password` if it is too short or a common password, `validation_failed` if it is too long to be hashed.
pub fn password(text: &str, config: &Config) -> Result<(), AccountError> {
    if text.len() > password::MAX_LENGTH {
        return Err(AccountError::Invalid("Password is too long"));
    }
    if text.chars().count() < config.password_min {
        return Err(AccountError::PasswordTooShort { min: config.password_min });
    }
    let lower = text.to_lowercase();
    if COMMON_PASSWORDS.lines().any(|common| common == lower) {
        return Err(AccountError::CommonPassword);
    }
    Ok(())
}

/// Returns the end of a ban of this duration (`24h`, `1h30m`); `none` lifts a ban.
///
/// # Errors
/// `validation_failed` if the duration is malformed or not positive.
pub fn ban_end(duration: &str, now: Timestamp) -> Result<Option<String>, AccountError> {
    if duration == "none" {
        return Ok(None);
    }
    let length = duration.parse().ok().filter(SignedDuration::is_positive);
    let until = length.and_then(|length| now.checked_add(length).ok());
    let until = until.ok_or(AccountError::Invalid("invalid format for ban duration"))?;
    Ok(Some(format_timestamp(until)))
}

/// Validates a phone number (E.164).
///
/// # Errors
/// `validation_failed`.
pub(crate) fn phone(text: &str) -> Result<(), AccountError> {
    let digits = text.trim().trim_start_matches('+');
    let is_valid = (2..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    if is_valid {
        Ok(())
    } else {
        Err(AccountError::Invalid("Invalid phone number format (E.164 required)"))
    }
}

/// Merges metadata key by key, with texts in the Unicode form NFC; `null` removes a key.
///
/// # Errors
/// `validation_failed` if the result exceeds 8 KiB.
pub(crate) fn merge_metadata(
    metadata: &mut Map<String, Value>,
    changes: Map<String, Value>,
) -> Result<(), AccountError> {
    for (key, mut value) in changes {
        normalize_texts(&mut value);
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
    if length > MAX_METADATA_BYTES {
        return Err(AccountError::Invalid("Metadata is too long"));
    }
    Ok(())
}

/// Applies a person's changes to the metadata of the own account. The tax ID is ignored: the office enters it, and files of
/// the inbox are recognized by it.
pub(crate) fn merge_own_metadata(
    metadata: &mut Map<String, Value>,
    mut changes: Map<String, Value>,
) -> Result<(), AccountError> {
    changes.shift_remove(TAX_ID);
    merge_metadata(metadata, changes)
}

/// Rejects the configured administrator's address (`admin_email`): an account with it receives the role `admin`.
///
/// # Errors
/// `email_exists`, as if the account existed already.
pub fn require_not_reserved(email: &str, config: &Config) -> Result<(), AccountError> {
    // NFKC maps full-width letters and other variants to the same address.
    if config.admin_email == Some(email.nfkc().collect::<String>().to_lowercase()) {
        Err(AccountError::EmailExists)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::accounts::validation::{email, require_ascii_local_part};

    #[test]
    fn email_is_normalized_and_rejects_invalid_addresses() {
        assert_eq!(email(" Joao.Silva@Exemplo.com.BR ").unwrap(), "joao.silva@exemplo.com.br");
        assert_eq!(email("a@pão.com").unwrap(), "a@xn--po-sia.com");
        assert_eq!(email("JOA\u{303}O@pão.com").unwrap(), "joão@xn--po-sia.com");
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

    #[test]
    fn local_part_outside_ascii_is_refused_for_a_new_address() {
        assert!(require_ascii_local_part("joao@exemplo.com").is_ok());
        let error = require_ascii_local_part("joão@exemplo.com").unwrap_err();
        assert_eq!(error.code(), "email_address_not_ascii");
    }
}
