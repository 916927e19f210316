//! The work of a list depends on the rows that it answers with, not on those of the office: the lists of the web app are
//! read in a small office and in one with ten times the rows.

use std::time::Duration;

use postgres::NoTls;
use sea_query::{Alias, Expr, Query};

use crate::harness::{
    Engine, TestPortal, TestUser, execute, portal_test, run_blocking, wait::wait_until,
};
use crate::rest::rows;

/// Rows of each kind in the small office and in the large one.
const SIZES: [usize; 2] = [300, 3_000];
/// Number of rows in each state that an office always has few of.
const FEW: usize = 8;

/// The lists, with the caller. `{joao}` and `{document}` are ids. A number of matching rows is an answer that grows with
/// them, and a search in texts has no order that an index could provide: both are missing here.
const LISTS: &[(&str, &str)] = &[
    (
        "joao",
        "documents?select=id,name,type,created_at,expires_at,uploaded_at,file_url,status&folder_id_supabase=eq.contratos&order=uploaded_at.desc.nullslast,id.desc&limit=20",
    ),
    (
        "joao",
        "documents?select=id,name,created_at,expires_at,status,folders(name)&order=uploaded_at.desc.nullslast&limit=20",
    ),
    (
        "joao",
        "documents?select=id,name,folders(name)&order=uploaded_at.desc.nullslast,id.desc&limit=20&folder_id_supabase=eq.faturas",
    ),
    ("joao", "documents?select=id,name,folders(name)&id=eq.{document}"),
    // An employee with a client who has no documents.
    ("rui", "documents?select=count()"),
    (
        "joao",
        "documents?select=id,name,type,file_url,expires_at&order=expires_at,id&expires_at=gt.2026-11-21T15:00:00Z&limit=5",
    ),
    ("joao", "tickets?select=id,subject,created_at,status&order=created_at.desc,id.desc&limit=20"),
    (
        "joao",
        "tickets?select=id,subject,newest:ticket_messages(body,from_staff),unread:notifications(id)&unread.read_at=is.null&newest.order=created_at.desc&newest.limit=1&order=created_at.desc,id.desc&limit=20",
    ),
    (
        "joao",
        "document_receipts?select=id,action,created_at&order=created_at.desc,id.desc&limit=20",
    ),
    ("joao", "folders?select=id_supabase,name,icon,kind,archived_at&order=position,name"),
    ("joao", "clients?select=last_visit_at"),
    ("joao", "sessions?select=id,user_agent,created_at,refreshed_at&order=refreshed_at.desc"),
    ("joao", "muted_topics?select=topic"),
    ("joao", "notifications?select=id&read_at=is.null"),
    (
        "joao",
        "notifications?select=id,kind,created_at,read_at,documents(name),tickets(subject),request_items(name)&order=created_at.desc,id.desc&limit=20",
    ),
    (
        "ana",
        "notifications?select=id,kind,created_at,read_at,clients(email,user_metadata),documents(name),tickets(subject),request_items(name)&order=created_at.desc,id.desc&limit=20",
    ),
    (
        "ana",
        "documents?select=id,name,type,file_url,uploaded_at,expires_at,folders(name),clients(email,user_metadata),found:clients()&order=uploaded_at.desc.nullslast,id.desc&limit=20",
    ),
    (
        "ana",
        "documents?select=id,name,folders(name)&client_id=eq.{joao}&order=uploaded_at.desc.nullslast,id.desc&limit=10",
    ),
    (
        "ana",
        "documents?select=id,name&folder_id_supabase=eq.contratos&order=uploaded_at.desc.nullslast,id.desc&limit=20",
    ),
    (
        "ana",
        "documents?select=id,name,expires_at&expires_at=gt.2026-11-21T15:00:00Z&order=expires_at,id&limit=20",
    ),
    (
        "ana",
        "documents?select=id,name,retention_expired_at,folders(name,auto_delete),clients(email,user_metadata)&retention_expired_at=not.is.null&legal_hold_reason=is.null&order=retention_expired_at,id&limit=20",
    ),
    ("ana", "documents?select=id,name,created_at&order=id&limit=20"),
    (
        "ana",
        "deleted_documents?select=id,name,deleted_at,purge_at,folders(name),clients(email,user_metadata),staff(email,user_metadata)&order=deleted_at.desc,id.desc&limit=20",
    ),
    (
        "ana",
        "document_versions?select=id,name,size,sha256,uploaded_at,replaced_at,file_url,staff(email,user_metadata)&document_id=eq.{document}&order=replaced_at.desc,id.desc&limit=20",
    ),
    (
        "ana",
        "documents?select=id,name&approval_request=not.is.null&approval_outcome=eq.refused&order=uploaded_at.desc.nullslast,id.desc&limit=20",
    ),
    (
        "joao",
        "documents?select=id,name,approval_request&approval_request=not.is.null&approval_outcome=is.null&order=created_at,id&limit=10",
    ),
    // A member of joao's who is limited to a folder.
    (
        "rh",
        "documents?select=id,name,created_at,folders(name)&order=uploaded_at.desc.nullslast,id.desc&limit=20",
    ),
    (
        "rh",
        "documents?select=id,name,folders(name)&order=uploaded_at.desc.nullslast,id.desc&limit=20&folder_id_supabase=eq.contratos",
    ),
    (
        "rh",
        "documents?select=id,name,expires_at&order=expires_at,id&expires_at=gt.2026-11-21T15:00:00Z&limit=5",
    ),
    ("rh", "documents?select=id,name,folders(name)&id=eq.{document}"),
    (
        "rh",
        "document_receipts?select=id,action,created_at,documents(name)&order=created_at.desc,id.desc&limit=20",
    ),
    (
        "rh",
        "document_payments?select=id,paid_on,documents(name)&order=created_at.desc,id.desc&limit=20",
    ),
    ("rh", "received_files?select=id,name,created_at&order=created_at.desc,id.desc&limit=20"),
    (
        "ana",
        "received_files?select=id,name&item_id=is.null&filed_at=is.null&order=created_at,id&limit=20",
    ),
    ("ana", "staff_mail_choices?select=topic,delivery"),
    ("ana", "saved_views?select=id,name,search&list=eq.tickets&order=created_at,id&limit=20"),
    (
        "ana",
        "tickets?select=id,subject,due_at&status=neq.closed&due_at=not.is.null&order=due_at,priority_rank.desc,created_at,id&limit=5",
    ),
    (
        "ana",
        "tickets?select=id,subject,status,due_at,user_id,clients(email,user_metadata),staff(email,user_metadata)&status=neq.closed&order=due_at.asc.nullslast,priority_rank.desc,created_at,id&limit=20",
    ),
    (
        "ana",
        "tickets?select=id,subject,status,due_at&order=due_at.asc.nullslast,updated_at.desc,id.desc&limit=20",
    ),
    (
        "ana",
        "tickets?select=id,subject,status,due_at&due_at=lt.2026-11-22T15:00:00Z&order=due_at.asc.nullslast,updated_at.desc,id.desc&limit=20",
    ),
    (
        "ana",
        "tickets?select=id,subject,status,created_at&user_id=eq.{joao}&order=created_at.desc,id.desc&limit=10",
    ),
    ("ana", "outbox?order=created_at.desc,id.desc&limit=20"),
    ("ana", "outbox?state=eq.failed&order=created_at.desc,id.desc&limit=20"),
    ("ana", "outbox?state=eq.sent&order=created_at.desc,id.desc&limit=20"),
    ("ana", "activity?order=number.desc&limit=20"),
    (
        "ana",
        "activity?select=actor_name,created_at,detail&subject_id=eq.{document}&event=eq.document.changed&order=created_at.desc&limit=10",
    ),
    (
        "ana",
        "clients?select=id,email,created_at,last_sign_in_at,user_metadata&order=created_at.desc,id.desc&limit=20",
    ),
    ("ana", "clients?select=id,email,user_metadata&order=search_name,email&limit=20"),
    (
        "ana",
        "document_receipts?select=id,action,created_at,documents(id,name)&client_id=eq.{joao}&order=created_at.desc,id.desc&limit=10",
    ),
    (
        "ana",
        "document_receipts?select=id,action,created_at&document_id=eq.{document}&order=created_at.desc,id.desc&limit=10",
    ),
    ("ana", "staff?select=id,email,user_metadata&order=email"),
    ("ana", "saved_replies?select=id,title,body&order=title,id&limit=20"),
    ("ana", "email_templates?select=id,name,subject,event_trigger,updated_at&order=name"),
];

/// An id with this number.
fn id(kind: u8, number: usize) -> String {
    uuid::Uuid::from_u128((u128::from(kind) << 64) + number as u128).to_string()
}

/// A moment of 2026 that increases with the number.
fn moment(number: usize) -> String {
    format!("2026-03-04T05:{:02}:{:02}.{:06}Z", number / 60 % 60, number % 60, number)
}

type Column = (&'static str, fn(usize, &str) -> Expr);

fn text(value: impl Into<String>) -> Expr {
    Expr::val(value.into())
}

/// The tables that grow, with the values of the row with a number. The second argument is the id of a client.
const TABLES: &[(&str, &[Column])] = &[
    (
        "users",
        &[
            ("id", |number, _| text(id(1, number))),
            ("email", |number, _| text(format!("{number}@cliente.com.br"))),
            ("signed_up", |_, _| false.into()),
            ("app_metadata", |_, _| text("{}")),
            ("user_metadata", |_, _| text("{}")),
            ("search_name", |number, _| text(format!("cliente {number:09}"))),
            ("is_admin", |_, _| false.into()),
            ("created_at", |number, _| text(moment(number))),
            ("updated_at", |number, _| text(moment(number))),
        ],
    ),
    (
        "documents",
        &[
            ("id", |number, _| text(id(2, number))),
            // The client's documents and those of others.
            ("client_id", |number, joao| {
                text(if number.is_multiple_of(2) { joao.to_owned() } else { id(1, number) })
            }),
            ("folder_id_supabase", |number, _| {
                text(if number < 2 * FEW { "faturas" } else { "contratos" })
            }),
            ("name", |number, _| text(format!("Balancete {number}"))),
            ("search_name", |number, _| text(format!("balancete {number}"))),
            ("type", |_, _| text("application/pdf")),
            ("created_at", |number, _| text(moment(number))),
            ("expires_at", |number, _| text(moment(number).replace("2026", "2027"))),
            ("uploaded_at", |number, _| text(moment(number))),
            ("retention_expired_at", |number, _| (number < FEW).then(|| moment(number)).into()),
            ("approval_request", |number, _| number.is_multiple_of(4).then_some("approve").into()),
            ("approval_outcome", |number, _| number.is_multiple_of(8).then_some("refused").into()),
            ("updated_at", |number, _| text(moment(number))),
        ],
    ),
    (
        "deleted_documents",
        &[
            ("id", |number, _| text(id(6, number))),
            ("name", |number, _| text(format!("Balancete {number}"))),
            ("search_name", |number, _| text(format!("balancete {number}"))),
            ("client_id", |_, joao| text(joao)),
            ("folder_id_supabase", |_, _| text("contratos")),
            ("deleted_at", |number, _| text(moment(number))),
            ("purge_at", |number, _| text(moment(number))),
            ("snapshot", |_, _| text("{}")),
        ],
    ),
    (
        "document_receipts",
        &[
            ("id", |number, _| text(id(3, number))),
            ("document_id", |number, _| text(id(2, number - number % 2))),
            ("client_id", |_, joao| text(joao)),
            ("action", |_, _| text("opened")),
            ("created_at", |number, _| text(moment(number))),
        ],
    ),
    (
        "document_payments",
        &[
            ("id", |number, _| text(id(7, number))),
            ("document_id", |number, _| text(id(2, number))),
            ("client_id", |number, joao| {
                text(if number.is_multiple_of(2) { joao.to_owned() } else { id(1, number) })
            }),
            ("paid_on", |_, _| text("2026-03-04")),
            ("created_at", |number, _| text(moment(number))),
        ],
    ),
    (
        "received_files",
        &[
            ("id", |number, _| text(id(8, number))),
            ("client_id", |_, joao| text(joao)),
            ("name", |_, _| text("folha.pdf")),
            ("size", |_, _| 1_i64.into()),
            ("document_id", |number, _| text(id(2, number - number % 2))),
            ("filed_at", |number, _| (number >= FEW).then(|| moment(number)).into()),
            ("created_at", |number, _| text(moment(number))),
        ],
    ),
    (
        "tickets",
        &[
            ("id", |number, _| text(id(4, number))),
            ("user_id", |_, joao| text(joao)),
            ("status", |number, _| text(if number < FEW { "open" } else { "closed" })),
            ("subject", |_, _| text("Dúvida")),
            ("message", |_, _| text("Uma mensagem longa o bastante.")),
            ("due_at", |number, _| (number < FEW).then(|| moment(number)).into()),
            ("created_at", |number, _| text(moment(number))),
            ("updated_at", |number, _| text(moment(number))),
            ("closed_at", |number, _| (number >= FEW).then(|| moment(number)).into()),
        ],
    ),
    (
        "notifications",
        &[
            ("id", |number, _| text(id(6, number))),
            ("person_id", |_, joao| text(joao)),
            ("client_id", |_, joao| text(joao)),
            ("kind", |_, _| text("ticket_reply")),
            ("ticket_id", |number, _| text(id(4, number))),
            ("created_at", |number, _| text(moment(number))),
            ("read_at", |number, _| (number >= FEW).then(|| moment(number)).into()),
        ],
    ),
    (
        "outbox",
        &[
            ("id", |number, _| text(id(5, number))),
            ("event", |_, _| text("fatura_new")),
            ("dedupe_key", |number, _| text(format!("{number}"))),
            ("recipient", |_, _| text("joao@cliente.com.br")),
            ("subject", |_, _| text("Novo documento")),
            ("html", |_, _| text("")),
            ("state", |number, _| text(if number < FEW { "failed" } else { "sent" })),
            ("next_attempt_at", |number, _| text(moment(number))),
            ("created_at", |number, _| text(moment(number))),
        ],
    ),
    (
        "activity",
        &[
            ("number", |number, _| i64::try_from(1_000_000 + number).unwrap().into()),
            ("created_at", |number, _| text(moment(number))),
            ("event", |_, _| text("document.changed")),
            ("actor", |_, _| text("program")),
            ("subject_id", |number, _| text(id(2, number))),
            ("detail", |_, _| text("{}")),
            ("names_hash", |_, _| text("")),
            ("hash", |_, _| text("")),
        ],
    ),
];

/// Adds the rows with these numbers to each table.
async fn grow(portal: &TestPortal, numbers: std::ops::Range<usize>, joao: &TestUser) {
    let joao = joao.id.clone();
    let insert = move |tx: &mut portaria::db::Tx<'_>| {
        for (table, columns) in TABLES {
            let numbers: Vec<usize> = numbers.clone().collect();
            for chunk in numbers.chunks(100) {
                let mut statement = Query::insert();
                statement.into_table(Alias::new(*table));
                statement.columns(columns.iter().map(|(name, _)| Alias::new(*name)));
                for number in chunk {
                    statement.values_panic(columns.iter().map(|(_, value)| value(*number, &joao)));
                }
                tx.execute(&statement)?;
            }
        }
        Ok::<_, portaria::db::Error>(())
    };
    // The first write may find its connection ended.
    let is_written = async || portal.app.db.write(insert.clone()).await.is_ok();
    wait_until(Duration::from_secs(10), "the rows are inserted", is_written).await;
}

/// The work of all reads so far: the instructions of SQLite's virtual machine, or the rows and the entries of indexes that
/// PostgreSQL read.
fn work(portal: &TestPortal) -> u64 {
    if portal.engine() == Engine::Sqlite {
        return portal.app.db.load().reads.instructions;
    }
    // A connection reports its numbers when it ends. The portal opens new ones.
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let read = "SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables)::bigint \
                     + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes)::bigint";
    run_blocking(|| {
        let mut client = postgres::Client::connect(portal.database_url(), NoTls).unwrap();
        while !client.query(end, &[]).unwrap().is_empty() {
            std::thread::yield_now();
        }
        client.query_one(read, &[]).unwrap().get::<_, i64>(0).unsigned_abs()
    })
}

/// The work of each list.
async fn measure(portal: &TestPortal, [ana, joao, rh, rui]: [&TestUser; 4]) -> Vec<u64> {
    let mut measured = Vec::new();
    for (caller, path) in LISTS {
        let caller = match *caller {
            "ana" => ana,
            "rh" => rh,
            "rui" => rui,
            _ => joao,
        };
        let path = path.replace("{joao}", &joao.id).replace("{document}", &id(2, 20));
        let before = work(portal);
        // The first request may find its connection ended.
        let is_read = async || rows(portal, caller, &path).send().await.status == 200;
        wait_until(Duration::from_secs(10), &path, is_read).await;
        measured.push(work(portal) - before);
    }
    measured
}

portal_test!(work_of_a_list_does_not_grow_with_the_office, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let rh = portal.client("rh").await;
    portal.limit(&joao, &rh, &["contratos"]).await;
    let rui = portal.colleague("rui", "employee", true).await;
    portal.assign(&rh, &rui).await;
    if portal.engine() == Engine::Postgres {
        // In a small office reading a whole table is faster, and in a large one only an index is fast. The test asks
        // whether there is one.
        let (_, name) = portal.database_url().rsplit_once('/').unwrap();
        for setting in ["enable_seqscan", "enable_sort"] {
            execute(&format!("ALTER DATABASE {name} SET {setting} = off"));
        }
        // Statistics that autovacuum collects between the two measurements would change the plans: half of all documents
        // are joao's here, and PostgreSQL plans for an average client.
        run_blocking(|| {
            let mut client = postgres::Client::connect(portal.database_url(), NoTls).unwrap();
            for (table, _) in TABLES {
                let off = format!("ALTER TABLE {table} SET (autovacuum_enabled = false)");
                client.batch_execute(&off).unwrap();
            }
        });
    }
    grow(portal, 0..SIZES[0], &joao).await;
    let small = measure(portal, [&ana, &joao, &rh, &rui]).await;
    grow(portal, SIZES[0]..SIZES[1], &joao).await;
    let large = measure(portal, [&ana, &joao, &rh, &rui]).await;
    let grown: Vec<String> = LISTS
        .iter()
        .zip(small.iter().zip(&large))
        // Another page of an index, or other rows, cost a little.
        .filter(|(_, (small, large))| **large > **small * 3 / 2 + 20)
        .map(|((caller, path), (small, large))| format!("{caller} {path}: {small} to {large}"))
        .collect();
    assert!(grown.is_empty(), "{}", grown.join("\n"));
});
