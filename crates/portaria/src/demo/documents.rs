//! Every document of the demonstration: in which folder it lies, how old it is, when it expires, how its file is made.
//!
//! Ages and expiries count from today, so the portal always shows something overdue, due today and due soon.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

use crate::demo::case::Case;
use crate::demo::office::{
    CERTIFICATES, CLIENTS, CONTRACTS, INVOICES, JOAO, MARIANA, NOTICES, PAYROLL, PERSONAL, REPORTS, TAXES,
};
use crate::demo::pdf::{self, Issuer};
use crate::demo::prose::{self, Block};
use crate::demo::{letter, papers, spreadsheet};

/// A row of `documents` and the file behind it.
#[derive(Debug)]
pub(crate) struct Document {
    /// Index into `CLIENTS`.
    pub(crate) client: usize,
    pub(crate) folder_id_supabase: &'static str,
    pub(crate) name: String,
    /// Local time in the portal's zone, never later than yesterday.
    pub(crate) uploaded: DateTime,
    pub(crate) expires: Option<Date>,
    pub(crate) status: &'static str,
    file: File,
}

/// How a file is made.
#[derive(Clone, Copy, Debug)]
enum File {
    /// Prose on paper.
    Prose(&'static Issuer, &'static str),
    /// Figures on paper.
    Paper(&'static Issuer, fn(&Case) -> Vec<Block>),
    Letter(&'static str),
    Sheet(fn(&Case) -> Vec<u8>),
    Scan(&'static [u8]),
}

impl Document {
    pub(crate) fn extension(&self) -> &'static str {
        match self.file {
            File::Prose(..) | File::Paper(..) => "pdf",
            File::Letter(_) => "docx",
            File::Sheet(_) => "xlsx",
            File::Scan(_) => "png",
        }
    }

    pub(crate) fn media_type(&self) -> &'static str {
        match self.file {
            File::Prose(..) | File::Paper(..) => "application/pdf",
            File::Letter(_) => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            File::Sheet(_) => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            File::Scan(_) => "image/png",
        }
    }

    /// Makes the file; the same document always gives the same bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let case = self.case();
        match self.file {
            File::Prose(issuer, text) => {
                pdf::print(issuer, &self.name, case.issued, &prose::parse(&case.fill(text)))
            }
            File::Paper(issuer, blocks) => pdf::print(issuer, &self.name, case.issued, &blocks(&case)),
            File::Letter(text) => letter::write(&prose::parse(&case.fill(text)), case.issued),
            File::Sheet(write) => write(&case),
            File::Scan(bytes) => bytes.to_vec(),
        }
    }

    fn case(&self) -> Case<'static> {
        Case { client: &CLIENTS[self.client], issued: self.uploaded.date(), expires: self.expires }
    }
}

/// The documents as they stand on `today`, by client and folder.
pub(crate) fn documents(today: Date) -> Vec<Document> {
    let day = |days: i32| today.saturating_add(days.days());
    let mut documents = Vec::new();
    for &(client, folder_id_supabase, rows) in SHELVES {
        for row in rows {
            // Office hours, different for each.
            let count = i64::try_from(documents.len()).expect("a few dozen documents");
            let uploaded = day(-row.age).at(9, 0, 0, 0).saturating_add((count * 7013 % 32_000).seconds());
            let mut document = Document {
                client,
                folder_id_supabase,
                name: String::new(),
                uploaded,
                expires: row.expires.map(day),
                status: row.status,
                file: row.file,
            };
            document.name = document.case().fill(row.name);
            documents.push(document);
        }
    }
    documents
}

/// One document, in days from today.
#[derive(Debug)]
struct Row {
    age: i32,
    name: &'static str,
    file: File,
    expires: Option<i32>,
    status: &'static str,
}

const fn row(age: i32, name: &'static str, file: File) -> Row {
    Row { age, name, file, expires: None, status: "active" }
}

impl Row {
    const fn due(self, days: i32) -> Row {
        Row { expires: Some(days), ..self }
    }

    const fn status(self, status: &'static str) -> Row {
        Row { status, ..self }
    }
}

const OFFICE: &Issuer = &Issuer {
    name: "Prado Contabilidade",
    lines: &[
        "Rua das Paineiras, 480, conjunto 52 – Jardim Paulista, São Paulo – SP",
        "CRC 2SP 041.876/O-3 · ana.prado@pradocontabil.com.br · www.pradocontabil.com.br",
    ],
};
const REVENUE: &Issuer =
    &Issuer { name: "Receita Federal do Brasil", lines: &["Ministério da Fazenda", "Secretaria Especial da Receita Federal do Brasil"] };
const SAVINGS_BANK: &Issuer = &Issuer { name: "Caixa Econômica Federal", lines: &["Fundo de Garantia do Tempo de Serviço – FGTS"] };
const LABOUR: &Issuer = &Issuer { name: "FGTS Digital", lines: &["Ministério do Trabalho e Emprego"] };
const CITY: &Issuer = &Issuer { name: "Prefeitura de São Paulo", lines: &["Secretaria Municipal da Fazenda"] };
const PARTIES: &Issuer = &Issuer { name: "", lines: &[] };

/// Reads a text of `texts/`.
macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("texts/", $name, ".txt"))
    };
}

use File::{Letter, Paper, Prose, Scan, Sheet};

const SHELVES: &[(usize, &str, &[Row])] = &[
    (JOAO, CONTRACTS, &[
        row(275, "Contrato de prestação de serviços contábeis – Padaria Aurora", Prose(OFFICE, text!("contrato-contabil"))).due(90),
        row(20, "Primeiro termo aditivo ao contrato de prestação de serviços contábeis – inclusão do controle de banco de horas, da saúde e segurança no trabalho e do relatório gerencial mensal", Prose(OFFICE, text!("aditivo"))),
        row(152, "Contrato de locação não residencial – loja da Avenida das Quaresmeiras", Prose(PARTIES, text!("locacao"))).due(8),
    ]),
    (JOAO, INVOICES, &[
        row(69, "Fatura de honorários – {mes}", Paper(OFFICE, papers::invoice)).due(-58),
        row(38, "Fatura de honorários – {mes}", Paper(OFFICE, papers::invoice)).due(-27),
        row(7, "Fatura de honorários – {mes}", Paper(OFFICE, papers::invoice)).due(5),
        row(7, "NFS-e – honorários contábeis – {mes}", Paper(CITY, papers::service_note)),
        row(44, "Demonstrativo de honorários – {trimestre}", Sheet(spreadsheet::fees)),
    ]),
    (JOAO, PERSONAL, &[
        row(160, "Comprovante de endereço – João Batista da Conceição", Scan(include_bytes!("scans/comprovante-de-endereco.png"))),
        row(148, "Procuração – Receita Federal, Prefeitura de São Paulo e Junta Comercial", Prose(PARTIES, text!("procuracao"))).due(20),
        row(165, "Recibo da declaração de Imposto de Renda – exercício {exercicio}", Prose(REVENUE, text!("irpf"))),
        row(158, "Ficha cadastral do sócio administrador", Letter(text!("ficha"))),
    ]),
    (JOAO, TAXES, &[
        row(37, "DAS – Simples Nacional – {mes}", Paper(REVENUE, papers::das)).due(-31),
        row(6, "DAS – Simples Nacional – {mes}", Paper(REVENUE, papers::das)).due(0),
        row(8, "GPS – previdência sobre o pró-labore – {mes}", Paper(REVENUE, papers::gps)).due(-1),
        row(5, "Guia do FGTS Digital – {mes}", Paper(LABOUR, papers::fgts)).due(1),
        row(3, "DARF – IRRF sobre aluguéis – {mes}", Paper(REVENUE, papers::darf_rent)).due(3),
    ]),
    (JOAO, REPORTS, &[
        row(35, "Balancete de verificação – {mes}", Paper(OFFICE, papers::trial_balance)),
        row(4, "Balancete de verificação – {mes}", Paper(OFFICE, papers::trial_balance)),
        row(33, "DRE – Demonstração do Resultado – {trimestre}", Paper(OFFICE, papers::income_statement)),
        row(4, "Balancete analítico – {mes}", Sheet(spreadsheet::trial_balance)),
        row(12, "Parecer sobre a margem de contribuição da linha de confeitaria e dos pães de fermentação natural", Letter(text!("parecer"))),
    ]),
    (JOAO, PAYROLL, &[
        row(9, "Folha de pagamento e recibos – {mes}", Paper(OFFICE, papers::payroll)),
        row(9, "Resumo da folha e dos encargos – {mes}", Sheet(spreadsheet::payroll)),
        row(10, "Aviso de férias – Rosângela Aparecida dos Santos", Letter(text!("ferias"))).due(5),
    ]),
    (JOAO, CERTIFICATES, &[
        row(130, "Alvará de funcionamento – Padaria Aurora", Scan(include_bytes!("scans/alvara-de-funcionamento.png"))).due(90),
        row(23, "Certificado de regularidade do FGTS (CRF)", Prose(SAVINGS_BANK, text!("crf"))).due(7),
    ]),
    (JOAO, NOTICES, &[row(2, "Comunicado – novo calendário de entrega de documentos", Letter(text!("comunicado")))]),
    (MARIANA, CONTRACTS, &[
        row(225, "Contrato de prestação de serviços contábeis – Clínica Viva Bem", Prose(OFFICE, text!("contrato-contabil"))).due(140),
        row(118, "Quinta alteração e consolidação do contrato social", Prose(PARTIES, text!("contrato-social"))),
        row(183, "Contrato de manutenção preventiva e corretiva, com fornecimento de peças, dos equipamentos de ultrassonografia e de raios X da unidade Jardins", Prose(PARTIES, text!("manutencao"))).due(3),
        row(1, "Proposta de honorários – {ano_seguinte}", Letter(text!("proposta"))).due(20).status("pending"),
    ]),
    (MARIANA, INVOICES, &[
        row(38, "Fatura de honorários – {mes}", Paper(OFFICE, papers::invoice)).due(-28),
        row(7, "Fatura de honorários – {mes}", Paper(OFFICE, papers::invoice)).due(3),
        row(7, "NFS-e – honorários contábeis – {mes}", Paper(CITY, papers::service_note)),
    ]),
    (MARIANA, PERSONAL, &[
        row(212, "Procuração – Receita Federal, Prefeitura de São Paulo e Junta Comercial", Prose(PARTIES, text!("procuracao"))).due(90),
    ]),
    (MARIANA, TAXES, &[
        row(10, "DARF – PIS – {mes}", Paper(REVENUE, papers::darf_pis)).due(0),
        row(10, "DARF – COFINS – {mes}", Paper(REVENUE, papers::darf_cofins)).due(0),
        row(11, "DAMSP – ISS – {mes}", Paper(CITY, papers::iss)).due(-1),
        row(5, "Guia do FGTS Digital – {mes}", Paper(LABOUR, papers::fgts)).due(1),
        row(2, "DARF – IRPJ, lucro presumido, quota única – {trimestre}", Paper(REVENUE, papers::darf_irpj)).due(8),
        row(2, "DARF – CSLL, lucro presumido, quota única – {trimestre}", Paper(REVENUE, papers::darf_csll)).due(8),
    ]),
    (MARIANA, REPORTS, &[
        row(6, "Balancete de verificação – {mes}", Paper(OFFICE, papers::trial_balance)),
        row(40, "DRE – Demonstração do Resultado – {trimestre}", Paper(OFFICE, papers::income_statement)),
        row(41, "Faturamento por convênio – {trimestre}", Sheet(spreadsheet::health_plans)),
        row(60, "Fluxo de caixa projetado – versão preliminar", Sheet(spreadsheet::cash_flow)).status("archived"),
        row(39, "Ata da reunião de resultados – {trimestre}", Letter(text!("ata"))),
    ]),
    (MARIANA, PAYROLL, &[row(9, "Folha de pagamento e recibos – {mes}", Paper(OFFICE, papers::payroll))]),
    (MARIANA, CERTIFICATES, &[
        row(97, "Licença de funcionamento – Vigilância Sanitária", Scan(include_bytes!("scans/licenca-sanitaria.png"))).due(20),
        row(211, "Certidão negativa de débitos relativos aos tributos federais e à dívida ativa da União", Prose(REVENUE, text!("cnd"))).due(-31),
    ]),
    (MARIANA, NOTICES, &[row(2, "Comunicado – novo calendário de entrega de documentos", Letter(text!("comunicado")))]),
];
