//! The generated types of the web app, `web/src/lib/api/database.types.ts`. `cargo xtask types` runs the test with
//! `TEST_WRITE_TYPES` set, which writes the file. Without the variable the test compares the file.

mod source;
mod typescript;

use std::{collections::BTreeSet, env, fs, path::Path};

use portaria::{
    api::{account, auth, rest, storage},
    audit::EventName,
    email_templates::preview,
    notifications::{account_mail, catalog, digest, staff_mail},
};

#[test]
fn generated_types_match_the_server() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/lib/api/database.types.ts");
    let generated = generate();
    if env::var_os("TEST_WRITE_TYPES").is_some() {
        fs::write(&path, generated).unwrap();
        return;
    }
    let current = fs::read_to_string(&path).unwrap();
    assert!(current == generated, "{} is out of date: run `cargo xtask types`", path.display());
}

#[test]
fn error_codes_in_the_source_are_listed() {
    let found = source::error_codes();
    assert!(found.len() > 80, "the search finds the calls that construct errors: {found:?}");
    let listed = error_codes();
    let missing: Vec<&String> =
        found.iter().filter(|code| !listed.contains(code.as_str())).collect();
    assert!(missing.is_empty(), "missing in CODES of an `error.rs`: {missing:?}");
}

fn generate() -> String {
    let triggers = catalog::NOTICES.iter().map(|notice| notice.trigger);
    let mails = triggers
        .clone()
        .chain(account_mail::EVENTS.iter().copied())
        .chain([digest::EVENT, preview::EVENT])
        .chain(staff_mail::events());
    [
        typescript::database(&source::enums(), &source::functions()),
        typescript::union("ERROR_CODES", "ErrorCode", error_codes()),
        typescript::union(
            "AUDIT_EVENT_NAMES",
            "AuditEventName",
            EventName::ALL.iter().map(|name| name.as_str()),
        ),
        typescript::union("NOTIFICATION_TRIGGERS", "NotificationTrigger", triggers),
        typescript::union("MAIL_EVENTS", "MailEvent", mails),
    ]
    .join("\n")
}

/// The error codes of all surfaces.
fn error_codes() -> BTreeSet<&'static str> {
    [auth::error_codes::CODES, rest::error::CODES, storage::error::CODES, account::error::CODES]
        .concat()
        .into_iter()
        .collect()
}
