//! Access to tables: the access matrix, hidden columns, and error responses that reveal nothing.

use portaria::schema::tables::TABLES;
use serde_json::json;

use crate::harness::{TestPortal, portal_test, request::Answer};
use crate::rest::{column, read, rows, sample};

/// For each table, the statuses of select, insert, update and delete: for a client, and for an administrator.
pub(super) const MATRIX: [(&str, &str, [u16; 4], [u16; 4]); 35] = [
    ("folders", "id_supabase", [200, 403, 403, 403], [200, 201, 204, 204]),
    ("documents", "id", [200, 403, 403, 403], [200, 201, 204, 204]),
    ("tickets", "id", [200, 201, 204, 403], [200, 201, 204, 204]),
    ("clients", "id", [200, 403, 403, 403], [200, 403, 403, 403]),
    ("client_members", "id", [200, 403, 403, 403], [200, 403, 403, 403]),
    ("email_notification_settings", "document_type_event", [403; 4], [200, 201, 204, 204]),
    ("email_templates", "id", [403; 4], [200, 201, 204, 204]),
    // The sample row refers to a ticket or a document that does not exist.
    ("ticket_messages", "id", [200, 403, 403, 403], [200, 409, 204, 204]),
    ("ticket_attachments", "id", [200, 403, 403, 403], [200, 409, 204, 204]),
    ("ticket_history", "id", [200, 403, 403, 403], [200, 403, 403, 403]),
    ("document_receipts", "id", [200, 403, 403, 403], [200, 409, 204, 204]),
    ("document_payments", "id", [200, 403, 403, 204], [200, 409, 204, 204]),
    // Only a client answers, for a document that asks.
    ("document_approvals", "id", [200, 403, 403, 403], [200, 403, 403, 204]),
    ("document_contacts", "id", [200, 403, 403, 403], [200, 409, 403, 204]),
    ("deleted_documents", "id", [404; 4], [200, 403, 403, 204]),
    ("document_versions", "id", [404; 4], [200, 403, 403, 204]),
    ("saved_replies", "id", [403; 4], [200, 201, 204, 204]),
    ("staff", "id", [403; 4], [200, 403, 403, 403]),
    ("ticket_presence", "id", [403; 4], [200, 409, 204, 204]),
    ("sessions", "id", [200, 403, 403, 204], [200, 403, 403, 204]),
    ("muted_topics", "id", [200, 201, 403, 204], [200, 201, 204, 204]),
    ("notifications", "id", [200, 403, 204, 403], [200, 403, 204, 403]),
    ("staff_mail_choices", "id", [404; 4], [200, 201, 403, 403]),
    ("saved_views", "id", [404; 4], [200, 201, 204, 204]),
    ("activity", "number", [404; 4], [200, 403, 403, 403]),
    ("outbox", "id", [404; 4], [200, 403, 204, 403]),
    ("inbox_files", "id", [404; 4], [200, 403, 204, 204]),
    // The sample row refers to a client who does not exist.
    ("inbox_rules", "id", [404; 4], [200, 409, 204, 204]),
    ("reminder_rules", "id", [404; 4], [200, 201, 204, 204]),
    ("recognition_rules", "id", [404; 4], [200, 201, 204, 204]),
    // A client may only answer an item (`requests.rs`), and sends files that exist.
    ("request_items", "id", [200, 403, 403, 403], [200, 409, 204, 204]),
    ("received_files", "id", [200, 403, 403, 204], [200, 409, 204, 204]),
    ("request_templates", "id", [404; 4], [200, 201, 204, 204]),
    ("office_settings", "id", [404; 4], [200, 403, 204, 403]),
    // The sample row refers to a client who does not exist.
    ("client_assignments", "id", [404; 4], [200, 409, 204, 204]),
];

/// The responses to a select, an insert, an update and a delete.
pub(super) async fn try_all(
    portal: &TestPortal,
    token: Option<&str>,
    table: &str,
    key: &str,
) -> [Answer; 4] {
    let unknown = match key {
        "id" => "00000000-0000-0000-0000-000000000000",
        "number" => "0",
        _ => "nada",
    };
    let path = format!("/rest/v1/{table}");
    let these = format!("{path}?{key}=eq.{unknown}");
    let change = match table {
        "tickets" => json!({"status": "closed"}),
        "email_notification_settings" => json!({"enabled": false}),
        "clients" | "client_members" | "staff" => json!({"email": "x@y.com"}),
        "ticket_presence" => json!({"last_seen_at": "2026-11-21T15:00:00Z"}),
        "ticket_messages" => json!({"body": "Outra"}),
        "ticket_history" => json!({"status": "open"}),
        "document_receipts" => json!({"action": "opened"}),
        "document_payments" => json!({"note": "Pelo banco"}),
        "document_approvals" => json!({"reason": "Outro"}),
        "document_contacts" => json!({"note": "Outra"}),
        "saved_replies" => json!({"title": "Outra"}),
        "sessions" => json!({"user_agent": "Outro"}),
        "muted_topics" => json!({"topic": "documents"}),
        "notifications" => json!({"read_at": "2026-11-21T15:00:00Z"}),
        "staff_mail_choices" => json!({"delivery": "daily"}),
        "saved_views" => json!({"name": "Outra"}),
        "activity" => json!({"event": "nothing"}),
        "outbox" => json!({"state": "queued"}),
        "inbox_files" => json!({"document_name": "Outro"}),
        "inbox_rules" => json!({"pattern": "outro nome"}),
        "reminder_rules" => json!({"days": 1}),
        "client_assignments" => json!({"is_responsible": true}),
        _ => json!({"name": "Outro"}),
    };
    let requests = [
        portal.get(&path),
        portal.post(&path).json(&sample(table)),
        portal.patch(&these).json(&change),
        portal.delete(&these),
    ];
    let mut answers = Vec::new();
    for request in requests {
        let request = if let Some(token) = token { request.bearer(token) } else { request };
        answers.push(request.send().await);
    }
    answers.try_into().unwrap()
}

portal_test!(access_matrix_holds_for_every_caller, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for (table, key, client, admin) in MATRIX {
        for (token, expected) in [(&joao.token, client), (&ana.token, admin)] {
            let answers = try_all(portal, Some(token), table, key).await;
            for (answer, expected) in answers.into_iter().zip(expected) {
                match expected {
                    403 => answer.refused(403, "42501"),
                    404 => answer.refused(404, "PGRST205"),
                    _ => answer.is(expected),
                };
            }
        }
        for token in [None, Some(portal.app.keys.anon.as_str())] {
            for answer in try_all(portal, token, table, key).await {
                if client == [404; 4] {
                    answer.refused(404, "PGRST205");
                } else {
                    let answer = answer.refused(401, "42501");
                    assert_eq!(answer.header("www-authenticate"), "Bearer");
                }
            }
        }
    }
});

portal_test!(every_table_is_in_the_matrix_and_readable, async |portal| {
    let ana = portal.admin().await;
    for table in TABLES {
        assert!(MATRIX.iter().any(|line| line.0 == table.name), "{}", table.name);
        read(portal, &ana, table.name).await;
    }
});

portal_test!(clients_see_own_rows_only, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    for user in [&joao, &maria] {
        portal.document(user, "contratos", "a.pdf").await;
        portal.ticket(user, "Dúvida").await;
    }
    for table in ["documents", "tickets", "clients"] {
        let own = read(portal, &joao, table).await;
        assert_eq!(own.as_array().unwrap().len(), 1, "{table}");
        assert_eq!(read(portal, &ana, table).await.as_array().unwrap().len(), 2, "{table}");
        let count = rows(portal, &joao, table).prefer("count=exact").send().await;
        assert_eq!(count.header("content-range"), "0-0/1", "{table}");
    }
    assert_eq!(column(&read(portal, &joao, "clients").await, "id"), [json!(joao.id)]);
    assert_eq!(read(portal, &joao, "folders").await.as_array().unwrap().len(), 3);
});

portal_test!(row_of_another_client_looks_nonexistent, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let document = portal.document(&maria, "contratos", "a.pdf").await;
    let ticket = portal.ticket(&maria, "Dúvida").await;
    let ghost = uuid::Uuid::nil().to_string();
    for (table, id) in [("documents", &document.id), ("tickets", &ticket), ("clients", &maria.id)] {
        let mut seen = Vec::new();
        for id in [id, &ghost] {
            let path = format!("{table}?id=eq.{id}");
            let whole = format!("/rest/v1/{path}");
            let change = json!({"status": "closed"});
            let counted = "return=representation, count=exact";
            let mut answers = Vec::new();
            for request in [
                rows(portal, &joao, &path),
                rows(portal, &joao, &path).single(),
                rows(portal, &joao, &path).prefer("count=exact"),
                portal.head(&whole).auth(&joao).prefer("count=exact"),
                portal.patch(&whole).auth(&joao).json(&change),
                portal.patch(&whole).auth(&joao).json(&change).prefer(counted),
                portal.patch(&whole).auth(&joao).json(&change).single(),
                portal.delete(&whole).auth(&joao),
            ] {
                answers.push(request.send().await.seen());
            }
            seen.push(answers);
        }
        let (other, ghost) = (seen.remove(0), seen.remove(0));
        assert_eq!(other, ghost, "{table}");
    }
    let unchanged = read(portal, &maria, &format!("tickets?id=eq.{ticket}&select=status")).await;
    assert_eq!(unchanged, json!([{"status": "open"}]));
});

portal_test!(clients_see_published_columns_and_staff_all, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.document(&joao, "contratos", "a.pdf").await;
    portal.ticket(&joao, "Dúvida").await;
    let mut seen = Vec::new();
    for (name, user) in [("client", &joao), ("admin", &ana)] {
        for table in ["folders", "documents", "tickets", "clients"] {
            let rows = read(portal, user, table).await;
            let columns: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
            seen.push(format!("{name} {table}: {columns:?}"));
        }
    }
    assert_eq!(
        seen,
        [
            r#"client folders: ["id_supabase", "name", "icon", "kind", "position", "archived_at", "created_at"]"#,
            r#"client documents: ["id", "folder_id_supabase", "name", "type", "created_at", "expires_at", "status", "file_url", "uploaded_at", "size", "kind", "category", "reference_month", "amount_cents", "payment_line", "pix_code", "published_at", "approval_request", "approval_outcome"]"#,
            r#"client tickets: ["id", "created_at", "updated_at", "closed_at", "status", "subject", "category", "priority", "message", "follow_up_of_id", "idempotency_key", "document_id", "member_name"]"#,
            r#"client clients: ["id", "email", "created_at", "last_sign_in_at", "last_visit_at", "user_metadata"]"#,
            r#"admin folders: ["id", "id_supabase", "name", "icon", "kind", "position", "archived_at", "created_at", "retention_months", "auto_delete", "legal_hold_reason"]"#,
            r#"admin documents: ["id", "folder_id_supabase", "name", "type", "created_at", "expires_at", "status", "file_url", "uploaded_at", "size", "kind", "category", "reference_month", "amount_cents", "payment_line", "pix_code", "published_at", "approval_request", "approval_outcome", "client_id", "updated_at", "search_name", "legal_hold_reason", "was_opened", "retention_expired_at", "erased_client_id", "responsible_id", "withdrawn_at", "withdrawn_client_id"]"#,
            r#"admin tickets: ["id", "created_at", "updated_at", "closed_at", "status", "subject", "category", "priority", "message", "follow_up_of_id", "idempotency_key", "document_id", "member_name", "user_id", "author_id", "assignee_id", "due_at", "priority_rank"]"#,
            r#"admin clients: ["id", "email", "created_at", "last_sign_in_at", "last_visit_at", "user_metadata", "search_name", "invited_at"]"#,
        ]
    );
});

portal_test!(hidden_column_looks_nonexistent, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    portal.ticket(&joao, "Dúvida").await;
    let id = &maria.id;
    for template in [
        "tickets?select=COLUMN",
        "tickets?select=subject,x:COLUMN",
        "tickets?COLUMN=eq.ID",
        "tickets?COLUMN=is.null",
        "tickets?order=COLUMN",
        "tickets?order=COLUMN.desc.nullslast",
        "tickets?or=(COLUMN.eq.ID,id.eq.ID)",
        "tickets?and=(COLUMN.eq.ID)",
        "tickets?not.or=(COLUMN.eq.ID)",
        "tickets?or=(and(subject.eq.x,not.and(COLUMN.eq.ID)))",
        "tickets?select=COLUMN::text",
        "folders?select=*,documents(COLUMN)",
        "folders?select=*,documents(id)&documents.COLUMN=eq.ID",
        "folders?select=*,documents(id)&documents.order=COLUMN",
        "documents?select=*,folders(COLUMN)",
    ] {
        let mut seen = Vec::new();
        let embedded = template.starts_with("folders");
        let folder = template.starts_with("documents");
        let hidden = if folder {
            "id"
        } else if embedded {
            "client_id"
        } else {
            "user_id"
        };
        for column in [hidden, "nonesuch"] {
            let path = template.replace("COLUMN", column).replace("ID", id);
            let answer = rows(portal, &joao, &path).send().await.refused(400, "42703");
            let text = answer.text().replace(&format!(".{column} "), ".COLUMN ");
            seen.push((answer.status, text));
        }
        assert_eq!(seen[0], seen[1], "{template}");
    }
    for column in ["user_id", "nonesuch"] {
        let mut row = sample("tickets");
        row[column] = json!(id);
        let insert = portal.post("/rest/v1/tickets").auth(&joao).json(&row).send().await;
        insert.refused(400, "PGRST204");
        let columns =
            portal.post("/rest/v1/tickets").query("columns", &format!("\"subject\",\"{column}\""));
        let insert = columns.auth(&joao).json(&json!([sample("tickets")])).send().await;
        insert.refused(400, "PGRST204");
        let change = json!({column: id});
        let update = portal.patch("/rest/v1/tickets?status=eq.open").auth(&joao).json(&change);
        update.send().await.refused(400, "PGRST204");
    }
});

portal_test!(filters_do_not_reach_rows_of_others, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    portal.document(&maria, "faturas", "segredo.pdf").await;
    portal.document(&joao, "contratos", "meu.pdf").await;
    for path in [
        "documents?select=name&or=(name.eq.segredo.pdf,name.neq.segredo.pdf)",
        "documents?select=name&not.and=(name.eq.x,name.neq.x)",
        "documents?select=name&name=not.in.(x)",
        "documents?select=name&order=name.desc&limit=1",
        "documents?select=name&offset=0",
    ] {
        assert_eq!(read(portal, &joao, path).await, json!([{"name": "meu.pdf"}]), "{path}");
    }
    let counted = rows(portal, &joao, "documents?limit=0").prefer("count=exact").send().await;
    assert_eq!(counted.is(206).header("content-range"), "*/1");
    let beyond = rows(portal, &joao, "documents?offset=2").prefer("count=exact").send().await;
    let beyond = beyond.refused(416, "PGRST103");
    assert_eq!(
        beyond.json()["details"],
        "An offset of 2 was requested, but there are only 1 rows."
    );
});

portal_test!(service_key_sees_everything_and_is_no_user, async |portal| {
    let joao = portal.client("joao").await;
    portal.ticket(&joao, "Dúvida").await;
    let service = portal.app.keys.service_role.clone();
    let tickets = portal.get("/rest/v1/tickets?select=user_id").bearer(&service).send().await;
    assert_eq!(tickets.is(200).json(), json!([{"user_id": joao.id}]));
    let beside =
        portal.get("/rest/v1/tickets?select=user_id").header("apikey", &service).send().await;
    assert_eq!(beside.is(200).json(), json!([{"user_id": joao.id}]));
    let inserted = portal.post("/rest/v1/tickets").bearer(&service).single();
    let inserted = inserted.json(&sample("tickets")).send().await.is(201).json();
    assert_eq!(inserted["user_id"], json!(null));
});
