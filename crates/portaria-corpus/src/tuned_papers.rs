//! The tuned family's papers without a payment: reports, certificates and deeds.

use fastrand::Rng;
use jiff::ToSpan;

use crate::facts::{Facts, decimal, written};
use crate::office::{Client, Office, display, pick};
use crate::tuned::{Draft, blank, field};

pub(crate) fn report(
    rng: &mut Rng,
    office: &Office,
    client: &Client,
    facts: Facts,
    kind: usize,
) -> Draft {
    let (id, titles): (_, &[&str]) = match kind {
        13 => ("payroll", &["Resumo da Folha de Pagamento", "Extrato Mensal da Folha"]),
        14 => ("trial-balance", &["Balancete de Verificação", "Balancete Analítico"]),
        _ => (
            "income-statement",
            &["Demonstração do Resultado do Exercício", "DRE – Demonstração do Resultado"],
        ),
    };
    let mut draft = blank(id, pick(rng, titles), &office.name);
    draft.fields.extend([
        field("Empresa", &*client.name),
        field("CNPJ", display(&client.tax_id)),
        field(pick(rng, &["Período", "Competência"]), facts.written_period(rng.u8(..4))),
    ]);
    draft.truth.period = Some(facts.period());
    let row = |name: &str, part: i64| {
        [name.to_owned(), decimal(facts.cents * part / 7), decimal(facts.cents * part / 5)]
    };
    draft.table = match kind {
        13 => {
            draft.body.push(format!("Líquido geral: {}", decimal(facts.cents)));
            draft.truth.amount_cents = Some(facts.cents);
            vec![row("Total de proventos", 8), row("Total de descontos", 1), row("Base de FGTS", 7)]
        }
        14 => vec![
            ["Conta".into(), "Saldo anterior".into(), "Saldo atual".into()],
            row("1 Ativo circulante", 5),
            row("2 Passivo circulante", 4),
            row("3 Receitas", 9),
        ],
        _ => vec![
            row("Receita bruta", 9),
            row("Deduções", 1),
            row("Lucro bruto", 5),
            row("Lucro líquido", 3),
        ],
    };
    if rng.bool() {
        draft.body.push(format!(
            "Contador responsável: {} – CNPJ {}",
            office.name,
            display(&office.tax_id)
        ));
    }
    draft
}

pub(crate) fn certificate(rng: &mut Rng, client: &Client, facts: Facts) -> Draft {
    let titles = [
        "Certidão Negativa de Débitos Relativos aos Tributos Federais",
        "Certificado de Regularidade do FGTS – CRF",
        "Certidão Negativa de Débitos Trabalhistas",
    ];
    let mut draft = blank("certificate", pick(rng, &titles), "");
    let until = facts.due.saturating_add(180.days());
    draft.fields.extend([
        field("Nome", &*client.name),
        field("CNPJ", display(&client.tax_id)),
        field("Emitida em", written(facts.due)),
        field(pick(rng, &["Válida até", "Validade"]), written(until)),
    ]);
    draft.body.push(
        "Certifica-se que não constam pendências em nome do contribuinte acima identificado."
            .into(),
    );
    draft.truth.valid_until = Some(until);
    draft
}

pub(crate) fn deed(
    rng: &mut Rng,
    office: &Office,
    client: &Client,
    facts: Facts,
    kind: usize,
) -> Draft {
    let stranger = office.stranger(rng);
    let (client_text, stranger_text) = (
        format!("{}, inscrita no CPF/CNPJ sob o nº {}", client.name, display(&client.tax_id)),
        format!("{}, CNPJ {}", stranger.name, display(&stranger.tax_id)),
    );
    let mut draft = match kind {
        17 => {
            let mut draft = blank("power-of-attorney", "PROCURAÇÃO", "");
            draft
                .body
                .push(format!("OUTORGANTE: {client_text}, nomeia e constitui seu procurador"));
            draft.body.push(format!("OUTORGADO: {stranger_text}, com poderes para representá-la perante a Receita Federal."));
            draft
        }
        18 => {
            let mut draft = blank("articles", "Primeira Alteração do Contrato Social", "");
            let partner = office.worker(rng);
            draft.body.push(format!(
                "A sociedade empresária {client_text}, resolve alterar seu contrato social."
            ));
            draft.body.push(format!(
                "Sócio administrador: {}, CPF {}.",
                partner.name,
                display(&partner.tax_id)
            ));
            draft.body.push("O capital social, dividido em quotas, permanece inalterado.".into());
            draft
        }
        _ => {
            let mut draft = blank("contract", "Contrato de Prestação de Serviços", "");
            draft.body.push(format!("CONTRATANTE: {client_text}."));
            draft.body.push(format!("CONTRATADA: {stranger_text}."));
            draft.body.push(
                "Cláusula primeira. O objeto deste contrato é a prestação de serviços mensais."
                    .into(),
            );
            draft
        }
    };
    draft.body.push(format!("São Paulo, {}.", written(facts.due)));
    draft
}
