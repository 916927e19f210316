//! The demo office of `serve --demo`: accounts, documents with generated files, and tickets.
//!
//! The files are generated and not stored, because their dates and amounts are relative to today. PDF layout and DOCX
//! are hand-written, because the files are small and simple.

mod barcode;
mod context;
mod documents;
mod docx;
mod ledger;
mod manifest;
mod markup;
mod payment_slips;
mod pdf;
mod people;
mod reports;
mod tickets;
mod xlsx;

use std::{fmt::Write, sync::Arc};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use crate::{
    accounts::user::{self, User},
    app::App,
    blob::StoredBlob,
    clock::format_timestamp,
    db::{Error, Tx},
    security::keys,
    stored_files::object::{self, NewObject},
    tickets::sla,
};
use crate::{
    demo::{
        documents::Document,
        people::{CLIENTS, Client, FOLDERS, OFFICE},
        tickets::Ticket,
    },
    schema,
};

/// The password of all demo accounts.
const PASSWORD: &str = "portaria-demo";

/// Adds the demo office unless it exists. Returns the text that lists the accounts.
///
/// # Errors
/// A sentence for the operator.
pub(crate) async fn seed(app: &Arc<App>) -> Result<String, String> {
    let existing = app.db.read(|tx| user::by_email(tx, OFFICE.email)).await;
    if existing.map_err(|error| error.to_string())?.is_none() {
        let now = app.clock.now();
        let today = now.to_zoned(app.config.time_zone.clone()).date();
        let hash = app
            .passwords
            .hash(PASSWORD.into())
            .await
            .map_err(|_| "the machine is too busy".to_owned())?;

        let mut files = Vec::new();
        for document in documents::documents(today) {
            let bytes = document.bytes();
            let blob = write(app, bytes)
                .await
                .map_err(|error| format!("cannot write a demo file: {error}"))?;
            files.push((document, blob));
        }
        let state = Arc::clone(app);
        let added = app.db.write(move |tx| add(tx, &state, &hash, &files, now)).await;
        added.map_err(|error: Error| format!("cannot add the demo office: {error}"))?;
    }

    let mut lines = format!("\nDemo office, password of all three: {PASSWORD}\n");
    let site = &app.config.site_url;
    writeln!(lines, "  administrator  {}  ({site}/admin/login)", OFFICE.email)
        .map_err(|error| error.to_string())?;
    for client in &CLIENTS {
        writeln!(lines, "  client         {}  ({site}/login)", client.email)
            .map_err(|error| error.to_string())?;
    }
    Ok(lines)
}

async fn write(app: &App, bytes: Vec<u8>) -> std::io::Result<StoredBlob> {
    app.files.create().await?.write(Bytes::from(bytes)).await?.commit().await
}

fn add(
    tx: &mut Tx<'_>,
    app: &App,
    hash: &str,
    files: &[(Document, StoredBlob)],
    now: Timestamp,
) -> Result<(), Error> {
    let person = |tx: &mut Tx<'_>, email: &str, name: &str, client: Option<&Client>| {
        let mut user = User::new(email.into(), now);
        user.password_hash = Some(hash.into());
        user.email_confirmed_at = Some(format_timestamp(now));
        user.user_metadata.insert("full_name".into(), name.into());
        if let Some(client) = client {
            let digits: String = client.cnpj.chars().filter(char::is_ascii_digit).collect();
            user.user_metadata.insert("tax_id".into(), digits.into());
            // Newer documents are shown as new.
            user.last_sign_in_at =
                Some(format_timestamp(now - SignedDuration::from_hours(10 * 24)));
        } else {
            user.make_admin();
        }
        user::insert(tx, &mut user, &app.config).map(|()| user.id.to_string())
    };
    let admin = person(tx, OFFICE.email, OFFICE.accountant, None)?;
    let mut clients = Vec::new();
    for client in &CLIENTS {
        let name = format!("{} – {}", client.name, client.trade_name);
        clients.push(person(tx, client.email, &name, Some(client))?);
    }

    for (position, folder) in (4_i64..).zip(&FOLDERS) {
        tx.insert(
            "folders",
            [
                ("id", keys::new_id(now).to_string().into()),
                ("id_supabase", folder.id_supabase.into()),
                ("name", folder.name.into()),
                ("icon", folder.icon.into()),
                ("kind", folder.kind.into()),
                ("position", position.into()),
                ("created_at", format_timestamp(now).into()),
            ],
        )?;
    }

    for (document, blob) in files {
        let client = clients
            .get(document.client)
            .ok_or_else(|| Error::Internal("a demo document without a client".into()))?;
        add_document(tx, app, (client, &admin), document, blob)?;
    }

    for ticket in tickets::tickets(now) {
        let client = clients
            .get(ticket.client)
            .ok_or_else(|| Error::Internal("a demo ticket without a client".into()))?;
        let id = add_ticket(tx, (client, &admin), &ticket)?;
        sla::update_due_dates(tx, &[id], &app.config.time_zone)?;
    }
    Ok(())
}

/// Adds a ticket with its reply and its history. Returns its id.
fn add_ticket(
    tx: &mut Tx<'_>,
    (client, admin): (&str, &str),
    ticket: &Ticket,
) -> Result<String, Error> {
    let id = keys::new_id(ticket.created_at).to_string();
    let (created_at, answered_at) =
        (format_timestamp(ticket.created_at), format_timestamp(ticket.updated_at));
    let closed_at = (ticket.status == "closed").then(|| answered_at.clone());
    tx.insert(
        "tickets",
        [
            ("id", id.as_str().into()),
            ("user_id", client.into()),
            ("status", ticket.status.into()),
            ("subject", ticket.subject.into()),
            ("category", ticket.category.into()),
            ("priority", ticket.priority.into()),
            ("message", ticket.message.into()),
            ("created_at", created_at.as_str().into()),
            ("updated_at", answered_at.as_str().into()),
            ("closed_at", closed_at.into()),
        ],
    )?;
    let mut changes = vec![("open", ticket.created_at, client, false)];
    if ticket.status != "open" {
        changes.push((ticket.status, ticket.updated_at, admin, true));
    }
    for (status, at, author, from_staff) in changes {
        tx.insert(
            "ticket_history",
            [
                ("id", keys::new_id(at).to_string().into()),
                ("ticket_id", id.as_str().into()),
                ("client_id", client.into()),
                ("author_id", author.into()),
                ("from_staff", from_staff.into()),
                ("status", status.into()),
                ("created_at", format_timestamp(at).into()),
            ],
        )?;
    }
    if ticket.answer.is_empty() {
        return Ok(id);
    }
    tx.insert(
        "ticket_messages",
        [
            ("id", keys::new_id(ticket.updated_at).to_string().into()),
            ("ticket_id", id.as_str().into()),
            ("client_id", client.into()),
            ("author_id", admin.into()),
            ("from_staff", true.into()),
            ("internal", false.into()),
            ("body", ticket.answer.into()),
            ("created_at", answered_at.into()),
        ],
    )?;
    Ok(id)
}

fn add_document(
    tx: &mut Tx<'_>,
    app: &App,
    (client, admin): (&str, &str),
    document: &Document,
    blob: &StoredBlob,
) -> Result<(), Error> {
    let zone = &app.config.time_zone;
    let at = |civil: jiff::civil::DateTime| {
        zone.to_timestamp(civil).map_err(|error| Error::Internal(error.to_string()))
    };
    let uploaded = at(document.uploaded)?;
    let expires = document.expires.map(|date| at(date.at(23, 59, 59, 0))).transpose()?;
    let file =
        format!("{}.{}", document.name, document.extension()).replace(['/', '#', '?', '%'], "_");
    let folder = document.folder_id_supabase;
    let path = format!("public/{client}/{folder}/{}-{file}", uploaded.as_millisecond());
    let object = NewObject {
        bucket_id: schema::DOCUMENTS_BUCKET.into(),
        name: path.clone(),
        owner_id: Some(admin.into()),
        mime_type: document.media_type().into(),
        sniffed: document.inline_media_type().map(Into::into),
        content_encoding: None,
        cache_control: "max-age=3600".into(),
        user_metadata: None,
    };
    object::insert(tx, &object, blob, false, uploaded)?;
    tx.insert(
        "documents",
        [
            ("id", keys::new_id(uploaded).to_string().into()),
            ("client_id", client.into()),
            ("folder_id_supabase", folder.into()),
            ("name", document.name.as_str().into()),
            ("name_key", user::search_key(&document.name).into()),
            ("type", document.extension().into()),
            ("status", document.status.into()),
            ("file_url", path.into()),
            ("size", i64::try_from(blob.size).unwrap_or(i64::MAX).into()),
            ("created_at", format_timestamp(at(document.uploaded.date().at(0, 0, 0, 0))?).into()),
            ("expires_at", expires.map(format_timestamp).into()),
            ("uploaded_at", format_timestamp(uploaded).into()),
            ("updated_at", format_timestamp(uploaded).into()),
        ],
    )
}
