//! The demo office of `serve --demo`: inserts accounts, folders, documents and tickets from the embedded assets.

mod assets;

use std::{collections::HashMap, fmt::Write, sync::Arc};

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use portaria_codes::PaymentLine;

use crate::demo::assets::{Client, Document, Manifest, Ticket};
use crate::{
    accounts::user::{self, User},
    app::App,
    blob::StoredBlob,
    clock::format_timestamp,
    db::{Error, Tx},
    display_name,
    documents::model::DocumentStatus,
    schema::{self, search_words::search_words},
    security::{
        ids::{TicketId, UserId},
        keys,
    },
    stored_files::object::{self, NewObject},
    tickets::{model::priority_rank, sla},
};

/// The password of all demo accounts.
const PASSWORD: &str = "portaria-demo";

/// Adds the demo office unless it exists. Returns the text that lists the accounts.
///
/// # Errors
/// A sentence for the operator.
pub(crate) async fn seed(app: &Arc<App>) -> Result<String, String> {
    let manifest = Arc::new(assets::manifest()?);
    let email = manifest.administrator.email.clone();
    let found = app.db.read(move |tx| {
        Ok::<_, Error>((user::by_email(tx, &email)?.is_some(), user::count_admins(tx)?))
    });
    let (is_demo, admins) = found.await.map_err(|error| error.to_string())?;
    if !is_demo && admins > 0 {
        return Err("this is a real office, which has an administrator: the demo needs a data folder of its own".to_owned());
    }
    if !is_demo {
        let now = app.clock.now();
        let hash = app
            .passwords
            .hash(PASSWORD.into())
            .await
            .map_err(|_| "the machine is too busy".to_owned())?;

        let mut blobs = Vec::new();
        for document in &manifest.documents {
            let blob = write(app, Bytes::from_owner(document.bytes()?))
                .await
                .map_err(|error| format!("cannot write a demo file: {error}"))?;
            blobs.push(blob);
        }
        let office = Arc::clone(&manifest);
        let added = app.write(move |tx, app| add(tx, app, &hash, &office, &blobs, now)).await;
        added.map_err(|error: Error| format!("cannot add the demo office: {error}"))?;
    }

    let mut lines = format!("\nDemo office, password of all three: {PASSWORD}\n");
    let site = &app.config.site_url;
    writeln!(lines, "  administrator  {}  ({site}/admin/login)", manifest.administrator.email)
        .map_err(|error| error.to_string())?;
    for client in &manifest.clients {
        writeln!(lines, "  client         {}  ({site}/login)", client.email)
            .map_err(|error| error.to_string())?;
    }
    Ok(lines)
}

async fn write(app: &App, bytes: Bytes) -> std::io::Result<StoredBlob> {
    app.files.create().await?.write(bytes).await?.commit().await
}

fn add(
    tx: &mut Tx<'_>,
    app: &App,
    hash: &str,
    office: &Manifest,
    blobs: &[StoredBlob],
    now: Timestamp,
) -> Result<(), Error> {
    let person = |tx: &mut Tx<'_>, email: &str, name: &str, client: Option<&Client>| {
        let mut user = User::new(email.into(), now);
        user.password_hash = Some(hash.into());
        user.email_confirmed_at = Some(format_timestamp(now));
        user.user_metadata.insert("full_name".into(), name.into());
        if let Some(client) = client {
            user.user_metadata.insert("tax_id".into(), client.tax_id.as_str().into());
            // Newer documents are shown as new.
            user.last_sign_in_at =
                Some(format_timestamp(now - SignedDuration::from_hours(10 * 24)));
        } else {
            user.make_admin();
        }
        user::insert(tx, &mut user, &app.config).map(|()| user.id)
    };
    let admin = person(tx, &office.administrator.email, &office.administrator.name, None)?;
    let mut ids = HashMap::new();
    for client in &office.clients {
        let id = person(tx, &client.email, &client.name, Some(client))?;
        ids.insert(client.email.as_str(), id);
    }
    let client_id = |email: &str| {
        let unknown = || Error::Internal(format!("the demo has no client {email}"));
        ids.get(email).copied().ok_or_else(unknown)
    };

    for folder in &office.folders {
        tx.insert(
            "folders",
            [
                ("id", keys::new_id(now).to_string().into()),
                ("id_supabase", folder.id_supabase.as_str().into()),
                ("name", folder.name.as_str().into()),
                ("icon", folder.icon.as_str().into()),
                ("kind", folder.kind.clone().into()),
                ("position", folder.position.into()),
                ("created_at", format_timestamp(now).into()),
            ],
        )?;
    }

    for (document, blob) in office.documents.iter().zip(blobs) {
        add_document(tx, app, client_id(&document.client)?, admin, document, blob, now)?;
    }

    for ticket in &office.tickets {
        let id = add_ticket(tx, client_id(&ticket.client)?, admin, ticket, now)?;
        let profile = app.office_in(tx)?;
        sla::update_due_dates(tx, &[id], &profile.calendar, &app.config.time_zone)?;
    }
    Ok(())
}

/// Adds a ticket with its reply and its history. Returns its id.
fn add_ticket(
    tx: &mut Tx<'_>,
    client: UserId,
    admin: UserId,
    ticket: &Ticket,
    now: Timestamp,
) -> Result<TicketId, Error> {
    let (created, updated) = (ticket.created_at(now), ticket.updated_at(now));
    let id = TicketId::new(created);
    let (created_at, answered_at) = (format_timestamp(created), format_timestamp(updated));
    let closed_at = (ticket.status == "closed").then(|| answered_at.clone());
    tx.insert(
        "tickets",
        [
            ("id", id.into()),
            ("user_id", client.into()),
            ("status", ticket.status.as_str().into()),
            ("subject", ticket.subject.as_str().into()),
            ("category", ticket.category.as_str().into()),
            ("priority", ticket.priority.as_str().into()),
            ("priority_rank", priority_rank(&ticket.priority).into()),
            ("message", ticket.message.as_str().into()),
            ("subject_words", search_words(&ticket.subject).into()),
            ("message_words", search_words(&ticket.message).into()),
            ("created_at", created_at.as_str().into()),
            ("updated_at", answered_at.as_str().into()),
            ("closed_at", closed_at.into()),
        ],
    )?;
    let mut changes = vec![("open", created, client, false)];
    if ticket.status != "open" {
        changes.push((ticket.status.as_str(), updated, admin, true));
    }
    for (status, at, author, from_staff) in changes {
        tx.insert(
            "ticket_history",
            [
                ("id", keys::new_id(at).to_string().into()),
                ("ticket_id", id.into()),
                ("client_id", client.into()),
                ("author_id", author.into()),
                ("from_staff", from_staff.into()),
                ("status", status.into()),
                ("created_at", format_timestamp(at).into()),
            ],
        )?;
    }
    let Some(answer) = &ticket.answer else {
        return Ok(id);
    };
    tx.insert(
        "ticket_messages",
        [
            ("id", keys::new_id(updated).to_string().into()),
            ("ticket_id", id.into()),
            ("client_id", client.into()),
            ("author_id", admin.into()),
            ("from_staff", true.into()),
            ("internal", false.into()),
            ("body", answer.as_str().into()),
            ("body_words", search_words(answer).into()),
            ("created_at", answered_at.into()),
        ],
    )?;
    Ok(id)
}

fn add_document(
    tx: &mut Tx<'_>,
    app: &App,
    client: UserId,
    admin: UserId,
    document: &Document,
    blob: &StoredBlob,
    now: Timestamp,
) -> Result<(), Error> {
    let zone = &app.config.time_zone;
    let today = now.to_zoned(zone.clone()).date();
    let at = |civil: jiff::civil::DateTime| {
        zone.to_timestamp(civil).map_err(|error| Error::Internal(error.to_string()))
    };
    let name = document.name_on(today);
    let published =
        document.published(today).map_err(|error| Error::Internal(error.to_string()))?;
    let uploaded = at(published)?;
    let expires = document.expires(today).map(|date| at(date.at(23, 59, 59, 0))).transpose()?;
    let file = format!("{name}.{}", document.extension).replace(['/', '#', '?', '%'], "_");
    let folder = document.folder_id_supabase.as_str();
    let path = format!("public/{client}/{folder}/{}-{file}", uploaded.as_millisecond());
    let object = NewObject {
        bucket_id: schema::DOCUMENTS_BUCKET.into(),
        name: path.clone(),
        owner_id: Some(admin),
        mime_type: document.mime_type.clone(),
        detected_mime_type: document.detected_mime_type.clone(),
        content_encoding: None,
        cache_control: "max-age=3600".into(),
        user_metadata: None,
    };
    object::insert(tx, &object, blob, false, uploaded)?;
    let id = keys::new_id(uploaded).to_string();
    let line = document.payment_line.as_ref().and_then(|line| line.parse::<PaymentLine>().ok());
    let is_pending = document.status == DocumentStatus::PENDING;
    tx.insert(
        "documents",
        [
            ("id", id.as_str().into()),
            ("client_id", client.into()),
            ("folder_id_supabase", folder.into()),
            ("name", name.as_str().into()),
            ("search_name", display_name::search_key(&name).into()),
            ("name_words", search_words(&name).into()),
            ("type", document.extension.as_str().into()),
            ("status", document.status.as_str().into()),
            ("file_url", path.into()),
            ("size", i64::try_from(blob.size).unwrap_or(i64::MAX).into()),
            ("created_at", format_timestamp(at(published.date().at(0, 0, 0, 0))?).into()),
            ("expires_at", expires.map(format_timestamp).into()),
            ("uploaded_at", format_timestamp(uploaded).into()),
            ("updated_at", format_timestamp(uploaded).into()),
            ("published_at", (!is_pending).then(|| format_timestamp(uploaded)).into()),
            ("category", document.category.clone().into()),
            ("reference_month", document.reference_month(today).into()),
            ("amount_cents", line.as_ref().and_then(PaymentLine::amount_cents).into()),
            ("payment_line", line.as_ref().map(|line| line.as_str().to_owned()).into()),
            ("pix_code", document.pix_code.clone().into()),
        ],
    )?;
    let Some(paid_on) = document.expires(today).filter(|_| document.is_paid()) else {
        return Ok(());
    };
    tx.insert(
        "document_payments",
        [
            ("id", keys::new_id(now).to_string().into()),
            ("document_id", id.into()),
            ("client_id", client.into()),
            ("paid_on", paid_on.to_string().into()),
            ("created_at", format_timestamp(at(paid_on.at(10, 0, 0, 0))?).into()),
        ],
    )
}
