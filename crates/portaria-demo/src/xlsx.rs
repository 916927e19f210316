//! Excel workbooks: a title, a head row, amounts in reais, and formulas with their results.

use jiff::ToSpan;
use jiff::civil::Date;
use rust_xlsxwriter::{
    Color, DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Formula, Workbook,
    XlsxError,
};

use crate::context::TemplateContext;
use crate::ledger;
use crate::people::{Employee, OFFICE};

/// A cell. Money is in cents.
enum Cell {
    Text(String),
    Money(i64),
    /// A formula and its result.
    Formula(String, i64),
}

struct Sheet<'a> {
    title: String,
    /// Column heads, and column widths in characters.
    columns: &'a [(&'a str, f64)],
    rows: Vec<Vec<Cell>>,
    /// Indexes of the columns with a total.
    totals: &'a [u16],
}

/// The months of a quarter. A workbook names no calendar month, because the seed day decides on it.
const QUARTER_MONTHS: [&str; 3] = ["1º mês", "2º mês", "3º mês"];

const HEAD_ROW: u32 = 3;
const REAIS: &str = "[$R$-416] #,##0.00;[Red]-[$R$-416] #,##0.00";
const ACCENT: Color = Color::RGB(0x0021_3B5C);

/// The office's fees of the last quarter.
pub(crate) fn fees(context: &TemplateContext) -> Vec<u8> {
    let client = context.client;
    let payroll =
        3_890 * i64::try_from(client.staff.len()).expect("the number of employees is small");
    let mut rows = Vec::new();
    for month in QUARTER_MONTHS {
        for (service, cents) in [
            ("Assessoria contábil e fiscal", client.fee - payroll),
            ("Folha de pagamento e eSocial", payroll),
        ] {
            rows.push(vec![text(month), text(service), text("Paga"), Cell::Money(cents)]);
        }
    }
    let columns = [("Competência", 22.0), ("Serviço", 34.0), ("Situação", 12.0), ("Valor", 18.0)];
    write(
        context,
        &Sheet {
            title: "Demonstrativo de honorários – trimestre anterior ao da emissão".into(),
            columns: &columns,
            rows,
            totals: &[3],
        },
    )
}

pub(crate) fn trial_balance(context: &TemplateContext) -> Vec<u8> {
    let line = |(line, row): (ledger::Balance, u32)| {
        let closing = Cell::Formula(format!("=C{row}+D{row}-E{row}"), line.closing());
        let [opening, debit, credit] = [line.opening, line.debit, line.credit].map(Cell::Money);
        vec![text(line.code), text(line.name), opening, debit, credit, closing]
    };
    let rows = ledger::trial_balance(context.client, context.month())
        .into_iter()
        .zip(HEAD_ROW + 2..)
        .map(line)
        .collect();
    let columns = [
        ("Conta", 12.0),
        ("Descrição", 42.0),
        ("Saldo anterior", 18.0),
        ("Débito", 18.0),
        ("Crédito", 18.0),
        ("Saldo atual", 18.0),
    ];
    write(
        context,
        &Sheet {
            title: "Balancete analítico – mês anterior ao da emissão".into(),
            columns: &columns,
            rows,
            totals: &[],
        },
    )
}

pub(crate) fn payroll(context: &TemplateContext) -> Vec<u8> {
    let line = |worker: &Employee| {
        let [salary, inss, fgts, net] =
            [worker.salary, worker.inss(), worker.fgts(), worker.net()].map(Cell::Money);
        vec![text(worker.name), text(worker.role), salary, inss, fgts, net]
    };
    let rows = context.client.staff.iter().map(line).collect();
    let columns = [
        ("Trabalhador", 36.0),
        ("Função", 26.0),
        ("Salário", 16.0),
        ("INSS retido", 16.0),
        ("FGTS", 16.0),
        ("Líquido", 16.0),
    ];
    write(
        context,
        &Sheet {
            title: "Folha e encargos – mês anterior ao da emissão".into(),
            columns: &columns,
            rows,
            totals: &[2, 3, 4, 5],
        },
    )
}

/// The clinic's sales of the last quarter by payer.
pub(crate) fn health_plans(context: &TemplateContext) -> Vec<u8> {
    // Shares as ranges of percentages, so that the rounded amounts add up to the total.
    let payers = [
        ("Saúde Paulista Cooperativa", 0, 34),
        ("Bem-Querer Seguro Saúde", 34, 55),
        ("Vida Plena Assistência Médica", 55, 70),
        ("Associação dos Servidores", 70, 78),
        ("Particulares – cartão", 78, 91),
        ("Particulares – Pix", 91, 100),
    ];
    let months = context.quarter_months();
    let line = |(&(payer, from, to), row): (&(&str, i64, i64), u32)| {
        let share = |sales: i64| sales * to / 100 - sales * from / 100;
        let amounts = months.map(|month| share(ledger::sales(context.client, month)));
        let sum = Cell::Formula(format!("=SUM(B{row}:D{row})"), amounts.iter().sum());
        let [first, second, third] = amounts.map(Cell::Money);
        vec![text(payer), first, second, third, sum]
    };
    let rows = payers.iter().zip(HEAD_ROW + 2..).map(line).collect();
    let [first, second, third] = QUARTER_MONTHS;
    let columns =
        [("Convênio", 36.0), (first, 20.0), (second, 20.0), (third, 20.0), ("Trimestre", 20.0)];
    write(
        context,
        &Sheet {
            title: "Faturamento por convênio – trimestre anterior ao da emissão".into(),
            columns: &columns,
            rows,
            totals: &[1, 2, 3, 4],
        },
    )
}

/// The cash flow of the next six months. Each month opens with the previous closing balance.
pub(crate) fn cash_flow(context: &TemplateContext) -> Vec<u8> {
    let mut balance = context.client.sales * 87 / 100;
    let line = |index: i32| {
        let month = context.issued.first_of_month().saturating_add(index.months());
        let income = ledger::sales(context.client, month);
        let expenses = income
            - ledger::revenue(context.client, month, "3")
            - ledger::revenue(context.client, month, "4");
        let row = HEAD_ROW + 2 + index.unsigned_abs();
        let opening = match index {
            0 => Cell::Money(balance),
            _ => Cell::Formula(format!("=E{}", row - 1), balance),
        };
        balance += income - expenses;
        let closing = Cell::Formula(format!("=B{row}+C{row}-D{row}"), balance);
        vec![
            text(&format!("{}º mês", index + 1)),
            opening,
            Cell::Money(income),
            Cell::Money(expenses),
            closing,
        ]
    };
    let rows = (0..6).map(line).collect();
    let columns = [
        ("Mês", 22.0),
        ("Saldo inicial", 20.0),
        ("Entradas", 20.0),
        ("Saídas", 20.0),
        ("Saldo final", 20.0),
    ];
    write(
        context,
        &Sheet {
            title: "Fluxo de caixa projetado".into(),
            columns: &columns,
            rows,
            totals: &[2, 3],
        },
    )
}

fn write(context: &TemplateContext, sheet: &Sheet) -> Vec<u8> {
    try_write(context, sheet).expect("a small table is within the limits of a workbook")
}

fn try_write(context: &TemplateContext, sheet: &Sheet) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let properties = DocProperties::new().set_title(&sheet.title).set_author(OFFICE.name);
    workbook.set_properties(&properties.set_creation_datetime(&midnight(context.issued)?));
    let page = workbook.add_worksheet();
    page.set_paper_size(9).set_landscape().set_print_fit_to_pages(1, 0).set_screen_gridlines(false);
    page.set_header(format!("&L{}&RPágina &P de &N", OFFICE.name))
        .set_freeze_panes(HEAD_ROW + 1, 0)?;
    page.set_repeat_rows(HEAD_ROW, HEAD_ROW)?;

    let title = Format::new().set_bold().set_font_size(15).set_font_color(ACCENT);
    let muted = Format::new().set_font_color(Color::RGB(0x0066_6F78));
    page.write_with_format(0, 0, &sheet.title, &title)?;
    page.write_with_format(1, 0, context.fill("{empresa} – CNPJ {cnpj}"), &muted)?;

    let head = Format::new().set_bold().set_font_color(Color::White).set_background_color(ACCENT);
    for ((name, width), column) in sheet.columns.iter().zip(0..) {
        let numeric =
            sheet.rows.iter().all(|row| !matches!(row[usize::from(column)], Cell::Text(_)));
        let align = if numeric { FormatAlign::Right } else { FormatAlign::Left };
        page.set_column_width(column, *width)?;
        page.write_with_format(HEAD_ROW, column, *name, &head.clone().set_align(align))?;
    }
    let line = Format::new().set_border_bottom(FormatBorder::Hair);
    for (cells, row) in sheet.rows.iter().zip(HEAD_ROW + 1..) {
        for (cell, column) in cells.iter().zip(0..) {
            match cell {
                Cell::Text(text) => page.write_with_format(row, column, text, &line)?,
                Cell::Money(cents) => page.write_with_format(
                    row,
                    column,
                    number(*cents),
                    &line.clone().set_num_format(REAIS),
                )?,
                Cell::Formula(formula, cents) => {
                    let formula = Formula::new(formula).set_result(number(*cents).to_string());
                    page.write_with_format(
                        row,
                        column,
                        formula,
                        &line.clone().set_num_format(REAIS),
                    )?
                }
            };
        }
    }
    if !sheet.totals.is_empty() {
        let bold =
            Format::new().set_bold().set_border_top(FormatBorder::Thin).set_num_format(REAIS);
        let foot = HEAD_ROW + 1 + u32::try_from(sheet.rows.len()).expect("the table is small");
        for column in 0..u16::try_from(sheet.columns.len()).expect("the table has few columns") {
            page.write_blank(foot, column, &bold)?;
        }
        page.write_with_format(foot, 0, "Total", &bold)?;
        for &column in sheet.totals {
            let letter =
                char::from(b'A' + u8::try_from(column).expect("the table has few columns"));
            let sum = sheet.rows.iter().map(|row| cents_of(&row[usize::from(column)])).sum();
            let formula = format!("=SUM({letter}{}:{letter}{foot})", HEAD_ROW + 2);
            page.write_with_format(
                foot,
                column,
                Formula::new(formula).set_result(number(sum).to_string()),
                &bold,
            )?;
        }
    }
    workbook.save_to_buffer()
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn cents_of(cell: &Cell) -> i64 {
    match cell {
        Cell::Text(_) => 0,
        Cell::Money(cents) | Cell::Formula(_, cents) => *cents,
    }
}

/// Converts cents to the number in a cell.
fn number(cents: i64) -> f64 {
    f64::from(i32::try_from(cents).expect("amounts of a small company fit 32 bits")) / 100.0
}

fn midnight(date: Date) -> Result<ExcelDateTime, XlsxError> {
    let part = |number: i8| number.unsigned_abs();
    ExcelDateTime::from_ymd(date.year().unsigned_abs(), part(date.month()), part(date.day()))
}
