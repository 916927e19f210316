//! PocketBase, from its Go module, with its own SQLite database.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use hyper::Method;
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ACCOUNTS, Product, call, clients_of, install, one_of, text};
use crate::{
    Outcome,
    load::request,
    server::{Server, free_address},
};

/// The newest version that Go 1.26 compiles.
const VERSION: &str = "v0.36.8";
const MODULE: &str = "github.com/pocketbase/pocketbase/examples/base";
const STAFF: &str = "equipe@exemplo.com.br";
const PASSWORD: &str = "a password of the bench";
const DOCUMENTS: &str = "/api/collections/documents/records";
/// The list of the portal in the terms of PocketBase, without the count of all rows.
const LIST: &str = "/api/collections/documents/records?perPage=20&skipTotal=1&sort=-uploaded_at,-id&expand=folder\
    &fields=id,name,created,expires_at,status,expand.folder.name";

/// Installs and starts PocketBase with an office of `documents` documents.
pub(super) async fn start(programs: &Path, documents: usize) -> Outcome<Product> {
    let mut go = Command::new("go");
    install(go.env("GOBIN", programs).args(["install", &format!("{MODULE}@{VERSION}")]))?;
    let folder = TempDir::new_in(programs)?;
    let program = || {
        let mut command = Command::new(programs.join("base"));
        // Beside its data it writes the changes of its collections.
        command.arg("--dir").arg(folder.path().join("data"));
        command
    };
    install(program().args(["superuser", "upsert", STAFF, PASSWORD]))?;
    let address = free_address()?;
    let mut serve = program();
    serve.args(["serve", "--http", &address.to_string()]).stderr(Stdio::null());
    let server = Server::start(serve, address)?;

    let sign_in = json!({"identity": STAFF, "password": PASSWORD});
    let path = "/api/collections/_superusers/auth-with-password";
    let admin = text(&call(&server, Method::POST, path, &[], &sign_in).await?, "token")?;
    let office = Office { server: &server, admin: &admin };
    office.create_collections().await?;
    let mut tokens = Vec::new();
    for number in 0..ACCOUNTS {
        tokens.push(office.create_account(&client_id(number), "cliente").await?);
    }
    let staff = office.create_account("equipe000000001", "equipe").await?;
    fill(&folder.path().join("data/data.db"), documents)?;

    let body = json!({
        "name": "Balancete de novembro.pdf", "type": "application/pdf", "folder": "folder000000001",
        "status": "active", "expires_at": "2027-01-31 00:00:00.000Z",
    });
    let body = Bytes::from(body.to_string());
    Ok(Product {
        name: format!("PocketBase {VERSION}"),
        database: "SQLite",
        server: Box::new(server),
        list: Arc::new(move || request(Method::GET, LIST, Some(one_of(&tokens)), Bytes::new())),
        insert: Some(Arc::new(move || {
            request(Method::POST, DOCUMENTS, Some(&staff), body.clone())
        })),
        _folder: Some(folder),
    })
}

fn client_id(number: usize) -> String {
    format!("client{number:09}")
}

/// The office, as its administrator creates it.
struct Office<'a> {
    server: &'a Server,
    admin: &'a str,
}

impl Office<'_> {
    async fn call(&self, method: Method, path: &str, body: Value) -> Outcome<Value> {
        call(self.server, method, path, &[("authorization", self.admin)], &body).await
    }

    /// Clients list their own documents; staff add documents. The index serves the list.
    async fn create_collections(&self) -> Outcome<()> {
        let settings = json!({"rateLimits": {"enabled": false}, "logs": {"maxDays": 0}});
        self.call(Method::PATCH, "/api/settings", settings).await?;
        let folders = json!({
            "name": "folders", "type": "base", "viewRule": "", "listRule": "",
            "fields": [{"name": "name", "type": "text"}],
        });
        let folders = self.call(Method::POST, "/api/collections", folders).await?;
        let users = self.call(Method::GET, "/api/collections/users", json!({})).await?;
        let mut fields = users["fields"].as_array().cloned().unwrap_or_default();
        fields.push(json!({"name": "role", "type": "text"}));
        self.call(Method::PATCH, "/api/collections/users", json!({"fields": fields})).await?;
        let own = "client = @request.auth.id";
        let documents = json!({
            "name": "documents", "type": "base", "listRule": own, "viewRule": own,
            "createRule": "@request.auth.role = \"equipe\"",
            "fields": [
                {"name": "name", "type": "text"}, {"name": "type", "type": "text"}, {"name": "status", "type": "text"},
                {"name": "client", "type": "relation", "collectionId": text(&users, "id")?, "maxSelect": 1},
                {"name": "folder", "type": "relation", "collectionId": text(&folders, "id")?, "maxSelect": 1},
                {"name": "expires_at", "type": "date"}, {"name": "uploaded_at", "type": "date"},
                {"name": "created", "type": "autodate", "onCreate": true},
            ],
            "indexes": ["CREATE INDEX documents_by_client ON documents (client, uploaded_at DESC, id DESC)"],
        });
        self.call(Method::POST, "/api/collections", documents).await?;
        for number in 1..=3 {
            let folder = json!({"id": format!("folder{number:09}"), "name": "Faturas"});
            self.call(Method::POST, "/api/collections/folders/records", folder).await?;
        }
        Ok(())
    }

    /// Creates a person, and returns a token of a session.
    async fn create_account(&self, id: &str, role: &str) -> Outcome<String> {
        let person = json!({
            "id": id, "email": format!("{id}@exemplo.com.br"), "role": role, "verified": true,
            "password": PASSWORD, "passwordConfirm": PASSWORD,
        });
        self.call(Method::POST, "/api/collections/users/records", person).await?;
        let path = format!("/api/collections/users/impersonate/{id}");
        let session = self.call(Method::POST, &path, json!({"duration": 24 * 3600})).await?;
        text(&session, "token")
    }
}

/// Writes the documents into the database, because the interface of PocketBase would need minutes.
fn fill(file: &Path, documents: usize) -> Outcome<()> {
    let database = Connection::open(file)?;
    database.busy_timeout(Duration::from_secs(30))?;
    let statement = "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1) \
         INSERT INTO documents (id, name, type, status, client, folder, expires_at, uploaded_at, created) \
         SELECT printf('document%07d', n), 'Documento nº ' || n || '.pdf', 'application/pdf', 'active', \
             printf('client%09d', n % ?2), printf('folder%09d', 1 + n % 3), '2027-01-31 00:00:00.000Z', \
             strftime('%Y-%m-%d %H:%M:%fZ', '2026-01-01', (30 * n) || ' seconds'), '2026-01-01 00:00:00.000Z' \
         FROM numbers";
    let numbers = [i64::try_from(documents)?, i64::try_from(clients_of(documents))?];
    database.execute(statement, numbers)?;
    database.execute_batch("ANALYZE")?;
    Ok(())
}
