//! The values of a document's placeholders, and the Brazilian format of money.
//!
//! The text of a document contains no date and no month. The seed day decides on the dates of its row, and a date in the
//! file would contradict them.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::people::{Client, OFFICE};

/// The subject of a document. All content is derived from it.
#[derive(Debug)]
pub(crate) struct TemplateContext<'a> {
    pub(crate) client: &'a Client,
    /// Selects the months of the figures, and is the creation date in the file's metadata.
    pub(crate) issued: Date,
}

impl TemplateContext<'_> {
    /// Returns the first day of the document's period: the last complete month before its issue.
    pub(crate) fn month(&self) -> Date {
        months_before(self.issued, 1)
    }

    /// Returns the first day of the last complete quarter before the document's issue.
    pub(crate) fn quarter(&self) -> Date {
        let months_into_quarter = i32::from((self.issued.month() - 1) % 3);
        months_before(self.issued, months_into_quarter + 3)
    }

    /// Returns the first days of the months of that quarter.
    pub(crate) fn quarter_months(&self) -> [Date; 3] {
        [0, 1, 2].map(|index: i32| self.quarter().saturating_add(index.months()))
    }

    /// Replaces each placeholder `{name}` of a text by its value.
    pub(crate) fn fill(&self, template: &str) -> String {
        let client = self.client;
        let values = [
            ("pessoa", client.name.to_owned()),
            ("cpf", client.cpf.to_owned()),
            ("empresa", client.company.to_owned()),
            ("cnpj", client.cnpj.to_owned()),
            ("endereco", client.address.to_owned()),
            ("residencia", client.home.to_owned()),
            ("regime", client.regime.label().to_owned()),
            ("qualificacao", client.qualification.to_owned()),
            ("aluguel", brl(client.rent)),
            ("capital", brl(client.capital)),
            ("ferias_de", client.staff.last().map_or("", |employee| employee.name).to_owned()),
            ("honorarios", brl(client.fee)),
            ("honorarios_novos", brl(client.fee * 108 / 100)),
            ("escritorio", OFFICE.name.to_owned()),
            ("escritorio_cnpj", OFFICE.cnpj.to_owned()),
            ("escritorio_endereco", OFFICE.address.to_owned()),
            ("crc", OFFICE.crc.to_owned()),
            ("contadora", OFFICE.accountant.to_owned()),
            ("contadora_cpf", OFFICE.accountant_cpf.to_owned()),
        ];
        values.iter().fold(template.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value)
        })
    }
}

/// Formats an amount as `R$ 1.234,56`, with a no-break space.
pub(crate) fn brl(cents: i64) -> String {
    let sign = if cents < 0 { "–" } else { "" };
    format!("{sign}R$\u{a0}{}", decimal(cents.abs()))
}

/// Formats an amount as `1.234,56`, with a minus sign if it is negative.
pub(crate) fn decimal(cents: i64) -> String {
    let whole = (cents.abs() / 100).to_string();
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    format!("{}{grouped},{:02}", if cents < 0 { "-" } else { "" }, cents.abs() % 100)
}

/// Returns the first day of the month that is `count` months before the month of `date`.
pub(crate) fn months_before(date: Date, count: i32) -> Date {
    date.first_of_month().saturating_sub(count.months())
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, date};

    use crate::context::{TemplateContext, brl, decimal};
    use crate::people::CLIENTS;

    #[test]
    fn money_uses_brazilian_format() {
        assert_eq!(brl(123_456_789), "R$\u{a0}1.234.567,89");
        assert_eq!([decimal(5), decimal(-123_400)], ["0,05", "-1.234,00"]);
    }

    #[test]
    fn month_and_quarter_are_the_last_complete_ones() {
        let context = |issued| TemplateContext { client: &CLIENTS[0], issued };
        let periods = |issued: Date| (context(issued).month(), context(issued).quarter());
        assert_eq!(periods(date(2026, 11, 21)), (date(2026, 10, 1), date(2026, 7, 1)));
        assert_eq!(periods(date(2026, 1, 1)), (date(2025, 12, 1), date(2025, 10, 1)));
        assert_eq!(periods(date(2026, 3, 31)), (date(2026, 2, 1), date(2025, 10, 1)));
    }
}
