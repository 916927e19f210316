//! The rules of the table `request_templates`.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    app::App,
    audit::{EventName, RowNaming},
    table_write::{PayloadCheck, TableHooks, WriteError},
};

/// Maximum number of items of a template.
const MAX_ITEMS: usize = 50;
/// Maximum number of characters of the name of an item, as in `request_items`.
const MAX_NAME_CHARS: usize = 120;
/// Maximum number of characters of a hint, as in `request_items`.
const MAX_HINT_CHARS: usize = 500;

/// An item of a template.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateItem {
    name: String,
    hint: Option<String>,
    #[expect(dead_code, reason = "only the type of the value is checked")]
    repeats_monthly: bool,
}

impl TemplateItem {
    fn is_valid(&self) -> bool {
        let name = self.name.trim().chars().count();
        let hint = self.hint.as_ref().map_or(0, |hint| hint.chars().count());
        (1..=MAX_NAME_CHARS).contains(&name) && hint <= MAX_HINT_CHARS
    }
}

/// The hooks of `request_templates`.
pub(crate) struct RequestTemplateHooks;

impl TableHooks for RequestTemplateHooks {
    fn payload_check(&self) -> Option<PayloadCheck> {
        Some(check_items)
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("name", 1)]
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["name", "items"])
    }

    fn audit(&self) -> Option<RowNaming> {
        let events = [
            EventName::RequestTemplateCreated,
            EventName::RequestTemplateChanged,
            EventName::RequestTemplateDeleted,
        ];
        Some(RowNaming::of_columns("request_templates", "name", None, events))
    }
}

/// # Errors
/// 23514 for a list of another form.
fn check_items(_app: &App, payload: &Map<String, Value>) -> Result<(), WriteError> {
    let Some(items) = payload.get("items") else { return Ok(()) };
    let items = serde_json::from_value::<Vec<TemplateItem>>(items.clone());
    let is_valid = items.is_ok_and(|items| {
        (1..=MAX_ITEMS).contains(&items.len()) && items.iter().all(TemplateItem::is_valid)
    });
    if is_valid {
        return Ok(());
    }
    let message = format!("Um modelo tem de 1 a {MAX_ITEMS} itens, cada um com um nome.");
    Err(WriteError::invalid("23514", message))
}
