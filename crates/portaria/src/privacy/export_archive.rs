//! The ZIP archive of a person's data: each table as JSON, then the files. It is streamed while it is created, so that
//! its size is not limited by memory or disk space.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use jiff::{Timestamp, tz::TimeZone};
use sea_query::{Alias, Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::Sender;
use zip::{
    CompressionMethod, DateTime, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

use crate::privacy::{
    archive_names::UniqueNames,
    export_records::{self, PersonalDataSource},
};
use crate::{
    accounts::user::User,
    app::App,
    db::{self, Cell, Row, Tx},
    policy::{self, Action},
    schema::{ATTACHMENTS_BUCKET, Column, ColumnType, DOCUMENTS_BUCKET, RECEIVED_BUCKET, TableId},
    security::{caller::Caller, ids::UserId},
};

/// Number of rows that one transaction reads.
pub(crate) const PAGE: u64 = 500;

/// Writes the archive to `sender`. `tables` are the exported tables in their order, with their file names in the
/// archive. The profile precedes them.
///
/// # Errors
/// Errors of the database and of the blob store; also when the receiver is gone. The archive is incomplete then.
pub(crate) async fn write(
    app: &App,
    owner: User,
    tables: Vec<(TableId, &'static str)>,
    sender: &Sender<io::Result<Bytes>>,
) -> io::Result<()> {
    // Administrators export their own data too, not the office's: all read with the rights of a client.
    let caller = Caller::own_account(owner.id);
    let sink = Sink::default();
    let zip = ZipWriter::new_stream(sink.clone());
    let mut archive = Archive { app, caller, sink, zip, sender };
    archive.profile(&owner).await?;
    for (table, name) in tables {
        archive.table(table, name).await?;
    }
    for source in &export_records::SOURCES {
        archive.records(source, owner.id).await?;
    }
    archive.files("arquivos", documents).await?;
    archive.files("anexos", attachments).await?;
    archive.files("enviados", received_files).await?;
    archive.zip.finish()?;
    let last = archive.sink.take();
    sender.send(Ok(last)).await.map_err(io::Error::other)
}

struct Archive<'a> {
    app: &'a App,
    caller: Caller,
    sink: Sink,
    zip: ZipWriter<StreamWriter<Sink>>,
    sender: &'a Sender<io::Result<Bytes>>,
}

impl Archive<'_> {
    async fn profile(&mut self, owner: &User) -> io::Result<()> {
        let profile = json!({
            "id": owner.id,
            "email": owner.email,
            "new_email": owner.new_email,
            "user_metadata": owner.user_metadata,
            "app_metadata": owner.app_metadata,
            "signed_up": owner.signed_up,
            "created_at": owner.created_at,
            "updated_at": owner.updated_at,
            "last_sign_in_at": owner.last_sign_in_at,
            "last_visit_at": owner.last_visit_at,
            "banned_until": owner.banned_until,
            "email_confirmed_at": owner.email_confirmed_at,
            "confirmation_sent_at": owner.confirmation_sent_at,
            "invited_at": owner.invited_at,
            "recovery_sent_at": owner.recovery_sent_at,
            "reauthentication_sent_at": owner.reauthentication_sent_at,
            "email_change_sent_at": owner.email_change_sent_at,
            "email_change_confirmed": owner.email_change_confirmed,
        });
        self.start_entry("perfil.json", CompressionMethod::Deflated, self.app.clock.now(), 0)?;
        writeln!(self.zip, "{profile:#}")?;
        self.send().await
    }

    async fn table(&mut self, id: TableId, name: &str) -> io::Result<()> {
        self.start_entry(name, CompressionMethod::Deflated, self.app.clock.now(), 0)?;
        let caller = self.caller;
        let mut last = String::new();
        let mut separator = "[";
        loop {
            let after = last.clone();
            let read = move |tx: &mut Tx<'_>| next_rows(tx, caller, id, &after);
            let rows = self.app.db.read(read).await.map_err(io::Error::other)?;
            for row in &rows {
                write!(self.zip, "{separator}\n{}", Value::Object(row.clone()))?;
                separator = ",";
            }
            self.send().await?;
            let key = rows.last().and_then(|row| row[id.table().key].as_str());
            let Some(key) = key.filter(|_| rows.len() as u64 == PAGE) else { break };
            last = key.to_owned();
        }
        writeln!(self.zip, "{}]", if separator == "[" { "[" } else { "\n" })
    }

    async fn records(
        &mut self,
        source: &'static PersonalDataSource,
        owner: UserId,
    ) -> io::Result<()> {
        self.start_entry(source.file, CompressionMethod::Deflated, self.app.clock.now(), 0)?;
        let (mut cursor, mut separator) = (None, "[");
        loop {
            let after = cursor.take();
            let read = move |tx: &mut Tx<'_>| source.page(tx, owner, after);
            let (rows, next) = self.app.db.read(read).await.map_err(io::Error::other)?;
            for row in rows {
                write!(self.zip, "{separator}\n{}", Value::Object(row))?;
                separator = ",";
            }
            self.send().await?;
            if next.is_none() {
                break;
            }
            cursor = next;
        }
        writeln!(self.zip, "{}]", if separator == "[" { "[" } else { "\n" })
    }

    async fn files(&mut self, root: &str, source: fn() -> FileSource) -> io::Result<()> {
        let (caller, mut last, mut names) = (self.caller, String::new(), UniqueNames::new(root));
        loop {
            let after = last.clone();
            let read = move |tx: &mut Tx<'_>| next_files(tx, caller, &source(), &after);
            let files = self.app.db.read(read).await.map_err(io::Error::other)?;
            for file in &files {
                let path = names.allocate(&file.folder, &file.name, &file.file_url);
                self.file(&path, file).await?;
            }
            let Some(file) = files.last().filter(|_| files.len() as u64 == PAGE) else {
                return Ok(());
            };
            last.clone_from(&file.id);
        }
    }

    async fn file(&mut self, path: &str, file: &StoredFile) -> io::Result<()> {
        let mut reader = match self.app.files.open_blob(&file.blob, 0, file.size).await {
            // Deleted since the rows were read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        // Most file formats of documents are compressed already.
        self.start_entry(path, CompressionMethod::Stored, file.at, file.size)?;
        loop {
            let chunk = reader.next().await?;
            if chunk.is_empty() {
                return Ok(());
            }
            self.zip.write_all(&chunk)?;
            self.send().await?;
        }
    }

    fn start_entry(
        &mut self,
        name: &str,
        method: CompressionMethod,
        at: Timestamp,
        size: u64,
    ) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(zip_time(at, &self.app.config.time_zone))
            .large_file(size >= u64::from(u32::MAX));
        Ok(self.zip.start_file(name, options)?)
    }

    /// Sends the bytes that are ready, and waits while the receiver is slow.
    async fn send(&mut self) -> io::Result<()> {
        let ready = self.sink.take();
        if ready.is_empty() {
            return Ok(());
        }
        self.sender.send(Ok(ready)).await.map_err(io::Error::other)
    }
}

/// Converts a timestamp to ZIP's local time without a zone, in the portal's time zone.
fn zip_time(at: Timestamp, zone: &TimeZone) -> DateTime {
    let at = at.to_zoned(zone.clone());
    let to_u8 = |number: i8| u8::try_from(number).unwrap_or_default();
    DateTime::from_date_and_time(
        u16::try_from(at.year()).unwrap_or_default(),
        to_u8(at.month()),
        to_u8(at.day()),
        to_u8(at.hour()),
        to_u8(at.minute()),
        to_u8(at.second()),
    )
    .unwrap_or_default()
}

/// Bytes that the ZIP writer produced and that are not sent yet.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().expect("no holder of the lock panics")).into()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no holder of the lock panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads the next rows of a table after a key, with the visible columns of their owner.
fn next_rows(
    tx: &mut Tx<'_>,
    caller: Caller,
    id: TableId,
    after: &str,
) -> Result<Vec<Map<String, Value>>, db::Error> {
    let table = id.table();
    let denied = |policy::Denied| db::Error::Internal(format!("{} is not theirs", table.name));
    let access = policy::access(caller, id, Action::Select).map_err(denied)?;
    let columns: Vec<&Column> = table.columns.iter().filter(|column| !column.staff_only).collect();
    let mut query = Query::select();
    query.columns(columns.iter().map(|column| Alias::new(column.name)));
    query.from(Alias::new(table.name)).cond_where(access.condition(table.name));
    query.and_where(Expr::col(Alias::new(table.key)).gt(after));
    query.order_by(Alias::new(table.key), Order::Asc).limit(PAGE);
    let rows = tx.rows(&query)?;
    let mut page = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let mut object = Map::new();
        for (index, column) in columns.iter().enumerate() {
            object.insert(column.name.to_owned(), cell_to_json(row, index, column.column_type)?);
        }
        page.push(object);
    }
    Ok(page)
}

pub(crate) fn cell_to_json(
    row: Row<'_>,
    index: usize,
    kind: ColumnType,
) -> Result<Value, db::Error> {
    if row.cell(index) == Cell::Null {
        return Ok(Value::Null);
    }
    Ok(match kind {
        ColumnType::Bool => row.bool(index)?.into(),
        ColumnType::Int => row.int(index)?.into(),
        ColumnType::Json => serde_json::from_str(row.text(index)?).unwrap_or_default(),
        ColumnType::Uuid | ColumnType::Text(_) | ColumnType::Timestamp(_) => {
            row.text(index)?.into()
        }
    })
}

/// A table with rows that refer to files.
struct FileSource {
    id: TableId,
    bucket: &'static str,
    /// The rows, joined with the table that contains `folder`.
    rows: SelectStatement,
    /// Name of the folder in the archive.
    folder: Expr,
}

fn documents() -> FileSource {
    let folder = Expr::col(("folders", "id_supabase"));
    let on = folder.equals(("documents", "folder_id_supabase"));
    let rows = Query::select().from("documents").inner_join("folders", on).take();
    let folder = Expr::col(("folders", "name"));
    FileSource { id: TableId::Documents, bucket: DOCUMENTS_BUCKET, rows, folder }
}

fn attachments() -> FileSource {
    let message = Expr::col(("ticket_messages", "id"));
    let on = message.equals(("ticket_attachments", "message_id"));
    let mut rows =
        Query::select().from("ticket_attachments").inner_join("ticket_messages", on).take();
    let on = Expr::col(("tickets", "id")).equals(("ticket_messages", "ticket_id"));
    rows.inner_join("tickets", on);
    let folder = Expr::col(("tickets", "subject"));
    FileSource { id: TableId::TicketAttachments, bucket: ATTACHMENTS_BUCKET, rows, folder }
}

fn received_files() -> FileSource {
    let on = Expr::col(("request_items", "id")).equals(("received_files", "item_id"));
    let rows = Query::select().from("received_files").left_join("request_items", on).take();
    let folder = Expr::cust("coalesce(request_items.name, 'Sem solicitação')");
    FileSource { id: TableId::ReceivedFiles, bucket: RECEIVED_BUCKET, rows, folder }
}

struct StoredFile {
    /// Id of the row that refers to the file.
    id: String,
    name: String,
    folder: String,
    file_url: String,
    blob: String,
    size: u64,
    at: Timestamp,
}

/// Reads the next rows whose file exists and may be read by its owner.
fn next_files(
    tx: &mut Tx<'_>,
    caller: Caller,
    source: &FileSource,
    after: &str,
) -> Result<Vec<StoredFile>, db::Error> {
    let table = source.id.table().name;
    let denied = |policy::Denied| db::Error::Internal(format!("{table} is not theirs"));
    let access = policy::access(caller, source.id, Action::Select).map_err(denied)?;

    let mut query = source.rows.clone();
    query.column((table, "id")).column((table, "name")).expr(source.folder.clone());
    query.columns(["name", "blob", "size", "updated_at"].map(|column| ("objects", column)));
    query.inner_join(
        "objects",
        Expr::col(("objects", "name"))
            .equals((table, "file_url"))
            .and(Expr::col(("objects", "bucket_id")).eq(source.bucket)),
    );
    query.cond_where(access.condition(table));
    query.cond_where(policy::listed_objects(caller).map_err(denied)?);
    query.and_where(Expr::col((table, "id")).gt(after));
    query.order_by((table, "id"), Order::Asc).limit(PAGE);

    let rows = tx.rows(&query)?;
    let read = |row: Row<'_>| {
        let text = |column| row.text(column).map(str::to_owned);
        Ok(StoredFile {
            id: text(0)?,
            name: text(1)?,
            folder: text(2)?,
            file_url: text(3)?,
            blob: text(4)?,
            size: row.int(5)?.unsigned_abs(),
            at: row.text(6)?.parse().unwrap_or_default(),
        })
    };
    rows.iter().map(read).collect()
}
