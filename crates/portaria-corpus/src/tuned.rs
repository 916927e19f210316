//! The tuned family: documents of every kind in five layouts. The rules of recognition were developed with it.

use fastrand::Rng;
use jiff::ToSpan;

use crate::case::{Case, Truth};
use crate::codes;
use crate::facts::{Facts, decimal, written};
use crate::office::{Client, Office, digits, display, pick};
use crate::paper::{Paper, WIDTH};
use crate::tuned_papers;

/// A kind of slip: id, titles, labels of period, due date and amount, and collector.
struct Slip {
    kind: &'static str,
    titles: &'static [&'static str],
    period: &'static [&'static str],
    due: &'static [&'static str],
    amount: &'static [&'static str],
    collector: &'static str,
    payer: &'static [&'static str],
}

const SLIPS: [Slip; 9] = [
    Slip {
        kind: "das",
        titles: &["Documento de Arrecadação do Simples Nacional", "DAS – Simples Nacional"],
        period: &["Período de Apuração", "PA"],
        due: &["Pagar este documento até", "Data de Vencimento"],
        amount: &["Valor Total do Documento", "Valor Total"],
        collector: "0328",
        payer: &["CNPJ", "CNPJ do contribuinte"],
    },
    Slip {
        kind: "darf",
        titles: &[
            "Documento de Arrecadação de Receitas Federais",
            "DARF – Receita Federal do Brasil",
        ],
        period: &["Período de Apuração", "Período apuração"],
        due: &["Data de Vencimento", "Vencimento", "Pagar até"],
        amount: &["Valor Total do Documento", "Valor Total"],
        collector: "0385",
        payer: &["CPF/CNPJ", "Número do CPF ou CNPJ"],
    },
    Slip {
        kind: "gps",
        titles: &["Guia da Previdência Social – GPS", "GPS – Previdência Social"],
        period: &["Competência", "Mês de competência"],
        due: &["Vencimento", "Data de vencimento"],
        amount: &["Valor total", "Total"],
        collector: "0270",
        payer: &["Identificador", "CNPJ/CEI"],
    },
    Slip {
        kind: "fgts",
        titles: &["Guia do FGTS Digital – GFD", "FGTS Digital"],
        period: &["Competência", "Mês/Ano de Referência"],
        due: &["Data de vencimento", "Data limite para recolhimento"],
        amount: &["Valor a recolher", "Total da guia"],
        collector: "0239",
        payer: &["CPF/CNPJ do empregador", "Empregador"],
    },
    Slip {
        kind: "dae",
        titles: &[
            "Documento de Arrecadação do eSocial – DAE",
            "DAE – Documento de Arrecadação Estadual",
        ],
        period: &["Competência", "Mês/Ano de referência"],
        due: &["Data de Vencimento", "Pagar até"],
        amount: &["Valor total a pagar", "Total a recolher"],
        collector: "0432",
        payer: &["CPF/CNPJ", "Contribuinte"],
    },
    Slip {
        kind: "iss",
        titles: &[
            "Documento de Arrecadação do Município de São Paulo – DAMSP",
            "Guia de Recolhimento do ISSQN",
        ],
        period: &["Competência", "Incidência / Referência", "Referência"],
        due: &["Vencimento", "Data de vencimento"],
        amount: &["Valor total a pagar", "Valor a recolher"],
        collector: "4512",
        payer: &["CPF/CNPJ", "CNPJ do prestador"],
    },
    Slip {
        kind: "gnre",
        titles: &["Guia Nacional de Recolhimento de Tributos Estaduais – GNRE", "GNRE Online"],
        period: &["Período de Referência", "Referência"],
        due: &["Data de Vencimento", "Vencimento", "Documento válido para pagamento até"],
        amount: &["Total a Recolher", "Valor total"],
        collector: "0064",
        payer: &["CNPJ/CPF do contribuinte", "CNPJ"],
    },
    Slip {
        kind: "ipva",
        titles: &[
            "IPVA – Imposto sobre a Propriedade de Veículos Automotores",
            "Guia de pagamento do IPVA",
        ],
        period: &[],
        due: &["Vencimento", "Data de vencimento"],
        amount: &["Valor a pagar", "Valor da cota única"],
        collector: "0150",
        payer: &["CPF/CNPJ do proprietário", "Proprietário"],
    },
    Slip {
        kind: "iptu",
        titles: &["IPTU – Imposto Predial e Territorial Urbano", "Carnê de IPTU"],
        period: &[],
        due: &["Vencimento", "Data de vencimento"],
        amount: &["Valor da parcela", "Valor a pagar"],
        collector: "3456",
        payer: &["CPF/CNPJ", "Contribuinte"],
    },
];

/// Number of kinds.
pub(crate) const KINDS: usize = 20;
/// Number of layouts of each kind.
pub(crate) const STYLES: u8 = 5;

/// A document before it is laid out.
pub(crate) struct Draft {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<String>,
    pub(crate) table: Vec<[String; 3]>,
    pub(crate) typed: Option<String>,
    pub(crate) barcode: Option<String>,
    pub(crate) qr: Option<String>,
    pub(crate) truth: Truth,
}

/// Generates a document of a kind (0 to 19) for a client, in a style (0 to 4).
pub(crate) fn generate(
    rng: &mut Rng,
    office: &Office,
    owner: usize,
    kind: usize,
    style: u8,
) -> Case {
    let draft = draft(rng, office, owner, kind);
    let mut paper = Paper::new();
    lay_out(&mut paper, &draft, style, rng);
    if rng.u8(0..12) == 0 {
        paper.rotation = [90, 180, 270][rng.usize(..3)];
    }
    let truth = draft.truth;
    let name = file_name(rng, &truth, &office.clients[owner]);
    Case { name, bytes: paper.finish(), layout: format!("tuned/{}/{style}", truth.kind), truth }
}

pub(crate) fn draft(rng: &mut Rng, office: &Office, owner: usize, kind: usize) -> Draft {
    let client = &office.clients[owner];
    let facts = Facts::invent(rng);
    let mut draft = match kind {
        0..9 => slip(rng, &SLIPS[kind], client, facts),
        9 => boleto(rng, office, client, facts),
        10 => service_invoice(rng, office, client, facts),
        11 => goods_invoice(rng, office, client, facts),
        12 => payslip(rng, office, client, facts),
        13..=15 => tuned_papers::report(rng, office, client, facts, kind),
        16 => tuned_papers::certificate(rng, client, facts),
        _ => tuned_papers::deed(rng, office, client, facts, kind),
    };
    draft.truth.owner = Some(owner);
    draft
}

/// Invents a file name. Most say little.
pub(crate) fn file_name(rng: &mut Rng, truth: &Truth, client: &Client) -> String {
    let period =
        truth.period.map(|(year, month)| format!(" {month:02}-{year}")).unwrap_or_default();
    match rng.u8(0..5) {
        0 => format!("{}{period}.pdf", truth.kind.to_uppercase()),
        1 => format!("{} {}{period}.pdf", truth.kind, client.tax_id),
        2 => format!("{}{period}.pdf", client.name.replace('/', "")),
        3 => format!("documento ({}).pdf", rng.u8(1..90)),
        _ => format!("{}.pdf", digits(rng, 8)),
    }
}

pub(crate) fn field(label: &str, value: impl Into<String>) -> (String, String) {
    (label.to_owned(), value.into())
}

pub(crate) fn blank(kind: &'static str, title: &str, subtitle: &str) -> Draft {
    Draft {
        title: title.to_owned(),
        subtitle: subtitle.to_owned(),
        fields: Vec::new(),
        body: Vec::new(),
        table: Vec::new(),
        typed: None,
        barcode: None,
        qr: None,
        truth: Truth { kind, ..Truth::default() },
    }
}

fn slip(rng: &mut Rng, slip: &Slip, client: &Client, facts: Facts) -> Draft {
    let mut draft = blank(slip.kind, pick(rng, slip.titles), "");
    let code = facts.tax_code(slip.collector, rng);
    let principal = facts.cents * 9 / 10;
    draft.fields.push(field(pick(rng, slip.payer), display(&client.tax_id)));
    draft.fields.push(field("Razão Social", &*client.name));
    if !slip.period.is_empty() {
        let form = rng.u8(..4);
        draft.fields.push(field(pick(rng, slip.period), facts.written_period(form)));
        draft.truth.period = Some(facts.period());
    }
    draft.fields.push(field(pick(rng, slip.due), written(facts.due)));
    draft.fields.push(field(
        "Número do Documento",
        format!("07.20.{:05}.{:07}-3", rng.u32(..99999), rng.u32(..9_999_999)),
    ));
    if slip.kind == "darf" {
        draft.fields.push(field(
            "Código da Receita",
            pick(rng, &["2172", "8109", "2089", "2372", "0561", "1708"]),
        ));
    }
    draft.fields.push(field("Principal", decimal(principal)));
    draft.fields.push(field("Multa", decimal(facts.cents - principal)));
    draft.fields.push(field("Juros", "0,00"));
    let prefix = pick(rng, &["R$ ", ""]);
    draft.fields.push(field(pick(rng, slip.amount), format!("{prefix}{}", decimal(facts.cents))));
    draft.body.push(
        "Observações: documento emitido pela internet. Não receber após o vencimento.".into(),
    );
    draft.truth.due = Some(facts.due);
    draft.truth.amount_cents = Some(facts.cents);
    draft.truth.payment_lines = vec![code.digits()];
    draft.typed = Some(code.typed);
    draft.barcode = Some(code.barcode);
    if rng.u8(0..3) == 0 {
        let pix = codes::pix(
            "arrecadacao@exemplo.gov.br",
            facts.cents,
            "TESOURO NACIONAL",
            &digits(rng, 20),
        );
        draft.truth.pix = vec![pix.clone()];
        draft.qr = Some(pix);
    }
    draft
}

fn boleto(rng: &mut Rng, office: &Office, client: &Client, facts: Facts) -> Draft {
    let mut draft = blank(
        "boleto",
        pick(rng, &["Recibo do Pagador", "Boleto bancário", "Ficha de Compensação"]),
        "Banco 001-9",
    );
    let issuer = office.stranger(rng);
    let code = codes::bank_slip("001", facts.due, facts.cents, &digits(rng, 25));
    draft.fields.extend([
        field("Local de pagamento", "Pagável em qualquer banco até o vencimento"),
        field("Vencimento", written(facts.due)),
        field("Beneficiário", format!("{} – CNPJ {}", issuer.name, display(&issuer.tax_id))),
        field("Nosso número", digits(rng, 10)),
        field("Data do documento", written(facts.due.saturating_sub(20.days()))),
        field("(=) Valor do documento", decimal(facts.cents)),
        field("(-) Descontos/Abatimentos", ""),
        field("Pagador", format!("{} – CPF/CNPJ {}", client.name, display(&client.tax_id))),
    ]);
    draft.truth.due = Some(facts.due);
    draft.truth.amount_cents = Some(facts.cents);
    draft.truth.payment_lines = vec![code.digits()];
    draft.typed = Some(code.typed);
    draft.barcode = Some(code.barcode);
    draft
}

fn service_invoice(rng: &mut Rng, office: &Office, client: &Client, facts: Facts) -> Draft {
    let mut draft =
        blank("nfse", "Nota Fiscal de Serviços Eletrônica – NFS-e", "Prefeitura do Município");
    let stranger = office.stranger(rng);
    let (issuer, recipient) = if rng.bool() { (client, stranger) } else { (stranger, client) };
    draft.fields.extend([
        field("Número da nota", digits(rng, 6)),
        field("Competência", facts.written_period(0)),
        field("Prestador de serviços", &*issuer.name),
        field("CPF/CNPJ do prestador", display(&issuer.tax_id)),
        field("Tomador de serviços", &*recipient.name),
        field("CPF/CNPJ do tomador", display(&recipient.tax_id)),
        field("Base de cálculo", decimal(facts.cents)),
        field("Valor dos serviços", format!("R$ {}", decimal(facts.cents))),
        field("Valor do ISS", decimal(facts.cents / 20)),
    ]);
    draft.body.push("Serviços prestados no mês, conforme contrato.".into());
    draft.truth.period = Some(facts.period());
    draft.truth.amount_cents = Some(facts.cents);
    draft
}

fn goods_invoice(rng: &mut Rng, office: &Office, client: &Client, facts: Facts) -> Draft {
    let mut draft = blank(
        "nfe",
        "DANFE – Documento Auxiliar da Nota Fiscal Eletrônica",
        "0 – Entrada  1 – Saída",
    );
    let stranger = office.stranger(rng);
    draft.fields.extend([
        field("Chave de acesso", digits(rng, 44)),
        field("Emitente", &*stranger.name),
        field("CNPJ do emitente", display(&stranger.tax_id)),
        field("Destinatário/Remetente", &*client.name),
        field("CNPJ/CPF do destinatário", display(&client.tax_id)),
        field("Data da emissão", written(facts.due)),
        field("Valor do frete", "12,00"),
        field("Valor total dos produtos", decimal(facts.cents - 1200)),
        field("Valor total da nota", decimal(facts.cents)),
    ]);
    draft.truth.amount_cents = Some(facts.cents);
    draft
}

fn payslip(rng: &mut Rng, office: &Office, client: &Client, facts: Facts) -> Draft {
    let mut draft = blank(
        "payslip",
        pick(rng, &["Recibo de Pagamento de Salário", "Demonstrativo de Pagamento Mensal"]),
        "",
    );
    let worker = office.worker(rng);
    draft.fields.extend([
        field("Empregador", &*client.name),
        field("CNPJ", display(&client.tax_id)),
        field("Referência", facts.written_period(1)),
        field("Funcionário", format!("{} – CPF {}", worker.name, display(&worker.tax_id))),
        field("Base cálc. FGTS", decimal(facts.cents)),
    ]);
    draft.table = vec![
        ["Descrição".into(), "Vencimentos".into(), "Descontos".into()],
        ["Salário base".into(), decimal(facts.cents * 12 / 10), String::new()],
        ["INSS".into(), String::new(), decimal(facts.cents * 2 / 10)],
    ];
    draft.body.push(format!("Valor líquido: {}", decimal(facts.cents)));
    draft.truth.period = Some(facts.period());
    draft.truth.amount_cents = Some(facts.cents);
    draft
}

/// Draws a draft in one of the styles.
pub(crate) fn lay_out(paper: &mut Paper, draft: &Draft, style: u8, rng: &mut Rng) {
    const LEFT: f32 = 50.0;
    let mut y = 60.0;
    if style == 4 {
        paper.text_before(WIDTH - LEFT, y, 13.0, &draft.title);
    } else {
        paper.text(LEFT, y, 13.0, true, &draft.title);
    }
    y += 16.0;
    if !draft.subtitle.is_empty() {
        paper.text(LEFT, y, 9.0, false, &draft.subtitle);
    }
    y += 24.0;
    match style {
        // Boxes with the label above the value.
        0 | 4 => {
            for row in draft.fields.chunks(2) {
                for ((label, value), x) in row.iter().zip([LEFT, LEFT + 250.0]) {
                    paper.outline(x, y, 245.0, 26.0);
                    paper.text(x + 3.0, y + 8.0, 6.5, false, label);
                    if style == 4 && value.starts_with(|c: char| c.is_ascii_digit()) {
                        paper.text_before(x + 240.0, y + 21.0, 10.0, value);
                    } else {
                        paper.paragraph(x + 3.0, y + 21.0, 9.0, 900.0, value);
                    }
                }
                y += 28.0;
            }
        }
        // One field a line.
        1 => {
            for (label, value) in &draft.fields {
                paper.text(LEFT, y, 10.0, false, &format!("{label}: {value}"));
                y += 15.0;
            }
        }
        // Labels and values in two columns.
        2 => {
            for (label, value) in &draft.fields {
                paper.text(LEFT, y, 10.0, true, label);
                paper.text_before(LEFT + 460.0, y, 10.0, value);
                y += 16.0;
            }
        }
        // Two fields a line, the values behind their labels.
        _ => {
            for row in draft.fields.chunks(2) {
                for ((label, value), x) in row.iter().zip([LEFT, LEFT + 270.0]) {
                    paper.text(x, y, 7.0, true, label);
                    paper.text(x + 112.0, y, 8.0, false, value);
                }
                y += 17.0;
            }
        }
    }
    y += 14.0;
    for [name, one, two] in &draft.table {
        paper.text(LEFT, y, 9.0, false, name);
        paper.text_before(LEFT + 350.0, y, 9.0, one);
        paper.text_before(LEFT + 450.0, y, 9.0, two);
        y += 13.0;
    }
    for paragraph in &draft.body {
        y = paper.paragraph(LEFT, y + 10.0, 10.0, 490.0, paragraph);
    }
    y += 20.0;
    if let Some(typed) = &draft.typed {
        paper.text(LEFT, y, 10.0, true, typed);
    }
    if let Some(barcode) = &draft.barcode {
        paper.bars(LEFT, y + 12.0, barcode);
    }
    if let Some(qr) = &draft.qr {
        paper.qr(LEFT, y + 70.0, 110.0, qr);
        // Half of the slips show the text of their QR code.
        if rng.bool() {
            let mut at = y + 84.0;
            for part in qr.as_bytes().chunks(56) {
                paper.text(LEFT + 130.0, at, 8.0, false, &String::from_utf8_lossy(part));
                at += 11.0;
            }
        }
    }
}
