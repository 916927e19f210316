//! The content of push messages. Lock screens show it to bystanders, so it names no document, no ticket and no client.

use serde::Serialize;

use crate::config::pages::{Area, Page};

/// A message as the service worker receives it.
#[derive(Debug, Serialize)]
pub(crate) struct PushContent {
    /// The office's name.
    pub(crate) title: String,
    pub(crate) body: &'static str,
    /// The kind of the notification. The service worker shows one notification per kind.
    pub(crate) kind: String,
    /// The path of the page that the notification is about.
    pub(crate) path: String,
}

/// The notification that a message is about.
pub(crate) struct Subject<'a> {
    pub(crate) kind: &'a str,
    pub(crate) document: Option<&'a str>,
    pub(crate) ticket: Option<&'a str>,
    pub(crate) item: Option<&'a str>,
    /// Whether the recipient belongs to the staff.
    pub(crate) is_staff: bool,
}

impl Subject<'_> {
    /// The sentence about the notification.
    pub(crate) fn sentence(&self) -> &'static str {
        match (self.kind, self.is_staff) {
            ("document_new", _) => "Há um documento novo para você.",
            ("document_withdrawn", _) => "O escritório recolheu um documento.",
            ("approval_asked", _) => "Um documento espera a sua resposta.",
            ("ticket_new", false) => "O escritório abriu um ticket para você.",
            ("ticket_new", true) => "Um cliente abriu um ticket.",
            ("ticket_reply", false) => "O escritório respondeu ao seu ticket.",
            ("ticket_reply", true) => "Um cliente escreveu em um ticket.",
            ("request_new", _) => "O escritório pede um documento.",
            ("request_refused", _) => "O escritório pede que você envie um documento de novo.",
            ("request_answered", _) => "Um cliente respondeu a uma solicitação.",
            ("files_received", _) => "Um cliente enviou arquivos.",
            ("approval_answered", _) => "Um cliente respondeu a um documento.",
            ("payment_reported", _) => "Um cliente informou um pagamento.",
            ("documents_unopened", false) => "Há documentos que você ainda não abriu.",
            ("documents_unopened", true) => "Há documentos que um cliente ainda não abriu.",
            ("requests_unanswered", false) => "O escritório ainda espera documentos seus.",
            ("requests_unanswered", true) => "Há solicitações que um cliente ainda não respondeu.",
            _ => "Há novidades no portal.",
        }
    }

    /// The path of the page, as `web/src/features/notifications/notification-texts.ts` links it.
    pub(crate) fn path(&self) -> String {
        let area = Area::of(self.is_staff);
        let item = self.item.filter(|_| !self.is_staff);
        let page = match (self.document, self.ticket, self.kind) {
            (Some(id), _, _) => Page::Document(area, id),
            (_, Some(id), _) => Page::Ticket(area, id),
            (_, _, "files_received") => Page::ReceivedFiles,
            (_, _, "documents_unopened") if self.is_staff => Page::UnopenedDocuments,
            (_, _, "documents_unopened" | "document_withdrawn") => Page::Documents(area),
            _ => item.map_or(Page::Requests(area), Page::RequestItem),
        };
        page.to_string()
    }
}
