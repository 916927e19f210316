//! Payment slips and invoices: tax slips, the office's invoice, and the city's service invoice.

use crate::barcode;
use crate::context::{TemplateContext, brl, decimal};
use crate::ledger;
use crate::markup::{Block, field};
use crate::people::{Employee, OFFICE};

/// The periods of a slip, relative to its issue.
const MONTH: &str = "Mês anterior ao da emissão";
const QUARTER: &str = "Trimestre anterior ao da emissão";

/// The due date of a slip. The portal shows the date of the document's row.
const DUE: &str = "**Indicado no portal**";

/// The content of a slip: title, period, one line of detail, and the amount.
struct Slip<'a> {
    title: &'a str,
    period: &'a str,
    detail: (&'a str, String),
    cents: i64,
}

/// The monthly slip of Simples Nacional, the unified tax of small companies.
pub(crate) fn das(context: &TemplateContext) -> Vec<Block> {
    let revenue = brl(ledger::sales(context.client, context.month()));
    slip(
        context,
        &Slip {
            title: "Documento de Arrecadação do Simples Nacional",
            period: MONTH,
            detail: ("Receita bruta do período", revenue),
            cents: tax(context, "Simples Nacional"),
        },
    )
}

pub(crate) fn fgts(context: &TemplateContext) -> Vec<Block> {
    let staff = context.client.staff;
    slip(
        context,
        &Slip {
            title: "Guia do FGTS Digital – GFD",
            period: MONTH,
            detail: ("Trabalhadores", staff.len().to_string()),
            cents: staff.iter().map(Employee::fgts).sum(),
        },
    )
}

/// The slip of social security on the partner's pay: 11%.
pub(crate) fn gps(context: &TemplateContext) -> Vec<Block> {
    slip(
        context,
        &Slip {
            title: "Guia da Previdência Social – GPS",
            period: MONTH,
            detail: ("Código de pagamento", "1007 – Contribuinte individual".into()),
            cents: context.client.partner_pay * 11 / 100,
        },
    )
}

pub(crate) fn iss(context: &TemplateContext) -> Vec<Block> {
    slip(
        context,
        &Slip {
            title: "Documento de Arrecadação do Município de São Paulo – DAMSP",
            period: MONTH,
            detail: ("Código do serviço", "04391 – Clínicas e consultórios".into()),
            cents: tax(context, "ISS"),
        },
    )
}

pub(crate) fn darf_pis(context: &TemplateContext) -> Vec<Block> {
    darf(context, MONTH, "8109 – PIS sobre o faturamento", tax(context, "PIS"))
}

pub(crate) fn darf_cofins(context: &TemplateContext) -> Vec<Block> {
    darf(context, MONTH, "2172 – COFINS sobre o faturamento", tax(context, "COFINS"))
}

pub(crate) fn darf_irpj(context: &TemplateContext) -> Vec<Block> {
    darf(context, QUARTER, "2089 – IRPJ, lucro presumido", quarterly_tax(context, "IRPJ"))
}

pub(crate) fn darf_csll(context: &TemplateContext) -> Vec<Block> {
    darf(context, QUARTER, "2372 – CSLL, lucro presumido", quarterly_tax(context, "CSLL"))
}

/// The slip of income tax withheld on rent: 27.5% minus a fixed deduction.
pub(crate) fn darf_rent(context: &TemplateContext) -> Vec<Block> {
    let cents = context.client.rent * 275 / 1000 - 90_873;
    darf(context, MONTH, "3208 – IRRF sobre aluguéis", cents)
}

fn darf(context: &TemplateContext, period: &str, code: &str, cents: i64) -> Vec<Block> {
    let title = "Documento de Arrecadação de Receitas Federais – DARF";
    slip(context, &Slip { title, period, detail: ("Código da receita", code.to_owned()), cents })
}

/// The office's invoice for a month.
pub(crate) fn invoice(context: &TemplateContext) -> Vec<Block> {
    let client = context.client;
    let per_worker = 3_890;
    let count = i64::try_from(client.staff.len()).expect("the number of employees is small");
    let item =
        |name: &str, quantity: String, cents: i64| vec![name.to_owned(), quantity, decimal(cents)];
    vec![
        Block::Title("Fatura de honorários".into(), "Serviços prestados no mês anterior ao da emissão".into()),
        Block::Form(vec![
            vec![field("Cliente", client.company), field("CNPJ", client.cnpj)],
            vec![field("Endereço", client.address)],
            vec![
                field("Fatura nº", &serial(context, client.fee).to_string()),
                field("Vencimento", DUE),
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
        typed_line(context, client.fee),
        Block::Barcode(barcode::code(client.fee, serial(context, client.fee))),
    ]
}

/// The city's electronic invoice for the same services.
pub(crate) fn service_note(context: &TemplateContext) -> Vec<Block> {
    let client = context.client;
    vec![
        Block::Title("Nota Fiscal de Serviços Eletrônica – NFS-e".into(), "Prefeitura do Município de São Paulo".into()),
        Block::Form(vec![vec![
            field("Número da nota", &format!("{:08}", serial(context, client.fee) % 100_000)),
            field("Emissão", "Indicada no portal"),
            field("Código de verificação", &format!("PRDC-{:04}", serial(context, client.fee) % 10_000)),
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
        Block::Text("Serviços de contabilidade, inclusive serviços técnicos e auxiliares, referentes ao mês anterior ao da emissão.".into()),
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

/// Renders a slip with payer, amount, due date and barcode.
fn slip(context: &TemplateContext, slip: &Slip) -> Vec<Block> {
    let (client, cents) = (context.client, slip.cents);
    let amount = format!("**{}**", brl(cents));
    vec![
        Block::Title(slip.title.into(), client.company.into()),
        Block::Form(vec![
            vec![field("CNPJ", client.cnpj), field("Razão social", client.company)],
            vec![field("Período de apuração", slip.period), field(slip.detail.0, &slip.detail.1)],
            vec![
                field("Número do documento", &format!("07.20.{:09}-3", serial(context, cents))),
                field("Vencimento", DUE),
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
        typed_line(context, cents),
        Block::Barcode(barcode::code(cents, serial(context, cents))),
    ]
}

fn typed_line(context: &TemplateContext, cents: i64) -> Block {
    let code = barcode::code(cents, serial(context, cents));
    Block::Form(vec![vec![field("Linha digitável", &barcode::typed_line(&code))]])
}

fn tax(context: &TemplateContext, name: &str) -> i64 {
    amount_of(&ledger::sales_taxes(context.client, context.month()), name)
}

fn quarterly_tax(context: &TemplateContext, name: &str) -> i64 {
    context
        .quarter_months()
        .iter()
        .map(|&month| amount_of(&ledger::profit_taxes(context.client, month), name))
        .sum()
}

fn amount_of(taxes: &[(&str, i64)], name: &str) -> i64 {
    taxes
        .iter()
        .find(|(tax, _)| *tax == name)
        .expect("every slip is for a tax of the client's regime")
        .1
}

/// Returns a document number for an amount, which differs from day to day.
fn serial(context: &TemplateContext, cents: i64) -> u32 {
    let [year, day] = [context.issued.year(), context.issued.day_of_year()]
        .map(|number| u32::from(number.unsigned_abs()));
    let amount = u32::try_from(cents.rem_euclid(100)).expect("a remainder of 100 fits");
    year % 100 * 100_000 + day * 100 + amount
}
