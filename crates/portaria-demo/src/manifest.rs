//! The list of the demo documents: client, folder, age, due date and generator of each.
//!
//! Ages and due dates are relative to the seed day, so the demo always contains overdue, due and soon due documents.

use crate::documents::File::{self, Docx, PdfFigures, PdfTemplate, Scan, Xlsx};
use crate::pdf::Issuer;
use crate::people::{
    CERTIFICATES, CONTRACTS, INVOICES, JOAO, MARIANA, NOTICES, PAYROLL, PERSONAL, REPORTS, TAXES,
};
use crate::xlsx;
use crate::{payment_slips, reports};

/// A document. Age and due date are in days relative to the seed day.
#[derive(Debug)]
pub(crate) struct DemoDocument {
    pub(crate) age: i32,
    pub(crate) name: &'static str,
    pub(crate) file: File,
    pub(crate) expires: Option<i32>,
    pub(crate) status: &'static str,
    /// Kind of slip, of a document that is paid.
    pub(crate) category: Option<&'static str>,
}

const fn row(age: i32, name: &'static str, file: File) -> DemoDocument {
    DemoDocument { age, name, file, expires: None, status: "active", category: None }
}

impl DemoDocument {
    const fn due(self, days: i32) -> DemoDocument {
        DemoDocument { expires: Some(days), ..self }
    }

    const fn slip(self, category: &'static str) -> DemoDocument {
        DemoDocument { category: Some(category), ..self }
    }

    const fn status(self, status: &'static str) -> DemoDocument {
        DemoDocument { status, ..self }
    }
}

const OFFICE: &Issuer = &Issuer {
    name: "Prado Contabilidade",
    lines: &[
        "Rua das Paineiras, 480, conjunto 52 – Jardim Paulista, São Paulo – SP",
        "CRC 2SP 041.876/O-3 · ana.prado@pradocontabil.com.br · www.pradocontabil.com.br",
    ],
};
const REVENUE: &Issuer = &Issuer {
    name: "Receita Federal do Brasil",
    lines: &["Ministério da Fazenda", "Secretaria Especial da Receita Federal do Brasil"],
};
const SAVINGS_BANK: &Issuer = &Issuer {
    name: "Caixa Econômica Federal",
    lines: &["Fundo de Garantia do Tempo de Serviço – FGTS"],
};
const LABOR: &Issuer =
    &Issuer { name: "FGTS Digital", lines: &["Ministério do Trabalho e Emprego"] };
const CITY: &Issuer =
    &Issuer { name: "Prefeitura de São Paulo", lines: &["Secretaria Municipal da Fazenda"] };
const PARTIES: &Issuer = &Issuer { name: "", lines: &[] };

/// Includes a text template of `texts/`.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("texts/", $name, ".txt"))
    };
}

/// Client, folder, and its documents.
// One document per line, whatever the length of its name.
#[rustfmt::skip]
pub(crate) const DEMO_DOCUMENTS: &[(usize, &str, &[DemoDocument])] = &[
    (JOAO, CONTRACTS, &[
        row(275, "Contrato de prestação de serviços contábeis – Padaria Aurora", PdfTemplate(OFFICE, text!("contrato-contabil"))).due(90),
        row(20, "Primeiro termo aditivo ao contrato de prestação de serviços contábeis – inclusão do controle de banco de horas, da saúde e segurança no trabalho e do relatório gerencial mensal", PdfTemplate(OFFICE, text!("aditivo"))),
        row(152, "Contrato de locação não residencial – loja da Avenida das Quaresmeiras", PdfTemplate(PARTIES, text!("locacao"))).due(8),
    ]),
    (JOAO, INVOICES, &[
        row(69, "Fatura de honorários – {mes}", PdfFigures(OFFICE, payment_slips::invoice)).due(-58).slip("boleto"),
        row(38, "Fatura de honorários – {mes}", PdfFigures(OFFICE, payment_slips::invoice)).due(-27).slip("boleto"),
        row(7, "Fatura de honorários – {mes}", PdfFigures(OFFICE, payment_slips::invoice)).due(5).slip("boleto"),
        row(7, "NFS-e – honorários contábeis – {mes}", PdfFigures(CITY, payment_slips::service_note)),
        row(44, "Demonstrativo de honorários – {trimestre}", Xlsx(xlsx::fees)),
    ]),
    (JOAO, PERSONAL, &[
        row(160, "Comprovante de endereço – João Batista da Conceição", Scan(include_bytes!("scans/comprovante-de-endereco.png"))),
        row(148, "Procuração – Receita Federal, Prefeitura de São Paulo e Junta Comercial", PdfTemplate(PARTIES, text!("procuracao"))).due(20),
        row(165, "Recibo da declaração de Imposto de Renda – exercício {exercicio}", PdfTemplate(REVENUE, text!("irpf"))),
        row(158, "Ficha cadastral do sócio administrador", Docx(text!("ficha"))),
    ]),
    (JOAO, TAXES, &[
        row(37, "DAS – Simples Nacional – {mes}", PdfFigures(REVENUE, payment_slips::das)).due(-31).slip("das"),
        row(6, "DAS – Simples Nacional – {mes}", PdfFigures(REVENUE, payment_slips::das)).due(0).slip("das"),
        row(8, "GPS – previdência sobre o pró-labore – {mes}", PdfFigures(REVENUE, payment_slips::gps)).due(-1).slip("gps"),
        row(5, "Guia do FGTS Digital – {mes}", PdfFigures(LABOR, payment_slips::fgts)).due(1).slip("fgts"),
        row(3, "DARF – IRRF sobre aluguéis – {mes}", PdfFigures(REVENUE, payment_slips::darf_rent)).due(3).slip("darf"),
    ]),
    (JOAO, REPORTS, &[
        row(35, "Balancete de verificação – {mes}", PdfFigures(OFFICE, reports::trial_balance)),
        row(4, "Balancete de verificação – {mes}", PdfFigures(OFFICE, reports::trial_balance)),
        row(33, "DRE – Demonstração do Resultado – {trimestre}", PdfFigures(OFFICE, reports::income_statement)),
        row(4, "Balancete analítico – {mes}", Xlsx(xlsx::trial_balance)),
        row(12, "Parecer sobre a margem de contribuição da linha de confeitaria e dos pães de fermentação natural", Docx(text!("parecer"))),
    ]),
    (JOAO, PAYROLL, &[
        row(9, "Folha de pagamento e recibos – {mes}", PdfFigures(OFFICE, reports::payroll)),
        row(9, "Resumo da folha e dos encargos – {mes}", Xlsx(xlsx::payroll)),
        row(10, "Aviso de férias – Rosângela Aparecida dos Santos", Docx(text!("ferias"))).due(5),
    ]),
    (JOAO, CERTIFICATES, &[
        row(130, "Alvará de funcionamento – Padaria Aurora", Scan(include_bytes!("scans/alvara-de-funcionamento.png"))).due(90),
        row(23, "Certificado de regularidade do FGTS (CRF)", PdfTemplate(SAVINGS_BANK, text!("crf"))).due(7),
    ]),
    (JOAO, NOTICES, &[row(2, "Comunicado – novo calendário de entrega de documentos", Docx(text!("comunicado")))]),
    (MARIANA, CONTRACTS, &[
        row(225, "Contrato de prestação de serviços contábeis – Clínica Viva Bem", PdfTemplate(OFFICE, text!("contrato-contabil"))).due(140),
        row(118, "Quinta alteração e consolidação do contrato social", PdfTemplate(PARTIES, text!("contrato-social"))),
        row(183, "Contrato de manutenção preventiva e corretiva, com fornecimento de peças, dos equipamentos de ultrassonografia e de raios X da unidade Jardins", PdfTemplate(PARTIES, text!("manutencao"))).due(3),
        row(1, "Proposta de honorários – {ano_seguinte}", Docx(text!("proposta"))).due(20).status("pending"),
    ]),
    (MARIANA, INVOICES, &[
        row(38, "Fatura de honorários – {mes}", PdfFigures(OFFICE, payment_slips::invoice)).due(-28).slip("boleto"),
        row(7, "Fatura de honorários – {mes}", PdfFigures(OFFICE, payment_slips::invoice)).due(3).slip("boleto"),
        row(7, "NFS-e – honorários contábeis – {mes}", PdfFigures(CITY, payment_slips::service_note)),
    ]),
    (MARIANA, PERSONAL, &[
        row(212, "Procuração – Receita Federal, Prefeitura de São Paulo e Junta Comercial", PdfTemplate(PARTIES, text!("procuracao"))).due(90),
    ]),
    (MARIANA, TAXES, &[
        row(10, "DARF – PIS – {mes}", PdfFigures(REVENUE, payment_slips::darf_pis)).due(0).slip("darf"),
        row(10, "DARF – COFINS – {mes}", PdfFigures(REVENUE, payment_slips::darf_cofins)).due(0).slip("darf"),
        row(11, "DAMSP – ISS – {mes}", PdfFigures(CITY, payment_slips::iss)).due(-1).slip("iss"),
        row(5, "Guia do FGTS Digital – {mes}", PdfFigures(LABOR, payment_slips::fgts)).due(1).slip("fgts"),
        row(2, "DARF – IRPJ, lucro presumido, quota única – {trimestre}", PdfFigures(REVENUE, payment_slips::darf_irpj)).due(8).slip("darf"),
        row(2, "DARF – CSLL, lucro presumido, quota única – {trimestre}", PdfFigures(REVENUE, payment_slips::darf_csll)).due(8).slip("darf"),
    ]),
    (MARIANA, REPORTS, &[
        row(6, "Balancete de verificação – {mes}", PdfFigures(OFFICE, reports::trial_balance)),
        row(40, "DRE – Demonstração do Resultado – {trimestre}", PdfFigures(OFFICE, reports::income_statement)),
        row(41, "Faturamento por convênio – {trimestre}", Xlsx(xlsx::health_plans)),
        row(60, "Fluxo de caixa projetado – versão preliminar", Xlsx(xlsx::cash_flow)).status("archived"),
        row(39, "Ata da reunião de resultados – {trimestre}", Docx(text!("ata"))),
    ]),
    (MARIANA, PAYROLL, &[row(9, "Folha de pagamento e recibos – {mes}", PdfFigures(OFFICE, reports::payroll))]),
    (MARIANA, CERTIFICATES, &[
        row(97, "Licença de funcionamento – Vigilância Sanitária", Scan(include_bytes!("scans/licenca-sanitaria.png"))).due(20),
        row(211, "Certidão negativa de débitos relativos aos tributos federais e à dívida ativa da União", PdfTemplate(REVENUE, text!("cnd"))).due(-31),
    ]),
    (MARIANA, NOTICES, &[row(2, "Comunicado – novo calendário de entrega de documentos", Docx(text!("comunicado")))]),
];
