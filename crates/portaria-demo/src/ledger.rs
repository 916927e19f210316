//! The ledger of a client: the postings of a month, from which slips, payrolls and reports take their amounts.
//!
//! The tax slip, the trial balance and the quarterly statement therefore agree.

use jiff::civil::Date;

use crate::context::months_before;
use crate::people::{Client, Employee, Regime};

/// A line of the trial balance. Debit balances are positive, and amounts are in cents.
#[derive(Debug)]
pub(crate) struct Balance {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) opening: i64,
    pub(crate) debit: i64,
    pub(crate) credit: i64,
}

impl Balance {
    pub(crate) fn closing(&self) -> i64 {
        self.opening + self.debit - self.credit
    }

    /// Returns whether this line is the total of the accounts below it.
    pub(crate) fn is_group(&self) -> bool {
        self.code.len() < 5
    }
}

#[rustfmt::skip]
const CHART: [(&str, &str); 36] = [
    ("1", "ATIVO"),
    ("1.1", "Ativo circulante"),
    ("1.1.1.01", "Caixa geral"),
    ("1.1.1.02", "Bancos conta movimento"),
    ("1.1.2.01", "Cartões e convênios a receber"),
    ("1.1.3.01", "Estoques"),
    ("1.2", "Ativo não circulante"),
    ("1.2.3.01", "Máquinas, equipamentos e instalações"),
    ("1.2.3.09", "(–) Depreciação acumulada"),
    ("2", "PASSIVO E PATRIMÔNIO LÍQUIDO"),
    ("2.1", "Passivo circulante"),
    ("2.1.1.01", "Fornecedores"),
    ("2.1.2.01", "Salários a pagar"),
    ("2.1.2.02", "Encargos sociais a recolher"),
    ("2.1.3.01", "Impostos e contribuições a recolher"),
    ("2.1.4.01", "Empréstimos e financiamentos"),
    ("2.3", "Patrimônio líquido"),
    ("2.3.1.01", "Capital social"),
    ("2.3.5.01", "Lucros acumulados"),
    ("3", "RECEITAS"),
    ("3.1.1.01", "Receita bruta de vendas e serviços"),
    ("3.1.9.01", "(–) Tributos sobre a receita"),
    ("4", "CUSTOS E DESPESAS"),
    ("4.1.1.01", "Custo das mercadorias e dos serviços"),
    ("4.2.1.01", "Salários e ordenados"),
    ("4.2.1.02", "Encargos sociais"),
    ("4.2.1.03", "Pró-labore"),
    ("4.2.2.01", "Aluguel e condomínio"),
    ("4.2.2.02", "Energia elétrica, água e gás"),
    ("4.2.2.03", "Honorários contábeis"),
    ("4.2.2.04", "Manutenção e conservação"),
    ("4.2.2.05", "Material de limpeza e escritório"),
    ("4.2.3.01", "Depreciação"),
    ("4.3.1.01", "Juros sobre empréstimos"),
    ("4.3.1.02", "Tarifas bancárias e de cartões"),
    ("4.9.1.01", "IRPJ e CSLL"),
];

/// The account of retained profits.
const PROFITS: &str = "2.3.5.01";

/// Returns the gross sales of a month, which vary around the client's average.
pub(crate) fn sales(client: &Client, month: Date) -> i64 {
    let months = i64::from(month.year()) * 12 + i64::from(month.month());
    let per_mille = 955 + (months * 37).rem_euclid(121);
    client.sales * per_mille / 1000 + (months * 7919).rem_euclid(9700)
}

/// Returns the taxes on sales by name.
pub(crate) fn sales_taxes(client: &Client, month: Date) -> Vec<(&'static str, i64)> {
    let rates: &[(&str, i64)] = match client.regime {
        Regime::Simples => &[("Simples Nacional", 742)],
        Regime::Presumido => &[("PIS", 65), ("COFINS", 300), ("ISS", 200)],
    };
    rates.iter().map(|&(name, rate)| (name, sales(client, month) * rate / 10_000)).collect()
}

/// Returns the taxes on the presumed profit (32% of services) by name. Simples Nacional includes them in the tax on
/// sales.
pub(crate) fn profit_taxes(client: &Client, month: Date) -> Vec<(&'static str, i64)> {
    let presumed = sales(client, month) * 32 / 100;
    match client.regime {
        Regime::Simples => Vec::new(),
        Regime::Presumido => vec![("IRPJ", presumed * 15 / 100), ("CSLL", presumed * 9 / 100)],
    }
}

/// Returns the trial balance of a month: every account of the chart, groups included.
pub(crate) fn trial_balance(client: &Client, month: Date) -> Vec<Balance> {
    let opening = opening(client, month);
    let postings = postings(client, month);
    let line = |&(code, name): &(&'static str, &'static str)| {
        let is_in_group = |account: &str| account.starts_with(code);
        let sum = |side: fn(&Posting) -> &'static str| {
            postings
                .iter()
                .filter(|posting| is_in_group(side(posting)))
                .map(|posting| posting.2)
                .sum()
        };
        Balance {
            code,
            name,
            opening: opening
                .iter()
                .filter(|(account, _)| is_in_group(account))
                .map(|(_, cents)| cents)
                .sum(),
            debit: sum(|posting| posting.0),
            credit: sum(|posting| posting.1),
        }
    };
    CHART.iter().map(line).collect()
}

/// Returns the result of the accounts under `code` in a month. Costs are negative.
pub(crate) fn revenue(client: &Client, month: Date, code: &str) -> i64 {
    balance_of(&postings(client, month), code)
}

/// A posting: debited account, credited account, cents.
struct Posting(&'static str, &'static str, i64);

fn postings(client: &Client, month: Date) -> Vec<Posting> {
    let previous = months_before(month, 1);
    let sales = sales(client, month);
    let cost = sales * client.cost_percent / 100;
    let total = |taxes: Vec<(&str, i64)>| taxes.iter().map(|(_, cents)| cents).sum::<i64>();
    let taxes = |month| total(sales_taxes(client, month));
    let profit = |month| total(profit_taxes(client, month));
    let (gross, inss) = (
        client.staff.iter().map(|employee| employee.salary).sum::<i64>(),
        client.staff.iter().map(Employee::inss).sum(),
    );
    let charges = employer_charges(client);
    let base = client.sales;
    let mut postings = vec![
        Posting("1.1.2.01", "3.1.1.01", sales * 70 / 100),
        Posting("1.1.1.01", "3.1.1.01", sales - sales * 70 / 100),
        Posting("1.1.1.02", "1.1.2.01", sales * 68 / 100),
        Posting("1.1.1.02", "1.1.1.01", sales * 29 / 100),
        Posting("3.1.9.01", "2.1.3.01", taxes(month)),
        Posting("2.1.3.01", "1.1.1.02", taxes(previous) + profit(previous)),
        Posting("1.1.3.01", "2.1.1.01", cost * 102 / 100),
        Posting("4.1.1.01", "1.1.3.01", cost),
        Posting("2.1.1.01", "1.1.1.02", cost * 98 / 100),
        Posting("4.2.1.01", "2.1.2.01", gross - inss),
        Posting("4.2.1.01", "2.1.2.02", inss),
        Posting("4.2.1.02", "2.1.2.02", charges),
        Posting("2.1.2.01", "1.1.1.02", gross - inss),
        Posting("2.1.2.02", "1.1.1.02", inss + charges),
        Posting("4.2.1.03", "1.1.1.02", client.partner_pay),
        Posting("4.2.2.01", "1.1.1.02", client.rent),
        Posting("4.2.2.02", "1.1.1.02", sales * 41 / 1000),
        Posting("4.2.2.03", "1.1.1.02", client.fee),
        Posting("4.2.2.04", "1.1.1.02", sales * 17 / 1000),
        Posting("4.2.2.05", "1.1.1.01", sales * 9 / 1000),
        Posting("4.2.3.01", "1.2.3.09", base * 21 / 1000),
        Posting("4.3.1.01", "1.1.1.02", base * 13 / 1000),
        Posting("4.3.1.02", "1.1.1.02", sales * 16 / 1000),
        Posting("2.1.4.01", "1.1.1.02", base * 35 / 1000),
        Posting("4.9.1.01", "2.1.3.01", profit(month)),
    ];
    let result = balance_of(&postings, "3") + balance_of(&postings, "4");
    postings.push(Posting(PROFITS, "1.1.1.02", result * 85 / 100));
    postings
}

/// Returns credits minus debits of the accounts under `code`.
fn balance_of(postings: &[Posting], code: &str) -> i64 {
    let signed = |Posting(debit, credit, cents): &Posting| {
        i64::from(credit.starts_with(code)) * cents - i64::from(debit.starts_with(code)) * cents
    };
    postings.iter().map(signed).sum()
}

/// Returns the employer's charges on wages: FGTS and, outside Simples Nacional, 27.8% of social security.
fn employer_charges(client: &Client) -> i64 {
    let staff = client.staff;
    let gross: i64 = staff.iter().map(|employee| employee.salary).sum();
    let social_security = match client.regime {
        Regime::Simples => 0,
        Regime::Presumido => gross * 278 / 1000,
    };
    staff.iter().map(Employee::fgts).sum::<i64>() + social_security
}

/// Returns the opening balances of a month: the closing balances of the previous month, with its result in the
/// profits.
fn opening(client: &Client, month: Date) -> Vec<(&'static str, i64)> {
    if month.month() == 1 {
        return new_year(client, month);
    }
    let carried = |line: Balance| match line.code.as_bytes()[0] {
        b'1' | b'2' => (line.code, line.closing()),
        _ => (PROFITS, line.closing()),
    };
    let lines = trial_balance(client, months_before(month, 1));
    lines.into_iter().filter(|line| !line.is_group()).map(carried).collect()
}

/// Returns the opening balances of a year: the liabilities of December, typical balances, and profits that balance
/// them.
fn new_year(client: &Client, month: Date) -> Vec<(&'static str, i64)> {
    let previous = months_before(month, 1);
    let due: i64 = [sales_taxes(client, previous), profit_taxes(client, previous)]
        .concat()
        .iter()
        .map(|tax| tax.1)
        .sum();
    let base = client.sales;
    let mut balances = vec![
        ("1.1.1.01", base * 18 / 1000),
        ("1.1.1.02", base * 870 / 1000),
        ("1.1.2.01", sales(client, previous) * 620 / 1000),
        ("1.1.3.01", base * client.cost_percent / 140),
        ("1.2.3.01", base * 41 / 10),
        ("1.2.3.09", -base * 128 / 100),
        ("2.1.1.01", -sales(client, previous) * client.cost_percent / 110),
        ("2.1.2.01", -client.staff.iter().map(Employee::net).sum::<i64>()),
        (
            "2.1.2.02",
            -client.staff.iter().map(Employee::inss).sum::<i64>() - employer_charges(client),
        ),
        ("2.1.3.01", -due),
        ("2.1.4.01", -base * 9 / 10),
        ("2.3.1.01", -client.capital),
    ];
    let profits = -balances.iter().map(|(_, cents)| cents).sum::<i64>();
    balances.push((PROFITS, profits));
    balances
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use crate::ledger::{Balance, revenue, sales, trial_balance};
    use crate::people::CLIENTS;

    #[test]
    fn ledger_balances_and_every_month_has_a_profit() {
        for (client, month) in
            CLIENTS.iter().flat_map(|client| (1..=12).map(move |month| (client, month)))
        {
            let month = date(2026, month, 1);
            let accounts = trial_balance(client, month);
            let sum = |part: fn(&Balance) -> i64| -> i64 {
                accounts.iter().filter(|line| !line.is_group()).map(part).sum()
            };
            assert_eq!(
                [sum(|line| line.opening), sum(Balance::closing)],
                [0, 0],
                "{} {month}",
                client.company
            );
            assert_eq!(sum(|line| line.debit), sum(|line| line.credit));
            assert_eq!(revenue(client, month, "3.1.1"), sales(client, month));
            assert!(
                revenue(client, month, "3") + revenue(client, month, "4") > 0,
                "{} {month}",
                client.company
            );
            let cash = accounts.iter().filter(|line| line.code.starts_with("1.1.1"));
            assert!(
                cash.map(Balance::closing).all(|cents| cents > 0),
                "{} {month}",
                client.company
            );
        }
    }

    #[test]
    fn opening_balance_equals_previous_closing_balance() {
        for client in &CLIENTS {
            let closed = trial_balance(client, date(2026, 9, 1));
            let opened = trial_balance(client, date(2026, 10, 1));
            for (closed, opened) in
                closed.iter().zip(&opened).filter(|(line, _)| line.code.starts_with('1'))
            {
                assert_eq!(closed.closing(), opened.opening, "{}", closed.name);
            }
        }
    }
}
