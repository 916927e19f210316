//! One portal per test, on either database. Requests go through its router, without sockets.

pub(crate) mod database;
pub(crate) mod dovecot;
mod members;
pub(crate) mod replication;
pub(crate) mod request;
pub(crate) mod restore_target;
pub(crate) mod s3;
pub(crate) mod served;
mod staff;
pub(crate) mod tcp_proxy;
pub(crate) mod wait;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::Router;
use jiff::{SignedDuration, Timestamp};
use portaria::{
    app::App,
    clock::Clock,
    config::{Config, sources::ConfigSources},
    http,
    security::password::Passwords,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{RwLock, Semaphore, SemaphorePermit};

pub(crate) use crate::harness::{
    database::{Database, execute, run_blocking},
    restore_target::RestoreTarget,
};

use crate::harness::{
    request::{Answer, Request},
    s3::Bucket,
};

/// The initial time of the test clock: noon in Brasília.
pub(crate) const NOON: &str = "2026-11-21T15:00:00Z";
/// A fixed secret, so that tests can sign tokens.
pub(crate) const SECRET: &str = "the secret of the tests, 32 bytes and more";
/// The password of all test users.
pub(crate) const PASSWORD: &str = "senha-do-teste";

/// Defines the tests `name::sqlite` and `name::postgres` from one async test. A test of load or time is
/// `exclusive`: no other test runs beside it.
macro_rules! portal_test {
    (exclusive $name:ident, async |$portal:ident| $body:block) => {
        crate::harness::portal_test!(run_alone, $name, async |$portal| $body);
    };
    ($name:ident, async |$portal:ident| $body:block) => {
        crate::harness::portal_test!(run_beside_others, $name, async |$portal| $body);
    };
    ($run:ident, $name:ident, async |$portal:ident| $body:block) => {
        async fn $name($portal: &mut crate::harness::TestPortal) $body

        mod $name {
            use crate::harness::{Engine, $run};

            #[test]
            fn sqlite() {
                $run(Engine::Sqlite, super::$name);
            }

            #[test]
            fn postgres() {
                $run(Engine::Postgres, super::$name);
            }
        }
    };
}
pub(crate) use portal_test;

/// The processors. Ordinary tests share them, exclusive tests hold them alone.
pub(crate) static PROCESSORS: RwLock<()> = RwLock::const_new(());

/// A portal with its clock, its settings and its data folder.
pub(crate) struct TestPortal {
    pub(crate) app: Arc<App>,
    pub(crate) router: Router,
    clock: Clock,
    settings: Vec<(&'static str, String)>,
    folder: TempDir,
    passwords: fn() -> Passwords,
    /// The bucket for files, if the database is PostgreSQL.
    pub(crate) bucket: Option<Bucket>,
}

/// A user with an account and a session.
#[derive(Clone)]
pub(crate) struct TestUser {
    pub(crate) id: String,
    pub(crate) email: String,
    pub(crate) token: String,
    pub(crate) refresh_token: String,
}

/// A document with a file.
pub(crate) struct Document {
    pub(crate) id: String,
    /// The object key of the file (`file_url`).
    pub(crate) path: String,
}

/// A minimal PDF, valid for content sniffing.
pub(crate) const PDF: &[u8] =
    b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n";

/// Limits the portals on PostgreSQL: each opens up to twenty connections, and the server of `cargo xtask test` allows
/// 200.
static PG_PERMITS: Semaphore = Semaphore::const_new(8);

/// Waits until `count` more portals may connect.
pub(crate) fn pg_permits(count: usize) -> SemaphorePermit<'static> {
    runtime().block_on(PG_PERMITS.acquire_many(u32::try_from(count).unwrap())).unwrap()
}

pub(crate) fn run_on_sqlite(test: impl AsyncFnOnce(&mut TestPortal)) {
    run_beside_others(Engine::Sqlite, test);
}

pub(crate) fn run_on_postgres(test: impl AsyncFnOnce(&mut TestPortal)) {
    run_beside_others(Engine::Postgres, test);
}

/// Runs an ordinary test on one portal.
pub(crate) fn run_beside_others(engine: Engine, test: impl AsyncFnOnce(&mut TestPortal)) {
    let _processors = PROCESSORS.blocking_read();
    run(engine, test);
}

/// Runs an exclusive test on one portal.
pub(crate) fn run_alone(engine: Engine, test: impl AsyncFnOnce(&mut TestPortal)) {
    let _processors = PROCESSORS.blocking_write();
    run(engine, test);
}

fn run(engine: Engine, test: impl AsyncFnOnce(&mut TestPortal)) {
    let is_postgres = engine == Engine::Postgres;
    let _place = is_postgres.then(|| pg_permits(1));
    // Dropped after the portal, even if the test panics.
    let database = is_postgres.then(Database::migrated);
    runtime().block_on(async {
        let mut portal = TestPortal::new(database.as_ref().map(|database| database.url.clone()));
        test(&mut portal).await;
    });
}

/// The database engines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// Runs a test on two portals.
pub(crate) fn run_on_two(engines: [Engine; 2], test: impl AsyncFnOnce([&TestPortal; 2])) {
    let _processors = PROCESSORS.blocking_read();
    let needed = engines.iter().filter(|engine| **engine == Engine::Postgres).count();
    let _places = pg_permits(needed);
    // Dropped after the portals, even if the test panics.
    let databases = engines.map(|engine| (engine == Engine::Postgres).then(Database::migrated));
    runtime().block_on(async {
        let [one, two] = databases.each_ref().map(|database| {
            TestPortal::new(database.as_ref().map(|database| database.url.clone()))
        });
        test([&one, &two]).await;
    });
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

impl TestPortal {
    fn new(database_url: Option<String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(NOON.parse().unwrap());
        let mut settings = vec![("jwt_secret", SECRET.to_owned())];
        let bucket = database_url.is_some().then(Bucket::create);
        settings.extend(bucket.as_ref().map(|bucket| ("storage_url", bucket.url.clone())));
        let data = folder.path().join("data");
        match database_url {
            Some(url) => settings.push(("database_url", url)),
            None => database::create_migrated_file(&data),
        }
        let passwords = cheap_passwords;
        let app = open(&settings, &data, &clock, passwords).unwrap();
        let router = http::router(Arc::clone(&app));
        Self { app, router, clock, settings, folder, passwords, bucket }
    }

    /// Stops the portal and starts it again on the same data.
    pub(crate) fn restart(&mut self) {
        self.try_restart().unwrap();
    }

    /// Restarts the portal. Returns the error of the start.
    pub(crate) fn try_restart(&mut self) -> anyhow::Result<()> {
        self.app = open(&self.settings, &self.folder("."), &self.clock, self.passwords)?;
        self.app.files.clear_staging().map_err(anyhow::Error::msg)?;
        self.router = http::router(Arc::clone(&self.app));
        Ok(())
    }

    /// Stops the portal. The data exist until the result is dropped.
    pub(crate) fn close(self) -> (TempDir, Option<Bucket>) {
        (self.folder, self.bucket)
    }

    /// Starts another node of the same portal.
    pub(crate) fn another_node(&self) -> Arc<App> {
        open(&self.settings, &self.folder("."), &self.clock, self.passwords).unwrap()
    }

    /// Restarts the portal with a changed setting.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.try_set(name, value).unwrap();
    }

    /// [`set`](Self::set) that returns the error of the start. The value remains for later starts.
    pub(crate) fn try_set(&mut self, name: &'static str, value: &str) -> anyhow::Result<()> {
        self.settings.push((name, value.to_owned()));
        self.try_restart()
    }

    /// Restarts the portal with the production cost of password hashes. All other tests hash at the lowest cost.
    pub(crate) fn use_production_passwords(&mut self) {
        self.passwords = Passwords::default;
        self.restart();
    }

    /// The database engine of the portal.
    pub(crate) fn engine(&self) -> Engine {
        if self.app.config.database.is_some() { Engine::Postgres } else { Engine::Sqlite }
    }

    pub(crate) fn settings(&self) -> &[(&'static str, String)] {
        &self.settings
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The URL of the PostgreSQL database; empty on SQLite.
    pub(crate) fn database_url(&self) -> &str {
        self.app.config.database.as_ref().map_or("", |server| &server.url)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn advance(&self, time: SignedDuration) {
        self.clock.advance(time);
    }

    /// The files below a folder of the data folder, or of the bucket for `blobs` and `uploads`.
    pub(crate) fn files_in(&self, name: &str) -> Vec<PathBuf> {
        fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { collect(&path, found) } else { found.push(path) }
            }
        }
        let mut found = Vec::new();
        collect(&self.folder(name), &mut found);
        found
    }

    /// A path in the data folder, or in the bucket for `blobs` and `uploads`.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        match &self.bucket {
            Some(bucket) if ["blobs", "uploads"].contains(&name) => bucket.folder.join(name),
            _ => self.folder.path().join("data").join(name),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Request {
        self.request("GET", path)
    }

    pub(crate) fn head(&self, path: &str) -> Request {
        self.request("HEAD", path)
    }

    pub(crate) fn post(&self, path: &str) -> Request {
        self.request("POST", path)
    }

    pub(crate) fn put(&self, path: &str) -> Request {
        self.request("PUT", path)
    }

    pub(crate) fn patch(&self, path: &str) -> Request {
        self.request("PATCH", path)
    }

    pub(crate) fn delete(&self, path: &str) -> Request {
        self.request("DELETE", path)
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.router.clone(), method, path).header("apikey", &self.app.keys.anon)
    }

    /// Creates a client and signs in.
    pub(crate) async fn client(&self, name: &str) -> TestUser {
        let email = format!("{name}@cliente.com.br");
        self.create_user(json!({"email": email, "user_metadata": {"full_name": name}})).await;
        self.sign_in(&email).await
    }

    /// Creates a confirmed account with the common password and additional `fields`.
    pub(crate) async fn create_user(&self, mut fields: Value) -> Value {
        fields["password"] = PASSWORD.into();
        fields["email_confirm"] = true.into();
        let request = self.post("/auth/v1/admin/users").bearer(&self.app.keys.service_role);
        request.json(&fields).send().await.is(200).json()
    }

    /// Signs in with the common password.
    pub(crate) async fn sign_in(&self, email: &str) -> TestUser {
        TestUser::from_session(&self.try_sign_in(email, PASSWORD).await.is(200).json())
    }

    pub(crate) async fn try_sign_in(&self, email: &str, password: &str) -> Answer {
        let request = self.post("/auth/v1/token?grant_type=password");
        request.json(&json!({"email": email, "password": password})).send().await
    }

    pub(crate) async fn refresh(&self, refresh_token: &str) -> Answer {
        let request = self.post("/auth/v1/token?grant_type=refresh_token");
        request.json(&json!({"refresh_token": refresh_token})).send().await
    }

    /// Uploads a PDF into a client's folder as the office, and returns the object key.
    pub(crate) async fn upload(&self, client: &TestUser, folder: &str, name: &str) -> String {
        let path = format!("public/{}/{folder}/{name}", client.id);
        let request = self.post(&object(&path)).bearer(&self.app.keys.service_role);
        request.bytes("application/pdf", PDF).send().await.is(200);
        path
    }

    /// Creates a released document of a client, with its file.
    pub(crate) async fn document(&self, client: &TestUser, folder: &str, name: &str) -> Document {
        self.document_with(client, folder, name, json!({})).await
    }

    /// Creates a document of a client with its file and additional `fields`.
    pub(crate) async fn document_with(
        &self,
        client: &TestUser,
        folder: &str,
        name: &str,
        fields: Value,
    ) -> Document {
        let path = self.upload(client, folder, name).await;
        let mut row = json!({
            "name": name, "folder_id_supabase": folder, "type": "pdf", "file_url": path, "uploaded_at": self.now().to_string(),
        });
        for (key, value) in fields.as_object().unwrap() {
            row[key] = value.clone();
        }
        let id = self.insert("documents", row).await;
        Document { id, path }
    }

    /// Deletes a document and removes it from the trash.
    pub(crate) async fn delete_for_good(&self, document: &Document) {
        for table in ["documents", "deleted_documents"] {
            let row = format!("/rest/v1/{table}?id=eq.{}", document.id);
            self.delete(&row).bearer(&self.app.keys.service_role).send().await.is(204);
        }
    }

    /// Creates a ticket as a client, and returns its id.
    pub(crate) async fn ticket(&self, client: &TestUser, subject: &str) -> String {
        let row = json!({"subject": subject, "message": "Uma mensagem longa o bastante."});
        let request = self.post("/rest/v1/tickets").auth(client).single().json(&row);
        request.send().await.is(201).json()["id"].as_str().unwrap().to_owned()
    }

    /// Inserts a row as the office and returns its id.
    pub(crate) async fn insert(&self, table: &str, row: Value) -> String {
        let path = format!("/rest/v1/{table}");
        let request = self.post(&path).bearer(&self.app.keys.service_role).single();
        request.json(&row).send().await.is(201).json()["id"].as_str().unwrap().to_owned()
    }
}

impl TestUser {
    pub(crate) fn from_session(session: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            id: text(&session["user"]["id"]),
            email: text(&session["user"]["email"]),
            token: text(&session["access_token"]),
            refresh_token: text(&session["refresh_token"]),
        }
    }
}

/// Prints that a test was skipped, and the reason.
pub(crate) fn skipped(why: &str) {
    drop(writeln!(io::stdout(), "SKIPPED: {why}"));
}

/// The path of an object of the documents bucket.
pub(crate) fn object(path: &str) -> String {
    format!("/storage/v1/object/client-documents/{path}")
}

fn open(
    settings: &[(&'static str, String)],
    folder: &Path,
    clock: &Clock,
    passwords: fn() -> Passwords,
) -> anyhow::Result<Arc<App>> {
    let mut app = App::open_with(read(settings, folder)?, clock.clone(), passwords())?;
    if let Some(app) = Arc::get_mut(&mut app) {
        app.program = env!("CARGO_BIN_EXE_portaria").into();
    }
    Ok(app)
}

/// Password hashing at the lowest cost of argon2: 8 KiB, one pass.
fn cheap_passwords() -> Passwords {
    Passwords::with_cost(8, 1)
}

fn read(settings: &[(&'static str, String)], folder: &Path) -> anyhow::Result<Config> {
    let mut all = ConfigSources::defaults();
    all.set("data_dir", folder.to_str().unwrap()).unwrap();
    for (name, value) in settings {
        all.set(name, value).unwrap();
    }
    all.read()
}
