//! The rules of the table `recognition_rules`: kinds of documents that the office describes by phrases. A rule of the
//! office precedes those of `portaria-recognize`.

use portaria_recognize::{OfficeKind, fold, kind_id};
use sea_query::{Expr, Order, Query};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    app::App,
    audit::{EventName, RowNaming},
    db::{Error, Tx},
    office,
    table_write::{PayloadCheck, Row, TableHooks, WriteContext, WriteError},
};

/// Maximum number of rules of an office.
const MAX_RULES: i64 = 100;
/// Maximum number of phrases of a rule, and of excluded ones.
const MAX_PHRASES: usize = 5;
/// Minimum number of letters and digits of a phrase: shorter ones occur everywhere.
const MIN_PHRASE_CHARS: usize = 3;
/// Maximum number of characters of a phrase.
const MAX_PHRASE_CHARS: usize = 80;

/// The hooks of `recognition_rules`.
pub(crate) struct RecognitionRuleHooks;

impl TableHooks for RecognitionRuleHooks {
    fn payload_check(&self) -> Option<PayloadCheck> {
        Some(check_rule)
    }

    fn before_insert(
        &self,
        _ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        _row: &mut Row,
    ) -> Result<(), WriteError> {
        office::lock(tx)?;
        let mut query = Query::select();
        query.expr(Expr::cust("count(*)")).from("recognition_rules");
        let rows = tx.rows(&query)?;
        if rows.first().map_or(Ok(0), |row| row.int(0))? < MAX_RULES {
            return Ok(());
        }
        let message =
            format!("O escritório já tem {MAX_RULES} regras. Exclua uma para criar outra.");
        Err(WriteError::conflict("too_many_recognition_rules", message))
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("name", 1)]
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["name", "phrases", "excluded_phrases", "folder_id_supabase", "is_payable"])
    }

    fn audit(&self) -> Option<RowNaming> {
        let events = [
            EventName::RecognitionRuleCreated,
            EventName::RecognitionRuleChanged,
            EventName::RecognitionRuleDeleted,
        ];
        Some(RowNaming::of_columns("recognition_rules", "name", None, events))
    }
}

/// # Errors
/// 23514 for a name without letters and digits, and for a list of another form.
fn check_rule(_app: &App, payload: &Map<String, Value>) -> Result<(), WriteError> {
    let name = payload.get("name").and_then(Value::as_str);
    if name.is_some_and(|name| kind_id(name).is_empty()) {
        return Err(WriteError::invalid("23514", "Dê à regra um nome com letras ou números."));
    }
    for (column, min) in [("phrases", 1), ("excluded_phrases", 0)] {
        let Some(phrases) = payload.get(column) else { continue };
        let phrases = serde_json::from_value::<Vec<String>>(phrases.clone());
        let is_valid = phrases.is_ok_and(|phrases| {
            (min..=MAX_PHRASES).contains(&phrases.len())
                && phrases.iter().all(|phrase| is_phrase(phrase))
        });
        if !is_valid {
            let message = format!(
                "Uma regra tem de 1 a {MAX_PHRASES} expressões que aparecem e até {MAX_PHRASES} que não aparecem, \
                 cada uma com {MIN_PHRASE_CHARS} a {MAX_PHRASE_CHARS} letras ou números."
            );
            return Err(WriteError::invalid("23514", message));
        }
    }
    Ok(())
}

fn is_phrase(text: &str) -> bool {
    let letters = fold(text).chars().filter(char::is_ascii_alphanumeric).count();
    letters >= MIN_PHRASE_CHARS
        && text.chars().count() <= MAX_PHRASE_CHARS
        && !text.chars().any(char::is_control)
}

/// Returns the kinds of the office, oldest first.
///
/// # Errors
/// Database errors.
pub(crate) fn kinds(tx: &mut Tx<'_>) -> Result<Vec<OfficeKind>, Error> {
    let mut query = Query::select();
    query.columns(["name", "phrases", "excluded_phrases", "is_payable"]).from("recognition_rules");
    query.order_by("created_at", Order::Asc).order_by("id", Order::Asc);
    let kind = |row: crate::db::Row<'_>| {
        Ok(OfficeKind {
            name: row.text(0)?.to_owned(),
            phrases: list(row.text(1)?)?,
            excluded: list(row.text(2)?)?,
            is_payable: row.bool(3)?,
        })
    };
    tx.rows(&query)?.iter().map(kind).collect()
}

fn list<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, Error> {
    serde_json::from_str(text).map_err(|error| Error::Internal(format!("phrases: {error}")))
}

#[cfg(test)]
mod tests {
    use crate::inbox::recognition::is_phrase;

    #[test]
    fn phrase_has_three_letters_or_digits() {
        for good in ["PIX", "nº 12 – Bloco A", "condomínio"] {
            assert!(is_phrase(good), "{good}");
        }
        for bad in ["", "a b", "—— ..", "linha\nquebrada", &"x".repeat(81)] {
            assert!(!is_phrase(bad), "{bad}");
        }
    }
}
