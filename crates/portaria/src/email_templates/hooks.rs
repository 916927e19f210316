//! The rules of the table `email_templates`.

use serde_json::{Map, Value, json};

use crate::{
    app::App,
    audit::{EventName, RowNaming},
    db::Tx,
    mail::{
        html_limits::{LimitExceeded, MAX_DEPTH, MAX_HTML_BYTES, MAX_NODES},
        sanitize::{MAX_IMAGE_BYTES, holds_large_image},
        template::is_control_or_line_break,
    },
    notifications::{catalog, notifier::custom_template},
    table_write::{PayloadCheck, Row, TableHooks, WriteContext, WriteError, text},
};

/// Maximum length of a subject. Characters.
const MAX_SUBJECT_CHARS: usize = 200;

/// The hooks of `email_templates`.
pub(crate) struct TemplateHooks;

impl TableHooks for TemplateHooks {
    fn payload_check(&self) -> Option<PayloadCheck> {
        Some(check_template)
    }

    /// # Errors
    /// 23514 for a trigger without a notification.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        require_trigger(ctx, row)
    }

    /// # Errors
    /// As [`Self::before_insert`].
    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        require_trigger(ctx, changes)
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("name", 1), ("subject", 1), ("html_content", 1)]
    }

    fn audit(&self) -> Option<RowNaming> {
        Some(naming())
    }
}

fn require_trigger(ctx: &WriteContext<'_>, row: &Row) -> Result<(), WriteError> {
    match text(row, "event_trigger") {
        Some(trigger) if catalog::by_event(trigger).is_none() => {
            Err(WriteError::check_violation(ctx.table, "email_templates_event_trigger_check"))
        }
        _ => Ok(()),
    }
}

/// Validates a template and builds its page, so that the first mail finds it ready. A known variable for which the
/// event has no value is accepted: it is rendered empty, and the editor displays a warning.
///
/// # Errors
/// `template_subject`, `template_image`, `template_depth`, `template_size` or `template_variables` for a template that
/// cannot be sent as written.
fn check_template(app: &App, payload: &Map<String, Value>) -> Result<(), WriteError> {
    let sent = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
    let (subject, html) = (sent("subject"), sent("html_content"));
    if subject.chars().any(is_control_or_line_break) || subject.chars().count() > MAX_SUBJECT_CHARS
    {
        let message =
            format!("O assunto deve caber em uma linha de até {MAX_SUBJECT_CHARS} caracteres.");
        return Err(WriteError::unprocessable("template_subject", message));
    }
    // First, because every other look at the HTML takes longer with what the limits refuse.
    custom_template(app, subject, html).map_err(limit_error)?;
    if holds_large_image(html) {
        let message = format!(
            "Uma imagem do conteúdo tem mais de {} kB. Use uma imagem menor ou o endereço dela na internet.",
            MAX_IMAGE_BYTES / 1000
        );
        return Err(WriteError::unprocessable("template_image", message));
    }
    let (unknown, _) = catalog::invalid_placeholders(sent("event_trigger"), [subject, html]);
    if unknown.is_empty() {
        return Ok(());
    }
    let message = format!("Estas variáveis não existem: {}.", unknown.join(", "));
    Err(WriteError::unprocessable("template_variables", message)
        .details(json!(unknown).to_string()))
}

/// The error for HTML beyond a limit.
pub(crate) fn limit_error(limit: LimitExceeded) -> WriteError {
    match limit {
        LimitExceeded::Depth => WriteError::unprocessable(
            "template_depth",
            format!(
                "O conteúdo tem mais de {MAX_DEPTH} elementos um dentro do outro. Simplifique a estrutura."
            ),
        ),
        LimitExceeded::Size => WriteError::unprocessable(
            "template_size",
            format!(
                "O conteúdo é grande demais. São aceitos até {} kB sem as imagens, {} kB por imagem e {MAX_NODES} elementos.",
                MAX_HTML_BYTES / 1000,
                MAX_IMAGE_BYTES / 1000
            ),
        ),
    }
}

/// Returns the names of templates and their changes in the audit log.
pub(crate) fn naming() -> RowNaming {
    let events =
        [EventName::TemplateCreated, EventName::TemplateChanged, EventName::TemplateDeleted];
    RowNaming::of_columns("email_templates", "name", None, events)
}
