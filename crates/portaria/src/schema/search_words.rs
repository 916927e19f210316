//! The words of a text for the text search (docs/decisions/0057-text-search-by-stored-word-stems.md).
//!
//! A searched column has a companion column with the stems of its words, which the server writes. A search compares
//! stems, so both databases find the same rows.

use std::{collections::BTreeSet, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};
use sea_query::{CaseStatement, Expr, ExprTrait, Order, Query};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::{
    db::{Error, Tx},
    schema::tables::TABLES,
};

/// Maximum length of a word, in characters. The rest is ignored.
const MAX_WORD_CHARS: usize = 64;
/// Maximum size of the words of a text. Bytes. The rest is ignored. It is twice the largest text in letters of one
/// byte; one letter of some scripts becomes many.
const MAX_WORDS_BYTES: usize = 20_000;
/// Maximum number of rows in memory.
const BATCH_ROWS: u64 = 100;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::Portuguese));

/// Words that a search ignores, without accents: articles, prepositions, pronouns and conjunctions. "das" is not among
/// them, because it is the name of the commonest slip, the DAS.
const STOP_WORDS: &[&str] = &[
    "a", "ao", "aos", "as", "ate", "com", "como", "da", "de", "dele", "deles", "dela", "delas",
    "do", "dos", "e", "ela", "elas", "ele", "eles", "em", "entre", "essa", "essas", "esse",
    "esses", "esta", "estas", "este", "estes", "eu", "foi", "isso", "isto", "ja", "lhe", "lhes",
    "mas", "me", "meu", "meus", "minha", "minhas", "na", "nas", "nem", "no", "nos", "num", "numa",
    "o", "os", "ou", "para", "pela", "pelas", "pelo", "pelos", "por", "quando", "que", "se", "sem",
    "ser", "seu", "seus", "so", "sua", "suas", "tambem", "te", "tem", "tua", "tuas", "teu", "teus",
    "um", "uma", "voce", "voces",
];

/// Minimum length of a word without its ending, in characters.
const MIN_START_CHARS: usize = 2;

/// Minimum length of another stem of a searched prefix, in characters. A shorter one is found in other words.
const MIN_STEM_CHARS: usize = 3;

/// Endings of plurals, and of their singulars. The stemmer knows only some of them.
const PLURALS: &[(&str, &str)] = &[
    ("oes", "ao"),
    ("aes", "ao"),
    ("ais", "al"),
    ("eis", "el"),
    ("ois", "ol"),
    ("ns", "m"),
    ("as", "a"),
    ("os", "o"),
];

/// Endings whose accent the stemmer expects. Texts are often written without accents, and both spellings of a word have
/// one stem.
const ACCENTS: &[(&str, &str)] = &[
    ("cao", "ção"),
    ("ao", "ão"),
    ("avel", "ável"),
    ("ivel", "ível"),
    ("encia", "ência"),
    ("ancia", "ância"),
];

/// Splits a text into words: letters and digits, without accents and capitals.
pub(crate) fn words(text: &str) -> Vec<String> {
    let folded: String = text
        .nfkd()
        .flat_map(char::to_lowercase)
        .filter(|c| !is_combining_mark(*c))
        .map(|c| if c == 'ς' { 'σ' } else { c })
        .collect();
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word.chars().take(MAX_WORD_CHARS).collect()).collect()
}

/// Whether a search ignores a word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

/// Returns the stem of a word from [`words`], without accents.
pub(crate) fn stem(word: &str) -> String {
    let word = with_ending(&with_ending(word, PLURALS), ACCENTS);
    STEMMER.stem(&word).nfd().filter(|c| !is_combining_mark(*c)).collect()
}

/// Endings of words, of which a prefix may contain the beginning.
const ENDINGS: &[&str] = &[
    "amento", "imento", "acao", "icao", "ucao", "acoes", "idade", "encia", "ancia", "ador",
    "adora", "ario", "aria", "eiro", "eira", "ativo", "ativa", "ico", "ica", "ista", "ismo",
    "avel", "ivel", "iveis", "ado", "ada", "ido", "ida", "ando", "endo", "indo", "ante", "ente",
    "oso", "osa", "mente", "ar", "er", "ir", "ao", "al", "el", "es",
];

/// Returns the stems of words that begin with a prefix, without those that begin with the prefix's own stem. The stem of
/// `padaria` is `padar`, which does not begin with `padari`.
pub(crate) fn other_stems(prefix: &str) -> BTreeSet<String> {
    let tails =
        ENDINGS.iter().flat_map(|ending| (0..ending.len()).map(move |from| &ending[from..]));
    let tails: BTreeSet<&str> = tails.collect();
    let stems = tails.into_iter().map(|tail| stem(&format!("{prefix}{tail}")));
    let own = stem(prefix);
    let is_other = |stem: &String| !stem.starts_with(&own);
    stems.filter(|stem| is_other(stem) && stem.chars().count() >= MIN_STEM_CHARS).collect()
}

/// Replaces the first of the endings that the word has.
fn with_ending(word: &str, endings: &[(&str, &str)]) -> String {
    let replaced = endings.iter().find_map(|(ending, other)| {
        let start = word.strip_suffix(ending)?;
        (start.chars().count() >= MIN_START_CHARS).then(|| format!("{start}{other}"))
    });
    replaced.unwrap_or_else(|| word.to_owned())
}

/// Returns the content of a companion column: the stems in order, with a space before and after each.
#[must_use]
pub fn search_words(text: &str) -> String {
    let mut size = 0;
    let words = words(text).into_iter().take_while(|word| {
        size += word.len() + 1;
        size <= MAX_WORDS_BYTES
    });
    words.fold(" ".to_owned(), |all, word| all + &stem(&word) + " ")
}

/// Migration `0011_fill_search_words`: writes the companion columns of all rows.
pub(crate) fn fill(tx: &mut Tx<'_>) -> Result<(), Error> {
    for (table, column, words) in searched_columns() {
        let mut last = String::new();
        while let Some(id) = fill_after(tx, table, column, words, &last)? {
            last = id;
        }
    }
    Ok(())
}

/// Writes the missing words of a batch of rows, and returns whether there may be more. A node of an earlier version
/// adds rows without words while another node is updated.
pub(crate) fn fill_batch(tx: &mut Tx<'_>) -> Result<bool, Error> {
    let mut has_filled = false;
    for (table, column, words) in searched_columns() {
        has_filled |= fill_after(tx, table, column, words, "")?.is_some();
    }
    Ok(has_filled)
}

/// Returns the searched columns: table, column, companion column.
fn searched_columns() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    TABLES.iter().flat_map(|table| {
        table.columns.iter().filter_map(|column| Some((table.name, column.name, column.words?)))
    })
}

/// Writes the missing words of the next rows after an id, in one statement, and returns the last of their ids.
fn fill_after(
    tx: &mut Tx<'_>,
    table: &'static str,
    column: &'static str,
    words: &'static str,
    last: &str,
) -> Result<Option<String>, Error> {
    let mut query = Query::select();
    query.columns(["id", column]).from(table).and_where(Expr::col("id").gt(last));
    // The indexes of the migration `0014_missing_words` have the same conditions.
    query.and_where(Expr::col(words).is_null()).and_where(Expr::col(column).is_not_null());
    let rows = tx.rows(query.order_by("id", Order::Asc).limit(BATCH_ROWS))?;
    let (mut ids, mut stems) = (Vec::new(), CaseStatement::new());
    for row in rows.iter() {
        let id = row.text(0)?;
        stems = stems.case(Expr::col("id").eq(id), search_words(row.text(1)?));
        ids.push(id.to_owned());
    }
    let Some(last) = ids.last().cloned() else { return Ok(None) };
    let mut update = Query::update();
    update.table(table).value(words, stems);
    update.and_where(Expr::col(words).is_null());
    tx.execute(update.and_where(Expr::col("id").is_in(&ids)))?;
    Ok(Some(last))
}

#[cfg(test)]
mod tests {
    use crate::schema::search_words::{other_stems, search_words, stem};

    #[test]
    fn words_of_a_text_are_bounded() {
        assert_eq!(search_words(&"nota ".repeat(5_000)).split_whitespace().count(), 4_000);
        // One letter, which becomes eighteen letters in four words.
        assert!(search_words(&"\u{fdfa}".repeat(10_000)).len() < 30_000);
    }

    #[test]
    fn inflections_and_spellings_have_one_stem() {
        for forms in [
            &[
                "declaração",
                "declaracao",
                "declarações",
                "DECLARACOES",
                "declara\u{63}\u{327}a\u{303}o",
            ][..],
            &["nota", "notas", "Notas"],
            &["contrato", "contratos"],
            &["referência", "referencias"],
            &["pagável", "pagavel"],
            &["irmão", "irmao", "irmãos"],
            &["rescisão", "rescisões"],
            &["via", "vias"],
            &["fiscal", "fiscais"],
            &["imóvel", "imoveis"],
            &["imagem", "imagens"],
            &["mês", "meses"],
        ] {
            for form in forms {
                assert_eq!(search_words(form), search_words(forms[0]), "{form}");
            }
        }
        assert_ne!(search_words("nota"), search_words("contrato"));
    }

    #[test]
    fn each_prefix_of_a_word_finds_it() {
        for word in [
            "padaria",
            "declaracao",
            "certificado",
            "negativa",
            "faturamento",
            "resultado",
            "procuracao",
            "vigilancia",
            "sanitaria",
            "contrato",
            "balancete",
            "honorarios",
            "recibo",
            "previdencia",
            "rescisao",
            "ferias",
            "holerite",
            "comprovante",
            "extrato",
            "darf",
            "municipal",
            "simples",
            "licenca",
            "alvara",
            "pagamento",
            "imposto",
            "trabalhista",
            "demissional",
            "financeiro",
        ] {
            let stored = stem(word);
            for end in 3..=word.len() {
                let prefix = &word[..end];
                let found =
                    stored.starts_with(&stem(prefix)) || other_stems(prefix).contains(&stored);
                assert!(found, "{prefix} for {word}, stored as {stored}");
            }
        }
        assert!(other_stems("contrat").len() < 5);
    }

    #[test]
    fn words_are_separated_by_other_characters() {
        assert_eq!(search_words(""), " ");
        assert_eq!(search_words("2ª via/2026 (a.b)"), " 2a via 2026 a b ");
        assert_eq!(search_words("ΟΔΟΣ"), search_words("οδος"));
    }
}
