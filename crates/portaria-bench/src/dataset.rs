//! The dataset: an office with a given number of documents, a hundred per client, in the order of their upload.

use std::{fs::Permissions, os::unix::fs::PermissionsExt, path::Path, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use portaria::{
    clock::format_timestamp,
    config::database::parse_server,
    db::{Db, Error, Tx},
    display_name,
    schema::migrations::MIGRATIONS,
    security::{
        keys::{self, Keys},
        password::Passwords,
    },
};
use sea_query::{Expr, Query};
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;

use crate::{Outcome, postgres};

pub(crate) const PASSWORD: &str = "a password of the bench";
pub(crate) const SECRET: &str = "a secret of the bench, of more than thirty-two bytes";
pub(crate) const DOCUMENTS_PER_CLIENT: usize = 100;
const FOLDERS: [&str; 3] = ["contratos", "faturas", "documentos-pessoais"];
/// Number of rows per INSERT statement.
const ROWS_PER_STATEMENT: usize = 500;
/// Number of statements per transaction.
const STATEMENTS_PER_TRANSACTION: usize = 20;

/// An office's data and its accounts.
pub(crate) struct Dataset {
    folder: TempDir,
    database: Option<String>,
    database_process: Option<u32>,
    keys: Keys,
    begin: Timestamp,
    pub(crate) documents: usize,
    pub(crate) clients: Vec<Uuid>,
    pub(crate) admin: Uuid,
}

impl Dataset {
    /// Creates an empty office in a new folder inside `parent`, or in an empty PostgreSQL database.
    pub(crate) fn new(parent: &Path, database: Option<String>) -> Outcome<Self> {
        let now = portaria::clock::Clock::system().now();
        Ok(Self {
            folder: tempfile::Builder::new()
                .prefix("office-")
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(parent)?,
            database,
            database_process: None,
            keys: Keys::from_secret(SECRET),
            begin: now - SignedDuration::from_hours(24 * 365),
            documents: 0,
            clients: Vec::new(),
            admin: keys::new_id(now),
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// The main process of the PostgreSQL server, known after [`Dataset::grow_to`].
    pub(crate) fn database_process(&self) -> Option<u32> {
        self.database_process
    }

    /// The name of the database in the report.
    pub(crate) fn engine(&self) -> &'static str {
        if self.database.is_some() { "PostgreSQL" } else { "SQLite" }
    }

    pub(crate) fn email(person: Uuid) -> String {
        format!("{person}@exemplo.com.br")
    }

    /// An access token with an existing session, as a sign-in returns it.
    pub(crate) fn token(&self, person: Uuid) -> String {
        let now = self.begin + SignedDuration::from_hours(24 * 365);
        let email = Self::email(person);
        self.keys.sign_token(&json!({
            "iss": "http://localhost/auth/v1", "sub": person, "aud": "authenticated", "role": "authenticated",
            "iat": now.as_second(), "exp": now.as_second() + 24 * 3600, "session_id": person, "email": email,
            "phone": "", "app_metadata": {"provider": "email", "providers": ["email"]},
            "user_metadata": {"full_name": "Cliente"}, "aal": "aal1", "is_anonymous": false,
            "amr": [{"method": "password", "timestamp": now.as_second()}],
        }))
    }

    pub(crate) fn anon_key(&self) -> &str {
        &self.keys.anon
    }

    /// Adds clients and documents until the office has `documents` documents. The server must not be running.
    pub(crate) async fn grow_to(&mut self, documents: usize) -> Outcome<()> {
        let db = match &self.database {
            None => Db::sqlite(self.folder.path(), MIGRATIONS)?,
            Some(url) => {
                self.database_process = Some(postgres::main_process(url).await?);
                Db::postgres(&parse_server(url)?, None, MIGRATIONS)?
            }
        };
        let password = Passwords::default().hash(PASSWORD.into()).await;
        let password = password.map_err(|_| "the password could not be hashed")?;
        if self.documents == 0 {
            insert(&db, people(&[self.admin], self.begin, &password, true)).await?;
        }
        let first = self.clients.len();
        self.clients.resize_with(documents / DOCUMENTS_PER_CLIENT, || keys::new_id(self.begin));
        for chunk in self.clients[first..].chunks(ROWS_PER_STATEMENT * STATEMENTS_PER_TRANSACTION) {
            insert(&db, people(chunk, self.begin, &password, false)).await?;
        }
        let mut rows = Vec::new();
        for number in self.documents..documents {
            let new = &self.clients[first..];
            rows.push(self.document(number, new[number % new.len()]));
            if rows.len() == ROWS_PER_STATEMENT * STATEMENTS_PER_TRANSACTION
                || number + 1 == documents
            {
                insert(
                    &db,
                    vec![("documents", DOCUMENT_COLUMNS.to_vec(), std::mem::take(&mut rows))],
                )
                .await?;
            }
        }
        self.documents = documents;
        Ok(())
    }

    fn document(&self, number: usize, client: Uuid) -> Vec<Expr> {
        let at =
            self.begin + SignedDuration::from_secs(30) * i32::try_from(number).unwrap_or(i32::MAX);
        let folder = FOLDERS[number % FOLDERS.len()];
        let name = format!("Documento nº {number}.pdf");
        vec![
            keys::new_id(at).to_string().into(),
            client.to_string().into(),
            folder.into(),
            format!("public/{client}/{folder}/{}-{name}", at.as_millisecond()).into(),
            display_name::search_key(&name).into(),
            name.into(),
            "application/pdf".into(),
            "active".into(),
            184_320_i64.into(),
            format_timestamp(at).into(),
            number
                .is_multiple_of(2)
                .then(|| format_timestamp(at + SignedDuration::from_hours(24 * 400)))
                .into(),
            format_timestamp(at).into(),
            format_timestamp(at).into(),
        ]
    }
}

const DOCUMENT_COLUMNS: [&str; 13] = [
    "id",
    "client_id",
    "folder_id_supabase",
    "file_url",
    "search_name",
    "name",
    "type",
    "status",
    "size",
    "created_at",
    "expires_at",
    "uploaded_at",
    "updated_at",
];

/// A table, its columns, and its rows.
type Rows = (&'static str, Vec<&'static str>, Vec<Vec<Expr>>);

fn people(ids: &[Uuid], at: Timestamp, password: &str, admin: bool) -> Vec<Rows> {
    let roles = if admin { json!(["admin"]) } else { json!([]) };
    let app = json!({"provider": "email", "providers": ["email"], "roles": roles}).to_string();
    let at = format_timestamp(at);
    let now = format_timestamp(portaria::clock::Clock::system().now());
    let person = |id: &Uuid| -> Vec<Expr> {
        vec![
            id.to_string().into(),
            Dataset::email(*id).into(),
            password.into(),
            false.into(),
            at.clone().into(),
            app.clone().into(),
            json!({"full_name": "Cliente"}).to_string().into(),
            admin.into(),
            at.clone().into(),
            at.clone().into(),
        ]
    };
    let session = |id: &Uuid| -> Vec<Expr> {
        let id = id.to_string();
        vec![
            id.clone().into(),
            id.into(),
            0_i64.into(),
            "[]".into(),
            now.clone().into(),
            now.clone().into(),
        ]
    };
    let user_columns = vec![
        "id",
        "email",
        "password_hash",
        "signed_up",
        "email_confirmed_at",
        "app_metadata",
        "user_metadata",
        "is_admin",
        "created_at",
        "updated_at",
    ];
    let session_columns =
        vec!["id", "user_id", "refresh_counter", "amr", "created_at", "refreshed_at"];
    vec![
        ("users", user_columns, ids.iter().map(person).collect()),
        ("sessions", session_columns, ids.iter().map(session).collect()),
    ]
}

/// Inserts rows. A checkpoint on a busy machine keeps the writer longer than a request may wait for it. The rows of a
/// refused job wait their turn again.
async fn insert(db: &Db, tables: Vec<Rows>) -> Result<(), Error> {
    let tables = Arc::new(tables);
    loop {
        let tables = Arc::clone(&tables);
        match db.write(move |tx| insert_rows(tx, &tables)).await {
            Err(Error::Busy) => {}
            result => return result,
        }
    }
}

fn insert_rows(tx: &mut Tx<'_>, tables: &[Rows]) -> Result<(), Error> {
    for (table, columns, rows) in tables {
        for chunk in rows.chunks(ROWS_PER_STATEMENT) {
            let mut statement = Query::insert().into_table(*table).columns(columns.clone()).take();
            for row in chunk {
                statement.values_panic(row.iter().cloned());
            }
            tx.execute(&statement)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::dataset::{Db, Error, MIGRATIONS, Tx, insert, people};

    /// Two slow jobs saturate the writer's queue, as a disk does that is busy with a checkpoint.
    #[tokio::test]
    async fn seeding_waits_behind_a_busy_writer() {
        let folder = tempfile::tempdir().unwrap();
        let db = Db::sqlite(folder.path(), MIGRATIONS).unwrap();
        let slow = |millis| {
            let work = move |_: &mut Tx<'_>| {
                std::thread::sleep(Duration::from_millis(millis));
                Ok::<_, Error>(())
            };
            db.write(work)
        };
        let rows = people(&[uuid::Uuid::nil()], jiff::Timestamp::UNIX_EPOCH, "", false);
        let (first, second, seeded) = tokio::join!(slow(600), slow(1200), insert(&db, rows));
        first.unwrap();
        second.unwrap();
        seeded.unwrap();
    }
}
