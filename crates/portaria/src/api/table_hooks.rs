//! The hooks of each table. The `match` is exhaustive, so a table without hooks does not compile.

use crate::{
    accounts::{
        assignment_hooks::AssignmentHooks, hooks::SessionHooks, saved_views::SavedViewHooks,
    },
    documents::{
        approvals::ApprovalHooks, contacts::ContactHooks, hooks::DocumentHooks,
        payments::PaymentHooks, receipts::ReceiptHooks, reminder_rules::ReminderRuleHooks,
        trash::hooks::DeletedDocumentHooks, versions::hooks::VersionHooks,
    },
    email_templates::hooks::TemplateHooks,
    folders::hooks::FolderHooks,
    inbox::{
        hooks::{InboxHooks, InboxRuleHooks},
        recognition::RecognitionRuleHooks,
    },
    notifications::hooks::{
        MutedTopicHooks, NotificationHooks, OutboxHooks, SettingsHooks, StaffMailChoiceHooks,
    },
    requests::{files::ReceivedFileHooks, items::ItemHooks, templates::RequestTemplateHooks},
    schema::{TableId, tables::TABLES},
    table_write::{NoHooks, TableHooks},
    tickets::{
        attachments::AttachmentHooks, history::HistoryHooks, hooks::TicketHooks,
        messages::MessageHooks, office_hooks::OfficeHooks, presence::PresenceHooks,
        saved_replies::SavedReplyHooks,
    },
};

/// Returns the hooks of a table.
pub(crate) fn hooks(table: TableId) -> &'static dyn TableHooks {
    match table {
        TableId::Folders => &FolderHooks,
        TableId::Documents => &DocumentHooks,
        TableId::DocumentReceipts => &ReceiptHooks,
        TableId::DocumentPayments => &PaymentHooks,
        TableId::DocumentApprovals => &ApprovalHooks,
        TableId::DocumentContacts => &ContactHooks,
        TableId::DeletedDocuments => &DeletedDocumentHooks,
        TableId::DocumentVersions => &VersionHooks,
        TableId::Tickets => &TicketHooks,
        TableId::TicketMessages => &MessageHooks,
        TableId::TicketAttachments => &AttachmentHooks,
        TableId::TicketHistory => &HistoryHooks,
        TableId::TicketPresence => &PresenceHooks,
        TableId::SavedReplies => &SavedReplyHooks,
        TableId::EmailTemplates => &TemplateHooks,
        TableId::EmailNotificationSettings => &SettingsHooks,
        TableId::MutedTopics => &MutedTopicHooks,
        TableId::Notifications => &NotificationHooks,
        TableId::StaffMailChoices => &StaffMailChoiceHooks,
        TableId::SavedViews => &SavedViewHooks,
        TableId::Outbox => &OutboxHooks,
        TableId::InboxFiles => &InboxHooks,
        TableId::InboxRules => &InboxRuleHooks,
        TableId::RecognitionRules => &RecognitionRuleHooks,
        TableId::ReminderRules => &ReminderRuleHooks,
        TableId::RequestItems => &ItemHooks,
        TableId::ReceivedFiles => &ReceivedFileHooks,
        TableId::RequestTemplates => &RequestTemplateHooks,
        TableId::OfficeSettings => &OfficeHooks,
        TableId::Sessions => &SessionHooks,
        TableId::ClientAssignments => &AssignmentHooks,
        TableId::Clients | TableId::ClientMembers | TableId::Staff | TableId::Activity => &NoHooks,
    }
}

/// The tables in a person's archive, with their file names, in the order of the archive.
pub(crate) fn exported_tables() -> impl Iterator<Item = (TableId, &'static str)> {
    TABLES.iter().filter_map(|table| Some((table.id, hooks(table.id).export()?)))
}

#[cfg(test)]
mod tests {
    use crate::api::table_hooks::exported_tables;

    #[test]
    fn archive_holds_tables_in_order() {
        let names: Vec<&str> = exported_tables().map(|(_, name)| name).collect();
        let expected = [
            "documentos.json",
            "tickets.json",
            "mensagens.json",
            "anexos.json",
            "historico.json",
            "recibos.json",
            "pagamentos.json",
            "respostas.json",
            "contatos.json",
            "sessoes.json",
            "avisos-desligados.json",
            "notificacoes.json",
            "solicitacoes.json",
            "arquivos-enviados.json",
        ];
        assert_eq!(names, expected);
    }
}
