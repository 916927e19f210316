//! The last day to pay if a due date is a day without banking hours, by the category of the document ("antecipa" or
//! "prorroga").
//!
//! States and cities decide for their own taxes, so the office completes and changes the defaults. A category without a
//! rule is treated like one that must be paid earlier, which is always in time, but people see no date.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The direction in which a due date moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DayOffRule {
    /// To the business day before.
    Earlier,
    /// To the business day after.
    Later,
}

/// The rules of federal law. DAS: Resolução CGSN 140/2018, art. 40. DARF: Lei 11.933/2009, art. 1 to 4, and
/// Lei 8.212/1991, art. 30, §2, whose stricter case is taken for the GPS. FGTS and DAE: Lei 8.036/1990, art. 15, and
/// LC 150/2015, art. 35. Boleto: Lei 7.089/1983.
const DEFAULTS: [(&str, DayOffRule); 6] = [
    ("das", DayOffRule::Later),
    ("darf", DayOffRule::Earlier),
    ("gps", DayOffRule::Earlier),
    ("fgts", DayOffRule::Earlier),
    ("dae", DayOffRule::Earlier),
    ("boleto", DayOffRule::Later),
];

/// The categories of documents that are paid, which an office may give a rule.
const CATEGORIES: [&str; 10] =
    ["das", "darf", "gps", "fgts", "dae", "iss", "gnre", "ipva", "iptu", "boleto"];

/// The office's changes of the defaults. `None` removes a default.
pub(crate) type Changes = BTreeMap<String, Option<DayOffRule>>;

/// Parses the office's changes.
///
/// # Errors
/// A sentence for the person who made them.
pub(crate) fn parse(value: &Value) -> Result<Changes, &'static str> {
    let changes = serde_json::from_value::<Changes>(value.clone());
    let changes =
        changes.map_err(|_| "Um vencimento em dia sem expediente antecipa ou prorroga.")?;
    if changes.keys().all(|category| CATEGORIES.contains(&category.as_str())) {
        Ok(changes)
    } else {
        Err("Um dos tipos de documento não tem vencimento.")
    }
}

/// The rules of an office by category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct DayOffRules(BTreeMap<String, DayOffRule>);

impl Default for DayOffRules {
    fn default() -> Self {
        Self(DEFAULTS.map(|(category, rule)| (category.to_owned(), rule)).into_iter().collect())
    }
}

impl DayOffRules {
    /// The defaults with the office's changes.
    #[must_use]
    pub(crate) fn with(changes: Changes) -> Self {
        let mut rules = Self::default();
        for (category, rule) in changes {
            match rule {
                Some(rule) => rules.0.insert(category, rule),
                None => rules.0.remove(&category),
            };
        }
        rules
    }

    /// Returns the rule of a category, if one is known.
    #[must_use]
    pub fn of(&self, category: &str) -> Option<DayOffRule> {
        self.0.get(category).copied()
    }
}
