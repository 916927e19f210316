//! The plan of an archive with a list: a CSV file with a header row and a row for each document.

use csv::{ReaderBuilder, StringRecord, Trim};
use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::{
    display_name::search_key,
    documents::import::{Item, Plan, archive::Archive, directory::Directory, document_name, stem},
};

/// The columns of a list. A list contains the first [`REQUIRED`] at least.
const COLUMNS: [&str; 7] =
    ["arquivo", "cliente", "pasta", "nome", "vencimento", "competencia", "valor"];
/// Number of columns that a list contains at least.
const REQUIRED: usize = 3;

/// Plans the documents of a list.
///
/// # Errors
/// The list as a whole cannot be read: a sentence for a person.
pub(crate) fn plan(bytes: &[u8], archive: &Archive, directory: &Directory) -> Result<Plan, String> {
    // Spreadsheet programs write a byte order mark.
    let text = std::str::from_utf8(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
        .map_err(|_| "A lista não está em UTF-8: salve-a como “CSV UTF-8”.")?;
    // The reader counts a line that ends with two characters at the next one only.
    let text = &text.replace("\r\n", "\n");
    let mut reader = ReaderBuilder::new();
    reader.delimiter(delimiter(text)).flexible(true).trim(Trim::All);
    let mut reader = reader.from_reader(text.as_bytes());
    let unreadable = |error: csv::Error| format!("A lista não pode ser lida: {error}.");
    let places = places(reader.headers().map_err(unreadable)?)?;
    let width = reader.headers().map_err(unreadable)?.len();

    let mut plan = Plan::default();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |column: &str| {
            let place = COLUMNS.iter().position(|name| *name == column).and_then(|at| places[at]);
            place.and_then(|place| record.get(place)).unwrap_or_default()
        };
        let label = format!("linha {line}, {}", cell("arquivo"));
        if record.iter().skip(width).any(|cell| !cell.is_empty()) {
            let reason = "A linha tem mais células que o cabeçalho: ponha entre aspas um texto \
                          que contém o separador.";
            plan.refuse(label, reason, 1);
            continue;
        }
        if record.iter().any(|cell| cell.contains('\n')) {
            let reason = "Uma célula continua na linha seguinte: as aspas que a abrem não foram \
                          fechadas.";
            plan.refuse(label, reason, 1);
            continue;
        }
        match item(label.clone(), &cell, archive, directory) {
            Ok(item) => plan.items.push(item),
            Err(reasons) => plan.refuse(label, reasons.join(" "), 1),
        }
    }
    Ok(plan)
}

/// Returns the separator that is most frequent in the first line.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let count = |separator: u8| header.bytes().filter(|byte| *byte == separator).count();
    // The last of equals is the maximum.
    *b"\t,;".iter().max_by_key(|separator| count(**separator)).unwrap_or(&b';')
}

/// Returns the place of each of [`COLUMNS`] in the header row.
fn places(header: &StringRecord) -> Result<[Option<usize>; COLUMNS.len()], String> {
    let mut places = [None; COLUMNS.len()];
    for (place, written) in header.iter().enumerate().filter(|(_, written)| !written.is_empty()) {
        let key = search_key(written);
        let Some(column) = COLUMNS.iter().position(|column| *column == key) else {
            return Err(unknown_column(written, &key));
        };
        if places[column].replace(place).is_some() {
            return Err(format!("A coluna “{written}” está duas vezes na lista."));
        }
    }
    let missing = COLUMNS.iter().zip(places).take(REQUIRED).find(|(_, place)| place.is_none());
    match missing {
        Some((column, _)) => Err(format!(
            "A primeira linha precisa dar nome às colunas, e falta “{column}”. As colunas são: {}.",
            COLUMNS.join(", ")
        )),
        None => Ok(places),
    }
}

fn unknown_column(written: &str, key: &str) -> String {
    let rated = COLUMNS.map(|column| (column, strsim::normalized_levenshtein(key, column)));
    let best = rated.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
    match best {
        Some((column, similarity)) if similarity >= 0.5 => {
            format!("A coluna “{written}” não existe: talvez “{column}”.")
        }
        _ => format!("A coluna “{written}” não existe. As colunas são: {}.", COLUMNS.join(", ")),
    }
}

/// Plans the document of a row. `cell` returns the cell of a column.
///
/// # Errors
/// Sentences for a person, one for each problem of the row.
fn item<'a>(
    label: String,
    cell: &impl Fn(&str) -> &'a str,
    archive: &Archive,
    directory: &Directory,
) -> Result<Item, Vec<String>> {
    let path = archive.find(cell("arquivo"));
    let file_name = cell("arquivo").rsplit(['/', '\\']).next().unwrap_or_default();
    let client = directory.client(cell("cliente"));
    let folder = match cell("pasta") {
        "" => Err("Falta a pasta do portal.".to_owned()),
        name => directory.folder(name),
    };
    let name = match cell("nome") {
        "" => document_name(stem(file_name)),
        name => document_name(name),
    };
    let values = values(cell);
    match (path, client, folder, name, values) {
        (Ok(path), Ok(client), Ok(folder), Ok(name), Ok(values)) => {
            Ok(Item { label, path, file_name: file_name.to_owned(), client, folder, name, values })
        }
        (path, client, folder, name, values) => {
            let mut reasons: Vec<String> = Vec::new();
            reasons.extend(path.err());
            reasons.extend(client.err());
            reasons.extend(folder.err());
            // Without a file there is no name to speak of.
            reasons.extend(name.err().filter(|_| !file_name.is_empty()));
            reasons.extend(values.err().into_iter().flatten());
            Err(reasons)
        }
    }
}

/// Reads the optional columns of a document.
fn values<'a>(cell: &impl Fn(&str) -> &'a str) -> Result<Map<String, Value>, Vec<String>> {
    let (mut values, mut reasons) = (Map::new(), Vec::new());
    let mut read =
        |column: &'static str, text: &str, value: Option<Value>, example: &str| match value {
            _ if text.is_empty() => {}
            Some(value) => drop(values.insert(column.to_owned(), value)),
            None => reasons.push(format!("“{text}” não serve: escreva {example}.")),
        };
    let text = cell("vencimento");
    read("expires_at", text, date(text), "o vencimento como 20/11/2026");
    let text = cell("competencia");
    read("reference_month", text, month(text), "a competência como 10/2026");
    let text = cell("valor");
    read("amount_cents", text, cents(text), "o valor como 1.234,56");
    if reasons.is_empty() { Ok(values) } else { Err(reasons) }
}

/// Reads `20/11/2026` or `2026-11-20`.
fn date(text: &str) -> Option<Value> {
    let date = Date::strptime("%d/%m/%Y", text).or_else(|_| text.parse()).ok()?;
    (1900..2200).contains(&date.year()).then(|| date.to_string().into())
}

/// Reads `10/2026` or `2026-10`.
fn month(text: &str) -> Option<Value> {
    let first = |form: &str, text: String| Date::strptime(form, text).ok();
    let date = first("%d/%m/%Y", format!("01/{text}"));
    let date = date.or_else(|| first("%Y-%m-%d", format!("{text}-01")))?;
    (1900..2200).contains(&date.year()).then(|| date.strftime("%Y-%m").to_string().into())
}

/// Reads `1.234,56`, `1234.56` or `1234`, with or without `R$`, as cents.
fn cents(text: &str) -> Option<Value> {
    let number = text.strip_prefix("R$").unwrap_or(text).trim();
    let is_whole = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let whole = is_whole.then(|| format!("{number},00"));
    portaria_recognize::parse_amount(whole.as_deref().unwrap_or(number)).map(Value::from)
}

#[cfg(test)]
mod tests {
    use crate::documents::import::{
        archive::Archive,
        directory::Directory,
        list::{cents, date, delimiter, month, plan},
    };

    #[test]
    fn values_are_read_as_spreadsheets_write_them() {
        for (text, expected) in [
            ("1.234,56", Some(123_456)),
            ("R$ 0,07", Some(7)),
            ("1234.56", Some(123_456)),
            ("1500", Some(150_000)),
            ("1.500", None),
            ("-1,00", None),
            ("mil", None),
        ] {
            assert_eq!(cents(text), expected.map(Into::into), "{text}");
        }
        for (text, expected) in [
            ("20/11/2026", Some("2026-11-20")),
            ("2026-11-20", Some("2026-11-20")),
            ("31/02/2026", None),
            ("20/11/26", None),
            ("11/20/2026", None),
        ] {
            assert_eq!(date(text), expected.map(Into::into), "{text}");
        }
        for (text, expected) in [
            ("10/2026", Some("2026-10")),
            ("2026-10", Some("2026-10")),
            ("13/2026", None),
            ("outubro", None),
        ] {
            assert_eq!(month(text), expected.map(Into::into), "{text}");
        }
    }

    #[test]
    fn separator_is_the_most_frequent_one() {
        for (header, expected) in [
            ("arquivo;cliente;pasta", b';'),
            ("arquivo,cliente", b','),
            ("a\tb", b'\t'),
            ("a", b';'),
        ] {
            assert_eq!(delimiter(header), expected, "{header}");
        }
    }

    #[test]
    fn rows_are_named_by_their_line_and_may_not_swallow_others() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(folder.path()).unwrap();
        let list = "arquivo;cliente;pasta\r\na.pdf;x;y\r\n\"b.pdf;x;y\r\nc.pdf;x;y\r\n";
        let plan = plan(list.as_bytes(), &archive, &Directory::default()).unwrap();
        let [first, second] = &plan.refusals[..] else { panic!("{:?}", plan.refusals) };
        assert!(first.label.starts_with("linha 2, a.pdf"), "{}", first.label);
        assert!(second.label.starts_with("linha 3, b.pdf"), "{}", second.label);
        assert!(second.reason.contains("aspas"), "{}", second.reason);
    }

    #[test]
    fn list_with_a_wrong_header_is_refused_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(folder.path()).unwrap();
        for (list, reason) in [
            ("arquivo;cliente;paste\n", "“paste” não existe: talvez “pasta”"),
            ("arquivo;cliente;pasta;telefone\n", "“telefone” não existe. As colunas são"),
            ("arquivo;cliente;pasta;Pasta\n", "duas vezes"),
            ("arquivo;cliente\n", "falta “pasta”"),
            ("", "falta “arquivo”"),
        ] {
            let error = plan(list.as_bytes(), &archive, &Directory::default()).unwrap_err();
            assert!(error.contains(reason), "{list}: {error}");
        }
        let latin = plan(b"arquivo;cliente;pasta\n\xE9;a;b\n", &archive, &Directory::default());
        assert!(latin.unwrap_err().contains("UTF-8"));
    }
}
