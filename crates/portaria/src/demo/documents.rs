//! The documents of the demonstration, as rows and as files.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

use crate::demo::context::TemplateContext;
use crate::demo::docx;
use crate::demo::manifest::DEMO_DOCUMENTS;
use crate::demo::markup::{self, Block};
use crate::demo::pdf::{self, Issuer};
use crate::demo::people::CLIENTS;

/// A row of `documents` and the file behind it.
#[derive(Debug)]
pub(crate) struct Document {
    /// Index into `CLIENTS`.
    pub(crate) client: usize,
    pub(crate) folder_id_supabase: &'static str,
    pub(crate) name: String,
    /// Local time in the portal's zone, never later than yesterday.
    pub(crate) uploaded: DateTime,
    pub(crate) expires: Option<Date>,
    pub(crate) status: &'static str,
    file: File,
}

/// How a file is made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum File {
    /// Prose on paper.
    Prose(&'static Issuer, &'static str),
    /// Figures on paper.
    Paper(&'static Issuer, fn(&TemplateContext) -> Vec<Block>),
    Letter(&'static str),
    Sheet(fn(&TemplateContext) -> Vec<u8>),
    Scan(&'static [u8]),
}

impl Document {
    pub(crate) fn extension(&self) -> &'static str {
        match self.file {
            File::Prose(..) | File::Paper(..) => "pdf",
            File::Letter(_) => "docx",
            File::Sheet(_) => "xlsx",
            File::Scan(_) => "png",
        }
    }

    pub(crate) fn media_type(&self) -> &'static str {
        match self.file {
            File::Prose(..) | File::Paper(..) => "application/pdf",
            File::Letter(_) => {
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
            }
            File::Sheet(_) => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            File::Scan(_) => "image/png",
        }
    }

    /// Its type, if a browser shows it.
    pub(crate) fn shown(&self) -> Option<&'static str> {
        matches!(self.extension(), "pdf" | "png").then(|| self.media_type())
    }

    /// Makes the file; the same document always gives the same bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let case = self.case();
        match self.file {
            File::Prose(issuer, text) => {
                pdf::print(issuer, &self.name, case.issued, &markup::parse(&case.fill(text)))
            }
            File::Paper(issuer, blocks) => {
                pdf::print(issuer, &self.name, case.issued, &blocks(&case))
            }
            File::Letter(text) => docx::write(&markup::parse(&case.fill(text)), case.issued),
            File::Sheet(write) => write(&case),
            File::Scan(bytes) => bytes.to_vec(),
        }
    }

    fn case(&self) -> TemplateContext<'static> {
        TemplateContext {
            client: &CLIENTS[self.client],
            issued: self.uploaded.date(),
            expires: self.expires,
        }
    }
}

/// The documents as they stand on `today`, by client and folder.
pub(crate) fn documents(today: Date) -> Vec<Document> {
    let day = |days: i32| today.saturating_add(days.days());
    let mut documents = Vec::new();
    for &(client, folder_id_supabase, rows) in DEMO_DOCUMENTS {
        for row in rows {
            // Office hours, different for each.
            let count = i64::try_from(documents.len()).expect("a few dozen documents");
            let uploaded =
                day(-row.age).at(9, 0, 0, 0).saturating_add((count * 7013 % 32_000).seconds());
            let mut document = Document {
                client,
                folder_id_supabase,
                name: String::new(),
                uploaded,
                expires: row.expires.map(day),
                status: row.status,
                file: row.file,
            };
            document.name = document.case().fill(row.name);
            documents.push(document);
        }
    }
    documents
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jiff::ToSpan;
    use jiff::civil::{Date, date};

    use crate::demo::documents::{File, documents};
    use crate::demo::people::{CONTRACTS, FOLDERS, INVOICES, PERSONAL};

    const TODAY: Date = date(2026, 11, 21);

    #[test]
    fn on_any_day_names_are_unique_and_fit_for_file_names() {
        for day in 0..400 {
            let mut names = HashSet::new();
            for it in documents(TODAY.saturating_add(day.days())) {
                assert!(
                    !it.name.contains(['{', '}', '/', '\\', '#', '?', '%', ':']),
                    "{}",
                    it.name
                );
                assert!(it.name.len() + 5 <= 255 - "1795258800000-".len(), "{}", it.name);
                assert!(
                    names.insert((it.client, it.folder_id_supabase, it.name.clone())),
                    "{} twice",
                    it.name
                );
            }
        }
    }

    #[test]
    fn something_is_overdue_due_today_and_due_soon() {
        let documents = documents(TODAY);
        let days: HashSet<_> =
            documents.iter().map(|it| it.expires.map(|date| (date - TODAY).get_days())).collect();
        for expected in [-31, -1, 0, 1, 3, 5, 7, 8, 20, 90] {
            assert!(days.contains(&Some(expected)), "nothing expires in {expected} days");
        }
        assert!(days.contains(&None));
        for it in &documents {
            assert!(
                it.uploaded.date() < TODAY
                    && it.expires.is_none_or(|date| it.uploaded.date() <= date),
                "{}",
                it.name
            );
            let known = [CONTRACTS, INVOICES, PERSONAL].contains(&it.folder_id_supabase);
            assert!(
                known || FOLDERS.iter().any(|folder| folder.id_supabase == it.folder_id_supabase)
            );
        }
        let statuses = |status| documents.iter().filter(|it| it.status == status).count();
        assert_eq!(
            [statuses("active"), statuses("pending"), statuses("archived")],
            [documents.len() - 2, 1, 1]
        );
    }

    #[test]
    fn every_fact_that_a_text_asks_for_is_known() {
        for it in documents(TODAY) {
            if let File::Prose(_, text) | File::Letter(text) = it.file {
                assert!(!it.case().fill(text).contains(['{', '}']), "{}", it.name);
            }
        }
    }

    #[test]
    fn every_file_is_what_its_extension_says_and_always_the_same() {
        let mut total = 0;
        for it in documents(TODAY) {
            let bytes = it.bytes();
            let magic: &[u8] = match it.extension() {
                "pdf" => b"%PDF-1.7",
                "png" => b"\x89PNG\r\n\x1a\n",
                "docx" | "xlsx" => b"PK\x03\x04",
                other => panic!("no file is a {other}"),
            };
            assert!(bytes.starts_with(magic), "{}", it.name);
            assert_eq!(bytes, it.bytes(), "{} differs from itself", it.name);
            total += bytes.len();
        }
        assert!(total < 2_000_000, "{total} bytes");
    }
}
