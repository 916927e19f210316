//! Parse Server, from npm, with a database of the same PostgreSQL server.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ACCOUNTS, Product, call, clients_of, install, text, with_headers};
use crate::{
    Outcome,
    load::request,
    postgres,
    server::{Server, free_address},
};

const VERSION: &str = "9.10.0";
/// Header with the id of the application, and the id.
const APPLICATION_HEADER: &str = "x-parse-application-id";
const APPLICATION: &str = "bench";
const MASTER_KEY: &str = "a key of the bench";
const PASSWORD: &str = "a password of the bench";
/// Time between two attempts to reach the starting server.
const PAUSE: Duration = Duration::from_millis(200);

/// Installs and starts Parse Server with an office of `documents` documents.
pub(super) async fn start(
    programs: &Path,
    postgres_url: &str,
    documents: usize,
) -> Outcome<Product> {
    let package = format!("parse-server@{VERSION}");
    let mut npm = Command::new("npm");
    install(npm.arg("install").arg("--prefix").arg(programs).args([
        "--no-audit",
        "--no-fund",
        &package,
    ]))?;
    let database = postgres::create_database(postgres_url, "parse").await?;
    let folder = TempDir::new_in(programs)?;
    let address = free_address()?;
    let settings = json!({
        "appId": APPLICATION, "masterKey": MASTER_KEY, "databaseURI": database, "host": "127.0.0.1",
        "port": address.port(), "mountPath": "/parse", "serverURL": format!("http://{address}/parse"),
        "silent": true, "logLevel": "error", "allowClientClassCreation": false, "allowCustomObjectId": true,
        // One process for each core.
        "cluster": thread::available_parallelism()?.get(),
    });
    let file = folder.path().join("parse.json");
    fs::write(&file, settings.to_string())?;
    let mut node = Command::new("node");
    node.arg(programs.join("node_modules/parse-server/bin/parse-server")).arg(file);
    node.current_dir(folder.path()).stderr(Stdio::null());
    let mut server = Server::start(node, address)?;
    server.database = Some(postgres::main_process(postgres_url).await?);
    while call(&server, Method::GET, "/parse/health", &[], &json!({})).await.is_err() {
        tokio::time::sleep(PAUSE).await;
    }

    create_classes(&server).await?;
    let mut sessions = Vec::new();
    for number in 0..ACCOUNTS {
        sessions.push(create_account(&server, &client_id(number)).await?);
    }
    let staff = create_account(&server, "equipe").await?;
    fill(&database, documents).await?;

    let body = json!({
        "name": "Balancete de novembro.pdf", "type": "application/pdf", "folder": pointer("Folder", "folder1"),
        "status": "active", "expires": {"__type": "Date", "iso": "2027-01-31T00:00:00.000Z"},
        "ACL": {"equipe": {"read": true, "write": true}},
    });
    let body = Bytes::from(body.to_string());
    let send = |method, path: &str, session: &str, body| {
        let headers = [(APPLICATION_HEADER, APPLICATION), ("x-parse-session-token", session)];
        with_headers(request(method, path, None, body), &headers)
    };
    Ok(Product {
        name: format!("Parse Server {VERSION}"),
        database: "PostgreSQL",
        server: Box::new(server),
        list: Arc::new(move || {
            let number = fastrand::usize(..sessions.len());
            send(Method::GET, &list(&client_id(number)), &sessions[number], Bytes::new())
        }),
        insert: Some(Arc::new(move || {
            send(Method::POST, "/parse/classes/Document", &staff, body.clone())
        })),
        _folder: Some(folder),
    })
}

fn client_id(number: usize) -> String {
    format!("client{number}")
}

/// The list of the portal in the terms of Parse Server. The condition lets it use an index.
fn list(client: &str) -> String {
    let own = json!({"client": pointer("_User", client)}).to_string();
    let own = percent_encoding::utf8_percent_encode(&own, percent_encoding::NON_ALPHANUMERIC);
    format!(
        "/parse/classes/Document?where={own}&order=-uploadedAt&limit=20&include=folder\
         &keys=name,createdAt,expires,status,folder.name"
    )
}

fn pointer(class: &str, id: &str) -> Value {
    json!({"__type": "Pointer", "className": class, "objectId": id})
}

/// Classes that signed-in people read as far as the access list of each row permits.
async fn create_classes(server: &Server) -> Outcome<()> {
    let headers = [(APPLICATION_HEADER, APPLICATION), ("x-parse-master-key", MASTER_KEY)];
    let signed_in = json!({"requiresAuthentication": true});
    let permissions = json!({"get": signed_in, "find": signed_in, "create": signed_in});
    let string = json!({"type": "String"});
    for (class, fields) in [
        ("Folder", json!({"name": string})),
        (
            "Document",
            json!({
                "name": string, "type": string, "status": string,
                "client": {"type": "Pointer", "targetClass": "_User"},
                "folder": {"type": "Pointer", "targetClass": "Folder"},
                "expires": {"type": "Date"}, "uploadedAt": {"type": "Date"},
            }),
        ),
    ] {
        let schema =
            json!({"className": class, "fields": fields, "classLevelPermissions": permissions});
        call(server, Method::POST, &format!("/parse/schemas/{class}"), &headers, &schema).await?;
    }
    for number in 1..=3 {
        let folder = json!({
            "objectId": format!("folder{number}"), "name": "Faturas", "ACL": {"*": {"read": true}},
        });
        call(server, Method::POST, "/parse/classes/Folder", &headers, &folder).await?;
    }
    Ok(())
}

/// Creates a person, and returns the token of a session.
async fn create_account(server: &Server, id: &str) -> Outcome<String> {
    let headers = [(APPLICATION_HEADER, APPLICATION)];
    let person = json!({"objectId": id, "username": id, "password": PASSWORD});
    let created = call(server, Method::POST, "/parse/users", &headers, &person).await?;
    text(&created, "sessionToken")
}

/// Writes the documents into the database, and adds an index for the list, which Parse Server does not create.
async fn fill(database: &str, documents: usize) -> Outcome<()> {
    let clients = clients_of(documents);
    let database = postgres::connect(database).await?;
    let statements = format!(
        "INSERT INTO \"Document\" (\"objectId\", name, type, status, client, folder, expires, \"uploadedAt\", \
             \"createdAt\", \"updatedAt\", _rperm, _wperm) \
         SELECT 'document' || n, 'Documento nº ' || n || '.pdf', 'application/pdf', 'active', 'client' || n % {clients}, \
             'folder' || 1 + n % 3, '2027-01-31', timestamptz '2026-01-01' + n * interval '30 seconds', now(), now(), \
             ARRAY['client' || n % {clients}], '{{}}' \
         FROM generate_series(0, {documents} - 1) AS n; \
         CREATE INDEX ON \"Document\" (client, \"uploadedAt\" DESC); \
         ANALYZE"
    );
    Ok(database.batch_execute(&statements).await?)
}
