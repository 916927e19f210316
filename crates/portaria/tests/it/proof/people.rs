//! Who and what is in an office.

mod unseen;

use jiff::{SignedDuration, Timestamp};
use portaria::clock::stamp;

use super::{
    office::{Member, Office, Row, Value},
    rng::Rng,
    texts::{FILES, KINDS, METADATA, TEXTS},
};
use crate::world::NOON;

struct Filler<'a> {
    shared: &'a mut Rng,
    private: &'a mut Rng,
    rows: Vec<(&'static str, Row, bool)>,
    folders: Vec<String>,
}

pub(super) fn fill(shared: &mut Rng, private: &mut Rng) -> Office {
    let mut filler = Filler { shared, private, rows: Vec::new(), folders: Vec::new() };
    for bucket in ["client-documents", "ticket-attachments"] {
        filler.bucket(bucket);
    }
    filler.folders();
    let client = filler.person("joao", false, true);
    let admin = filler.person("ana", true, false);
    filler.things_of(&client, &admin, true);
    let others: Vec<Member> = (0..2 + filler.private.below(3))
        .map(|number| {
            let other = filler.person(&format!("outro{number}"), false, false);
            filler.things_of(&other, &admin, false);
            other
        })
        .collect();
    filler.around(&client, &admin);
    filler.settings();
    let Filler { private, mut rows, .. } = filler;
    // Parents first; within a table in no order, so that none shows through.
    let parents = ["buckets", "users", "folders", "tickets", "ticket_messages", "documents"];
    rows.sort_by_cached_key(|(table, ..)| {
        let place = parents.iter().position(|name| name == table).unwrap_or(parents.len());
        (place, *table, private.next())
    });
    let shared = rows.iter().map(|(.., shared)| *shared).collect();
    let rows = rows.into_iter().map(|(table, row, _)| (table, row)).collect();
    let other = others[0].clone();
    Office { client, other, admin, rows, shared }
}

impl Filler<'_> {
    /// Chance for what the client may see, or for the rest.
    fn rng(&mut self, shared: bool) -> &mut Rng {
        if shared { self.shared } else { self.private }
    }

    fn text(&mut self, shared: bool) -> String {
        (*self.rng(shared).pick(&TEXTS)).to_owned()
    }

    /// A moment around now; often one that others have too.
    fn moment(&mut self, shared: bool) -> String {
        let rng = self.rng(shared);
        let (hours, micros) = (rng.below(40), rng.below(5));
        let away = SignedDuration::from_hours(i64::try_from(hours * 12).unwrap() - 240);
        let odd = [0, 1, 120_000, 123_456, 999_999][micros];
        let noon: Timestamp = NOON.parse().unwrap();
        stamp(noon + away + SignedDuration::from_micros(odd))
    }

    fn perhaps_moment(&mut self, shared: bool) -> Option<String> {
        if self.rng(shared).percent(30) { None } else { Some(self.moment(shared)) }
    }

    fn row<const N: usize>(
        &mut self,
        shared: bool,
        table: &'static str,
        cells: [(&'static str, Value); N],
    ) {
        self.rows.push((table, Row::from(cells), shared));
    }

    fn bucket(&mut self, name: &str) {
        let moment = self.moment(false);
        let cells = [
            ("id", name.into()),
            ("name", name.into()),
            ("public", false.into()),
            ("created_at", (&moment).into()),
            ("updated_at", moment.into()),
        ];
        self.row(true, "buckets", cells);
    }

    fn folders(&mut self) {
        for name in ["contratos", "faturas", "documentos-pessoais", "Guias (2026)", "ção"] {
            // Clients do not know of a folder's id.
            let id = self.private.uuid();
            let archived_at = self.perhaps_moment(true);
            let (created_at, title) = (self.moment(true), self.text(true));
            let kind = *self.shared.pick(&KINDS);
            let position = i64::try_from(self.shared.below(3)).unwrap();
            // How long its documents are kept is the office's to know.
            let months = i64::try_from(self.private.below(90)).unwrap();
            let months = Some(months).filter(|months| *months > 0);
            let cells = [
                ("id", id.into()),
                ("id_supabase", name.into()),
                ("name", title.into()),
                ("icon", "folder".into()),
                ("kind", kind.into()),
                ("position", position.into()),
                ("archived_at", archived_at.into()),
                ("created_at", created_at.into()),
                ("keep_months", months.into()),
                ("discards", (months.is_some() && self.private.percent(50)).into()),
                // It would keep all of the folder's documents from being deleted.
                ("hold_reason", Value::Null),
            ];
            self.row(true, "folders", cells);
            self.folders.push(name.to_owned());
        }
    }

    fn person(&mut self, name: &str, is_admin: bool, shared: bool) -> Member {
        let rng = self.rng(shared);
        let member = Member { id: rng.uuid(), session: rng.uuid() };
        let metadata = if shared { METADATA[1] } else { self.private.pick(&METADATA) };
        let created_at = self.moment(shared);
        let last_sign_in_at = self.perhaps_moment(shared);
        let last_visit_at = self.perhaps_moment(shared);
        let moment = self.moment(shared);
        let name_key = self.text(shared);
        // What nobody but the office's own programs ever sees.
        let hash = self.text(false);
        let roles = if is_admin { r#"{"roles":["admin"]}"# } else { "{}" };
        let cells = [
            ("id", (&member.id).into()),
            ("email", format!("{name}@cliente.com.br").into()),
            ("password_hash", hash.into()),
            ("signed_up", self.private.percent(20).into()),
            ("email_confirmed_at", (&moment).into()),
            ("last_sign_in_at", last_sign_in_at.into()),
            ("last_visit_at", last_visit_at.into()),
            ("app_metadata", roles.into()),
            ("user_metadata", metadata.into()),
            ("name_key", name_key.into()),
            ("is_admin", is_admin.into()),
            ("second_step", false.into()),
            ("created_at", created_at.into()),
            ("updated_at", moment.into()),
        ];
        self.row(shared, "users", cells);
        self.session(&member.session, &member.id, shared);
        for _ in 0..self.rng(shared).below(3) {
            let id = self.rng(shared).uuid();
            self.session(&id, &member.id, shared);
        }
        for topic in ["documents", "expiries", "tickets"] {
            if self.rng(shared).percent(70) {
                self.muted(topic, &member.id, shared);
            }
        }
        member
    }

    fn session(&mut self, id: &str, person: &str, shared: bool) {
        let (created_at, refreshed_at) = (self.moment(shared), self.moment(shared));
        let agent = self.text(shared);
        // How often a session was refreshed nobody is told.
        let counter = i64::try_from(self.private.below(9)).unwrap();
        let cells = [
            ("id", id.into()),
            ("user_id", person.into()),
            ("refresh_counter", counter.into()),
            ("amr", "[]".into()),
            ("user_agent", Some(agent).filter(|agent| agent.len() > 4).into()),
            ("created_at", created_at.into()),
            ("refreshed_at", refreshed_at.into()),
        ];
        self.row(shared, "sessions", cells);
    }

    fn muted(&mut self, topic: &str, person: &str, shared: bool) {
        let (id, created_at) = (self.rng(shared).uuid(), self.moment(shared));
        let cells = [
            ("id", id.into()),
            ("client_id", person.into()),
            ("topic", topic.into()),
            ("created_at", created_at.into()),
        ];
        self.row(shared, "muted_topics", cells);
    }

    fn things_of(&mut self, client: &Member, admin: &Member, shared: bool) {
        for number in 0..14 + self.rng(shared).below(8) {
            let id = self.document(client, number, shared);
            if self.rng(shared).percent(60) {
                self.receipt(&client.id, &id, shared);
            }
        }
        for _ in 0..6 + self.rng(shared).below(5) {
            let id = self.ticket(client, admin, shared);
            for _ in 0..self.rng(shared).below(4) {
                let message = self.message(&id, Some(client), admin, shared);
                if self.rng(shared).percent(40) {
                    self.attachment((&client.id, &id, &message), Some(&client.id), shared);
                }
            }
        }
    }

    fn document(&mut self, client: &Member, number: usize, shared: bool) -> String {
        let folders = self.folders.clone();
        let rng = self.rng(shared);
        let id = rng.uuid();
        let folder = rng.pick(&folders).clone();
        let status = *rng.pick(&["active", "active", "active", "pending", "expired"]);
        let kind = *rng.pick(&KINDS);
        let form = *rng.pick(&["pdf", "PDF", ""]);
        let file = if rng.percent(80) { Some(*rng.pick(&FILES)) } else { None };
        let path = file.map(|file| format!("public/{}/{folder}/{number}-{file}", client.id));
        let size = file.map(|_| i64::try_from(rng.below(3) * 1000).unwrap());
        let name = self.text(shared);
        let (created_at, expires_at) = (self.moment(shared), self.perhaps_moment(shared));
        let uploaded_at = self.perhaps_moment(shared);
        let (updated_at, name_key) = (self.moment(false), self.text(false));
        // Nor do they know what becomes of it one day. What is held cannot be deleted.
        let hold = Some(self.text(false)).filter(|text| !shared && !text.trim().is_empty());
        let (outlived_at, was_opened) = (self.perhaps_moment(false), self.private.percent(30));
        let erased = Some(self.private.uuid()).filter(|_| was_opened);
        let cells = [
            ("id", (&id).into()),
            ("client_id", (&client.id).into()),
            ("folder_id_supabase", folder.into()),
            ("name", name.into()),
            ("hold_reason", hold.into()),
            ("outlived_at", outlived_at.into()),
            ("was_opened", was_opened.into()),
            ("erased_client_id", erased.into()),
            ("name_key", name_key.into()),
            ("type", form.into()),
            ("kind", kind.into()),
            ("status", status.into()),
            ("file_url", path.clone().into()),
            ("size", size.into()),
            ("created_at", created_at.into()),
            ("expires_at", expires_at.into()),
            ("uploaded_at", uploaded_at.into()),
            ("updated_at", updated_at.into()),
        ];
        self.row(shared, "documents", cells);
        if let Some(path) = path {
            // Before a document is released, nobody but the office knows of its file.
            self.object("client-documents", path, shared && status != "pending");
        }
        id
    }

    fn object(&mut self, bucket: &'static str, name: String, shared: bool) {
        let (id, version) = (self.rng(shared).uuid(), self.rng(shared).uuid());
        let (created_at, updated_at) = (self.moment(shared), self.moment(shared));
        let owner = self.private.uuid();
        let size = i64::try_from(crate::world::PDF.len()).unwrap();
        let cells = [
            ("id", id.into()),
            ("bucket_id", bucket.into()),
            ("name", name.into()),
            ("owner_id", owner.into()),
            ("size", size.into()),
            ("mime_type", "application/pdf".into()),
            ("sniffed", "application/pdf".into()),
            ("version", version.into()),
            ("cache_control", "max-age=3600".into()),
            ("user_metadata", Value::Null),
            ("created_at", created_at.into()),
            ("updated_at", updated_at.into()),
        ];
        self.row(shared, "objects", cells);
    }

    fn receipt(&mut self, person: &str, document: &str, shared: bool) {
        let created_at = self.moment(shared);
        let rng = self.rng(shared);
        let (id, action) = (rng.uuid(), *rng.pick(&["opened", "downloaded"]));
        let cells = [
            ("id", id.into()),
            ("document_id", document.into()),
            ("client_id", person.into()),
            ("action", action.into()),
            ("created_at", created_at.into()),
        ];
        self.row(shared, "document_receipts", cells);
    }

    fn ticket(&mut self, client: &Member, admin: &Member, shared: bool) -> String {
        let (subject, message) = (self.text(shared), self.text(shared));
        let (created_at, updated_at) = (self.moment(shared), self.moment(shared));
        let closed_at = self.moment(shared);
        // Who of the staff sees to it, and by when, clients are not told.
        let due_at = self.perhaps_moment(false);
        let assignee = Some(&admin.id).filter(|_| self.private.percent(40));
        let rng = self.rng(shared);
        let (id, key) = (rng.uuid(), rng.uuid());
        let status = *rng.pick(&["open", "in-progress", "closed"]);
        let key = Some(key).filter(|_| rng.percent(50));
        let cells = [
            ("id", (&id).into()),
            ("user_id", (&client.id).into()),
            ("status", status.into()),
            ("closed_at", Some(closed_at).filter(|_| status == "closed").into()),
            ("follows_id", Value::Null),
            ("assignee_id", assignee.into()),
            ("due_at", due_at.into()),
            ("idempotency_key", key.into()),
            ("subject", format!("{subject}.").into()),
            ("category", (*rng.pick(&["support", "billing", "account", "other"])).into()),
            ("priority", (*rng.pick(&["low", "normal", "high", "urgent"])).into()),
            ("message", format!("{message}: uma mensagem longa o bastante").into()),
            ("created_at", created_at.into()),
            ("updated_at", updated_at.into()),
        ];
        self.row(shared, "tickets", cells);
        for status in ["open", status] {
            let created_at = self.moment(shared);
            let (id_of_change, from_staff) =
                (self.rng(shared).uuid(), self.rng(shared).percent(50));
            // Clients do not know who of the staff it was.
            let staff = self.private.uuid();
            let author = if from_staff { staff } else { client.id.clone() };
            let cells = [
                ("id", id_of_change.into()),
                ("ticket_id", (&id).into()),
                ("client_id", (&client.id).into()),
                ("author_id", author.into()),
                ("from_staff", from_staff.into()),
                ("status", status.into()),
                ("created_at", created_at.into()),
            ];
            self.row(shared, "ticket_history", cells);
        }
        id
    }

    /// A file of a message: client, ticket and message; and to whom it is shown.
    fn attachment(
        &mut self,
        (client, ticket, message): (&str, &str, &str),
        shown_to: Option<&String>,
        shared: bool,
    ) {
        let (name, created_at) = (*self.rng(shared).pick(&FILES), self.moment(shared));
        let (id, number) = (self.rng(shared).uuid(), self.rng(shared).below(1000));
        // A note's file is the office's.
        let sender = shown_to.map_or("office", |_| client);
        let path = format!("{sender}/{ticket}/{number}-{name}");
        let cells = [
            ("id", (&id).into()),
            ("message_id", message.into()),
            ("client_id", shown_to.into()),
            ("name", name.into()),
            ("file_url", (&path).into()),
            ("size", 1000.into()),
            ("created_at", created_at.into()),
        ];
        self.row(shared, "ticket_attachments", cells);
        self.object("ticket-attachments", path, shared);
    }

    /// A message of a thread, or without a client a note among staff.
    fn message(
        &mut self,
        ticket: &str,
        client: Option<&Member>,
        admin: &Member,
        shared: bool,
    ) -> String {
        let (body, created_at) = (self.text(shared), self.moment(shared));
        let rng = self.rng(shared);
        let (id, key) = (rng.uuid(), rng.uuid());
        let from_staff = client.is_none() || rng.percent(50);
        let author = if from_staff { Some(&admin.id) } else { client.map(|client| &client.id) };
        let cells = [
            ("id", (&id).into()),
            ("ticket_id", ticket.into()),
            ("idempotency_key", key.into()),
            ("client_id", client.map(|client| &client.id).into()),
            ("author_id", author.into()),
            ("from_staff", from_staff.into()),
            ("internal", client.is_none().into()),
            ("body", format!("{body}.").into()),
            ("created_at", created_at.into()),
        ];
        self.row(shared, "ticket_messages", cells);
        id
    }
}
