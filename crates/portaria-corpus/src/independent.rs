//! The independent family, which is held aside: other programs' wordings, orders and techniques. The rules of
//! recognition were not adapted to it.

use fastrand::Rng;
use jiff::ToSpan;

use crate::case::{Case, Truth};
use crate::codes;
use crate::facts::{Facts, MONTHS, capitalized, decimal, written};
use crate::independent_deeds;
use crate::office::{Client, Office, digits, display};
use crate::press::{Press, Technique};

const TECHNIQUES: [Technique; 5] = [
    Technique::LinePrinter,
    Technique::Composite,
    Technique::SingleGlyphs,
    Technique::Adjusted,
    Technique::Shuffled,
];

/// Number of kinds, and of layouts of each.
pub(crate) const KINDS: usize = 20;
pub(crate) const LAYOUTS: usize = 5;

/// The wording of a slip: kind, heading, and the labels of payer, month, due date and total.
struct Wording(&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

const SLIPS: [Wording; 9] = [
    Wording(
        "das",
        "DAS - Documento de Arrecadação do Simples Nacional",
        "CNPJ",
        "Período de Apuração",
        "Data de Vencimento",
        "Valor Total do Documento",
    ),
    Wording(
        "darf",
        "MINISTÉRIO DA FAZENDA\tDARF",
        "CPF ou CNPJ",
        "PERÍODO DE APURAÇÃO",
        "DATA DE VENCIMENTO",
        "VALOR TOTAL",
    ),
    Wording(
        "gps",
        "GUIA DA PREVIDÊNCIA SOCIAL - GPS",
        "CNPJ/CPF",
        "COMPETÊNCIA",
        "VENCIMENTO",
        "TOTAL",
    ),
    Wording(
        "fgts",
        "GFD - Guia do FGTS Digital",
        "CPF/CNPJ do Empregador",
        "Competência",
        "Pagar este documento até",
        "Valor a recolher",
    ),
    Wording(
        "dae",
        "DAE Documento de Arrecadação do eSocial",
        "CPF/CNPJ",
        "Período de apuração",
        "Pagar até",
        "Valor Total do Documento",
    ),
    Wording(
        "iss",
        "PREFEITURA MUNICIPAL - GUIA DE RECOLHIMENTO ISS",
        "Inscrição / CNPJ",
        "Mês de Competência",
        "Vencimento",
        "Total a Pagar",
    ),
    Wording(
        "gnre",
        "GUIA NACIONAL DE RECOLHIMENTO DE TRIBUTOS ESTADUAIS ONLINE",
        "CNPJ/CPF",
        "Período de Referência",
        "Data de Vencimento",
        "Total a Recolher",
    ),
    Wording(
        "ipva",
        "SECRETARIA DA FAZENDA - IPVA",
        "CPF/CNPJ",
        "",
        "Data de Vencimento",
        "Valor a Pagar",
    ),
    Wording("iptu", "Prefeitura - IPTU e taxas", "CPF/CNPJ", "", "Vencimento", "Total a pagar"),
];

/// Generates a document of a kind (0 to 19) in a layout (0 to 4).
pub(crate) fn generate(
    rng: &mut Rng,
    office: &Office,
    owner: usize,
    kind: usize,
    layout: usize,
) -> Case {
    let technique = TECHNIQUES[layout];
    let mut page = Press::new(technique);
    let facts = Facts::invent(rng);
    let client = &office.clients[owner];
    let mut truth = match kind {
        0..9 => slip(&mut page, rng, &SLIPS[kind], client, facts, layout),
        9 => bank_slip(&mut page, rng, office, client, facts),
        10 => service_invoice(&mut page, rng, office, client, facts),
        11 => danfe(&mut page, rng, office, client, facts),
        12 => payslip(&mut page, rng, office, client, facts),
        13 => payroll(&mut page, client, facts),
        14 | 15 => statement(&mut page, client, facts, kind),
        16 => certificate(&mut page, client, facts, layout),
        17 => independent_deeds::power_of_attorney(&mut page, rng, office, client),
        18 => independent_deeds::articles(&mut page, rng, office, client),
        _ => independent_deeds::contract(&mut page, rng, office, client, facts),
    };
    truth.owner = Some(owner);
    let name = format!(
        "{}_{}.pdf",
        ["arquivo", "Guia", "scan", "doc", "impressao"][layout],
        digits(rng, 5)
    );
    Case {
        name,
        bytes: page.print(rng),
        layout: format!("independent/{}/{technique:?}", truth.kind),
        truth,
    }
}

fn slip(
    page: &mut Press,
    rng: &mut Rng,
    wording: &Wording,
    client: &Client,
    facts: Facts,
    layout: usize,
) -> Truth {
    let Wording(kind, heading, payer, month, due, total) = wording;
    for (part, x) in heading.split('\t').zip([40.0, 430.0]) {
        page.put(x, 50.0, 12.0, part);
    }
    let code = facts.tax_code("0001", rng);
    let mut truth = Truth {
        kind,
        due: Some(facts.due),
        amount_cents: Some(facts.cents),
        payment_lines: vec![code.digits()],
        ..Truth::default()
    };
    let month_value = if month.is_empty() {
        String::new()
    } else {
        truth.period = Some(facts.period());
        format!("{:02}/{}", facts.month, facts.year)
    };
    let rows = [
        ("Nome / Razão Social", client.name.clone()),
        (payer, display(&client.tax_id)),
        (month, month_value),
        (due, written(facts.due)),
        ("Valor Principal", decimal(facts.cents - 150)),
        ("Multa", decimal(100)),
        ("Juros / Encargos", decimal(50)),
        (total, decimal(facts.cents)),
    ];
    match layout {
        // A table with a row of labels above a row of values.
        0 | 4 => {
            for (index, group) in rows.chunks(2).enumerate() {
                let y = 90.0 + 40.0 * f32::from(u8::try_from(index).expect("few rows"));
                for ((label, value), x) in group.iter().zip([40.0, 330.0]) {
                    page.put(x, y, 7.0, *label);
                    page.put(x, y + 13.0, 9.0, value.as_str());
                }
            }
        }
        // Numbered fields at the right, as on the old DARF.
        1 | 3 => {
            for (index, (label, value)) in (1_u8..).zip(&rows) {
                let y = 80.0 + 24.0 * f32::from(index);
                page.put(300.0, y, 8.0, format!("{index:02} {label}"));
                page.put_before(560.0, y, 9.0, value.as_str());
            }
        }
        _ => {
            for (index, (label, value)) in (0_u8..).zip(&rows) {
                let y = 90.0 + 18.0 * f32::from(index);
                page.put(40.0, y, 9.0, format!("{label}:"));
                page.put(220.0, y, 9.0, value.as_str());
            }
        }
    }
    page.put(40.0, 330.0, 9.0, "Autenticação mecânica");
    page.put(40.0, 360.0, 9.0, code.typed.as_str());
    page.bars(40.0, 370.0, &code.barcode);
    truth
}

fn bank_slip(
    page: &mut Press,
    rng: &mut Rng,
    office: &Office,
    client: &Client,
    facts: Facts,
) -> Truth {
    let cedente = office.stranger(rng);
    let code = codes::bank_slip("341", facts.due, facts.cents, &digits(rng, 25));
    page.put(40.0, 60.0, 14.0, "Banco Exemplo");
    page.put(150.0, 60.0, 14.0, "341-7");
    page.put(210.0, 60.0, 11.0, code.typed.as_str());
    for (x, y, label, value) in [
        (40.0, 80.0, "Local de Pagamento", "ATÉ O VENCIMENTO PAGUE EM QUALQUER BANCO".to_owned()),
        (440.0, 80.0, "Vencimento", written(facts.due)),
        (40.0, 104.0, "Beneficiário", format!("{}   {}", cedente.name, display(&cedente.tax_id))),
        (440.0, 104.0, "Agência / Código Beneficiário", "1234/56789-0".to_owned()),
        (40.0, 128.0, "Data do Documento", written(facts.due.saturating_sub(9.days()))),
        (160.0, 128.0, "Nº do Documento", digits(rng, 6)),
        (440.0, 128.0, "Nosso Número", digits(rng, 9)),
        (160.0, 152.0, "Espécie", "R$".to_owned()),
        (440.0, 152.0, "(=) Valor do Documento", decimal(facts.cents)),
    ] {
        page.put(x, y, 6.0, label);
        page.put(x, y + 11.0, 9.0, value);
    }
    page.put(40.0, 190.0, 6.0, "Pagador");
    page.put(80.0, 190.0, 9.0, format!("{}  {}", client.name, display(&client.tax_id)));
    page.bars(40.0, 230.0, &code.barcode);
    Truth {
        kind: "boleto",
        due: Some(facts.due),
        amount_cents: Some(facts.cents),
        payment_lines: vec![code.digits()],
        ..Truth::default()
    }
}

fn service_invoice(
    page: &mut Press,
    rng: &mut Rng,
    office: &Office,
    client: &Client,
    facts: Facts,
) -> Truth {
    let other = office.stranger(rng);
    let (prestador, tomador) = if rng.bool() { (client, other) } else { (other, client) };
    page.put(120.0, 50.0, 12.0, "DANFSe v1.0");
    page.put(120.0, 66.0, 9.0, "Documento Auxiliar da NFS-e");
    page.put(40.0, 90.0, 7.0, "Competência da NFS-e");
    page.put(40.0, 101.0, 9.0, written(facts.due.first_of_month().saturating_sub(3.days())));
    let mut y = 130.0;
    for (heading, party) in
        [("EMITENTE DA NFS-e  Prestador do Serviço", prestador), ("TOMADOR DO SERVIÇO", tomador)]
    {
        page.put(40.0, y, 8.0, heading);
        page.put(40.0, y + 14.0, 6.5, "CNPJ / CPF / NIF");
        page.put(40.0, y + 25.0, 9.0, display(&party.tax_id));
        page.put(250.0, y + 14.0, 6.5, "Nome / Nome Empresarial");
        page.put(250.0, y + 25.0, 9.0, party.name.as_str());
        y += 60.0;
    }
    page.put(40.0, y, 8.0, "VALOR TOTAL DA NFS-E");
    page.put(40.0, y + 14.0, 6.5, "Valor do Serviço");
    page.put(40.0, y + 25.0, 9.0, format!("R$ {}", decimal(facts.cents)));
    let period = facts.due.first_of_month().saturating_sub(3.days());
    Truth {
        kind: "nfse",
        period: Some((period.year(), period.month())),
        amount_cents: Some(facts.cents),
        ..Truth::default()
    }
}

fn danfe(page: &mut Press, rng: &mut Rng, office: &Office, client: &Client, facts: Facts) -> Truth {
    let emitente = office.stranger(rng);
    page.put(250.0, 50.0, 12.0, "DANFE");
    page.put(220.0, 64.0, 7.0, "Documento Auxiliar da Nota Fiscal Eletrônica");
    page.put(40.0, 90.0, 10.0, emitente.name.as_str());
    page.put(40.0, 120.0, 6.0, "CNPJ");
    page.put(40.0, 131.0, 9.0, display(&emitente.tax_id));
    page.put(40.0, 160.0, 8.0, "DESTINATÁRIO / REMETENTE");
    page.put(40.0, 172.0, 6.0, "NOME / RAZÃO SOCIAL");
    page.put(40.0, 183.0, 9.0, client.name.as_str());
    page.put(350.0, 172.0, 6.0, "CNPJ / CPF");
    page.put(350.0, 183.0, 9.0, display(&client.tax_id));
    page.put(40.0, 220.0, 8.0, "CÁLCULO DO IMPOSTO");
    for (x, label, cents) in [
        (40.0, "BASE DE CÁLC. DO ICMS", facts.cents),
        (200.0, "VALOR TOTAL DOS PRODUTOS", facts.cents - 900),
        (400.0, "VALOR TOTAL DA NOTA", facts.cents),
    ] {
        page.put(x, 232.0, 6.0, label);
        page.put_before(x + 120.0, 243.0, 9.0, decimal(cents));
    }
    Truth { kind: "nfe", amount_cents: Some(facts.cents), ..Truth::default() }
}

fn payslip(
    page: &mut Press,
    rng: &mut Rng,
    office: &Office,
    client: &Client,
    facts: Facts,
) -> Truth {
    let worker = office.worker(rng);
    let month = MONTHS[usize::from(facts.month.unsigned_abs()) - 1];
    // Two copies on one sheet.
    for top in [40.0, 420.0] {
        page.put(40.0, top, 10.0, client.name.as_str());
        page.put(40.0, top + 13.0, 9.0, format!("CNPJ: {}", display(&client.tax_id)));
        page.put(380.0, top, 10.0, "Recibo de Pagamento de Salário");
        page.put(380.0, top + 13.0, 9.0, format!("{} de {}", capitalized(month), facts.year));
        page.put(40.0, top + 34.0, 9.0, format!("000123  {}", worker.name));
        page.put(40.0, top + 46.0, 8.0, format!("CPF: {}   CBO 4110-10", display(&worker.tax_id)));
        for (x, heading) in
            [(40.0, "Cód."), (80.0, "Descrição"), (330.0, "Proventos"), (440.0, "Descontos")]
        {
            page.put(x, top + 66.0, 8.0, heading);
        }
        page.put(80.0, top + 80.0, 8.0, "DIAS NORMAIS");
        page.put_before(370.0, top + 80.0, 8.0, decimal(facts.cents + 30_000));
        page.put(80.0, top + 92.0, 8.0, "INSS SOBRE SALÁRIO");
        page.put_before(480.0, top + 92.0, 8.0, decimal(30_000));
        page.put(330.0, top + 130.0, 8.0, "Valor Líquido");
        page.put_before(480.0, top + 130.0, 9.0, decimal(facts.cents));
    }
    Truth {
        kind: "payslip",
        period: Some(facts.period()),
        amount_cents: Some(facts.cents),
        ..Truth::default()
    }
}

fn payroll(page: &mut Press, client: &Client, facts: Facts) -> Truth {
    page.put(40.0, 50.0, 9.0, format!("Empresa: {}", client.name));
    page.put(40.0, 62.0, 9.0, format!("CNPJ: {}", display(&client.tax_id)));
    page.put(400.0, 50.0, 9.0, format!("Competência: {:02}/{}", facts.month, facts.year));
    page.put(220.0, 86.0, 12.0, "FOLHA DE PAGAMENTO MENSAL");
    for (y, label, cents) in [
        (120.0, "Total de Proventos", facts.cents + 90_000),
        (134.0, "Total de Descontos", 90_000),
        (148.0, "Total Líquido", facts.cents),
    ] {
        page.put(40.0, y, 9.0, label);
        page.put_before(300.0, y, 9.0, decimal(cents));
    }
    Truth {
        kind: "payroll",
        period: Some(facts.period()),
        amount_cents: Some(facts.cents),
        ..Truth::default()
    }
}

fn statement(page: &mut Press, client: &Client, facts: Facts, kind: usize) -> Truth {
    let (id, title, rows): (_, _, [(&str, i64); 4]) = if kind == 14 {
        (
            "trial-balance",
            "BALANCETE",
            [("ATIVO", 9), ("CIRCULANTE", 5), ("PASSIVO", 9), ("RESULTADO", 3)],
        )
    } else {
        (
            "income-statement",
            "DEMONSTRAÇÃO DO RESULTADO DO PERÍODO",
            [("RECEITA BRUTA", 9), ("DEDUÇÕES", 1), ("CUSTOS", 4), ("LUCRO LÍQUIDO", 2)],
        )
    };
    page.put(40.0, 40.0, 9.0, client.name.as_str());
    page.put(40.0, 52.0, 9.0, display(&client.tax_id));
    page.put(210.0, 76.0, 11.0, title);
    let first = jiff::civil::Date::constant(facts.year, 1, 1);
    let last = jiff::civil::Date::constant(facts.year, facts.month, 1).last_of_month();
    page.put(210.0, 92.0, 9.0, format!("Período: {} a {}", written(first), written(last)));
    for (index, (name, part)) in (0_u8..).zip(rows) {
        let y = 120.0 + 13.0 * f32::from(index);
        page.put(40.0, y, 8.0, name);
        page.put_before(540.0, y, 8.0, decimal(facts.cents * part));
    }
    Truth { kind: id, period: Some(facts.period()), ..Truth::default() }
}

fn certificate(page: &mut Press, client: &Client, facts: Facts, layout: usize) -> Truth {
    let until = facts.due.saturating_add(90.days());
    if layout.is_multiple_of(2) {
        page.put(150.0, 60.0, 12.0, "Certificado de Regularidade do FGTS - CRF");
        page.put(40.0, 100.0, 9.0, format!("Inscrição: {}", display(&client.tax_id)));
        page.put(40.0, 114.0, 9.0, format!("Razão Social: {}", client.name));
        page.put(
            40.0,
            150.0,
            9.0,
            format!("Validade: {} a {}", written(until.saturating_sub(29.days())), written(until)),
        );
    } else {
        page.put(120.0, 60.0, 11.0, "CERTIDÃO NEGATIVA DE DÉBITOS TRABALHISTAS");
        page.put(40.0, 100.0, 9.0, format!("Nome: {}", client.name));
        page.put(40.0, 114.0, 9.0, format!("CNPJ: {}", display(&client.tax_id)));
        page.put(40.0, 140.0, 9.0, format!("Expedição: {}, às 10:21:33", written(facts.due)));
        page.put(
            40.0,
            154.0,
            9.0,
            format!("Validade: {} - 180 (cento e oitenta) dias", written(until)),
        );
    }
    Truth { kind: "certificate", valid_until: Some(until), ..Truth::default() }
}
