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

/// An item of a template.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only the form of the values is checked")]
struct TemplateItem {
    name: String,
    hint: Option<String>,
    repeats_monthly: bool,
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
    if items.is_ok_and(|items| (1..=MAX_ITEMS).contains(&items.len())) {
        return Ok(());
    }
    let message = format!("Um modelo tem de 1 a {MAX_ITEMS} itens, cada um com um nome.");
    Err(WriteError::invalid("23514", message))
}
