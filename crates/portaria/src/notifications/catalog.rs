//! The catalog of notifications: for each the event that triggers it, the setting that enables it, its topic, and its
//! built-in text for offices without a template of their own.

use std::collections::BTreeSet;

use crate::mail::template;

/// The kind of row that a notification is about. It determines the placeholders of its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are self-explanatory")]
pub enum SubjectKind {
    Document,
    Ticket,
    Request,
}

/// A type of notification.
#[derive(Debug)]
pub struct NotificationType {
    /// The event that triggers it, as `email_templates` and `outbox` name it.
    pub trigger: &'static str,
    /// The setting that enables it, as `email_notification_settings` names it.
    pub setting: &'static str,
    /// Whether it is enabled without a row in `email_notification_settings`.
    pub on_by_default: bool,
    /// The topic by which recipients can mute it.
    pub topic: &'static str,
    /// The kind of row that it is about.
    pub about: SubjectKind,
    /// The name in the office's screens.
    pub name: &'static str,
    /// The built-in subject.
    pub subject: &'static str,
    /// The built-in text.
    pub body: &'static str,
}

macro_rules! notifications {
    ($($about:ident $topic:literal $default:literal: $($trigger:literal $setting:literal $name:literal $subject:literal)*;)*) => {
        /// All notifications, in the order in which the screens list them.
        pub static NOTICES: &[NotificationType] = &[$($(NotificationType {
            trigger: $trigger,
            setting: $setting,
            on_by_default: $default,
            topic: $topic,
            about: SubjectKind::$about,
            name: $name,
            subject: $subject,
            body: include_str!(concat!("../../templates/notices/", $trigger, ".html")),
        },)*)*];
    };
}

notifications! {
    Document "documents" false:
        "contrato_new" "contrato_new" "Novo contrato" "Novo contrato: {{document.name}}"
        "fatura_new" "fatura_new" "Nova fatura" "Nova fatura: {{document.name}}"
        "relatorio_new" "relatorio_new" "Novo relatório" "Novo relatório: {{document.name}}"
        "aviso_geral" "aviso_new" "Aviso geral" "Novo aviso: {{document.name}}";
    Document "documents" true:
        "document_reminder" "document_reminder" "Lembrete" "Ainda não aberto: {{document.name}}";
    Document "expiries" false:
        "fatura_expiring_soon" "fatura_expiring_soon" "Fatura prestes a vencer" "Fatura prestes a vencer: {{document.name}}"
        "fatura_expired" "fatura_expired" "Fatura vencida" "Fatura vencida: {{document.name}}"
        "contrato_expiring_soon" "contrato_expiring_soon" "Contrato prestes a vencer" "Contrato prestes a vencer: {{document.name}}"
        "contrato_expired" "contrato_expired" "Contrato vencido" "Contrato vencido: {{document.name}}";
    Ticket "tickets" true:
        "ticket_created_user" "ticket_created_user" "Ticket criado" "Ticket registrado: {{ticket.subject}}"
        "ticket_updated_user" "ticket_updated_user" "Ticket atualizado" "Novidade no seu ticket: {{ticket.subject}}";
    Request "requests" true:
        "request_new" "request_new" "Nova solicitação" "O escritório pede: {{request.name}}"
        "request_refused" "request_refused" "Solicitação recusada" "Envie de novo: {{request.name}}"
        "request_reminder" "request_reminder" "Lembrete de solicitação" "Ainda falta enviar: {{request.name}}";
}

/// The event of a reminder of a document that its client did not open.
pub const DOCUMENT_REMINDER: &str = "document_reminder";
/// The event of an item that the office asks for.
pub const REQUEST_NEW: &str = "request_new";
/// The event of an item whose answer the office refused.
pub const REQUEST_REFUSED: &str = "request_refused";
/// The event of a reminder of an item that its client did not answer.
pub const REQUEST_REMINDER: &str = "request_reminder";

/// The placeholders of templates, each with the kind of row that provides it; `None` if every notification does.
pub const VARIABLES: [(&str, Option<SubjectKind>); 13] = [
    ("client.name", None),
    ("document.name", Some(SubjectKind::Document)),
    ("document.link", Some(SubjectKind::Document)),
    ("ticket.subject", Some(SubjectKind::Ticket)),
    ("document.expires_at", Some(SubjectKind::Document)),
    ("document.folder", Some(SubjectKind::Document)),
    ("ticket.id", Some(SubjectKind::Ticket)),
    ("office.name", None),
    ("request.name", Some(SubjectKind::Request)),
    ("request.hint", Some(SubjectKind::Request)),
    ("request.due_on", Some(SubjectKind::Request)),
    ("request.refusal_reason", Some(SubjectKind::Request)),
    ("request.link", Some(SubjectKind::Request)),
];

/// The kinds of documents, as documents, folders and events name them.
pub const DOCUMENT_KINDS: [&str; 4] = ["contrato", "fatura", "relatorio", "aviso"];

/// Returns the notification that an event triggers.
#[must_use]
pub fn by_event(trigger: &str) -> Option<&'static NotificationType> {
    NOTICES.iter().find(|notification| notification.trigger == trigger)
}

/// Returns the notification about an event of a document of this kind. Events are `new`, `expiring_soon` and `expired`.
#[must_use]
pub fn of_document(kind: &str, event: &str) -> Option<&'static NotificationType> {
    NOTICES.iter().find(|notification| {
        let event_name =
            notification.setting.strip_prefix(kind).and_then(|rest| rest.strip_prefix('_'));
        notification.about == SubjectKind::Document && event_name == Some(event)
    })
}

/// Returns the placeholders of a template that do not exist, and those that its notification has no value for.
#[must_use]
pub fn invalid_placeholders(trigger: &str, texts: [&str; 2]) -> (Vec<String>, Vec<String>) {
    let about = by_event(trigger).map(|notification| notification.about);
    let (mut unknown, mut unavailable) = (Vec::new(), Vec::new());
    let mut listed = BTreeSet::new();
    let mut add = |list: &mut Vec<String>, name: &str| {
        if listed.insert(name.to_owned()) {
            list.push(name.to_owned());
        }
    };
    for text in texts {
        for name in template::names(text) {
            match VARIABLES.iter().find(|(variable, _)| *variable == name) {
                None => add(&mut unknown, name),
                Some((_, Some(required))) if about.is_some_and(|about| about != *required) => {
                    add(&mut unavailable, name);
                }
                Some(_) => {}
            }
        }
        for placeholder in template::malformed(text) {
            add(&mut unknown, placeholder);
        }
    }
    (unknown, unavailable)
}

#[cfg(test)]
mod tests {
    use crate::mail::sanitize;
    use crate::notifications::catalog::{
        DOCUMENT_KINDS, NOTICES, SubjectKind, invalid_placeholders, of_document,
    };

    #[test]
    fn built_in_texts_are_valid_templates() {
        for notification in NOTICES {
            let found = invalid_placeholders(
                notification.trigger,
                [notification.subject, notification.body],
            );
            assert_eq!(
                found,
                (
                    vec![
                        "site.url".to_owned();
                        usize::from(notification.about == SubjectKind::Ticket)
                    ],
                    vec![]
                )
            );
            let body = notification.body.replace("{{site.url}}", "https://portal");
            assert_eq!(
                sanitize::removed_elements(&body).unwrap(),
                [""; 0],
                "{}",
                notification.trigger
            );
        }
    }

    #[test]
    fn document_kinds_have_their_notifications() {
        for kind in DOCUMENT_KINDS {
            let expires = ["contrato", "fatura"].contains(&kind);
            assert_eq!(of_document(kind, "expired").is_some(), expires);
            assert_eq!(of_document(kind, "expiring_soon").is_some(), expires);
            let trigger =
                if kind == "aviso" { "aviso_geral".to_owned() } else { format!("{kind}_new") };
            assert_eq!(of_document(kind, "new").unwrap().trigger, trigger);
        }
        assert!(of_document("ticket", "created_user").is_none());
    }

    #[test]
    fn invalid_placeholders_are_listed_once() {
        let (unknown, unavailable) = invalid_placeholders(
            "fatura_new",
            ["{{client.cpf}} {{ticket.subject}}", "{{ client.cpf }}{{7*7}}{{client.name}}"],
        );
        assert_eq!(unknown, ["client.cpf", "{{7*7}}"]);
        assert_eq!(unavailable, ["ticket.subject"]);
    }
}
