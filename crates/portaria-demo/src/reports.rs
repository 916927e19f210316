//! The monthly reports: payroll, trial balance, and income statement.

use crate::context::{TemplateContext, brl, decimal};
use crate::ledger;
use crate::markup::{Block, field};
use crate::people::OFFICE;

pub(crate) fn payroll(context: &TemplateContext) -> Vec<Block> {
    let staff = context.client.staff;
    let head = ["Trabalhador", "Função", "Salário>", "INSS>", "FGTS>", "Líquido>"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let (mut salaries, mut inss, mut fgts) = (0, 0, 0);
    for worker in staff {
        let [name, role] = [worker.name, worker.role].map(str::to_owned);
        let [salary, withheld, fund, net] =
            [worker.salary, worker.inss(), worker.fgts(), worker.net()].map(decimal);
        rows.push(vec![name, role, salary, withheld, fund, net]);
        salaries += worker.salary;
        inss += worker.inss();
        fgts += worker.fgts();
    }
    let bold = |cents| format!("**{}**", decimal(cents));
    rows.push(vec![
        "**Total**".into(),
        String::new(),
        bold(salaries),
        bold(inss),
        bold(fgts),
        bold(salaries - inss),
    ]);
    let mut blocks = vec![
        Block::Title("Folha de pagamento".into(), context.fill("{empresa} – competência do mês anterior ao da emissão")),
        Block::Text(context.fill(
            "Resumo da folha mensal da empresa **{empresa}**, CNPJ {cnpj}, transmitida ao eSocial. Os recibos \
             individuais seguem nas páginas seguintes e devem ser assinados e arquivados pelo prazo de cinco anos.",
        )),
        Block::Table(rows),
        Block::Note("Valores em reais. FGTS: depósito de 8% a cargo do empregador, não descontado do trabalhador.".into()),
    ];
    for worker in staff {
        blocks.push(Block::Heading(format!("Recibo – {}", worker.name)));
        blocks.push(Block::Form(vec![
            vec![field("Função", worker.role), field("Competência", "Mês anterior ao da emissão")],
            vec![
                field("Salário", &brl(worker.salary)),
                field("Desconto de INSS", &brl(worker.inss())),
                field("Líquido a receber", &format!("**{}**", brl(worker.net()))),
            ],
        ]));
        blocks.push(Block::Signatures(vec![(
            worker.name.into(),
            "Recebi o valor líquido acima".into(),
        )]));
    }
    blocks
}

pub(crate) fn trial_balance(context: &TemplateContext) -> Vec<Block> {
    let side = |cents: i64| match cents {
        0 => decimal(0),
        _ => format!("{} {}", decimal(cents.abs()), if cents < 0 { "C" } else { "D" }),
    };
    let head = ["Conta", "Descrição", "Saldo anterior>", "Débito>", "Crédito>", "Saldo atual>"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for line in ledger::trial_balance(context.client, context.month()) {
        let cells = [
            line.code.to_owned(),
            line.name.to_owned(),
            side(line.opening),
            decimal(line.debit),
            decimal(line.credit),
            side(line.closing()),
        ];
        rows.push(if line.is_group() {
            cells.map(|cell| format!("**{cell}**")).to_vec()
        } else {
            cells.to_vec()
        });
    }
    vec![
        Block::Title("Balancete de verificação".into(), context.fill("{empresa} – CNPJ {cnpj} – mês anterior ao da emissão")),
        Block::Table(rows),
        Block::Note("Valores em reais. D: saldo devedor; C: saldo credor. Contas de resultado encerradas mensalmente.".into()),
        Block::Text(context.fill(
            "Reconhecemos a exatidão do presente balancete, levantado com base nos documentos entregues pela empresa até \
             a data de emissão. São Paulo, na data da assinatura.",
        )),
        signed_by_both(context),
    ]
}

/// The income statement of the last complete quarter, by month.
pub(crate) fn income_statement(context: &TemplateContext) -> Vec<Block> {
    let months = context.quarter_months();
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
    head.extend(["1º mês>", "2º mês>", "3º mês>"].map(str::to_owned));
    head.push("Trimestre>".into());
    let mut rows = vec![head];
    for (label, codes) in lines {
        let amounts = months.map(|month| {
            codes.iter().map(|code| ledger::revenue(context.client, month, code)).sum::<i64>()
        });
        let formatted =
            |cents: i64| if cents < 0 { format!("({})", decimal(-cents)) } else { decimal(cents) };
        let mut row = vec![label.to_owned()];
        row.extend(amounts.iter().chain([&amounts.iter().sum()]).map(|&cents| {
            if label.starts_with("**") {
                format!("**{}**", formatted(cents))
            } else {
                formatted(cents)
            }
        }));
        rows.push(row);
    }
    let total = |code: &str| {
        months.map(|month| ledger::revenue(context.client, month, code)).iter().sum::<i64>()
    };
    let margin = (total("3") + total("4")) * 1000 / total("3.1.1");
    let comment = format!(
        "O lucro líquido correspondeu a **{},{}% da receita bruta** do trimestre. As despesas com pessoal seguem como o \
         principal componente do custo fixo; recomendamos acompanhar mensalmente a relação entre folha e faturamento.",
        margin / 10,
        margin % 10
    );
    vec![
        Block::Title(
            "Demonstração do Resultado do Exercício".into(),
            context.fill("{empresa} – trimestre anterior ao da emissão"),
        ),
        Block::Table(rows),
        Block::Note(
            "Valores em reais, pelo regime de competência. Valores entre parênteses são negativos."
                .into(),
        ),
        Block::Heading("Comentário da contadora".into()),
        Block::Text(comment),
        Block::Text("São Paulo, na data da assinatura.".into()),
        signed_by_both(context),
    ]
}

fn signed_by_both(context: &TemplateContext) -> Block {
    Block::Signatures(vec![
        (OFFICE.accountant.into(), format!("Contadora – {}", OFFICE.crc)),
        (context.client.name.into(), context.fill("Administrador(a) – CPF {cpf}")),
    ])
}
