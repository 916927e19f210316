//! The embedded demo office: `demo-assets/manifest.json` and the files beside it.
//!
//! `cargo xtask demo-assets` generates them (`crates/portaria-demo`). Times are relative to the seed.

use std::borrow::Cow;

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, DateTime, Time},
};
use portaria_recognize::Month;
use rust_embed::RustEmbed;
use serde::Deserialize;

#[derive(RustEmbed)]
#[folder = "demo-assets"]
struct Assets;

/// The content of the manifest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) administrator: Administrator,
    pub(crate) clients: Vec<Client>,
    /// Folders in addition to the three of every installation.
    pub(crate) folders: Vec<Folder>,
    pub(crate) documents: Vec<Document>,
    pub(crate) tickets: Vec<Ticket>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Administrator {
    pub(crate) name: String,
    pub(crate) email: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) tax_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Folder {
    pub(crate) id_supabase: String,
    pub(crate) name: String,
    /// Name of a Lucide icon.
    pub(crate) icon: String,
    pub(crate) kind: Option<String>,
    pub(crate) position: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// E-mail address of the client.
    pub(crate) client: String,
    pub(crate) folder_id_supabase: String,
    /// The name before [`Document::name_on`] fills its placeholders.
    name: String,
    /// Name of the file beside the manifest.
    file: String,
    pub(crate) extension: String,
    pub(crate) mime_type: String,
    /// MIME type detected from the bytes, if browsers display it inline.
    pub(crate) detected_mime_type: Option<String>,
    pub(crate) status: String,
    published_days: i32,
    published_time: String,
    expires_days: Option<i32>,
    /// Kind of slip, of a document that is paid.
    pub(crate) category: Option<String>,
    pub(crate) payment_line: Option<String>,
    pub(crate) pix_code: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ticket {
    /// E-mail address of the client.
    pub(crate) client: String,
    pub(crate) subject: String,
    pub(crate) category: String,
    pub(crate) priority: String,
    pub(crate) status: String,
    pub(crate) message: String,
    /// The office's reply.
    pub(crate) answer: Option<String>,
    created_minutes: i64,
    updated_minutes: i64,
}

/// Reads the manifest.
///
/// # Errors
/// A sentence for the operator. Only a debug build, which reads the folder at run time, can fail.
pub(crate) fn manifest() -> Result<Manifest, String> {
    let bytes = read("manifest.json")?;
    serde_json::from_slice(&bytes).map_err(|error| format!("cannot read the demo office: {error}"))
}

fn read(file: &str) -> Result<Cow<'static, [u8]>, String> {
    let embedded = Assets::get(file).ok_or_else(|| format!("the demo file {file} is missing"))?;
    Ok(embedded.data)
}

impl Document {
    pub(crate) fn bytes(&self) -> Result<Cow<'static, [u8]>, String> {
        read(&self.file)
    }

    /// Returns the local time of publication. It is at the latest yesterday.
    ///
    /// # Errors
    /// The manifest contains an invalid time.
    pub(crate) fn published(&self, today: Date) -> Result<DateTime, jiff::Error> {
        let time: Time = self.published_time.parse()?;
        Ok(today.saturating_add(self.published_days.days()).to_datetime(time))
    }

    /// Returns the due date.
    pub(crate) fn expires(&self, today: Date) -> Option<Date> {
        self.expires_days.map(|days| today.saturating_add(days.days()))
    }

    /// Returns the month that a slip is about, as `2026-10`: the one before its publication.
    pub(crate) fn reference_month(&self, today: Date) -> Option<String> {
        let published = today.saturating_add(self.published_days.days());
        let month = months_before(published, 1);
        let is_monthly = self.category.is_some() && self.name.contains("{mes}");
        is_monthly.then(|| month.strftime("%Y-%m").to_string())
    }

    /// Whether the client reported the payment of the document: slips that were due some weeks ago.
    pub(crate) fn is_paid(&self) -> bool {
        self.category.is_some() && self.expires_days.is_some_and(|days| days < -7)
    }

    /// Returns the name, with the periods that precede the publication.
    pub(crate) fn name_on(&self, today: Date) -> String {
        let published = today.saturating_add(self.published_days.days());
        let month = months_before(published, 1);
        let quarter = months_before(published, i32::from((published.month() - 1) % 3) + 3);
        // Income tax of a year is declared until the end of May of the next year.
        let tax_year = published.year() - i16::from(published.month() < 6);
        self.name
            .replace("{mes}", &Month::of(month).in_words())
            .replace("{trimestre}", &quarter_name(quarter))
            .replace("{exercicio}", &tax_year.to_string())
            .replace("{ano_seguinte}", &(published.year() + 1).to_string())
    }
}

impl Ticket {
    pub(crate) fn created_at(&self, now: Timestamp) -> Timestamp {
        minutes_after(now, self.created_minutes)
    }

    pub(crate) fn updated_at(&self, now: Timestamp) -> Timestamp {
        minutes_after(now, self.updated_minutes)
    }
}

fn minutes_after(now: Timestamp, minutes: i64) -> Timestamp {
    now.saturating_add(minutes.minutes()).expect("minutes are absolute units")
}

/// Returns the first day of the month that is `count` months before the month of `date`.
fn months_before(date: Date, count: i32) -> Date {
    date.first_of_month().saturating_sub(count.months())
}

/// Formats a quarter as `3º trimestre de 2026`.
fn quarter_name(date: Date) -> String {
    format!("{}º trimestre de {}", (date.month() - 1) / 3 + 1, date.year())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jiff::{
        ToSpan,
        civil::{Date, date},
    };

    use crate::demo::assets::{Assets, Document, manifest};

    const TODAY: Date = date(2026, 11, 21);

    #[test]
    fn every_document_has_a_client_and_a_file_and_every_file_a_document() {
        let manifest = manifest().unwrap();
        let clients: HashSet<_> = manifest.clients.iter().map(|client| &client.email).collect();
        let mut files = HashSet::from(["manifest.json".to_owned()]);
        for document in &manifest.documents {
            assert!(clients.contains(&document.client), "{}", document.name);
            assert!(!document.bytes().unwrap().is_empty());
            assert!(document.published(TODAY).unwrap().date() < TODAY, "{}", document.name);
            files.insert(document.file.clone());
        }
        assert!(manifest.tickets.iter().all(|ticket| clients.contains(&ticket.client)));
        assert_eq!(files, Assets::iter().map(std::borrow::Cow::into_owned).collect());
    }

    #[test]
    fn names_are_unique_and_valid_file_names_on_any_day() {
        let documents = manifest().unwrap().documents;
        for day in 0..400 {
            let mut names = HashSet::new();
            for document in &documents {
                let name = document.name_on(TODAY.saturating_add(day.days()));
                assert!(!name.contains(['{', '}', '/', '\\', '#', '?', '%', ':']), "{name}");
                assert!(name.len() + 5 <= 255 - "1795258800000-".len(), "{name}");
                let key = (&document.client, &document.folder_id_supabase, name);
                assert!(names.insert(key), "{} twice", document.name);
            }
        }
    }

    #[test]
    fn names_contain_the_last_complete_month_and_quarter() {
        let document = |name: &str| Document {
            client: String::new(),
            folder_id_supabase: String::new(),
            name: name.into(),
            file: String::new(),
            extension: String::new(),
            mime_type: String::new(),
            detected_mime_type: None,
            status: String::new(),
            published_days: 0,
            published_time: String::new(),
            expires_days: None,
            category: None,
            payment_line: None,
            pix_code: None,
        };
        let names = |published| {
            ["{mes}", "{trimestre}", "{exercicio}", "{ano_seguinte}"]
                .map(|name| document(name).name_on(published))
        };
        assert_eq!(
            names(date(2026, 11, 21)),
            ["outubro de 2026", "3º trimestre de 2026", "2026", "2027"]
        );
        assert_eq!(
            names(date(2026, 1, 1)),
            ["dezembro de 2025", "4º trimestre de 2025", "2025", "2027"]
        );
        assert_eq!(
            names(date(2026, 3, 31)),
            ["fevereiro de 2026", "4º trimestre de 2025", "2025", "2027"]
        );
    }
}
