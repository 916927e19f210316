//! Databases of the tests, created from a migrated template and dropped with the test.

use std::{
    fs,
    os::unix::fs::DirBuilderExt,
    path::Path,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use portaria::{config::database::parse_server, db::Db, schema::migrations::MIGRATIONS};

/// The name of a migrated PostgreSQL database, created once per process. It remains until the server is removed, as
/// `cargo xtask test` does.
static TEMPLATE: LazyLock<String> = LazyLock::new(|| {
    let name = unique_name();
    create_empty(&name);
    let server = parse_server(&url_of(&name)).unwrap();
    drop(Db::postgres(&server, None, MIGRATIONS).unwrap());
    // A template must have no connections.
    execute(&format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true"));
    name
});

/// The content of a migrated SQLite file, created once per process.
static TEMPLATE_FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::sqlite(folder.path(), MIGRATIONS).unwrap();
    let ended = db.ended();
    drop(db);
    assert!(ended.wait(Duration::from_mins(1)), "the template database is still open");
    fs::read(folder.path().join("portaria.db")).unwrap()
});

/// A PostgreSQL database that lives as long as its test.
pub(crate) struct Database {
    name: String,
    pub(crate) url: String,
}

impl Database {
    /// A database without tables.
    pub(crate) fn empty() -> Self {
        let name = unique_name();
        create_empty(&name);
        Self { url: url_of(&name), name }
    }

    /// A database with all migrations.
    pub(crate) fn migrated() -> Self {
        let name = unique_name();
        // FILE_COPY takes half as long as the default WAL_LOG.
        execute(&format!("CREATE DATABASE {name} TEMPLATE {} STRATEGY FILE_COPY", *TEMPLATE));
        Self { url: url_of(&name), name }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // The portal's threads may still be connected.
        execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}

/// Puts a database with all migrations into a new data folder.
pub(crate) fn create_migrated_file(data_dir: &Path) {
    fs::DirBuilder::new().mode(0o700).create(data_dir).unwrap();
    fs::write(data_dir.join("portaria.db"), &*TEMPLATE_FILE).unwrap();
}

fn unique_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("portaria_it_{}_{number}", std::process::id())
}

fn create_empty(name: &str) {
    // Servers in Brazil sort by the rules of the language. The portal must not depend on it.
    execute(&format!(
        "CREATE DATABASE {name} TEMPLATE template0 ENCODING UTF8 LOCALE_PROVIDER icu ICU_LOCALE 'pt-BR'"
    ));
}

fn url_of(name: &str) -> String {
    let server = server();
    let (server, _) = server.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}

/// Runs SQL on the PostgreSQL server, as its superuser.
pub(crate) fn execute(sql: &str) {
    run_blocking(|| {
        let mut client = postgres::Client::connect(&server(), postgres::NoTls).unwrap();
        client.batch_execute(sql).unwrap();
    });
}

/// Runs blocking database calls on their own thread, because a thread that drives an async runtime must not block.
pub(crate) fn run_blocking<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| scope.spawn(work).join().unwrap())
}

#[expect(clippy::disallowed_methods, reason = "the server is not a setting of the portal")]
fn server() -> String {
    std::env::var("TEST_POSTGRES").expect(
        "TEST_POSTGRES names no PostgreSQL server: run `cargo xtask test`, which starts one, \
         or give the URL of a superuser",
    )
}
