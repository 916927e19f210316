//! Migration `0008_canonical_text`: the forms in which texts are compared. Requests contain e-mail addresses with
//! punycode domains and texts in the Unicode form NFC, so rows of versions that stored other forms would not be found.
//!
//! Other texts stay as they are: ids such as `folders.id_supabase` are part of object names, names of objects always
//! had this form, and the hashes of the audit log cover its texts.

use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::Value;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::{
    db::{Error, Row, Tx},
    schema::value::normalize_texts,
    security::email_address::canonical_address,
};

/// Maximum number of rows in memory.
const BATCH_ROWS: u64 = 100;

/// Converts a text to its form. A second conversion changes nothing.
type Form = fn(&str) -> String;

/// Columns of a table and the form of their texts.
struct Texts {
    table: &'static str,
    key: &'static str,
    columns: &'static [(&'static str, Form)],
}

const TEXTS: &[Texts] = &[
    Texts {
        table: "users",
        key: "id",
        columns: &[
            ("email", canonical_address),
            ("new_email", canonical_address),
            ("app_metadata", nfc_json),
            ("user_metadata", nfc_json),
        ],
    },
    Texts { table: "one_time_tokens", key: "hash", columns: &[("email", canonical_address)] },
    Texts {
        table: "outbox",
        key: "id",
        columns: &[("recipient", canonical_address), ("subject", nfc)],
    },
    Texts {
        table: "folders",
        key: "id",
        columns: &[("name", nfc), ("icon", nfc), ("legal_hold_reason", nfc)],
    },
    Texts {
        table: "documents",
        key: "id",
        columns: &[
            ("name", nfc),
            ("type", nfc),
            ("status", nfc),
            ("file_url", nfc),
            ("legal_hold_reason", nfc),
        ],
    },
    Texts { table: "tickets", key: "id", columns: &[("subject", nfc), ("message", nfc)] },
    Texts { table: "ticket_messages", key: "id", columns: &[("body", nfc)] },
    Texts { table: "ticket_attachments", key: "id", columns: &[("name", nfc), ("file_url", nfc)] },
    Texts { table: "saved_replies", key: "id", columns: &[("title", nfc), ("body", nfc)] },
    Texts {
        table: "email_templates",
        key: "id",
        columns: &[
            ("name", nfc),
            ("subject", nfc),
            ("html_content", nfc),
            ("event_trigger", nfc),
            ("description", nfc),
        ],
    },
];

/// Converts the stored texts. A row whose new form violates a constraint, such as an address that another account has,
/// stays as it is, with a warning in the log.
pub(crate) fn rewrite(tx: &mut Tx<'_>) -> Result<(), Error> {
    TEXTS.iter().try_for_each(|texts| rewrite_table(tx, texts))
}

fn rewrite_table(tx: &mut Tx<'_>, texts: &Texts) -> Result<(), Error> {
    let mut last = String::new();
    loop {
        let mut query = Query::select();
        query.column(texts.key).columns(texts.columns.iter().map(|(column, _)| *column));
        query.from(texts.table).and_where(Expr::col(texts.key).gt(last.as_str()));
        let rows = tx.rows(query.order_by(texts.key, Order::Asc).limit(BATCH_ROWS))?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in rows.iter() {
            row.text(0)?.clone_into(&mut last);
            rewrite_row(tx, texts, row)?;
        }
    }
}

fn rewrite_row(tx: &mut Tx<'_>, texts: &Texts, row: Row<'_>) -> Result<(), Error> {
    let key = row.text(0)?;
    let mut changes: Vec<(&str, Expr)> = Vec::new();
    for (position, (column, form)) in texts.columns.iter().enumerate() {
        let Some(text) = row.opt_text(position + 1)? else { continue };
        let converted = form(text);
        if converted != text {
            changes.push((*column, converted.into()));
        }
    }
    if changes.is_empty() {
        return Ok(());
    }

    let mut update = Query::update();
    update.table(texts.table).values(changes).and_where(Expr::col(texts.key).eq(key));
    match tx.savepoint(|tx| tx.execute(&update)) {
        Err(error @ (Error::Unique(_) | Error::Check(_))) => {
            tracing::warn!(
                table = texts.table,
                row = key,
                %error,
                "row keeps texts in an old form, in which searches and sign-ins do not find them; change them by hand",
            );
            Ok(())
        }
        other => other.map(drop),
    }
}

fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// Converts the texts in JSON. A combining character behind an escape such as `\n` does not combine with its letter.
fn nfc_json(json: &str) -> String {
    if is_nfc(json) && !json.contains("\\u") {
        return json.to_owned();
    }
    let Ok(mut value) = serde_json::from_str::<Value>(json) else { return json.to_owned() };
    let stored = value.clone();
    normalize_texts(&mut value);
    if value == stored { json.to_owned() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use crate::schema::canonical_text::nfc_json;

    #[test]
    fn json_stays_valid_and_unchanged_where_it_is_nfc() {
        for (stored, expected) in [
            ("{\"a\": \"ção\", \"b\":1.0}", "{\"a\": \"ção\", \"b\":1.0}"),
            ("{\"b\":[\"a\u{303}o\"],\"a\":null}", "{\"b\":[\"ão\"],\"a\":null}"),
            ("{\"a\":\"a\\u0303o\"}", "{\"a\":\"ão\"}"),
            ("{\"a\":\"\\n\u{303}\"}", "{\"a\":\"\\n\u{303}\"}"),
            ("{\"a\u{303}\":\"x\"}", "{\"a\u{303}\":\"x\"}"),
            ("no JSON a\u{303}", "no JSON a\u{303}"),
        ] {
            assert_eq!(nfc_json(stored), expected);
        }
    }
}
