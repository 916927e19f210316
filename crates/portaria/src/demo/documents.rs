//! The documents of the demo office: their rows and their generated files.

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
    /// Local time in the portal's time zone, at the latest yesterday.
    pub(crate) uploaded: DateTime,
    pub(crate) expires: Option<Date>,
    pub(crate) status: &'static str,
    file: File,
}

/// The generator of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum File {
    /// A PDF from a text template.
    PdfTemplate(&'static Issuer, &'static str),
    /// A PDF from generated figures.
    PdfFigures(&'static Issuer, fn(&TemplateContext) -> Vec<Block>),
    Docx(&'static str),
    Xlsx(fn(&TemplateContext) -> Vec<u8>),
    Scan(&'static [u8]),
}

impl Document {
    pub(crate) fn extension(&self) -> &'static str {
        match self.file {
            File::PdfTemplate(..) | File::PdfFigures(..) => "pdf",
            File::Docx(_) => "docx",
            File::Xlsx(_) => "xlsx",
            File::Scan(_) => "png",
        }
    }

    pub(crate) fn media_type(&self) -> &'static str {
        match self.file {
            File::PdfTemplate(..) | File::PdfFigures(..) => "application/pdf",
            File::Docx(_) => {
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
            }
            File::Xlsx(_) => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            File::Scan(_) => "image/png",
        }
    }

    /// Returns the media type if a browser displays it inline.
    pub(crate) fn inline_media_type(&self) -> Option<&'static str> {
        matches!(self.extension(), "pdf" | "png").then(|| self.media_type())
    }

    /// Generates the file. The result is deterministic.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let context = self.context();
        match self.file {
            File::PdfTemplate(issuer, text) => {
                pdf::print(issuer, &self.name, context.issued, &markup::parse(&context.fill(text)))
            }
            File::PdfFigures(issuer, blocks) => {
                pdf::print(issuer, &self.name, context.issued, &blocks(&context))
            }
            File::Docx(text) => docx::write(&markup::parse(&context.fill(text)), context.issued),
            File::Xlsx(write) => write(&context),
            File::Scan(bytes) => bytes.to_vec(),
        }
    }

    fn context(&self) -> TemplateContext<'static> {
        TemplateContext {
            client: &CLIENTS[self.client],
            issued: self.uploaded.date(),
            expires: self.expires,
        }
    }
}

/// Returns the documents for `today`, ordered by client and folder.
pub(crate) fn documents(today: Date) -> Vec<Document> {
    let day = |days: i32| today.saturating_add(days.days());
    let mut documents = Vec::new();
    for &(client, folder_id_supabase, rows) in DEMO_DOCUMENTS {
        for row in rows {
            // Distinct times within office hours.
            let count = i64::try_from(documents.len()).expect("the number of documents is small");
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
            document.name = document.context().fill(row.name);
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
    fn names_are_unique_and_valid_file_names_on_any_day() {
        for day in 0..400 {
            let mut names = HashSet::new();
            for document in documents(TODAY.saturating_add(day.days())) {
                assert!(
                    !document.name.contains(['{', '}', '/', '\\', '#', '?', '%', ':']),
                    "{}",
                    document.name
                );
                assert!(
                    document.name.len() + 5 <= 255 - "1795258800000-".len(),
                    "{}",
                    document.name
                );
                assert!(
                    names.insert((
                        document.client,
                        document.folder_id_supabase,
                        document.name.clone()
                    )),
                    "{} twice",
                    document.name
                );
            }
        }
    }

    #[test]
    fn documents_include_overdue_due_today_and_due_soon() {
        let documents = documents(TODAY);
        let days: HashSet<_> = documents
            .iter()
            .map(|document| document.expires.map(|date| (date - TODAY).get_days()))
            .collect();
        for expected in [-31, -1, 0, 1, 3, 5, 7, 8, 20, 90] {
            assert!(days.contains(&Some(expected)), "nothing expires in {expected} days");
        }
        assert!(days.contains(&None));
        for document in &documents {
            assert!(
                document.uploaded.date() < TODAY
                    && document.expires.is_none_or(|date| document.uploaded.date() <= date),
                "{}",
                document.name
            );
            let is_default = [CONTRACTS, INVOICES, PERSONAL].contains(&document.folder_id_supabase);
            assert!(
                is_default
                    || FOLDERS
                        .iter()
                        .any(|folder| folder.id_supabase == document.folder_id_supabase)
            );
        }
        let statuses =
            |status| documents.iter().filter(|document| document.status == status).count();
        assert_eq!(
            [statuses("active"), statuses("pending"), statuses("archived")],
            [documents.len() - 2, 1, 1]
        );
    }

    #[test]
    fn every_placeholder_has_a_value() {
        for document in documents(TODAY) {
            if let File::PdfTemplate(_, text) | File::Docx(text) = document.file {
                assert!(!document.context().fill(text).contains(['{', '}']), "{}", document.name);
            }
        }
    }

    #[test]
    fn files_match_their_extension_and_are_deterministic() {
        let mut total = 0;
        for document in documents(TODAY) {
            let bytes = document.bytes();
            let magic: &[u8] = match document.extension() {
                "pdf" => b"%PDF-1.7",
                "png" => b"\x89PNG\r\n\x1a\n",
                "docx" | "xlsx" => b"PK\x03\x04",
                other => panic!("unexpected extension {other}"),
            };
            assert!(bytes.starts_with(magic), "{}", document.name);
            assert_eq!(bytes, document.bytes(), "{} is not deterministic", document.name);
            total += bytes.len();
        }
        assert!(total < 2_000_000, "{total} bytes");
    }
}
