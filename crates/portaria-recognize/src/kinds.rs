//! The kind of a document, by the signs of the rules.

use portaria_codes::{PaymentLine, payment_line::PaymentKind};
use regex::Regex;

use crate::findings::{Found, Kind, Place};
use crate::labels::{find_labelled, matches, place_of};
use crate::office_kinds::PHRASE_WEIGHT;
use crate::rules::{Fact, KindRule, MIN_WEIGHT, Rules};
use crate::text::PageText;

/// Number of characters of the first page in which a title is expected.
const TITLE_LENGTH: usize = 450;
/// Weight of a kind's word in the file name, and of its collector in a payment line.
const FILE_NAME_WEIGHT: u32 = 6;
const COLLECTOR_WEIGHT: u32 = 12;

/// A rule that fits a document.
pub(crate) struct KindMatch<'a> {
    pub(crate) rule: &'a KindRule,
    pub(crate) found: Found<Kind>,
}

/// Finds the kind with the most weight.
pub(crate) fn find_kind<'a>(
    rules: &'a Rules,
    file_name: &PageText,
    pages: &[PageText],
    lines: &[Found<PaymentLine>],
) -> Option<KindMatch<'a>> {
    let mut scores: Vec<(u32, Place, &KindRule)> = rules
        .kinds
        .iter()
        .filter_map(|rule| {
            weigh(rule, file_name, pages, lines).map(|(weight, place)| (weight, place, rule))
        })
        .collect();
    // Earlier rules win a tie: the sort is stable.
    scores.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
    let runner_up = scores.get(1).map_or(0, |(weight, ..)| *weight);
    let (weight, place, rule) =
        scores.into_iter().next().filter(|(weight, ..)| *weight >= MIN_WEIGHT)?;
    let code = rule.has(Fact::Code).then(|| find_code(rules, pages)).flatten();
    let kind = Kind {
        id: rule.id.clone(),
        name: rule.name.clone(),
        owner_roles: rule.owner.clone(),
        code_name: code.as_ref().and_then(|code| rules.codes.get(code).cloned()),
        code,
        is_payable: rule.is_payable(),
    };
    let confidence = match weight - runner_up {
        12.. => 0.98,
        6..12 => 0.9,
        1..6 => 0.7,
        0 => 0.4,
    };
    Some(KindMatch { rule, found: Found { value: kind, place, confidence } })
}

/// The weight of a rule's signs, and the place of the heaviest one.
fn weigh(
    rule: &KindRule,
    file_name: &PageText,
    pages: &[PageText],
    lines: &[Found<PaymentLine>],
) -> Option<(u32, Place)> {
    if rule.without.iter().any(|sign| pages.iter().any(|page| sign.is_match(&page.folded))) {
        return None;
    }
    let mut total = 0;
    let mut heaviest: Option<(u32, Place)> = None;
    let mut add = |weight: u32, place: Place| {
        total += weight;
        if heaviest.as_ref().is_none_or(|(most, _)| weight > *most) {
            heaviest = Some((weight, place));
        }
    };
    let first_match = |sign: &Regex| {
        pages.iter().enumerate().find_map(|(index, page)| {
            matches(page, sign).first().map(|&(start, end)| (index, page, start, end))
        })
    };
    for phrase in &rule.required {
        let (_, page, start, end) = first_match(phrase)?;
        add(PHRASE_WEIGHT, place_of(page, start, end));
    }
    for (sign, weight) in &rule.signs {
        if let Some((index, page, start, end)) = first_match(sign) {
            let is_title = index == 0 && start < TITLE_LENGTH;
            add(if is_title { weight * 2 } else { *weight }, place_of(page, start, end));
        }
    }
    if rule.file_name.iter().any(|word| has_word(&file_name.folded, word)) {
        add(FILE_NAME_WEIGHT, Place::FileName);
    }
    for line in lines {
        let is_collector = line
            .value
            .collector()
            .is_some_and(|collector| rule.collectors.iter().any(|own| own == collector));
        if is_collector {
            add(COLLECTOR_WEIGHT, line.place.clone());
        }
        if line.value.kind() == PaymentKind::Boleto && rule.bank_slip > 0 {
            add(rule.bank_slip, line.place.clone());
        }
    }
    heaviest.map(|(_, place)| (total, place))
}

/// Whether a file name contains words. `_`, `-` and digits may touch them.
fn has_word(name: &str, word: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    name.match_indices(word).any(|(at, _)| {
        !is_letter(name[..at].chars().next_back())
            && !is_letter(name[at + word.len()..].chars().next())
    })
}

/// The revenue code of a slip: four digits, perhaps with a variation (`2172-01`).
fn find_code(rules: &Rules, pages: &[PageText]) -> Option<String> {
    find_labelled(pages, &rules.code, |text| {
        let start = text.len() - text.trim_start_matches([' ', ':', '.', '\t']).len();
        let code =
            text.get(start..start + 4).filter(|code| code.bytes().all(|b| b.is_ascii_digit()))?;
        let ends = !text[start + 4..]
            .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '/'));
        ends.then(|| (code.to_owned(), start + 4))
    })
    .into_iter()
    .next()
    .map(|code| code.value)
}

#[cfg(test)]
mod tests {
    use crate::kinds::find_kind;
    use crate::rules::Rules;
    use crate::text::PageText;

    #[test]
    fn title_in_two_lines_is_recognized() {
        let rules = Rules::built_in();
        for (title, id) in [
            ("Documento de Arrecadação\ndo Simples Nacional", "das"),
            ("Documento de Arrecadação\nde Receitas Federais", "darf"),
            ("Certificado de\nRegularidade do FGTS", "certificate"),
        ] {
            let pages = [PageText::plain(title)];
            let kind = find_kind(&rules, &PageText::plain("guia.pdf"), &pages, &[]);
            assert_eq!(kind.map(|kind| kind.found.value.id).as_deref(), Some(id), "{title}");
        }
    }
}
