//! The notices that the office's clients get: what sets each off, which setting turns it on, and what it says unless
//! the office wrote a template of its own.

use crate::mail::template;

/// What a notice tells of, which decides what its template can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SubjectKind {
    Document,
    Ticket,
}

/// A kind of notice.
#[derive(Debug)]
pub struct NotificationType {
    /// What sets it off, as templates and the outbox say it.
    pub trigger: &'static str,
    /// What turns it on, as the settings say it.
    pub setting: &'static str,
    /// What a missing setting means.
    pub on_by_default: bool,
    /// What its reader may turn off.
    pub topic: &'static str,
    /// What it tells of.
    pub about: SubjectKind,
    /// How the office calls it.
    pub name: &'static str,
    /// The built-in subject.
    pub subject: &'static str,
    /// The built-in text.
    pub body: &'static str,
}

macro_rules! notices {
    ($($about:ident $topic:literal $default:literal: $($trigger:literal $setting:literal $name:literal $subject:literal)*;)*) => {
        /// Every notice, in the order in which people are shown them.
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

notices! {
    Document "documents" false:
        "contrato_new" "contrato_new" "Novo contrato" "Novo contrato: {{document.name}}"
        "fatura_new" "fatura_new" "Nova fatura" "Nova fatura: {{document.name}}"
        "relatorio_new" "relatorio_new" "Novo relatório" "Novo relatório: {{document.name}}"
        "aviso_geral" "aviso_new" "Aviso geral" "Novo aviso: {{document.name}}";
    Document "expiries" false:
        "fatura_expiring_soon" "fatura_expiring_soon" "Fatura prestes a vencer" "Fatura prestes a vencer: {{document.name}}"
        "fatura_expired" "fatura_expired" "Fatura vencida" "Fatura vencida: {{document.name}}"
        "contrato_expiring_soon" "contrato_expiring_soon" "Contrato prestes a vencer" "Contrato prestes a vencer: {{document.name}}"
        "contrato_expired" "contrato_expired" "Contrato vencido" "Contrato vencido: {{document.name}}";
    Ticket "tickets" true:
        "ticket_created_user" "ticket_created_user" "Ticket criado" "Ticket registrado: {{ticket.subject}}"
        "ticket_updated_user" "ticket_updated_user" "Ticket atualizado" "Novidade no seu ticket: {{ticket.subject}}";
}

/// What a template can name, the spec's four first.
pub const VARIABLES: [(&str, Option<SubjectKind>); 8] = [
    ("client.name", None),
    ("document.name", Some(SubjectKind::Document)),
    ("document.link", Some(SubjectKind::Document)),
    ("ticket.subject", Some(SubjectKind::Ticket)),
    ("document.expires_at", Some(SubjectKind::Document)),
    ("document.folder", Some(SubjectKind::Document)),
    ("ticket.id", Some(SubjectKind::Ticket)),
    ("office.name", None),
];

/// The words that make a document's kind, wherever they stand.
pub const DOCUMENT_KINDS: [&str; 4] = ["contrato", "fatura", "relatorio", "aviso"];

/// The notice that a trigger sets off.
#[must_use]
pub fn by_event(trigger: &str) -> Option<&'static NotificationType> {
    NOTICES.iter().find(|notice| notice.trigger == trigger)
}

/// The notice of something that happened to a document of a kind: `new`, `expiring_soon`, `expired`.
#[must_use]
pub fn of_document(kind: &str, event: &str) -> Option<&'static NotificationType> {
    NOTICES.iter().find(|notice| {
        let event_of = notice.setting.strip_prefix(kind).and_then(|rest| rest.strip_prefix('_'));
        notice.about == SubjectKind::Document && event_of == Some(event)
    })
}

/// What a template names that does not exist, and what it names that its notice has no value for.
#[must_use]
pub fn invalid_placeholders(trigger: &str, texts: [&str; 2]) -> (Vec<String>, Vec<String>) {
    let about = by_event(trigger).map(|notice| notice.about);
    let (mut unknown, mut unavailable) = (Vec::new(), Vec::new());
    let add = |list: &mut Vec<String>, name: &str| {
        if !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
    };
    for text in texts {
        for name in template::names(text) {
            match VARIABLES.iter().find(|(known, _)| *known == name) {
                None => add(&mut unknown, name),
                Some((_, Some(needs))) if about.is_some_and(|about| about != *needs) => {
                    add(&mut unavailable, name);
                }
                Some(_) => {}
            }
        }
        for typed in template::malformed(text) {
            add(&mut unknown, typed);
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
    fn every_built_in_text_could_be_a_template() {
        for notice in NOTICES {
            let found = invalid_placeholders(notice.trigger, [notice.subject, notice.body]);
            assert_eq!(
                found,
                (
                    vec!["site.url".to_owned(); usize::from(notice.about == SubjectKind::Ticket)],
                    vec![]
                )
            );
            let body = notice.body.replace("{{site.url}}", "https://portal");
            assert_eq!(sanitize::removed_elements(&body), [""; 0], "{}", notice.trigger);
        }
    }

    #[test]
    fn kinds_have_the_notices_of_the_spec() {
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
    fn what_cannot_be_named_is_told_once() {
        let (unknown, unavailable) = invalid_placeholders(
            "fatura_new",
            ["{{client.cpf}} {{ticket.subject}}", "{{ client.cpf }}{{7*7}}{{client.name}}"],
        );
        assert_eq!(unknown, ["client.cpf", "{{7*7}}"]);
        assert_eq!(unavailable, ["ticket.subject"]);
    }
}
