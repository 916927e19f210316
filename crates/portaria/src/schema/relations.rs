//! The foreign keys between the tables, which embeds can follow.

use crate::schema::{Relation, TableId};

/// All relations. `clients` and `staff` are views of `users`, to which their foreign keys refer in the database.
pub static RELATIONS: &[Relation] = &[
    Relation {
        name: "documents_folder_id_supabase_fkey",
        child: TableId::Documents,
        column: "folder_id_supabase",
        parent: TableId::Folders,
        parent_column: "id_supabase",
    },
    Relation {
        name: "documents_client_id_fkey",
        child: TableId::Documents,
        column: "client_id",
        parent: TableId::Clients,
        parent_column: "id",
    },
    Relation {
        name: "documents_responsible_id_fkey",
        child: TableId::Documents,
        column: "responsible_id",
        parent: TableId::Staff,
        parent_column: "id",
    },
    Relation {
        name: "ticket_messages_ticket_id_fkey",
        child: TableId::TicketMessages,
        column: "ticket_id",
        parent: TableId::Tickets,
        parent_column: "id",
    },
    Relation {
        name: "ticket_history_ticket_id_fkey",
        child: TableId::TicketHistory,
        column: "ticket_id",
        parent: TableId::Tickets,
        parent_column: "id",
    },
    Relation {
        name: "ticket_attachments_message_id_fkey",
        child: TableId::TicketAttachments,
        column: "message_id",
        parent: TableId::TicketMessages,
        parent_column: "id",
    },
    Relation {
        name: "document_receipts_document_id_fkey",
        child: TableId::DocumentReceipts,
        column: "document_id",
        parent: TableId::Documents,
        parent_column: "id",
    },
    Relation {
        name: "document_payments_document_id_fkey",
        child: TableId::DocumentPayments,
        column: "document_id",
        parent: TableId::Documents,
        parent_column: "id",
    },
    Relation {
        name: "tickets_document_id_fkey",
        child: TableId::Tickets,
        column: "document_id",
        parent: TableId::Documents,
        parent_column: "id",
    },
    Relation {
        name: "tickets_user_id_fkey",
        child: TableId::Tickets,
        column: "user_id",
        parent: TableId::Clients,
        parent_column: "id",
    },
    Relation {
        name: "tickets_assignee_id_fkey",
        child: TableId::Tickets,
        column: "assignee_id",
        parent: TableId::Staff,
        parent_column: "id",
    },
    Relation {
        name: "ticket_messages_author_id_fkey",
        child: TableId::TicketMessages,
        column: "author_id",
        parent: TableId::Staff,
        parent_column: "id",
    },
    Relation {
        name: "ticket_history_author_id_fkey",
        child: TableId::TicketHistory,
        column: "author_id",
        parent: TableId::Staff,
        parent_column: "id",
    },
    Relation {
        name: "ticket_presence_ticket_id_fkey",
        child: TableId::TicketPresence,
        column: "ticket_id",
        parent: TableId::Tickets,
        parent_column: "id",
    },
    Relation {
        name: "ticket_presence_user_id_fkey",
        child: TableId::TicketPresence,
        column: "user_id",
        parent: TableId::Staff,
        parent_column: "id",
    },
];
