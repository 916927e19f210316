//! The papers that are mostly figures: slips, invoices, payrolls and reports, each as blocks worked out of the books.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::demo::barcode;
use crate::demo::case::{Case, brl, decimal, month_name, quarter_name, short_date};
use crate::demo::ledger;
use crate::demo::office::OFFICE;
use crate::demo::prose::Block;

/// Monthly slip of the small companies' single tax.
pub(crate) fn das(case: &Case) -> Vec<Block> {
    let revenue = brl(ledger::sales(case.client, case.month()));
    let about = "Documento de Arrecadação do Simples Nacional";
    slip(case, about, "Receita bruta do período", &revenue, tax(case, "Simples Nacional"))
}

pub(crate) fn fgts(case: &Case) -> Vec<Block> {
    let pay = ledger::payroll(case.client);
    let workers = format!("{} trabalhadores", pay.len());
    slip(case, "Guia do FGTS Digital – GFD", "Trabalhadores", &workers, pay.iter().map(|pay| pay.fgts).sum())
}

/// Social security on what the partner draws: 11 %.
pub(crate) fn gps(case: &Case) -> Vec<Block> {
    let cents = case.client.partner_pay * 11 / 100;
    slip(case, "Guia da Previdência Social – GPS", "Código de pagamento", "1007 – Contribuinte individual", cents)
}

pub(crate) fn darf_pis(case: &Case) -> Vec<Block> {
    darf(case, "8109 – PIS sobre o faturamento", tax(case, "PIS"))
}

pub(crate) fn darf_cofins(case: &Case) -> Vec<Block> {
    darf(case, "2172 – COFINS sobre o faturamento", tax(case, "COFINS"))
}

pub(crate) fn darf_irpj(case: &Case) -> Vec<Block> {
    darf(case, "2089 – IRPJ, lucro presumido", quarterly_tax(case, "IRPJ"))
}

pub(crate) fn darf_csll(case: &Case) -> Vec<Block> {
    darf(case, "2372 – CSLL, lucro presumido", quarterly_tax(case, "CSLL"))
}

/// Income tax withheld on the rent.
pub(crate) fn darf_rent(case: &Case) -> Vec<Block> {
    darf(case, "3208 – IRRF sobre aluguéis", case.client.rent * 275 / 1000 - 90_873)
}

pub(crate) fn iss(case: &Case) -> Vec<Block> {
    let about = "Documento de Arrecadação do Município de São Paulo – DAMSP";
    slip(case, about, "Código do serviço", "04391 – Clínicas e consultórios", tax(case, "ISS"))
}

/// The office's own bill for a month of work.
pub(crate) fn invoice(case: &Case) -> Vec<Block> {
    let client = case.client;
    let per_worker = 3_890;
    let count = i64::try_from(client.staff.len()).expect("a small staff");
    let item = |name: &str, quantity: String, cents: i64| vec![name.to_owned(), quantity, decimal(cents)];
    vec![
        Block::Title("Fatura de honorários".into(), case.fill("Serviços prestados em {mes}")),
        Block::Form(vec![
            vec![field("Cliente", client.company), field("CNPJ", client.cnpj)],
            vec![field("Endereço", client.address)],
            vec![
                field("Fatura nº", &serial(case).to_string()),
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
        Block::Barcode(barcode::code(client.fee, case.due(), serial(case))),
    ]
}

/// The city's electronic invoice for the same work.
pub(crate) fn service_note(case: &Case) -> Vec<Block> {
    let client = case.client;
    vec![
        Block::Title("Nota Fiscal de Serviços Eletrônica – NFS-e".into(), "Prefeitura do Município de São Paulo".into()),
        Block::Form(vec![vec![
            field("Número da nota", &format!("{:08}", serial(case) % 100_000)),
            field("Emissão", &format!("{} 09:14:32", short_date(case.issued))),
            field("Código de verificação", &format!("PRDC-{:04}", serial(case) % 10_000)),
        ]]),
        Block::Heading("Prestador de serviços".into()),
        Block::Form(vec![
            vec![field("Razão social", OFFICE.name), field("CNPJ", OFFICE.cnpj)],
            vec![field("Endereço", OFFICE.address)],
        ]),
        Block::Heading("Tomador de serviços".into()),
        Block::Form(vec![
            vec![field("Razão social", client.company), field("CNPJ", client.cnpj)],
            vec![field("Endereço", client.address), field("E-mail", client.email)],
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

pub(crate) fn payroll(case: &Case) -> Vec<Block> {
    let pay = ledger::payroll(case.client);
    let head = ["Trabalhador", "Função", "Salário>", "INSS>", "FGTS>", "Líquido>"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let (mut salaries, mut inss, mut fgts) = (0, 0, 0);
    for line in &pay {
        let [name, role] = [line.employee.name, line.employee.role].map(str::to_owned);
        let [salary, kept, fund, net] = [line.employee.salary, line.inss, line.fgts, line.net()].map(decimal);
        rows.push(vec![name, role, salary, kept, fund, net]);
        salaries += line.employee.salary;
        inss += line.inss;
        fgts += line.fgts;
    }
    let bold = |cents| format!("**{}**", decimal(cents));
    rows.push(vec!["**Total**".into(), String::new(), bold(salaries), bold(inss), bold(fgts), bold(salaries - inss)]);
    let mut blocks = vec![
        Block::Title("Folha de pagamento".into(), case.fill("{empresa} – competência {mes}")),
        Block::Text(case.fill(
            "Resumo da folha mensal da empresa **{empresa}**, CNPJ {cnpj}, transmitida ao eSocial. Os recibos \
             individuais seguem nas páginas seguintes e devem ser assinados e arquivados pelo prazo de cinco anos.",
        )),
        Block::Table(rows),
        Block::Note("Valores em reais. FGTS: depósito de 8% a cargo do empregador, não descontado do trabalhador.".into()),
    ];
    for line in &pay {
        blocks.push(Block::Heading(format!("Recibo – {}", line.employee.name)));
        blocks.push(Block::Form(vec![
            vec![field("Função", line.employee.role), field("Competência", &month_name(case.month()))],
            vec![
                field("Salário", &brl(line.employee.salary)),
                field("Desconto de INSS", &brl(line.inss)),
                field("Líquido a receber", &format!("**{}**", brl(line.net()))),
            ],
        ]));
        blocks.push(Block::Signatures(vec![(line.employee.name.into(), "Recebi o valor líquido acima".into())]));
    }
    blocks
}

pub(crate) fn trial_balance(case: &Case) -> Vec<Block> {
    let side = |cents: i64| format!("{} {}", decimal(cents.abs()), if cents < 0 { "C" } else { "D" });
    let head = ["Conta", "Descrição", "Saldo anterior>", "Débito>", "Crédito>", "Saldo atual>"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for line in ledger::trial_balance(case.client, case.month()) {
        let cells = [
            line.code.to_owned(),
            line.name.to_owned(),
            side(line.opening),
            decimal(line.debit),
            decimal(line.credit),
            side(line.closing()),
        ];
        rows.push(if line.is_group() { cells.map(|cell| format!("**{cell}**")).to_vec() } else { cells.to_vec() });
    }
    vec![
        Block::Title("Balancete de verificação".into(), case.fill("{empresa} – CNPJ {cnpj} – {mes}")),
        Block::Table(rows),
        Block::Note("Valores em reais. D: saldo devedor; C: saldo credor. Contas de resultado encerradas mensalmente.".into()),
        Block::Text(case.fill(
            "Reconhecemos a exatidão do presente balancete, levantado com base nos documentos entregues pela empresa até \
             a data de emissão. São Paulo, {emissao}.",
        )),
        signed_by_both(case),
    ]
}

/// Income statement of the last whole quarter, month by month.
pub(crate) fn income_statement(case: &Case) -> Vec<Block> {
    let months = quarter_months(case);
    let lines = [
        ("Receita operacional bruta", &["3.1.1"][..]),
        ("(–) Tributos sobre a receita", &["3.1.9"]),
        ("**Receita operacional líquida**", &["3"]),
        ("(–) Custo das mercadorias e dos serviços", &["4.1"]),
        ("**Lucro bruto**", &["3", "4.1"]),
        ("(–) Despesas com pessoal", &["4.2.1"]),
        ("(–) Despesas administrativas e de ocupação", &["4.2.2"]),
        ("(–) Depreciação", &["4.2.3"]),
        ("(–) Despesas financeiras", &["4.3"]),
        ("**Resultado antes do IRPJ e da CSLL**", &["3", "4.1", "4.2", "4.3"]),
        ("(–) IRPJ e CSLL", &["4.9"]),
        ("**Lucro líquido do período**", &["3", "4"]),
    ];
    let mut head = vec!["Descrição".to_owned()];
    head.extend(months.map(|month| format!("{:02}/{}>", month.month(), month.year())));
    head.push("Trimestre>".into());
    let mut rows = vec![head];
    for (label, codes) in lines {
        let amounts = months.map(|month| codes.iter().map(|code| ledger::earned(case.client, month, code)).sum::<i64>());
        let written = |cents: i64| if cents < 0 { format!("({})", decimal(-cents)) } else { decimal(cents) };
        let mut row = vec![label.to_owned()];
        row.extend(amounts.iter().chain([&amounts.iter().sum()]).map(|&cents| match label.starts_with("**") {
            true => format!("**{}**", written(cents)),
            false => written(cents),
        }));
        rows.push(row);
    }
    let of = |code: &str| months.map(|month| ledger::earned(case.client, month, code)).iter().sum::<i64>();
    let margin = (of("3") + of("4")) * 1000 / of("3.1.1");
    let comment = format!(
        "O lucro líquido correspondeu a **{},{}% da receita bruta** do trimestre. As despesas com pessoal seguem como o \
         principal componente do custo fixo; recomendamos acompanhar mensalmente a relação entre folha e faturamento.",
        margin / 10,
        margin % 10
    );
    vec![
        Block::Title("Demonstração do Resultado do Exercício".into(), case.fill("{empresa} – {trimestre}")),
        Block::Table(rows),
        Block::Note("Valores em reais, pelo regime de competência. Valores entre parênteses são negativos.".into()),
        Block::Heading("Comentário da contadora".into()),
        Block::Text(comment),
        Block::Text(case.fill("São Paulo, {emissao}.")),
        signed_by_both(case),
    ]
}

/// The months of the last whole quarter.
pub(crate) fn quarter_months(case: &Case) -> [Date; 3] {
    [0, 1, 2].map(|index: i32| case.quarter().saturating_add(index.months()))
}

fn darf(case: &Case, code: &str, cents: i64) -> Vec<Block> {
    slip(case, "Documento de Arrecadação de Receitas Federais – DARF", "Código da receita", code, cents)
}

/// A slip to pay `cents`: who, what for, until when, and the bars to pay it with.
fn slip(case: &Case, about: &str, label: &str, value: &str, cents: i64) -> Vec<Block> {
    let client = case.client;
    let period = match value.contains("lucro presumido") {
        true => quarter_name(case.quarter()),
        false => month_name(case.month()),
    };
    let amount = format!("**{}**", brl(cents));
    vec![
        Block::Title(about.to_owned(), format!("{} – {period}", client.company)),
        Block::Form(vec![
            vec![field("CNPJ", client.cnpj), field("Razão social", client.company)],
            vec![field("Período de apuração", &period), field(label, value)],
            vec![
                field("Número do documento", &format!("07.20.{:09}-3", serial(case))),
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
        Block::Barcode(barcode::code(cents, case.due(), serial(case))),
    ]
}

fn typed_line(case: &Case, cents: i64) -> Block {
    let code = barcode::code(cents, case.due(), serial(case));
    Block::Form(vec![vec![field("Linha digitável", &barcode::typed_line(&code))]])
}

fn signed_by_both(case: &Case) -> Block {
    Block::Signatures(vec![
        (OFFICE.accountant.into(), format!("Contadora – {}", OFFICE.crc)),
        (case.client.name.into(), case.fill("Administrador(a) – CPF {cpf}")),
    ])
}

fn tax(case: &Case, name: &str) -> i64 {
    amount_of(&ledger::sales_taxes(case.client, case.month()), name)
}

fn quarterly_tax(case: &Case, name: &str) -> i64 {
    quarter_months(case).iter().map(|&month| amount_of(&ledger::profit_taxes(case.client, month), name)).sum()
}

fn amount_of(taxes: &[(&str, i64)], name: &str) -> i64 {
    taxes.iter().find(|(tax, _)| *tax == name).expect("a slip is only made for a tax of the client's regime").1
}

/// A number for the paper, different from day to day.
fn serial(case: &Case) -> u32 {
    let days = u32::from(case.issued.day_of_year().unsigned_abs());
    u32::from(case.issued.year().unsigned_abs()) % 100 * 100_000 + days * 100 + u32::from(case.due().day().unsigned_abs())
}

fn field(label: &str, value: &str) -> (String, String) {
    (label.to_owned(), value.to_owned())
}
