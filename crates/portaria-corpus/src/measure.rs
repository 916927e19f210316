//! Comparison of findings with the truth, and counts for each kind.

use std::collections::BTreeMap;
use std::fmt;

use portaria_recognize::{self as recognize, Certainty, Directory, Findings, OwnerMatch};

use crate::case::Case;
use crate::office::Office;

/// Counts of a group of documents.
#[derive(Clone, Debug, Default)]
pub struct Score {
    pub documents: usize,
    /// Documents whose paper or name says the owner.
    pub owners: usize,
    /// Of those, documents with the right client as the first candidate, certain or flagged.
    pub owners_found: usize,
    /// Documents for which a person is asked.
    pub flagged: usize,
    /// Documents that would be published to a wrong client without a question.
    pub wrong_unflagged: usize,
    pub kinds_right: usize,
    pub periods: Ratio,
    pub due: Ratio,
    pub amounts: Ratio,
    pub validity: Ratio,
    pub payment_lines: Ratio,
    pub pix: Ratio,
    /// Payment lines and Pix codes that are on no paper.
    pub wrong_payments: usize,
    /// Due dates, amounts and days of validity of papers that have none. Files about two clients do not count.
    pub invented: usize,
}

/// Number of values on paper, of right ones, and of wrong ones. The rest was not given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ratio {
    pub on_paper: usize,
    pub right: usize,
    pub wrong: usize,
}

impl Ratio {
    fn add<T: PartialEq>(&mut self, truth: Option<&T>, found: Option<&T>) {
        if let Some(truth) = truth {
            self.on_paper += 1;
            self.right += usize::from(found == Some(truth));
            self.wrong += usize::from(found.is_some_and(|found| found != truth));
        }
    }

    /// Right values in percent. 100 if there is none on paper.
    #[must_use]
    pub fn percent(&self) -> f64 {
        percent(self.right, self.on_paper)
    }
}

/// A part in percent, 100 of nothing.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// The clients as the recognition sees them.
#[must_use]
pub fn directory(office: &Office) -> Directory {
    let clients = office.clients.iter().enumerate().map(|(index, client)| recognize::Client {
        id: index.to_string(),
        names: vec![client.name.clone()],
        tax_ids: client.tax_id.parse().into_iter().collect(),
        aliases: Vec::new(),
    });
    Directory {
        clients: clients.collect(),
        own_tax_ids: office.tax_id.parse().into_iter().collect(),
    }
}

/// Scores by kind, the layouts with difficulties apart.
pub type Scores = BTreeMap<String, Score>;

/// Adds a document to the scores. Returns sentences about its errors.
pub fn add(
    scores: &mut Scores,
    directory: &Directory,
    case: &Case,
    findings: &Findings,
) -> Vec<String> {
    let group = match case.layout.split('/').collect::<Vec<_>>()[..] {
        [_, difficulty] => difficulty.to_owned(),
        [_, "xml", _] => "xml".to_owned(),
        _ => case.truth.kind.to_owned(),
    };
    let score = scores.entry(group).or_default();
    let owner = directory.find_owner(&case.name, findings);
    let mut errors = Vec::new();
    score.documents += 1;
    score.add_owner(case, &owner, &mut errors);
    score.kinds_right +=
        usize::from(findings.kind.as_ref().is_some_and(|kind| kind.value.id == case.truth.kind));

    let truth = &case.truth;
    let period = findings.period.as_ref().map(|period| (period.value.year, period.value.month));
    let due = findings.due.as_ref().map(|due| due.value);
    let amount = findings.amount_cents.as_ref().map(|amount| amount.value);
    let valid_until = findings.valid_until.as_ref().map(|date| date.value);
    score.periods.add(truth.period.as_ref(), period.as_ref());
    score.due.add(truth.due.as_ref(), due.as_ref());
    score.amounts.add(truth.amount_cents.as_ref(), amount.as_ref());
    score.validity.add(truth.valid_until.as_ref(), valid_until.as_ref());
    let invented = [
        truth.due.is_none() && due.is_some(),
        truth.amount_cents.is_none() && amount.is_some(),
        truth.valid_until.is_none() && valid_until.is_some(),
    ];
    if !truth.must_be_flagged && invented.contains(&true) {
        score.invented += invented.iter().filter(|is_invented| **is_invented).count();
        errors.push(format!("invented: {due:?} {amount:?} {valid_until:?}"));
    }
    let mut note = |what: &str, is_wrong: bool, values: String| {
        if is_wrong {
            errors.push(format!("{what}: {values}"));
        }
    };
    note(
        "period",
        truth.period.is_some() && period != truth.period,
        format!("{period:?} for {:?}", truth.period),
    );
    note("due", truth.due.is_some() && due != truth.due, format!("{due:?} for {:?}", truth.due));
    note(
        "amount",
        truth.amount_cents.is_some() && amount != truth.amount_cents,
        format!("{amount:?} for {:?}", truth.amount_cents),
    );
    note(
        "validity",
        truth.valid_until.is_some() && valid_until != truth.valid_until,
        format!("{valid_until:?} for {:?}", truth.valid_until),
    );
    let kind = findings.kind.as_ref().map(|kind| kind.value.id.as_str());
    note("kind", kind != Some(truth.kind), format!("{kind:?}"));

    let lines: Vec<&str> = findings.payment_lines.iter().map(|line| line.value.as_str()).collect();
    let pix: Vec<&str> = findings.pix.iter().map(|pix| pix.value.as_str()).collect();
    for (ratio, truth, found) in [
        (&mut score.payment_lines, &truth.payment_lines, &lines),
        (&mut score.pix, &truth.pix, &pix),
    ] {
        for value in truth {
            ratio.add(Some(&value.as_str()), found.iter().find(|found| **found == value));
        }
        score.wrong_payments +=
            found.iter().filter(|found| !truth.iter().any(|value| value == *found)).count();
    }
    errors
}

impl Score {
    fn add_owner(&mut self, case: &Case, owner: &OwnerMatch, errors: &mut Vec<String>) {
        let truth = &case.truth;
        let expected = truth.owner.map(|index| index.to_string());
        let is_certain = owner.certainty == Certainty::Certain;
        let is_right = expected.is_some() && owner.candidates.first() == expected.as_ref();
        // Of two clients in one file, either may come first.
        let is_found = is_right
            || (truth.must_be_flagged
                && owner.candidates.iter().any(|id| Some(id) == expected.as_ref()));
        self.flagged += usize::from(!is_certain);
        if expected.is_some() {
            self.owners += 1;
            self.owners_found += usize::from(is_found);
            if !is_found {
                errors.push(format!("owner: {owner:?} for {expected:?}"));
            }
        }
        if is_certain && (!is_right || truth.must_be_flagged) {
            self.wrong_unflagged += 1;
            errors.push(format!("OWNER WRONG AND NOT FLAGGED: {owner:?} for {expected:?}"));
        }
        if !is_certain && !truth.must_be_flagged && is_right {
            errors.push(format!("flagged: {:?}", owner.doubts));
        }
    }

    /// Adds the counts of another group.
    pub fn merge(&mut self, other: &Score) {
        self.documents += other.documents;
        self.owners += other.owners;
        self.owners_found += other.owners_found;
        self.flagged += other.flagged;
        self.wrong_unflagged += other.wrong_unflagged;
        self.kinds_right += other.kinds_right;
        self.wrong_payments += other.wrong_payments;
        self.invented += other.invented;
        for (own, other) in [
            (&mut self.periods, &other.periods),
            (&mut self.due, &other.due),
            (&mut self.amounts, &other.amounts),
            (&mut self.validity, &other.validity),
            (&mut self.payment_lines, &other.payment_lines),
            (&mut self.pix, &other.pix),
        ] {
            own.on_paper += other.on_paper;
            own.right += other.right;
            own.wrong += other.wrong;
        }
    }
}

/// The sum of all groups.
#[must_use]
pub fn total(scores: &Scores) -> Score {
    scores.values().fold(Score::default(), |mut total, score| {
        total.merge(score);
        total
    })
}

impl fmt::Display for Ratio {
    /// Writes right values of those on paper, and the wrong ones.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match (self.on_paper, self.wrong) {
            (0, _) => "–".to_owned(),
            (all, 0) => format!("{}/{all}", self.right),
            (all, wrong) => format!("{}/{all} ({wrong} wrong)", self.right),
        };
        f.pad(&text)
    }
}
