//! The facts of a document's text: tax ids with roles, payment codes, dates and amounts.

use jiff::civil::Date;
use portaria_codes::{PaymentLine, PixCode};

use crate::dates::{Month, date_at_start, month_at_start};
use crate::findings::{Found, Place, Role, TaxIdWithRole};
use crate::labels::{Labelled, find_labelled, matches, place_of};
use crate::money::amount_at_start;
use crate::payment_line::find_payment_lines;
use crate::pix::find_pix;
use crate::rules::{KindRule, Rules};
use crate::tax_id::find_tax_ids;
use crate::text::PageText;

/// Maximum distance between a role's heading and a tax id below it, in points.
const MAX_ROLE_DISTANCE: f32 = 130.0;

/// The payment codes of the pages' texts.
pub(crate) struct Payments {
    pub(crate) lines: Vec<Found<PaymentLine>>,
    pub(crate) pix: Vec<Found<PixCode>>,
}

/// Finds payment lines and Pix codes, and removes them from the folded texts: their digits are no tax ids.
pub(crate) fn take_payments(pages: &mut [PageText]) -> Payments {
    let mut payments = Payments { lines: Vec::new(), pix: Vec::new() };
    for page in pages {
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for found in find_payment_lines(&page.folded) {
            let place = place_of(page, found.start, found.end);
            taken.push((found.start, found.end));
            payments.add_line(Found { value: found.line, place, confidence: 0.99 });
        }
        let text: String = page.characters.iter().collect();
        for (pix, start, end) in find_pix(&text) {
            let [start, end] = [start, end].map(|at| text[..at].chars().count());
            taken.push((start, end));
            payments.add_pix(Found {
                value: pix,
                place: place_of(page, start, end),
                confidence: 0.99,
            });
        }
        for (start, end) in taken {
            page.folded.replace_range(start..end, &"~".repeat(end - start));
        }
    }
    payments
}

impl Payments {
    /// Adds a payment line, unless it was found before.
    pub(crate) fn add_line(&mut self, line: Found<PaymentLine>) {
        if self.lines.iter().all(|other| other.value != line.value) {
            self.lines.push(line);
        }
    }

    /// Adds a Pix code, unless it was found before.
    pub(crate) fn add_pix(&mut self, pix: Found<PixCode>) {
        if self.pix.iter().all(|other| other.value.as_str() != pix.value.as_str()) {
            self.pix.push(pix);
        }
    }
}

/// Finds the tax ids of a page, each with the role that a word before or above it says.
pub(crate) fn find_tax_ids_with_roles(page: &PageText, rules: &Rules) -> Vec<Found<TaxIdWithRole>> {
    let mut words: Vec<(Role, usize, usize)> = Vec::new();
    for (role, expression) in &rules.roles {
        words.extend(matches(page, expression).into_iter().map(|(start, end)| (*role, start, end)));
    }
    find_tax_ids(&page.folded)
        .into_iter()
        .map(|found| {
            let role = role_at(page, &words, found.start);
            Found {
                value: TaxIdWithRole { tax_id: found.tax_id, role },
                place: place_of(page, found.start, found.end),
                confidence: if found.punctuated { 0.99 } else { 0.9 },
            }
        })
        .collect()
}

/// The role that the nearest word before a position on its line says, or above it.
fn role_at(page: &PageText, words: &[(Role, usize, usize)], at: usize) -> Option<Role> {
    let segment_at = |at: usize| {
        let index = page.segments.partition_point(|segment| segment.end < at);
        page.segments.get(index)
    };
    let own = segment_at(at)?;
    let left = page.rects.get(at).map_or(0.0, |rect| rect.left);
    let before = words
        .iter()
        .filter(|(_, start, end)| {
            *end <= at && segment_at(*start).is_some_and(|other| other.line == own.line)
        })
        .max_by_key(|(_, _, end)| *end);
    if let Some((role, ..)) = before {
        return Some(*role);
    }
    words
        .iter()
        .filter_map(|(role, start, _)| {
            let heading = segment_at(*start)?;
            let distance = own.rect.top - heading.rect.top;
            let is_above = distance > 0.0 && distance < MAX_ROLE_DISTANCE;
            let begins_before = page.rects.get(*start).is_none_or(|rect| rect.left < left + 60.0);
            // A heading in the same column is preferred to one at the left edge.
            (is_above && begins_before).then_some((*role, heading.line, *start))
        })
        .max_by_key(|(_, line, start)| (*line, *start))
        .map(|(role, ..)| role)
}

/// The month that a document is about.
pub(crate) fn find_period(
    pages: &[PageText],
    file_name: &PageText,
    rules: &Rules,
) -> Option<Found<Month>> {
    let labelled = find_labelled(pages, &rules.period, period_at_start);
    if let Some(first) = labelled.first() {
        let is_unanimous = labelled
            .iter()
            .filter(|other| other.rank == first.rank)
            .all(|other| other.value == first.value);
        let confidence = if is_unanimous { 0.95 } else { 0.6 };
        return Some(Found { value: first.value, place: first.place.clone(), confidence });
    }
    // A title such as "Holerite – outubro/2026", then a file name such as "DAS 10-2026.pdf".
    let title = pages.first().and_then(|page| lone_month(page, 600));
    title.map(|found| Found { confidence: 0.7, ..found }).or_else(|| {
        lone_month(file_name, file_name.folded.len())
            .map(|found| Found { confidence: 0.6, ..found })
    })
}

/// The only month that the first characters of a text name.
fn lone_month(page: &PageText, length: usize) -> Option<Found<Month>> {
    let mut found: Option<(Month, usize, usize)> = None;
    let bytes = page.folded.as_bytes();
    let mut at = 0;
    while at < length.min(bytes.len()) {
        let is_start = bytes[at].is_ascii_alphanumeric()
            && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        // A whole date is a day, not a month.
        if is_start && let Some((_, end)) = date_at_start(&page.folded[at..]) {
            at += end;
        } else if is_start && let Some((month, end)) = month_at_start(&page.folded[at..]) {
            if found.is_some_and(|(other, ..)| other != month) {
                return None;
            }
            found = found.or(Some((month, at, at + end)));
            at += end;
        } else {
            at += 1;
        }
    }
    found.map(|(value, start, end)| Found {
        value,
        place: place_of(page, start, end),
        confidence: 0.5,
    })
}

/// A month, or the last month of a range: `01/01/2026 a 31/10/2026`.
fn period_at_start(text: &str) -> Option<(Month, usize)> {
    let (month, end) = month_at_start(text)?;
    match range_end(&text[end..]).and_then(|(rest, skipped)| Some((month_at_start(rest)?, skipped)))
    {
        Some(((last, length), skipped)) => Some((last, end + skipped + length)),
        None => Some((month, end)),
    }
}

/// A date, or the last date of a range.
fn last_date_at_start(text: &str) -> Option<(Date, usize)> {
    let (date, end) = date_at_start(text)?;
    match range_end(&text[end..]).and_then(|(rest, skipped)| Some((date_at_start(rest)?, skipped)))
    {
        Some(((last, length), skipped)) => Some((last, end + skipped + length)),
        None => Some((date, end)),
    }
}

/// The text after the word between the ends of a range.
fn range_end(text: &str) -> Option<(&str, usize)> {
    ["A ", "ATE ", "- ", "E "].iter().find_map(|word| {
        let trimmed = text.trim_start_matches(' ');
        let rest = trimmed.strip_prefix(word)?;
        Some((rest, text.len() - rest.len()))
    })
}

/// The last day of validity: a date, or a number of days after the date of issue.
pub(crate) fn find_valid_until(pages: &[PageText], rules: &Rules) -> Option<Found<Date>> {
    let dates = find_labelled(pages, &rules.valid_until, last_date_at_start);
    dates.into_iter().next().map(|found| Found {
        value: found.value,
        place: found.place,
        confidence: 0.95,
    })
}

/// The due date: that of the bank slip's code, confirmed by the text, or that of the text.
pub(crate) fn find_due(
    pages: &[PageText],
    rules: &Rules,
    lines: &[Found<PaymentLine>],
    today: Date,
) -> Option<Found<Date>> {
    let labelled = find_labelled(pages, &rules.due, date_at_start);
    let coded: Vec<_> =
        lines.iter().filter_map(|line| Some((line.value.due_date(today)?, &line.place))).collect();
    match coded[..] {
        [] => agreed(&labelled),
        // Several slips with different due dates, such as the instalments of a loan.
        [(first, _), ..] if coded.iter().any(|(due, _)| *due != first) => None,
        [(due, place), ..] => {
            let printed = labelled.iter().find(|found| found.value == due);
            let confidence = match (printed, labelled.is_empty()) {
                (Some(_), _) => 0.99,
                (None, true) => 0.95,
                (None, false) => 0.6,
            };
            let place = printed.map_or(place, |found| &found.place).clone();
            Some(Found { value: due, place, confidence })
        }
    }
}

/// The amount: that of the payment code, confirmed by the text, or that of the text.
pub(crate) fn find_amount(
    pages: &[PageText],
    rules: &Rules,
    kind: &KindRule,
    payments: &Payments,
) -> Option<Found<i64>> {
    let labels = if kind.amount.is_empty() { &rules.amount } else { &kind.amount };
    let mut labelled = find_labelled(pages, labels, amount_at_start);
    labelled.retain(|found| found.value > 0);
    let coded = coded_amounts(payments);
    match coded[..] {
        [] => agreed(&labelled),
        [(first, _), ..] if coded.iter().any(|(amount, _)| *amount != first) => None,
        [(amount, place), ..] => {
            let printed = labelled.iter().find(|found| found.value == amount);
            let confidence = match (printed, labelled.is_empty()) {
                (Some(_), _) => 0.99,
                (None, true) => 0.95,
                (None, false) => 0.6,
            };
            let place = printed.map_or(place, |found| &found.place).clone();
            Some(Found { value: amount, place, confidence })
        }
    }
}

/// The amount of the payment codes, if they agree.
pub(crate) fn find_coded_amount(payments: &Payments) -> Option<Found<i64>> {
    let coded = coded_amounts(payments);
    let (value, place) = *coded.first()?;
    let is_agreed = coded.iter().all(|(other, _)| *other == value);
    is_agreed.then(|| Found { value, place: place.clone(), confidence: 0.95 })
}

fn coded_amounts(payments: &Payments) -> Vec<(i64, &Place)> {
    let lines = payments.lines.iter();
    let lines = lines.filter_map(|line| Some((line.value.amount_cents()?, &line.place)));
    let pix = payments.pix.iter();
    let pix = pix.filter_map(|pix| Some((pix.value.amount_cents()?, &pix.place)));
    lines.chain(pix).collect()
}

/// The value of the most reliable label, if all such labels agree.
fn agreed<T: Copy + PartialEq>(labelled: &[Labelled<T>]) -> Option<Found<T>> {
    let first = labelled.first()?;
    let mut same_rank = labelled.iter().filter(|found| found.rank == first.rank);
    if same_rank.any(|found| found.value != first.value) {
        return None;
    }
    let confidence = if first.rank < 3 { 0.95 } else { 0.8 };
    Some(Found { value: first.value, place: first.place.clone(), confidence })
}

#[cfg(test)]
mod tests {
    use crate::facts::find_period;
    use crate::rules::Rules;
    use crate::text::PageText;

    fn period(text: &str) -> Option<String> {
        let pages = [PageText::plain(text)];
        let found = find_period(&pages, &PageText::plain("guia.pdf"), &Rules::built_in())?;
        Some(found.value.in_words())
    }

    #[test]
    fn state_is_no_label_of_the_period() {
        let slip = "Prefeitura de Belém - PA 05/11/2026\nCompetência: 09/2026";
        assert_eq!(period(slip).as_deref(), Some("setembro de 2026"));
        let slip = "Rua A, 10, Marabá/PA 01/10/2026 a 31/10/2026\nPeríodo de Apuração: 30/09/2026";
        assert_eq!(period(slip).as_deref(), Some("setembro de 2026"));
        assert_eq!(period("Belém - PA 05/11/2026"), None);
    }

    #[test]
    fn abbreviation_is_a_label_of_the_period() {
        for slip in ["PA 10/2026", "DAS\tPA\t10/2026", "DAS PA: 10/2026", "DAS PA : 10/2026"] {
            assert_eq!(period(slip).as_deref(), Some("outubro de 2026"), "{slip}");
        }
    }
}
