//! Kinds of documents that an office describes by phrases. They precede the kinds of the rules.

use regex::{Regex, escape};
use serde::{Deserialize, Serialize};

use crate::findings::Role;
use crate::rules::{Fact, KindRule, Rules, compile};
use crate::text::fold;

/// Weight of each phrase. The signs of all other kinds together weigh less.
pub(crate) const PHRASE_WEIGHT: u32 = 1000;

/// Maximum number of characters of an id, as in the category of a document.
const MAX_ID_CHARS: usize = 50;

/// A kind of an office: documents that contain all of its phrases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfficeKind {
    /// The name, from which [`kind_id`] derives the id.
    pub name: String,
    /// Phrases that occur in every document of the kind. A kind without phrases fits no document.
    pub phrases: Vec<String>,
    /// Phrases that occur in no document of the kind.
    pub excluded: Vec<String>,
    /// Whether a document of the kind is to be paid, so that it has an amount and a due date.
    pub is_payable: bool,
}

impl Rules {
    /// Adds the kinds of an office. Among several that fit a document, the one with the most phrases applies.
    #[must_use]
    pub fn with_office_kinds(mut self, kinds: &[OfficeKind]) -> Rules {
        let own = kinds.iter().filter_map(OfficeKind::compile);
        self.kinds.splice(0..0, own);
        self
    }
}

impl OfficeKind {
    /// Returns the rule of the kind. `None` without phrases, or if one is too long.
    fn compile(&self) -> Option<KindRule> {
        let required = compile_phrases(&self.phrases)?;
        if required.is_empty() {
            return None;
        }
        let facts = if self.is_payable {
            vec![Fact::Period, Fact::Due, Fact::Amount]
        } else {
            vec![Fact::Period, Fact::ValidUntil]
        };
        Some(KindRule {
            id: kind_id(&self.name),
            name: self.name.clone(),
            owner: vec![Role::Payer, Role::Recipient],
            facts,
            file_name: Vec::new(),
            collectors: Vec::new(),
            bank_slip: 0,
            amount: Vec::new(),
            signs: Vec::new(),
            required,
            without: compile_phrases(&self.excluded)?,
        })
    }
}

/// Returns the id of the kind with this name: lower-case words without accents, joined by hyphens. Empty for a name
/// without letters and digits.
#[must_use]
pub fn kind_id(name: &str) -> String {
    let folded = fold(name).to_ascii_lowercase();
    let words = folded.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let id: String = words.collect::<Vec<_>>().join("-").chars().take(MAX_ID_CHARS).collect();
    id.trim_end_matches('-').to_owned()
}

fn compile_phrases(phrases: &[String]) -> Option<Vec<Regex>> {
    phrases.iter().map(|text| compile_phrase(text)).collect()
}

/// Compiles the expression for whole words in this order. A line may end between them.
fn compile_phrase(text: &str) -> Option<Regex> {
    let folded = fold(text);
    let words: Vec<String> = folded.split_whitespace().map(escape).collect();
    if words.is_empty() { None } else { compile(&words.join(r"\s+")).ok() }
}

#[cfg(test)]
mod tests {
    use super::{OfficeKind, kind_id};
    use crate::kinds::find_kind;
    use crate::rules::Rules;
    use crate::text::PageText;

    fn kind(name: &str, phrases: &[&str], excluded: &[&str]) -> OfficeKind {
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let (phrases, excluded) = (texts(phrases), texts(excluded));
        OfficeKind { name: name.into(), phrases, excluded, is_payable: true }
    }

    fn found(kinds: &[OfficeKind], text: &str) -> Option<String> {
        let rules = Rules::built_in().with_office_kinds(kinds);
        let (name, page) = (PageText::plain("a.pdf"), PageText::plain(text));
        find_kind(&rules, &name, &[page], &[]).map(|kind| kind.found.value.id)
    }

    #[test]
    fn office_kind_needs_every_phrase_and_none_of_the_excluded() {
        let kinds = [kind("Condomínio", &["taxa de condomínio", "Edifício Aurora"], &["2ª via"])];
        for (text, expected) in [
            ("EDIFICIO AURORA\nTaxa de\ncondominio de outubro", Some("condominio")),
            ("Edifício Aurora", None),
            ("Edifício Aurora, taxa de condomínios", None),
            ("Edifício Aurora, taxa de condomínio, 2ª via", None),
        ] {
            assert_eq!(found(&kinds, text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn office_kind_precedes_a_built_in_one_and_most_phrases_win() {
        let das = "Documento de Arrecadação do Simples Nacional - DAS. Parcelamento (PERT)";
        assert_eq!(found(&[], das).as_deref(), Some("das"));
        let kinds = [
            kind("Parcelamento", &["parcelamento"], &[]),
            kind("Parcelamento do Simples", &["(PERT)", "simples nacional"], &[]),
            kind("Nada", &[], &[]),
        ];
        assert_eq!(found(&kinds[..1], das).as_deref(), Some("parcelamento"));
        assert_eq!(found(&kinds, das).as_deref(), Some("parcelamento-do-simples"));
    }

    #[test]
    fn id_is_made_of_the_words_of_the_name() {
        assert_eq!(kind_id("Boleto do condomínio (nº 2)"), "boleto-do-condominio-no-2");
        assert_eq!(kind_id(" — "), "");
        assert_eq!(kind_id(&format!("{} b", "a".repeat(49))), "a".repeat(49));
    }
}
