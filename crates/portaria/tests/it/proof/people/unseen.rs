//! What is in an office that no client is told of.

use jiff::{SignedDuration, Timestamp};
use portaria::clock::stamp;

use super::Filler;
use crate::{
    proof::office::{Member, Row, Value},
    world::NOON,
};

impl Filler<'_> {
    /// What the office keeps about the client's things without their knowing.
    pub(super) fn around(&mut self, client: &Member, admin: &Member) {
        let own = |rows: &[(&'static str, Row, bool)], wanted: &str| {
            let mut ids = Vec::new();
            for (table, row, shared) in rows {
                if let (true, true, Value::Text(id)) = (*table == wanted, *shared, &row["id"]) {
                    ids.push(id.clone());
                }
            }
            ids
        };
        for ticket in own(&self.rows, "tickets") {
            if self.private.percent(50) {
                let note = self.message(&ticket, None, admin, false);
                self.attachment((&client.id, &ticket, &note), None, false);
            }
            if self.private.percent(30) {
                let (id, seconds) = (self.private.uuid(), self.private.below(60));
                let now: Timestamp = NOON.parse().unwrap();
                let ago = SignedDuration::from_secs(i64::try_from(seconds).unwrap());
                let cells = [
                    ("id", id.into()),
                    ("ticket_id", (&ticket).into()),
                    ("user_id", (&admin.id).into()),
                    ("touched_at", stamp(now - ago).into()),
                ];
                self.row(false, "ticket_presence", cells);
            }
        }
        for document in own(&self.rows, "documents") {
            if self.private.percent(30) {
                self.receipt(&admin.id, &document, false);
            }
        }
        for number in 0..self.private.below(4) {
            let folder = self.private.pick(&self.folders).clone();
            self.object(
                "client-documents",
                format!("public/{}/{folder}/sem-documento-{number}.pdf", client.id),
                false,
            );
        }
    }

    pub(super) fn settings(&mut self) {
        for event in ["contrato_new", "fatura_new", "aviso_expiring"] {
            if self.private.percent(70) {
                let enabled = self.private.percent(50);
                let cells = [("document_type_event", event.into()), ("enabled", enabled.into())];
                self.row(false, "email_notification_settings", cells);
            }
        }
        for _ in 0..=self.private.below(4) {
            let (name, moment) = (self.text(false), self.moment(false));
            let (id, text) = (self.private.uuid(), self.text(false));
            let cells = [
                ("id", id.into()),
                ("name", (&name).into()),
                ("subject", (&text).into()),
                ("html_content", format!("<p>{text}").into()),
                ("event_trigger", "fatura_new".into()),
                ("description", Some(&text).filter(|text| text.len() > 4).into()),
                ("created_at", (&moment).into()),
                ("updated_at", (&moment).into()),
            ];
            self.row(false, "email_templates", cells);
            let cells = [
                ("id", self.private.uuid().into()),
                ("title", name.into()),
                ("body", text.into()),
                ("created_at", (&moment).into()),
                ("updated_at", moment.into()),
            ];
            self.row(false, "saved_replies", cells);
        }
    }
}
