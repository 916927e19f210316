//! The values of a document's placeholders, and Brazilian formats of dates, months and money.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::demo::people::{Client, OFFICE};

/// The subject of a document. All content is derived from it, so that it agrees with the document's row.
#[derive(Debug)]
pub(crate) struct TemplateContext<'a> {
    pub(crate) client: &'a Client,
    pub(crate) issued: Date,
    pub(crate) expires: Option<Date>,
}

impl TemplateContext<'_> {
    /// Returns the due date of a payment: the document's due date, or the issue date without one.
    pub(crate) fn due(&self) -> Date {
        self.expires.unwrap_or(self.issued)
    }

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
        let year = i32::from(self.issued.year());
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
            ("emissao", long_date(self.issued)),
            ("vencimento", long_date(self.due())),
            ("mes", month_name(self.month())),
            ("mes_de_emissao", month_name(self.issued)),
            ("trimestre", quarter_name(self.quarter())),
            ("ano", year.to_string()),
            // Income tax of a year is declared until the end of May of the next year.
            ("exercicio", (year - i32::from(self.issued.month() < 6)).to_string()),
            ("ano_seguinte", (year + 1).to_string()),
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

/// Formats a date as `21 de novembro de 2026`. The first day of a month is `1º`.
pub(crate) fn long_date(date: Date) -> String {
    let ordinal = if date.day() == 1 { "º" } else { "" };
    format!("{}{ordinal} de {}", date.day(), month_name(date))
}

/// Formats a date as `21/11/2026`.
pub(crate) fn short_date(date: Date) -> String {
    format!("{:02}/{:02}/{}", date.day(), date.month(), date.year())
}

/// Formats a month as `novembro de 2026`.
pub(crate) fn month_name(date: Date) -> String {
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
    let index = usize::try_from(date.month() - 1).expect("months are numbered from 1");
    format!("{} de {}", NAMES[index], date.year())
}

/// Formats a quarter as `3º trimestre de 2026`.
pub(crate) fn quarter_name(date: Date) -> String {
    format!("{}º trimestre de {}", (date.month() - 1) / 3 + 1, date.year())
}

/// Returns the first day of the month that is `count` months before the month of `date`.
pub(crate) fn months_before(date: Date, count: i32) -> Date {
    date.first_of_month().saturating_sub(count.months())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use crate::demo::context::{
        TemplateContext, brl, decimal, long_date, month_name, quarter_name,
    };
    use crate::demo::people::CLIENTS;

    #[test]
    fn money_and_dates_use_brazilian_format() {
        assert_eq!(brl(123_456_789), "R$\u{a0}1.234.567,89");
        assert_eq!([decimal(5), decimal(-123_400)], ["0,05", "-1.234,00"]);
        assert_eq!(long_date(date(2026, 3, 1)), "1º de março de 2026");
    }

    #[test]
    fn month_and_quarter_are_the_last_complete_ones() {
        let context = |issued| TemplateContext { client: &CLIENTS[0], issued, expires: None };
        let names =
            |issued| (month_name(context(issued).month()), quarter_name(context(issued).quarter()));
        assert_eq!(
            names(date(2026, 11, 21)),
            ("outubro de 2026".into(), "3º trimestre de 2026".into())
        );
        assert_eq!(
            names(date(2026, 1, 1)),
            ("dezembro de 2025".into(), "4º trimestre de 2025".into())
        );
        assert_eq!(
            names(date(2026, 3, 31)),
            ("fevereiro de 2026".into(), "4º trimestre de 2025".into())
        );
    }
}
