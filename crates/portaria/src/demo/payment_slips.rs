//! What has to be paid and the receipts for it: tax slips, the office's invoice, the city's service note.

use crate::demo::barcode;
use crate::demo::context::{TemplateContext, brl, decimal, month_name, quarter_name, short_date};
use crate::demo::ledger;
use crate::demo::markup::{Block, field};
use crate::demo::people::{Employee, OFFICE};

/// What is to be paid: the document's title, the period it covers, one line of detail and the amount.
struct Levy<'a> {
    title: &'a str,
    period: String,
    detail: (&'a str, String),
    cents: i64,
}

/// Monthly slip of the small companies' single tax.
pub(crate) fn das(case: &TemplateContext) -> Vec<Block> {
    let revenue = brl(ledger::sales(case.client, case.month()));
    slip(
        case,
        &Levy {
            title: "Documento de Arrecadação do Simples Nacional",
            period: month_name(case.month()),
            detail: ("Receita bruta do período", revenue),
            cents: tax(case, "Simples Nacional"),
        },
    )
}

pub(crate) fn fgts(case: &TemplateContext) -> Vec<Block> {
    let staff = case.client.staff;
    slip(
        case,
        &Levy {
            title: "Guia do FGTS Digital – GFD",
            period: month_name(case.month()),
            detail: ("Trabalhadores", staff.len().to_string()),
            cents: staff.iter().map(Employee::fgts).sum(),
        },
    )
}

/// Social security on what the partner draws: 11 %.
pub(crate) fn gps(case: &TemplateContext) -> Vec<Block> {
    slip(
        case,
        &Levy {
            title: "Guia da Previdência Social – GPS",
            period: month_name(case.month()),
            detail: ("Código de pagamento", "1007 – Contribuinte individual".into()),
            cents: case.client.partner_pay * 11 / 100,
        },
    )
}

pub(crate) fn iss(case: &TemplateContext) -> Vec<Block> {
    slip(
        case,
        &Levy {
            title: "Documento de Arrecadação do Município de São Paulo – DAMSP",
            period: month_name(case.month()),
            detail: ("Código do serviço", "04391 – Clínicas e consultórios".into()),
            cents: tax(case, "ISS"),
        },
    )
}

pub(crate) fn darf_pis(case: &TemplateContext) -> Vec<Block> {
    darf(case, month_name(case.month()), "8109 – PIS sobre o faturamento", tax(case, "PIS"))
}

pub(crate) fn darf_cofins(case: &TemplateContext) -> Vec<Block> {
    darf(case, month_name(case.month()), "2172 – COFINS sobre o faturamento", tax(case, "COFINS"))
}

pub(crate) fn darf_irpj(case: &TemplateContext) -> Vec<Block> {
    let period = quarter_name(case.quarter());
    darf(case, period, "2089 – IRPJ, lucro presumido", quarterly_tax(case, "IRPJ"))
}

pub(crate) fn darf_csll(case: &TemplateContext) -> Vec<Block> {
    let period = quarter_name(case.quarter());
    darf(case, period, "2372 – CSLL, lucro presumido", quarterly_tax(case, "CSLL"))
}

/// Income tax withheld on the rent: 27.5 % less a fixed deduction.
pub(crate) fn darf_rent(case: &TemplateContext) -> Vec<Block> {
    let cents = case.client.rent * 275 / 1000 - 90_873;
    darf(case, month_name(case.month()), "3208 – IRRF sobre aluguéis", cents)
}

fn darf(case: &TemplateContext, period: String, code: &str, cents: i64) -> Vec<Block> {
    let title = "Documento de Arrecadação de Receitas Federais – DARF";
    slip(case, &Levy { title, period, detail: ("Código da receita", code.to_owned()), cents })
}

/// The office's own bill for a month of work.
pub(crate) fn invoice(case: &TemplateContext) -> Vec<Block> {
    let client = case.client;
    let per_worker = 3_890;
    let count = i64::try_from(client.staff.len()).expect("a small staff");
    let item =
        |name: &str, quantity: String, cents: i64| vec![name.to_owned(), quantity, decimal(cents)];
    vec![
        Block::Title("Fatura de honorários".into(), case.fill("Serviços prestados em {mes}")),
        Block::Form(vec![
            vec![field("Cliente", client.company), field("CNPJ", client.cnpj)],
            vec![field("Endereço", client.address)],
            vec![
                field("Fatura nº", &serial(case, client.fee).to_string()),
                field("Emissão", &short_date(case.issued)),
                field("Vencimento", &format!("**{}**", short_date(case.due()))),
                field("Valor", &format!("**{}**", brl(client.fee))),
            ],
        ]),
        Block::Table(vec![
            ["Serviço", "Quantidade>", "Valor (R$)>"].map(str::to_owned).to_vec(),
            item("Escrituração contábil e fiscal, apurações e obrigações acessórias", "1".into(), client.fee - per_worker * count),
            item("Folha de pagamento e eSocial, por trabalhador", count.to_string(), per_worker * count),
            item("Certificado digital, portal do cliente e arquivo eletrônico", "1".into(), 0),
            vec!["**Total**".into(), String::new(), format!("**{}**", decimal(client.fee))],
        ]),
        Block::Text("Após o vencimento incidem multa de 2% e juros de 1% ao mês, proporcionais aos dias de atraso. \
             O pagamento desta fatura não quita débitos anteriores."
            .into()),
        typed_line(case, client.fee),
        Block::Barcode(barcode::code(client.fee, case.due(), serial(case, client.fee))),
    ]
}

/// The city's electronic invoice for the same work.
pub(crate) fn service_note(case: &TemplateContext) -> Vec<Block> {
    let client = case.client;
    vec![
        Block::Title("Nota Fiscal de Serviços Eletrônica – NFS-e".into(), "Prefeitura do Município de São Paulo".into()),
        Block::Form(vec![vec![
            field("Número da nota", &format!("{:08}", serial(case, client.fee) % 100_000)),
            field("Emissão", &format!("{} 09:14:32", short_date(case.issued))),
            field("Código de verificação", &format!("PRDC-{:04}", serial(case, client.fee) % 10_000)),
        ]]),
        Block::Heading("Prestador de serviços".into()),
        Block::Form(vec![
            vec![field("Razão social", OFFICE.name), field("CNPJ", OFFICE.cnpj)],
            vec![field("Endereço", OFFICE.address)],
        ]),
        Block::Heading("Tomador de serviços".into()),
        Block::Form(vec![
            vec![field("Razão social", client.company), field("CNPJ", client.cnpj)],
            vec![field("Endereço", client.address)],
            vec![field("E-mail", client.email), field("Município", "São Paulo – SP")],
        ]),
        Block::Heading("Discriminação dos serviços".into()),
        Block::Text(case.fill("Serviços de contabilidade, inclusive serviços técnicos e auxiliares, referentes a {mes}.")),
        Block::Form(vec![
            vec![
                field("Valor dos serviços", &brl(client.fee)),
                field("Deduções", &brl(0)),
                field("Base de cálculo", &brl(client.fee)),
                field("Valor líquido", &format!("**{}**", brl(client.fee))),
            ],
            vec![
                field("Código do serviço", "03654 – Contabilidade, auditoria e afins"),
                field("ISS", "Recolhimento fixo – sociedade de profissionais"),
            ],
        ]),
    ]
}

/// A slip: who pays what until when, and the bars to pay it with.
fn slip(case: &TemplateContext, levy: &Levy) -> Vec<Block> {
    let (client, cents) = (case.client, levy.cents);
    let amount = format!("**{}**", brl(cents));
    vec![
        Block::Title(levy.title.into(), format!("{} – {}", client.company, levy.period)),
        Block::Form(vec![
            vec![field("CNPJ", client.cnpj), field("Razão social", client.company)],
            vec![field("Período de apuração", &levy.period), field(levy.detail.0, &levy.detail.1)],
            vec![
                field("Número do documento", &format!("07.20.{:09}-3", serial(case, cents))),
                field("Vencimento", &format!("**{}**", short_date(case.due()))),
                field("Pagar até", &short_date(case.due())),
            ],
            vec![
                field("Valor principal", &brl(cents)),
                field("Multa", &brl(0)),
                field("Juros", &brl(0)),
                field("Valor total do documento", &amount),
            ],
        ]),
        Block::Text(
            "Pague em qualquer banco, lotérica ou aplicativo até a data de vencimento. Depois dela, solicite a guia \
             atualizada ao escritório pela área de tickets do portal."
                .into(),
        ),
        typed_line(case, cents),
        Block::Barcode(barcode::code(cents, case.due(), serial(case, cents))),
    ]
}

fn typed_line(case: &TemplateContext, cents: i64) -> Block {
    let code = barcode::code(cents, case.due(), serial(case, cents));
    Block::Form(vec![vec![field("Linha digitável", &barcode::typed_line(&code))]])
}

fn tax(case: &TemplateContext, name: &str) -> i64 {
    amount_of(&ledger::sales_taxes(case.client, case.month()), name)
}

fn quarterly_tax(case: &TemplateContext, name: &str) -> i64 {
    case.quarter_months()
        .iter()
        .map(|&month| amount_of(&ledger::profit_taxes(case.client, month), name))
        .sum()
}

fn amount_of(taxes: &[(&str, i64)], name: &str) -> i64 {
    taxes
        .iter()
        .find(|(tax, _)| *tax == name)
        .expect("a slip is only made for a tax of the client's regime")
        .1
}

/// A number for a paper over this amount, different from day to day.
fn serial(case: &TemplateContext, cents: i64) -> u32 {
    let [year, day] = [case.issued.year(), case.issued.day_of_year()]
        .map(|number| u32::from(number.unsigned_abs()));
    let amount = u32::try_from(cents.rem_euclid(100)).expect("two digits");
    year % 100 * 100_000 + day * 100 + amount
}
