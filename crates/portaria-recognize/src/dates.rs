//! Dates and months of Brazilian documents: `20/11/2026`, `20 de novembro de 2026`, `10/2026`, `outubro de 2026`.

use std::fmt;
use std::sync::LazyLock;

use jiff::civil::Date;
use regex::{Captures, Regex};
use serde::{Deserialize, Serialize};

/// A month that a document is about ("competência").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Month {
    pub year: i16,
    /// 1 to 12.
    pub month: i8,
}

impl Month {
    /// Returns the month of a date.
    #[must_use]
    pub fn of(date: Date) -> Self {
        Self { year: date.year(), month: date.month() }
    }

    /// Returns the month in words, such as `outubro de 2026`.
    #[must_use]
    pub fn in_words(self) -> String {
        let name = usize::try_from(self.month - 1).ok().and_then(|month| NAMES.get(month));
        format!("{} de {}", name.copied().unwrap_or_default(), self.year)
    }
}

impl fmt::Display for Month {
    /// Writes the month as `2026-10`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

const NAMES: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

const MONTHS: [&str; 12] =
    ["JAN", "FEV", "MAR", "ABR", "MAI", "JUN", "JUL", "AGO", "SET", "OUT", "NOV", "DEZ"];

const MONTH_NAME: &str = "(JAN(?:EIRO)?|FEV(?:EREIRO)?|MAR(?:CO)?|ABR(?:IL)?|MAI(?:O)?|JUN(?:HO)?|JUL(?:HO)?|\
     AGO(?:STO)?|SET(?:EMBRO)?|OUT(?:UBRO)?|NOV(?:EMBRO)?|DEZ(?:EMBRO)?)";

/// Characters between a label and its value.
const LEAD: &str = r"^[\s:.*=()]*(?:EM\s+|ATE\s+|DIA\s+|ATE O DIA\s+|DE\s+)?";

static DATE: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        compile(&format!(
            r"{LEAD}(\d{{1,2}})\s?[/.-]\s?(\d{{1,2}})\s?[/.-]\s?(\d{{4}}|\d{{2}})(?:\D|$)"
        )),
        compile(&format!(r"{LEAD}(\d{{4}})-(\d{{2}})-(\d{{2}})(?:\D|$)")),
        compile(&format!(r"{LEAD}(\d{{1,2}})[Oo.]?\s+DE\s+{MONTH_NAME}\s+DE\s+(\d{{4}})(?:\D|$)")),
    ]
});

static MONTH: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        compile(&format!(r"{LEAD}(\d{{1,2}})\s?[/.-]\s?(\d{{4}})(?:[^\d/]|$)")),
        compile(&format!(r"{LEAD}(\d{{4}})-(\d{{2}})(?:[^\d-]|$)")),
        compile(&format!(r"{LEAD}{MONTH_NAME}\.?\s*(?:/|-| DE |\s)\s*(\d{{4}}|\d{{2}})(?:\D|$)")),
    ]
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

/// Parses the date at the start of a folded text. Returns the number of bytes too.
pub(crate) fn date_at_start(text: &str) -> Option<(Date, usize)> {
    let [numeric, iso, written] = &*DATE;
    let day_first = |found: &Captures<'_>, month: i8| make(&found[3], month, &found[1]);
    if let Some(found) = numeric.captures(text) {
        return Some((day_first(&found, found[2].parse().ok()?)?, end(&found, 3)));
    }
    if let Some(found) = iso.captures(text) {
        return Some((make(&found[1], found[2].parse().ok()?, &found[3])?, end(&found, 3)));
    }
    let found = written.captures(text)?;
    Some((day_first(&found, month_number(&found[2])?)?, end(&found, 3)))
}

/// Parses the month at the start of a folded text. A whole date is its month: tax slips name the last day of the
/// period.
pub(crate) fn month_at_start(text: &str) -> Option<(Month, usize)> {
    if let Some((date, end)) = date_at_start(text) {
        return Some((Month { year: date.year(), month: date.month() }, end));
    }
    let [numeric, iso, written] = &*MONTH;
    let (year, month, end) = if let Some(found) = numeric.captures(text) {
        (year_number(&found[2])?, found[1].parse().ok()?, end(&found, 2))
    } else if let Some(found) = iso.captures(text) {
        (year_number(&found[1])?, found[2].parse().ok()?, end(&found, 2))
    } else {
        let found = written.captures(text)?;
        (year_number(&found[2])?, month_number(&found[1])?, end(&found, 2))
    };
    ((1..=12).contains(&month) && is_plausible(year)).then_some((Month { year, month }, end))
}

fn end(found: &Captures<'_>, group: usize) -> usize {
    found.get(group).expect("the group takes part in every match").end()
}

fn make(year: &str, month: i8, day: &str) -> Option<Date> {
    let year = year_number(year)?;
    Date::new(year, month, day.parse().ok()?).ok().filter(|_| is_plausible(year))
}

fn year_number(text: &str) -> Option<i16> {
    let number: i16 = text.parse().ok()?;
    Some(if text.len() == 2 { 2000 + number } else { number })
}

fn is_plausible(year: i16) -> bool {
    (1990..2100).contains(&year)
}

fn month_number(name: &str) -> Option<i8> {
    let index = MONTHS.iter().position(|month| name.starts_with(month))?;
    i8::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::{Month, date_at_start, month_at_start};

    #[test]
    fn dates_are_read_at_the_start() {
        for text in [
            "20/11/2026",
            ": 20/11/2026 R$ 1,00",
            "20.11.2026",
            "20-11-26",
            "2026-11-20T10:00",
            "20 DE NOVEMBRO DE 2026.",
            "ATE 20/11/2026",
            "ATE O DIA 20/11/2026",
        ] {
            assert_eq!(
                date_at_start(text).map(|(date, _)| date),
                Some(date(2026, 11, 20)),
                "{text}"
            );
        }
        for text in
            ["31/02/2026", "VENCIMENTO 20/11/2026", "20/11", "120/11/2026", "20/11/20261", ""]
        {
            assert_eq!(date_at_start(text), None, "{text}");
        }
    }

    #[test]
    fn months_are_read_at_the_start() {
        for text in [
            "10/2026",
            "OUTUBRO/2026",
            "OUT/26",
            "OUTUBRO DE 2026",
            "31/10/2026",
            "2026-10",
            "10-2026",
            "01/10/2026 A 31/10/2026",
            ": OUTUBRO 2026",
        ] {
            let expected = Month { year: 2026, month: 10 };
            assert_eq!(month_at_start(text).map(|(month, _)| month), Some(expected), "{text}");
        }
        for text in ["13/2026", "10/20", "ABC 10/2026", "10/20261"] {
            assert_eq!(month_at_start(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn written_dates_are_read_again(days in 0_i32..30_000) {
            let day = date(1995, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
            prop_assert_eq!(date_at_start(&day.strftime("%d/%m/%Y").to_string()).map(|(date, _)| date), Some(day));
            prop_assert_eq!(date_at_start(&day.to_string()).map(|(date, _)| date), Some(day));
        }

        #[test]
        fn parser_never_panics(text in "[ -~]{0,30}") {
            date_at_start(&text);
            month_at_start(&text);
        }
    }
}
