//! The rules of recognition, from `rules.toml`: labels of values, roles, and kinds.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

use crate::findings::Role;
use crate::text::fold;

const BUILT_IN: &str = include_str!("rules.toml");
/// Maximum memory of a compiled regular expression, in bytes.
const MAX_EXPRESSION_BYTES: usize = 256 * 1024;
/// Weight of the signs that a kind needs.
pub(crate) const MIN_WEIGHT: u32 = 10;

/// A fact that documents of a kind contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fact {
    Period,
    Due,
    Amount,
    ValidUntil,
    Code,
}

/// The compiled rules.
#[derive(Debug)]
pub struct Rules {
    pub(crate) due: Vec<Regex>,
    pub(crate) amount: Vec<Regex>,
    pub(crate) period: Vec<Regex>,
    pub(crate) valid_until: Vec<Regex>,
    pub(crate) code: Vec<Regex>,
    pub(crate) roles: Vec<(Role, Regex)>,
    pub(crate) kinds: Vec<KindRule>,
    pub(crate) codes: BTreeMap<String, String>,
}

/// The rule of a kind of document.
#[derive(Debug)]
pub(crate) struct KindRule {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) owner: Vec<Role>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) file_name: Vec<String>,
    pub(crate) collectors: Vec<String>,
    /// Weight of a bank slip's payment line.
    pub(crate) bank_slip: u32,
    pub(crate) amount: Vec<Regex>,
    pub(crate) signs: Vec<(Regex, u32)>,
    /// Phrases of an office's kind, all of which a document contains.
    pub(crate) required: Vec<Regex>,
    pub(crate) without: Vec<Regex>,
}

impl KindRule {
    pub(crate) fn has(&self, fact: Fact) -> bool {
        self.facts.contains(&fact)
    }

    /// Documents that are paid have a due date.
    pub(crate) fn is_payable(&self) -> bool {
        self.has(Fact::Due)
    }
}

/// The rules cannot be used.
#[derive(Debug, thiserror::Error)]
enum InvalidRules {
    #[error("the rules are not valid TOML: {0}")]
    Syntax(#[from] toml::de::Error),
    #[error("a rule is not a valid regular expression: {0}")]
    Expression(#[from] regex::Error),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    labels: Labels,
    #[serde(default)]
    roles: BTreeMap<Role, Vec<String>>,
    #[serde(default)]
    kinds: Vec<KindEntry>,
    #[serde(default)]
    codes: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Labels {
    due: Vec<String>,
    amount: Vec<String>,
    period: Vec<String>,
    valid_until: Vec<String>,
    code: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindEntry {
    id: String,
    name: String,
    owner: Vec<Role>,
    facts: Vec<Fact>,
    #[serde(default)]
    file_name: Vec<String>,
    #[serde(default)]
    collectors: Vec<String>,
    #[serde(default)]
    bank_slip: u32,
    #[serde(default)]
    amount: Vec<String>,
    signs: Vec<Sign>,
    #[serde(default)]
    without: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sign {
    text: String,
    weight: u32,
}

impl Rules {
    /// Returns the ids of the kinds of documents, which categories of documents repeat.
    pub fn kind_ids(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| kind.id.as_str())
    }

    /// The rules that come with the library.
    #[must_use]
    pub fn built_in() -> Rules {
        Rules::parse(BUILT_IN).expect("the built-in rules are valid")
    }

    fn parse(text: &str) -> Result<Rules, InvalidRules> {
        let file: File = toml::from_str(text)?;
        let mut roles = Vec::new();
        for (role, words) in file.roles {
            for word in compile_all(&words)? {
                roles.push((role, word));
            }
        }
        Ok(Rules {
            due: compile_all(&file.labels.due)?,
            amount: compile_all(&file.labels.amount)?,
            period: compile_all(&file.labels.period)?,
            valid_until: compile_all(&file.labels.valid_until)?,
            code: compile_all(&file.labels.code)?,
            roles,
            kinds: file.kinds.into_iter().map(KindRule::compile).collect::<Result<_, _>>()?,
            codes: file.codes,
        })
    }
}

impl KindRule {
    fn compile(entry: KindEntry) -> Result<KindRule, InvalidRules> {
        let signs = entry.signs.iter().map(|sign| Ok((compile_sign(&sign.text)?, sign.weight)));
        Ok(KindRule {
            signs: signs.collect::<Result<_, regex::Error>>()?,
            amount: compile_all(&entry.amount)?,
            required: Vec::new(),
            without: compile_all(&entry.without)?,
            file_name: entry.file_name.iter().map(|word| fold(word)).collect(),
            id: entry.id,
            name: entry.name,
            owner: entry.owner,
            facts: entry.facts,
            collectors: entry.collectors,
            bank_slip: entry.bank_slip,
        })
    }
}

fn compile_all(patterns: &[String]) -> Result<Vec<Regex>, regex::Error> {
    patterns.iter().map(|pattern| compile(pattern)).collect()
}

/// Compiles a sign, whose words may be on several lines: titles are often set in two.
fn compile_sign(text: &str) -> Result<Regex, regex::Error> {
    compile(&text.replace(' ', r"(?:[ \t\n]+)"))
}

/// Compiles an expression for whole words.
pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&format!(r"(?:^|[^A-Z0-9])({pattern})(?:$|[^A-Z0-9])"))
        .size_limit(MAX_EXPRESSION_BYTES)
        .build()
}
