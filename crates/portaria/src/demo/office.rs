//! The cast of the demonstration: an accounting office, its two clients and the folders it keeps for them.
//!
//! People, companies and addresses are invented; the tax numbers are the ones that Brazilian manuals use as examples.

/// The office itself, whose accountant is the portal's administrator.
#[derive(Debug)]
pub(crate) struct Office {
    pub(crate) name: &'static str,
    pub(crate) cnpj: &'static str,
    pub(crate) address: &'static str,
    /// Registration with the regional council of accountants.
    pub(crate) crc: &'static str,
    pub(crate) accountant: &'static str,
    pub(crate) accountant_cpf: &'static str,
    pub(crate) email: &'static str,
}

/// A client who signs in, and the company behind them. Amounts are in cents and per month.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) email: &'static str,
    pub(crate) cpf: &'static str,
    pub(crate) qualification: &'static str,
    pub(crate) home: &'static str,
    pub(crate) company: &'static str,
    /// What people call the company.
    pub(crate) trade_name: &'static str,
    pub(crate) cnpj: &'static str,
    pub(crate) address: &'static str,
    pub(crate) regime: Regime,
    pub(crate) capital: i64,
    pub(crate) fee: i64,
    pub(crate) rent: i64,
    pub(crate) partner_pay: i64,
    pub(crate) sales: i64,
    pub(crate) cost_percent: i64,
    pub(crate) staff: &'static [Employee],
}

/// How a company pays its taxes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Regime {
    Simples,
    Presumido,
}

impl Regime {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Regime::Simples => "Simples Nacional",
            Regime::Presumido => "lucro presumido",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Employee {
    pub(crate) name: &'static str,
    pub(crate) role: &'static str,
    pub(crate) salary: i64,
}

/// A folder that the demonstration adds to the three that every installation starts with.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) id_supabase: &'static str,
    pub(crate) name: &'static str,
    /// Its name among the lucide icons.
    pub(crate) icon: &'static str,
    pub(crate) kind: Option<&'static str>,
}

/// The ids of the folders that every installation starts with.
pub(crate) const CONTRACTS: &str = "contratos";
pub(crate) const INVOICES: &str = "faturas";
pub(crate) const PERSONAL: &str = "documentos-pessoais";

pub(crate) const TAXES: &str = "guias-e-impostos";
pub(crate) const REPORTS: &str = "relatorios-mensais";
pub(crate) const PAYROLL: &str = "folha-de-pagamento";
pub(crate) const CERTIFICATES: &str = "certidoes-e-licencas";
pub(crate) const NOTICES: &str = "avisos";

pub(crate) const FOLDERS: [Folder; 5] = [
    Folder { id_supabase: TAXES, name: "Guias e Impostos", icon: "landmark", kind: None },
    Folder { id_supabase: REPORTS, name: "Relatórios Mensais", icon: "chart-column", kind: Some("relatorio") },
    Folder { id_supabase: PAYROLL, name: "Folha de Pagamento", icon: "users", kind: None },
    Folder { id_supabase: CERTIFICATES, name: "Certidões e Licenças", icon: "badge-check", kind: None },
    Folder { id_supabase: NOTICES, name: "Avisos", icon: "megaphone", kind: Some("aviso") },
];

pub(crate) const OFFICE: Office = Office {
    name: "Prado Contabilidade",
    cnpj: "11.444.777/0001-61",
    address: "Rua das Paineiras, 480, conjunto 52 – Jardim Paulista, São Paulo – SP",
    crc: "CRC 2SP 041.876/O-3",
    accountant: "Ana Beatriz Prado",
    accountant_cpf: "111.444.777-35",
    email: "ana.prado@pradocontabil.com.br",
};

/// Indexes into `CLIENTS`.
pub(crate) const JOAO: usize = 0;
pub(crate) const MARIANA: usize = 1;

pub(crate) const CLIENTS: [Client; 2] = [
    Client {
        name: "João Batista da Conceição",
        email: "joao.conceicao@padariaaurora.com.br",
        cpf: "529.982.247-25",
        qualification: "brasileiro, casado, empresário",
        home: "Rua das Acácias, 118, casa 2 – Vila Mariana, São Paulo – SP",
        company: "Padaria e Confeitaria Aurora Ltda.",
        trade_name: "Padaria Aurora",
        cnpj: "11.222.333/0001-81",
        address: "Avenida das Quaresmeiras, 1.215 – Vila Mariana, São Paulo – SP",
        regime: Regime::Simples,
        capital: 80_000_00,
        fee: 1_450_00,
        rent: 9_800_00,
        partner_pay: 6_500_00,
        sales: 148_600_00,
        cost_percent: 42,
        staff: &[
            Employee { name: "Sebastião Nogueira Luz", role: "Padeiro", salary: 3_850_00 },
            Employee { name: "Edilene Souza Brandão", role: "Confeiteira", salary: 3_620_00 },
            Employee { name: "Cauã Ribeiro de Araújo", role: "Auxiliar de padaria", salary: 2_180_00 },
            Employee { name: "Jéssica Lopes Falcão", role: "Operadora de caixa", salary: 2_050_00 },
            Employee { name: "Luís Otávio Guimarães", role: "Balconista", salary: 1_980_00 },
            Employee { name: "Tânia Regina Assunção", role: "Balconista", salary: 1_980_00 },
            Employee { name: "Rosângela Aparecida dos Santos", role: "Auxiliar de limpeza", salary: 1_890_00 },
        ],
    },
    Client {
        name: "Mariana de Albuquerque Cavalcanti",
        email: "mariana.albuquerque@clinicavivabem.com.br",
        cpf: "987.654.321-00",
        qualification: "brasileira, divorciada, médica",
        home: "Alameda dos Flamboyants, 902, apto. 141 – Moema, São Paulo – SP",
        company: "Clínica Viva Bem Serviços Médicos Ltda.",
        trade_name: "Clínica Viva Bem",
        cnpj: "12.345.678/0001-95",
        address: "Alameda dos Jacarandás, 640, 3º andar – Jardins, São Paulo – SP",
        regime: Regime::Presumido,
        capital: 350_000_00,
        fee: 2_980_00,
        rent: 14_600_00,
        partner_pay: 12_000_00,
        sales: 236_400_00,
        cost_percent: 24,
        staff: &[
            Employee { name: "Patrícia Helena Magalhães", role: "Enfermeira", salary: 5_240_00 },
            Employee { name: "Anderson Luís Corrêa", role: "Técnico em radiologia", salary: 4_180_00 },
            Employee { name: "Márcia Conceição Paixão", role: "Técnica de enfermagem", salary: 3_360_00 },
            Employee { name: "Vitória Araújo Simões", role: "Recepcionista", salary: 2_460_00 },
            Employee { name: "Beatriz Leão de Castro", role: "Recepcionista", salary: 2_460_00 },
            Employee { name: "Iracema do Espírito Santo", role: "Auxiliar de limpeza", salary: 1_940_00 },
        ],
    },
];
