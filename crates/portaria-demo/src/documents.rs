//! The documents of the demo office: the data of their rows, and their generated files.

use jiff::ToSpan;
use jiff::civil::{Date, Time, date, time};

use crate::barcode;
use crate::context::TemplateContext;
use crate::docx;
use crate::manifest::DEMO_DOCUMENTS;
use crate::markup::{self, Block};
use crate::pdf::{self, Issuer};
use crate::people::CLIENTS;
use crate::pix;

/// The reference day: ages become dates relative to it, and these dates select the months of the figures.
///
/// The day is fixed, so that the files are the same whenever they are generated.
pub(crate) const REFERENCE_DAY: Date = date(2026, 11, 21);

/// A document's row and the generator of its file.
#[derive(Debug)]
pub(crate) struct Document {
    /// Position in the list, from 1.
    number: usize,
    /// Index into `CLIENTS`.
    pub(crate) client: usize,
    pub(crate) folder_id_supabase: &'static str,
    /// The name with the placeholders that the server fills from the day of publication: `{mes}`, `{trimestre}`,
    /// `{exercicio}` and `{ano_seguinte}`.
    pub(crate) name: &'static str,
    /// Age in days.
    pub(crate) age: i32,
    /// Local time of publication.
    pub(crate) time: Time,
    /// Due date in days after the seed day.
    pub(crate) expires: Option<i32>,
    pub(crate) status: &'static str,
    /// Kind of slip, of a document that is paid.
    pub(crate) category: Option<&'static str>,
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

    /// Returns the name of the generated file: `04-fatura-de-honorarios.pdf`.
    pub(crate) fn file_name(&self) -> String {
        let words = slug(&self.title());
        format!("{:02}-{words}.{}", self.number, self.extension())
    }

    /// Generates the file. The result is deterministic.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let context = self.context();
        let title = self.title();
        match self.file {
            File::PdfTemplate(issuer, text) => {
                pdf::print(issuer, &title, context.issued, &markup::parse(&context.fill(text)))
            }
            File::PdfFigures(issuer, blocks) => {
                pdf::print(issuer, &title, context.issued, &blocks(&context))
            }
            File::Docx(text) => docx::write(&markup::parse(&context.fill(text)), context.issued),
            File::Xlsx(write) => write(&context),
            File::Scan(bytes) => bytes.to_vec(),
        }
    }

    /// Returns the line that a person types to pay the document, without separators.
    pub(crate) fn payment_line(&self) -> Option<String> {
        let code = self.barcode()?;
        Some(barcode::typed_line(&code).chars().filter(char::is_ascii_digit).collect())
    }

    /// Returns the Pix code of a document whose receiver accepts Pix: the office, and the fund FGTS.
    pub(crate) fn pix_code(&self) -> Option<String> {
        let merchant = match self.category? {
            "boleto" => "Prado Contabilidade",
            "fgts" => "FGTS Digital",
            _ => return None,
        };
        Some(pix::code(merchant, barcode::cents(&self.barcode()?)))
    }

    /// Returns the barcode that the file shows.
    fn barcode(&self) -> Option<String> {
        let File::PdfFigures(_, blocks) = self.file else { return None };
        blocks(&self.context()).into_iter().find_map(|block| match block {
            Block::Barcode(code) => Some(code),
            _ => None,
        })
    }

    /// Returns the name without its parts that name a period.
    fn title(&self) -> String {
        let parts = self.name.split(" – ").filter(|part| !part.contains('{'));
        parts.collect::<Vec<_>>().join(" – ")
    }

    fn context(&self) -> TemplateContext<'static> {
        TemplateContext {
            client: &CLIENTS[self.client],
            issued: REFERENCE_DAY.saturating_sub(self.age.days()),
        }
    }
}

/// Converts a title to at most 60 lower-case ASCII letters, digits and hyphens.
fn slug(title: &str) -> String {
    const ACCENTED: &str = "áàâãçéêíóôõúü";
    const PLAIN: &str = "aaaaceeiooouu";
    let mut words = vec![String::new()];
    for letter in title.to_lowercase().chars() {
        let position = ACCENTED.chars().position(|accented| accented == letter);
        let plain = position.and_then(|index| PLAIN.chars().nth(index)).unwrap_or(letter);
        if plain.is_ascii_alphanumeric() {
            words.last_mut().expect("`words` is never empty").push(plain);
        } else {
            words.push(String::new());
        }
    }
    words.retain(|word| !word.is_empty());
    while words.join("-").len() > 60 {
        words.pop();
    }
    words.join("-")
}

/// Returns the documents, ordered by client and folder.
pub(crate) fn documents() -> Vec<Document> {
    let mut documents = Vec::new();
    for &(client, folder_id_supabase, rows) in DEMO_DOCUMENTS {
        for row in rows {
            // Distinct times within office hours.
            let count = i64::try_from(documents.len()).expect("the number of documents is small");
            documents.push(Document {
                number: documents.len() + 1,
                client,
                folder_id_supabase,
                name: row.name,
                age: row.age,
                time: time(9, 0, 0, 0).saturating_add((count * 7013 % 32_000).seconds()),
                expires: row.expires,
                status: row.status,
                category: row.category,
                file: row.file,
            });
        }
    }
    documents
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use portaria_codes::{PaymentLine, PixCode};

    use crate::documents::{File, documents};
    use crate::people::{CONTRACTS, FOLDERS, INVOICES, PERSONAL};

    #[test]
    fn documents_include_overdue_due_today_and_due_soon() {
        let documents = documents();
        let days: HashSet<_> = documents.iter().map(|document| document.expires).collect();
        for expected in [-31, -1, 0, 1, 3, 5, 7, 8, 20, 90] {
            assert!(days.contains(&Some(expected)), "nothing expires in {expected} days");
        }
        assert!(days.contains(&None));
        for document in &documents {
            assert!(
                document.age > 0 && document.expires.is_none_or(|days| -document.age <= days),
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
    fn payment_codes_are_valid_and_agree() {
        let mut slips = 0;
        for document in documents() {
            let line = document.payment_line().map(|line| line.parse::<PaymentLine>().unwrap());
            assert_eq!(line.is_some(), document.category.is_some(), "{}", document.name);
            let Some(line) = line else { continue };
            slips += 1;
            if let Some(code) = document.pix_code() {
                let code: PixCode = code.parse().unwrap();
                assert_eq!(code.amount_cents(), line.amount_cents(), "{}", document.name);
            }
        }
        assert!(slips >= 10);
    }

    #[test]
    fn file_names_are_unique_plain_and_short() {
        let mut names = HashSet::new();
        for document in documents() {
            let name = document.file_name();
            let is_plain =
                |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
            assert!(name.chars().all(is_plain) && name.len() <= 70, "{name}");
            assert!(names.insert(name));
        }
    }

    #[test]
    fn every_placeholder_has_a_value() {
        for document in documents() {
            if let File::PdfTemplate(_, text) | File::Docx(text) = document.file {
                assert!(!document.context().fill(text).contains(['{', '}']), "{}", document.name);
            }
            assert!(!document.title().contains(['{', '}']), "{}", document.name);
        }
    }

    #[test]
    fn figures_name_no_date() {
        for document in documents() {
            if let File::PdfFigures(_, blocks) = document.file {
                let text = format!("{:?}", blocks(&document.context()));
                for word in ["2025", "2026", "/20", "outubro", "novembro"] {
                    assert!(!text.contains(word), "{} names {word}", document.name);
                }
            }
        }
    }

    #[test]
    fn files_match_their_extension_and_are_deterministic() {
        let mut total = 0;
        for document in documents() {
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
