//! The goals of the recognition on a small corpus. `cargo xtask bench --inbox` measures the whole one.

use std::fmt::Write;

use portaria_corpus::measure::{Score, Scores, add, directory, percent, total};
use portaria_corpus::{Case, Office, TODAY};
use portaria_recognize::Rules;

fn score(office: &Office, cases: &[Case]) -> (Score, String) {
    let (rules, directory) = (Rules::built_in(), directory(office));
    let mut scores = Scores::new();
    let mut errors = String::new();
    for case in cases {
        let findings = portaria_recognize::read(&case.name, case.bytes.clone(), TODAY, &rules);
        for error in add(&mut scores, &directory, case, &findings) {
            writeln!(errors, "{} {}: {error}", case.layout, case.name).expect("a text grows");
        }
    }
    (total(&scores), errors)
}

fn assert_goals(office: &Office, cases: &[Case]) {
    let (score, errors) = score(office, cases);
    assert_eq!(score.wrong_unflagged, 0, "{errors}");
    assert_eq!(score.wrong_payments, 0, "{errors}");
    assert!(percent(score.owners_found, score.owners) >= 97.0, "{errors}");
    assert!(score.due.percent() >= 98.0 && score.amounts.percent() >= 98.0, "{errors}");
    assert!(score.payment_lines.wrong == 0 && score.pix.wrong == 0, "{errors}");
}

#[test]
fn tuned_documents_meet_the_goals() {
    let corpus = portaria_corpus::generate(7, 1, 9);
    assert_goals(&corpus.office, &corpus.tuned);
}

#[test]
fn documents_held_aside_meet_the_goals() {
    let corpus = portaria_corpus::generate(8, 1, 0);
    assert_goals(&corpus.office, &corpus.independent);
}

#[test]
fn the_same_seed_generates_the_same_corpus() {
    let [one, two] = [1, 2].map(|_| portaria_corpus::generate(3, 1, 9));
    let bytes = |cases: &[Case]| {
        cases.iter().map(|case| (case.name.clone(), case.bytes.clone())).collect::<Vec<_>>()
    };
    assert!(
        bytes(&one.tuned) == bytes(&two.tuned)
            && bytes(&one.independent) == bytes(&two.independent)
    );
}
