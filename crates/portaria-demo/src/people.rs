//! The people of the demo: an accounting office, its two clients, and its additional folders.
//!
//! People, companies and addresses are invented. The tax IDs are examples of Brazilian manuals.

/// The office. Its accountant is the portal's administrator.
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

/// A client and their company. Amounts are in cents per month.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) email: &'static str,
    pub(crate) cpf: &'static str,
    pub(crate) qualification: &'static str,
    pub(crate) home: &'static str,
    pub(crate) company: &'static str,
    /// The trade name of the company.
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

/// The tax regime of a company.
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

impl Employee {
    /// Returns the social security that is withheld, by progressive brackets.
    pub(crate) fn inss(&self) -> i64 {
        const BRACKETS: [(i64, i64); 4] =
            [(162_100, 750), (290_284, 900), (435_427, 1200), (847_555, 1400)];
        let (mut floor, mut total) = (0, 0);
        for (ceiling, rate) in BRACKETS {
            total += (self.salary.min(ceiling) - floor).max(0) * rate;
            floor = ceiling;
        }
        total / 10_000
    }

    /// Returns the employer's deposit into the worker's fund (FGTS): 8%.
    pub(crate) fn fgts(&self) -> i64 {
        self.salary * 8 / 100
    }

    pub(crate) fn net(&self) -> i64 {
        self.salary - self.inss()
    }
}

const fn employee(name: &'static str, role: &'static str, salary: i64) -> Employee {
    Employee { name, role, salary: reais(salary) }
}

/// Converts reais to cents.
const fn reais(whole: i64) -> i64 {
    whole * 100
}

/// A folder in addition to the three of every installation.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) id_supabase: &'static str,
    pub(crate) name: &'static str,
    /// The name of a Lucide icon.
    pub(crate) icon: &'static str,
    pub(crate) kind: Option<&'static str>,
}

/// Ids of the folders of every installation.
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
    Folder {
        id_supabase: REPORTS,
        name: "Relatórios Mensais",
        icon: "chart-column",
        kind: Some("relatorio"),
    },
    Folder { id_supabase: PAYROLL, name: "Folha de Pagamento", icon: "users", kind: None },
    Folder {
        id_supabase: CERTIFICATES,
        name: "Certidões e Licenças",
        icon: "badge-check",
        kind: None,
    },
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
        capital: reais(80_000),
        fee: reais(1_450),
        rent: reais(9_800),
        partner_pay: reais(6_500),
        sales: reais(148_600),
        cost_percent: 42,
        staff: &[
            employee("Sebastião Nogueira Luz", "Padeiro", 3_850),
            employee("Edilene Souza Brandão", "Confeiteira", 3_620),
            employee("Cauã Ribeiro de Araújo", "Auxiliar de padaria", 2_180),
            employee("Jéssica Lopes Falcão", "Operadora de caixa", 2_050),
            employee("Luís Otávio Guimarães", "Balconista", 1_980),
            employee("Tânia Regina Assunção", "Balconista", 1_980),
            employee("Rosângela Aparecida dos Santos", "Auxiliar de limpeza", 1_890),
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
        capital: reais(350_000),
        fee: reais(2_980),
        rent: reais(14_600),
        partner_pay: reais(12_000),
        sales: reais(236_400),
        cost_percent: 24,
        staff: &[
            employee("Patrícia Helena Magalhães", "Enfermeira", 5_240),
            employee("Anderson Luís Corrêa", "Técnico em radiologia", 4_180),
            employee("Márcia Conceição Paixão", "Técnica de enfermagem", 3_360),
            employee("Vitória Araújo Simões", "Recepcionista", 2_460),
            employee("Beatriz Leão de Castro", "Recepcionista", 2_460),
            employee("Iracema do Espírito Santo", "Auxiliar de limpeza", 1_940),
        ],
    },
];

#[cfg(test)]
mod tests {
    use crate::people::{CLIENTS, OFFICE};

    /// Returns whether the last two digits are correct check digits. The weights count from 2 to `highest`, from the
    /// right.
    fn is_valid(number: &str, highest: u32) -> bool {
        let digits: Vec<u32> = number.chars().filter_map(|letter| letter.to_digit(10)).collect();
        let check = |digits: &[u32]| {
            let weights = (2..=highest).cycle();
            let sum: u32 =
                digits.iter().rev().zip(weights).map(|(digit, weight)| digit * weight).sum();
            match sum % 11 {
                0 | 1 => 0,
                rest => 11 - rest,
            }
        };
        let count = digits.len();
        digits[count - 2] == check(&digits[..count - 2])
            && digits[count - 1] == check(&digits[..count - 1])
    }

    #[test]
    fn tax_ids_have_valid_check_digits() {
        assert!(
            is_valid("123.456.789-09", 11)
                && is_valid("390.533.447-05", 11)
                && !is_valid("123.456.789-10", 11)
        );
        assert!(is_valid(OFFICE.cnpj, 9) && is_valid(OFFICE.accountant_cpf, 11));
        for client in &CLIENTS {
            assert!(is_valid(client.cnpj, 9) && is_valid(client.cpf, 11), "{}", client.name);
        }
    }

    #[test]
    fn social_security_is_progressive() {
        let baker = &CLIENTS[0].staff[0];
        // 7.5% of 1,621.00, 9% of the part up to 2,902.84, and 12% of the rest.
        assert_eq!((baker.salary, baker.inss(), baker.net()), (385_000, 35_059, 349_941));
    }
}
