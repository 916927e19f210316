//! Pix codes of the demo's slips.

use portaria_codes::pix;

/// The key of the example in the central bank's manual. No account has it, so no bank accepts a demo code.
const KEY: &str = "123e4567-e12b-12d1-a456-426655440000";

/// Returns a Pix code for `cents`.
pub(crate) fn code(merchant: &str, cents: i64) -> String {
    let field = |id: &str, value: &str| format!("{id}{:02}{value}", value.len());
    let account = field("00", "br.gov.bcb.pix") + &field("01", KEY);
    let body = [
        field("00", "01"),
        field("26", &account),
        field("52", "0000"),
        field("53", "986"),
        field("54", &format!("{}.{:02}", cents / 100, cents % 100)),
        field("58", "BR"),
        field("59", merchant),
        field("60", "SAO PAULO"),
        field("62", &field("05", "***")),
        "6304".to_owned(),
    ]
    .concat();
    let checksum = pix::checksum(&body);
    format!("{body}{checksum}")
}
