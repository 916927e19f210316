//! The values that the inbox proposes for a document, from the findings, the office's clients and its rules.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use portaria_codes::{PaymentLine, PixCode, TaxId};
use portaria_recognize::{Certainty, Client, Directory, Doubt, Findings, kind_id};
use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::Value;

use crate::{
    clock::format_timestamp,
    db::{Error, Tx},
    display_name,
};

/// Categories, and the beginnings of words in the names of folders into which an office puts them, the best first. They
/// apply until a rule names the folder.
const FOLDER_WORDS: [(&[&str], &[&str]); 6] = [
    (
        &["das", "darf", "gps", "fgts", "dae", "iss", "gnre", "ipva", "iptu"],
        &["guia", "imposto", "tribut", "fisca"],
    ),
    (&["payslip", "payroll"], &["folha", "holerite", "pessoal", "rh"]),
    (&["nfse", "nfe"], &["nota"]),
    (&["boleto"], &["boleto", "fatura", "cobran"]),
    (&["contract", "articles", "power-of-attorney"], &["contrato", "societ"]),
    (&["trial-balance", "income-statement", "certificate"], &["contab", "relator", "certid"]),
];

/// The proposed values of a document.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) client: Option<String>,
    /// Why a person has to confirm the client.
    pub(crate) doubts: Option<Vec<Doubt>>,
    pub(crate) folder: Option<String>,
    pub(crate) document_name: String,
    pub(crate) category: Option<String>,
    pub(crate) reference_month: Option<String>,
    pub(crate) expires_at: Option<String>,
    pub(crate) amount_cents: Option<i64>,
    pub(crate) payment_line: Option<String>,
    pub(crate) pix_code: Option<String>,
}

/// The knowledge of the office: its clients with their aliases, and the folders of categories.
pub(crate) struct Office {
    directory: Directory,
    folder_rules: BTreeMap<String, String>,
    /// The folders that rules of recognition name, by the category.
    recognition_folders: BTreeMap<String, String>,
    /// Ids and folded names.
    folders: Vec<(String, String)>,
}

impl Office {
    /// Loads clients, folders and rules. The tax id of the office identifies no client.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) fn load(tx: &mut Tx<'_>, tax_id: Option<TaxId>) -> Result<Self, Error> {
        let mut folder_rules = BTreeMap::new();
        let mut aliases: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut rules = Query::select();
        rules.columns(["pattern", "client_id", "folder_id_supabase"]).from("inbox_rules");
        for row in tx.rows(&rules)?.iter() {
            let pattern = row.text(0)?.to_owned();
            if let Some(client) = row.opt_text(1)? {
                aliases.entry(client.to_owned()).or_default().push(pattern);
            } else if let Some(folder) = row.opt_text(2)? {
                folder_rules.insert(pattern, folder.to_owned());
            }
        }
        let mut own = Query::select();
        own.columns(["name", "folder_id_supabase"]).from("recognition_rules");
        own.and_where(Expr::col("folder_id_supabase").is_not_null());
        let recognition_folders = tx
            .rows(&own)?
            .iter()
            .map(|row| Ok((kind_id(row.text(0)?), row.text(1)?.to_owned())))
            .collect::<Result<_, Error>>()?;
        let mut folders = Query::select();
        folders.columns(["id_supabase", "name"]).from("folders");
        folders.and_where(Expr::col("archived_at").is_null());
        folders.order_by("position", Order::Asc).order_by("id", Order::Asc);
        let folders = tx.rows(&folders)?;
        let folders = folders
            .iter()
            .map(|row| Ok((row.text(0)?.to_owned(), display_name::search_key(row.text(1)?))))
            .collect::<Result<_, Error>>()?;
        let mut clients = Query::select();
        clients.columns(["id", "user_metadata"]).from("clients").order_by("id", Order::Asc);
        let rows = tx.rows(&clients)?;
        let clients = rows
            .iter()
            .map(|row| Ok(client(row.text(0)?, row.text(1)?, &mut aliases)))
            .collect::<Result<_, Error>>()?;
        let directory = Directory { clients, own_tax_ids: tax_id.into_iter().collect() };
        Ok(Self { directory, folder_rules, recognition_folders, folders })
    }

    /// Proposes the values of a document.
    pub(crate) fn propose(&self, name: &str, findings: &Findings, zone: &TimeZone) -> Proposal {
        let owner = self.directory.find_owner(name, findings);
        let category = findings.kind.as_ref().map(|kind| kind.value.id.clone());
        let line = only(&findings.payment_lines).map(|line| &line.value);
        // The amount of a payslip or of an invoice is not one that the client pays.
        let is_payable = findings.kind.as_ref().is_none_or(|kind| kind.value.is_payable);
        let printed = findings.amount_cents.as_ref().filter(|_| is_payable);
        let amount =
            line.and_then(PaymentLine::amount_cents).or_else(|| printed.map(|amount| amount.value));
        // A code with another amount than the paper is not proposed.
        let pix = only(&findings.pix).map(|pix| &pix.value).filter(|pix| {
            pix.amount_cents().is_none() || amount.is_none() || pix.amount_cents() == amount
        });
        let expires = findings.due.as_ref().or(findings.valid_until.as_ref());
        let expires = expires.and_then(|day| {
            let end = day.value.at(23, 59, 59, 0).to_zoned(zone.clone()).ok()?;
            Some(format_timestamp(end.timestamp()))
        });
        Proposal {
            client: owner.candidates.into_iter().next(),
            doubts: (owner.certainty == Certainty::Doubtful).then_some(owner.doubts),
            folder: category.as_deref().and_then(|category| self.folder(category)),
            document_name: findings.document_name().unwrap_or_else(|| stem(name)),
            reference_month: findings.period.as_ref().map(|month| month.value.to_string()),
            category,
            expires_at: expires,
            amount_cents: amount.or_else(|| pix.and_then(PixCode::amount_cents)),
            payment_line: line.map(|line| line.as_str().to_owned()),
            pix_code: pix.map(|pix| pix.as_str().to_owned()),
        }
    }

    /// Returns the folder of a category: by a rule of recognition, by a learned rule, or by its name.
    fn folder(&self, category: &str) -> Option<String> {
        let known = |id: &String| self.folders.iter().any(|(folder, _)| folder == id);
        let rules = [&self.recognition_folders, &self.folder_rules];
        let named = rules.iter().find_map(|rules| rules.get(category).filter(|id| known(id)));
        if let Some(folder) = named {
            return Some(folder.clone());
        }
        let (_, words) =
            FOLDER_WORDS.iter().find(|(categories, _)| categories.contains(&category))?;
        let named = words.iter().find_map(|word| {
            self.folders.iter().find(|(_, name)| name.split(' ').any(|part| part.starts_with(word)))
        });
        named.map(|(folder, _)| folder.clone())
    }
}

/// Returns the value of a list with one value. Several are a decision for a person.
fn only<T>(found: &[T]) -> Option<&T> {
    if let [one] = found { Some(one) } else { None }
}

fn client(id: &str, metadata: &str, aliases: &mut BTreeMap<String, Vec<String>>) -> Client {
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let text = |key: &str| metadata.get(key).and_then(Value::as_str);
    Client {
        id: id.to_owned(),
        names: text("full_name").map(str::to_owned).into_iter().collect(),
        tax_ids: text("tax_id").and_then(|tax_id| tax_id.parse().ok()).into_iter().collect(),
        aliases: aliases.remove(id).unwrap_or_default(),
    }
}

/// Returns the name of a file without its extension.
fn stem(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).trim();
    if stem.is_empty() { name.to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use portaria_recognize::Rules;

    use crate::inbox::proposal::FOLDER_WORDS;

    #[test]
    fn every_kind_that_is_read_has_words_for_its_folder() {
        let mut with_words: Vec<&str> =
            FOLDER_WORDS.iter().flat_map(|(categories, _)| categories.iter().copied()).collect();
        let rules = Rules::built_in();
        let mut kinds: Vec<&str> = rules.kind_ids().collect();
        with_words.sort_unstable();
        kinds.sort_unstable();
        assert_eq!(with_words, kinds);
    }
}
