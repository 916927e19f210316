//! The rules of the table `email_templates`.

use serde_json::{Map, Value, json};

use crate::{
    audit::{EventName, RowNaming},
    mail::{
        sanitize::{MAX_IMAGE_BYTES, holds_large_image},
        template::is_control_or_line_break,
    },
    notifications::catalog,
    table_write::{TableHooks, WriteError},
};

/// Maximum length of a subject. Characters.
const MAX_SUBJECT_CHARS: usize = 200;

/// The hooks of `email_templates`.
pub(crate) struct TemplateHooks;

impl TableHooks for TemplateHooks {
    /// Validates a template. A known variable for which the event has no value is accepted: it is rendered empty, and
    /// the editor displays a warning.
    ///
    /// # Errors
    /// `template_subject`, `template_image` or `template_variables` for a template that cannot be sent as written.
    fn validate_payload(&self, payload: &Map<String, Value>) -> Result<(), WriteError> {
        let text = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        let (subject, html) = (text("subject"), text("html_content"));
        if subject.chars().any(is_control_or_line_break)
            || subject.chars().count() > MAX_SUBJECT_CHARS
        {
            let message =
                format!("O assunto deve caber em uma linha de até {MAX_SUBJECT_CHARS} caracteres.");
            return Err(WriteError::unprocessable("template_subject", message));
        }
        if holds_large_image(html) {
            let message = format!(
                "Uma imagem do conteúdo tem mais de {} kB. Use uma imagem menor ou o endereço dela na internet.",
                MAX_IMAGE_BYTES / 1000
            );
            return Err(WriteError::unprocessable("template_image", message));
        }
        let (unknown, _) = catalog::invalid_placeholders(text("event_trigger"), [subject, html]);
        if unknown.is_empty() {
            return Ok(());
        }
        let message = format!("Estas variáveis não existem: {}.", unknown.join(", "));
        Err(WriteError::unprocessable("template_variables", message)
            .details(json!(unknown).to_string()))
    }

    fn audit(&self) -> Option<RowNaming> {
        Some(naming())
    }
}

/// Returns the names of templates and their changes in the audit log.
pub(crate) fn naming() -> RowNaming {
    let events =
        [EventName::TemplateCreated, EventName::TemplateChanged, EventName::TemplateDeleted];
    RowNaming::of_columns("email_templates", "name", None, events)
}
