//! The command `portaria import`, beside a portal that is open: folders, lists, rehearsals, repetitions, refusals.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::wait_until;
use crate::harness::{PDF, TestPortal, TestUser, object, portal_test, run_blocking};
use crate::rest::{column, read};

/// The documents that wait to be opened, as the office's list asks for them.
const UNOPENED: &str = "documents?select=name,document_receipts(),delivered:document_contacts()\
    &status=eq.active&client_id=not.is.null&was_opened=is.false&document_receipts=is.null\
    &delivered.kind=eq.delivery&delivered=is.null";

fn command(portal: &TestPortal, archive: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portaria"));
    command.args(["import", "--config", "/dev/null"]).arg(archive).args(words).env_clear();
    command.env("PORTARIA_DATA_DIR", portal.folder(".")).current_dir(archive);
    for (name, value) in portal.settings() {
        command.env(format!("PORTARIA_{}", name.to_uppercase()), value);
    }
    command
}

/// Runs the command and returns its exit code and its report.
fn import(portal: &TestPortal, archive: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output: Output = run_blocking(|| command(portal, archive, words).output()).unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), report + errors.split_once(" files\n").map_or(&*errors, |all| all.1))
}

/// Writes files of an archive: their paths and contents.
fn archive(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// Creates a client with a CNPJ.
async fn company(portal: &TestPortal, name: &str, tax_id: &str) -> TestUser {
    let email = format!("{}@cliente.com.br", name.to_lowercase().replace('á', "a"));
    let metadata = json!({"full_name": format!("Padaria {name}"), "tax_id": tax_id});
    portal.create_user(json!({"email": email, "user_metadata": metadata})).await;
    portal.sign_in(&email).await
}

/// Turns the mails about new documents of all kinds on.
async fn turn_mails_on(portal: &TestPortal, ana: &TestUser) {
    for kind in ["contrato", "fatura", "relatorio", "aviso"] {
        let on = json!({"document_type_event": format!("{kind}_new"), "enabled": true});
        let request = portal.post("/rest/v1/email_notification_settings").auth(ana);
        request.json(&on).send().await.is(201);
    }
}

portal_test!(folders_become_documents_of_their_clients_without_notifications, async |portal| {
    let ana = portal.admin().await;
    turn_mails_on(portal, &ana).await;
    let sol = company(portal, "Sol", "11.222.333/0001-81").await;
    let lua = company(portal, "Luá", "").await;
    let archive = archive(&[
        ("Sol 11.222.333-0001-81/FATURAS/2024/março/Conta de luz.pdf", PDF),
        ("Sol 11.222.333-0001-81/Faturas/Conta de luz.pdf", b"%PDF-1.7\nanother\n"),
        ("Sol 11.222.333-0001-81/contratos/.DS_Store", b"x"),
        ("Sol 11.222.333-0001-81/contratos/Thumbs.db", b"x"),
        ("Sol 11.222.333-0001-81/contratos/~$Aluguel.docx", b"x"),
        ("padaria lua/contratos/Aluguel.TXT", b"Aluguel"),
    ]);
    let mails = read(portal, &ana, "outbox?select=id").await;

    let (code, report) = import(portal, archive.path(), &["--dry-run"]);
    let expected = format!(
        "Padaria Luá · Contratos: 1 documento, 7 bytes\nPadaria Sol · Faturas: 2 documentos, {0} bytes\n\
         A importar: 3 documentos, {1} bytes. Já estavam no portal: 0. Recusados: 0. Nada foi mudado.\n",
        PDF.len() + 17,
        PDF.len() + 24,
    );
    assert_eq!((code, report), (Some(0), expected));
    assert_eq!(read(portal, &ana, "documents").await, json!([]));
    assert_eq!(read(portal, &ana, "activity?event=like.document*").await, json!([]));
    assert_eq!(portal.files_in("blobs").len(), 0);

    let (code, report) = import(portal, archive.path(), &[]);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("Importados: 3 documentos"), "{report}");
    let path = "documents?select=name,type,size,folder_id_supabase,file_url&order=size.desc";
    let documents = read(portal, &sol, path).await;
    assert_eq!(column(&documents, "name"), ["Conta de luz", "Conta de luz"]);
    assert_eq!(column(&documents, "folder_id_supabase"), ["faturas", "faturas"]);
    assert_eq!((&documents[0]["type"], &documents[0]["size"]), (&json!("pdf"), &json!(PDF.len())));
    let url = documents[0]["file_url"].as_str().unwrap();
    assert!(url.starts_with(&format!("public/{}/faturas/", sol.id)), "{url}");
    let file = portal.get(&object(&url.replace(' ', "%20"))).auth(&sol);
    assert_eq!(file.send().await.is(200).body, PDF);
    assert_eq!(column(&read(portal, &lua, "documents").await, "name"), ["Aluguel"]);

    // An imported document causes no mail and no notification, and does not wait to be opened.
    assert_eq!(read(portal, &ana, "outbox?select=id").await, mails);
    assert_eq!(read(portal, &sol, "notifications").await, json!([]));
    assert_eq!(read(portal, &ana, UNOPENED).await, json!([]));
    let contacts = read(portal, &ana, "document_contacts?select=kind,note,author_id").await;
    let delivery =
        json!({"kind": "delivery", "note": "Importado do arquivo anterior", "author_id": null});
    assert_eq!(contacts, json!([delivery, delivery, delivery]));
    let events = read(portal, &ana, "activity?event=eq.document.created&select=person_id").await;
    assert_eq!(column(&events, "person_id").len(), 3);

    let (code, report) = import(portal, archive.path(), &[]);
    let expected = "Importados: 0 documentos, 0 bytes. Já estavam no portal: 3. Recusados: 0.\n";
    assert_eq!((code, &*report), (Some(0), expected));
    assert_eq!(read(portal, &ana, "documents?select=id").await.as_array().unwrap().len(), 3);
});

portal_test!(list_gives_names_due_dates_months_and_amounts, async |portal| {
    let ana = portal.admin().await;
    let sol = company(portal, "Sol", "11.222.333/0001-81").await;
    let archive = archive(&[("2024/das.pdf", PDF), ("contrato.pdf", b"%PDF-1.7\nb\n")]);
    // As a spreadsheet program writes it: with a byte order mark, and columns in any order.
    let list = "\u{feff}Pasta;ARQUIVO;Cliente;Nome;Competência;Vencimento;Valor\r\n\
        faturas;2024\\das.pdf;11222333000181;\"DAS; março\";03/2024;20/04/2024;\"R$ 1.234,56\"\r\n\
        contratos;contrato.pdf;sol@cliente.com.br;;;;\r\n\
        ;;;;;;\r\n\
        contratos;contrato.pdf;SOL@cliente.com.br;contrato;;;\r\n";
    fs::write(archive.path().join("lista.csv"), list).unwrap();
    let words = ["--csv", "lista.csv"];

    let (code, report) = import(portal, archive.path(), &[words[0], words[1], "--dry-run"]);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("A importar: 2 documentos"), "{report}");
    assert!(report.contains("Já estavam no portal: 1. Recusados: 0."), "{report}");
    let (code, report) = import(portal, archive.path(), &words);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("Importados: 2 documentos"), "{report}");
    assert!(report.contains("Já estavam no portal: 1. Recusados: 0."), "{report}");
    let path = "documents?select=name,reference_month,expires_at,amount_cents&order=name.desc";
    assert_eq!(
        read(portal, &sol, path).await,
        json!([
            {"name": "contrato", "reference_month": null, "expires_at": null, "amount_cents": null},
            {
                "name": "DAS; março", "reference_month": "2024-03",
                "expires_at": "2024-04-21T02:59:59+00:00", "amount_cents": 123_456,
            },
        ])
    );
    assert_eq!(read(portal, &ana, UNOPENED).await, json!([]));
});

portal_test!(files_that_are_not_accepted_are_reported_and_the_others_imported, async |portal| {
    let ana = portal.admin().await;
    let sol = company(portal, "Sol", "11.222.333/0001-81").await;
    let outside = archive(&[("segredo.pdf", PDF)]);
    let archive = archive(&[
        ("solto.pdf", PDF),
        ("Padaria Sol/solto.pdf", PDF),
        ("Padaria Sol/Contratos/a programa.pdf", b"MZ\x90\0\x03"),
        ("Padaria Sol/Contratos/b vazio.pdf", b""),
        ("Padaria Sol/Contratos/c.exe", b"MZ\x90\0\x03"),
        ("Padaria Sol/Contratos/d bom.pdf", PDF),
        ("Padaria Sol/Notas/a.pdf", PDF),
        ("Padaria Sol/Notas/2024/b.pdf", PDF),
        ("Desconhecida/Contratos/a.pdf", PDF),
        ("lista.csv", b""),
    ]);
    let contracts = archive.path().join("Padaria Sol/Contratos");
    symlink(outside.path().join("segredo.pdf"), contracts.join("e atalho.pdf")).unwrap();
    symlink(outside.path(), contracts.join("f atalho")).unwrap();
    let expected = [
        "RECUSADO Desconhecida: Nenhum cliente tem este nome",
        "RECUSADO Padaria Sol/solto.pdf: Está fora de uma pasta do portal",
        "RECUSADO Padaria Sol/Notas (2 arquivos): O portal não tem a pasta “Notas”. As pastas são: \
         Contratos, Faturas, Documentos Pessoais.",
        "RECUSADO Padaria Sol/Contratos/a programa.pdf: O tipo application/vnd.microsoft",
        "RECUSADO Padaria Sol/Contratos/b vazio.pdf: O arquivo está vazio.",
        "RECUSADO Padaria Sol/Contratos/c.exe: O tipo exe não é aceito.",
        "RECUSADO Padaria Sol/Contratos/e atalho.pdf: É um atalho para fora da pasta",
        "RECUSADO Padaria Sol/Contratos/f atalho: É um atalho para fora da pasta",
        "RECUSADO solto.pdf: Está fora das pastas dos clientes.",
        "RECUSADO lista.csv: Está fora das pastas dos clientes.",
        "1 documento, 77 bytes. Já estavam no portal: 0. Recusados: 11.",
        "portaria: 11 files cannot be imported",
    ];
    for words in [&["--dry-run"][..], &[]] {
        let (code, report) = import(portal, archive.path(), words);
        assert_eq!(code, Some(1), "{report}");
        for line in expected {
            assert!(report.contains(line), "{line}: {report}");
        }
    }
    assert_eq!(column(&read(portal, &sol, "documents").await, "name"), ["d bom"]);

    let path = outside.path().join("segredo.pdf").display().to_string();
    let list = format!(
        "arquivo,cliente,pasta,vencimento\n{path},11222333000181,Contratos,\n\
         ../segredo.pdf,11222333000181,Contratos,\n\
         Padaria Sol/Contratos/e atalho.pdf,11222333000181,Contratos,\n\
         solto.pdf,x@cliente.com.br,Notas,31/02/2024\n\
         solto.pdf,11222333000181,Contratos,\n"
    );
    fs::write(archive.path().join("lista.csv"), list).unwrap();
    let (code, report) = import(portal, archive.path(), &["--csv", "lista.csv"]);
    assert_eq!(code, Some(1), "{report}");
    for line in [
        &*format!("RECUSADO linha 2, {path}: O caminho sai da pasta"),
        "RECUSADO linha 3, ../segredo.pdf: O caminho sai da pasta",
        "RECUSADO linha 4, Padaria Sol/Contratos/e atalho.pdf: É um atalho para fora",
        "RECUSADO linha 5, solto.pdf: Nenhum cliente tem o e-mail x@cliente.com.br. O portal não \
         tem a pasta “Notas”.",
        "“31/02/2024” não serve: escreva o vencimento como 20/11/2026.",
        "Importados: 1 documento, 77 bytes. Já estavam no portal: 0. Recusados: 4.",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    let names = column(&read(portal, &ana, "documents?select=name&order=name").await, "name");
    assert_eq!(names, ["d bom", "solto"]);
});

portal_test!(killed_import_is_continued_and_imports_nothing_twice, async |portal| {
    const FILES: usize = 300;
    let ana = portal.admin().await;
    company(portal, "Sol", "").await;
    let files: Vec<(String, Vec<u8>)> = (0..FILES)
        .map(|n| {
            (format!("Padaria Sol/Contratos/{n}.pdf"), format!("%PDF-1.7\n{n}\n").into_bytes())
        })
        .collect();
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(path, content)| (&**path, &**content)).collect();
    let archive = archive(&files);
    let count = async || {
        let found: Value = read(portal, &ana, "documents?select=id").await;
        found.as_array().unwrap().len()
    };
    let mut command = command(portal, archive.path(), &[]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the import has begun", async || count().await > 0).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let imported = count().await;
    assert!(imported < FILES, "the import ended before it was killed");

    let (code, report) = import(portal, archive.path(), &[]);
    assert_eq!(code, Some(0), "{report}");
    let end = format!("Já estavam no portal: {imported}. Recusados: 0.\n");
    assert!(report.ends_with(&end), "{end}: {report}");
    assert_eq!(count().await, FILES);
    let contacts = read(portal, &ana, "document_contacts?select=id").await;
    assert_eq!(contacts.as_array().unwrap().len(), FILES);
});

portal_test!(rehearsal_counts_all_files_against_the_quotas, async |portal| {
    portal.set("quota_per_client", "1 KiB");
    let ana = portal.admin().await;
    company(portal, "Sol", "").await;
    let file = [b"%PDF-1.7\n".as_slice(), &[b'x'; 600]].concat();
    let other = [b"%PDF-1.7\n".as_slice(), &[b'y'; 600]].concat();
    let archive =
        archive(&[("Padaria Sol/Contratos/a.pdf", &file), ("Padaria Sol/Contratos/b.pdf", &other)]);
    let (code, report) = import(portal, archive.path(), &["--dry-run"]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("Padaria Sol: Não cabem juntos no espaço do cliente"), "{report}");
    let (code, report) = import(portal, archive.path(), &[]);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("b.pdf: O espaço do cliente está cheio."), "{report}");
    assert_eq!(column(&read(portal, &ana, "documents").await, "name"), ["a"]);
});
