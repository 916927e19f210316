//! An invented office and its clients.

use fastrand::Rng;

use crate::codes::with_tax_id_check;

/// A client of the office.
#[derive(Clone, Debug)]
pub struct Client {
    pub name: String,
    /// CPF or CNPJ without punctuation.
    pub tax_id: String,
}

/// The office, its clients, and people who are no clients.
#[derive(Debug)]
pub struct Office {
    pub name: String,
    pub tax_id: String,
    pub clients: Vec<Client>,
    pub strangers: Vec<Client>,
}

const TRADES: [&str; 16] = [
    "Padaria",
    "Clínica",
    "Transportes",
    "Construtora",
    "Mercearia",
    "Auto Peças",
    "Restaurante",
    "Farmácia",
    "Metalúrgica",
    "Confecções",
    "Tecnologia",
    "Laboratório",
    "Papelaria",
    "Óptica",
    "Imobiliária",
    "Academia",
];
const NAMES: [&str; 20] = [
    "Aurora",
    "Horizonte",
    "Bela Vista",
    "São Jorge",
    "Ipê Amarelo",
    "Três Irmãos",
    "Nova Era",
    "Santa Clara",
    "Pinheiros",
    "Do Vale",
    "Atlântica",
    "Boa Esperança",
    "Cruzeiro",
    "Girassol",
    "Monte Azul",
    "Serra Verde",
    "Ponto Certo",
    "União",
    "Primavera",
    "Estrela",
];
const FORMS: [&str; 5] = ["Ltda", "Ltda ME", "EIRELI", "S/A", "Ltda EPP"];
const FIRST: [&str; 14] = [
    "Ana", "João", "Márcia", "Antônio", "Beatriz", "Carlos", "Débora", "Eduardo", "Fátima",
    "Geraldo", "Helena", "Inácio", "Júlia", "Leandro",
];
const LAST: [&str; 14] = [
    "Gonçalves",
    "de Souza",
    "Araújo",
    "Conceição",
    "Monteiro",
    "Brandão",
    "Figueiredo",
    "Magalhães",
    "Nóbrega",
    "Pacheco",
    "Queiroz",
    "Sampaio",
    "Teixeira",
    "Vasconcelos",
];

/// Invents an office with 240 clients: companies, some with letters in their CNPJ, branches, and people.
pub(crate) fn invent(rng: &mut Rng) -> Office {
    let mut companies = Vec::new();
    for trade in TRADES {
        for name in NAMES {
            companies.push(format!("{trade} {name} {}", pick(rng, &FORMS)));
        }
    }
    rng.shuffle(&mut companies);
    let mut clients: Vec<Client> = Vec::new();
    for name in companies.drain(..190) {
        let root = if rng.u8(0..4) == 0 { letters(rng) } else { digits(rng, 8) };
        clients
            .push(Client { name: name.clone(), tax_id: with_tax_id_check(&format!("{root}0001")) });
        // Some companies have a branch that is a client of its own.
        if rng.u8(0..20) == 0 {
            let tax_id = with_tax_id_check(&format!("{root}0002"));
            clients.push(Client { name: format!("{name} – Filial"), tax_id });
        }
    }
    let mut people = Vec::new();
    for first in FIRST {
        for (one, two) in LAST.iter().zip(LAST.iter().cycle().skip(3 + first.len() % 5)) {
            people.push(format!("{first} {one} {two}"));
        }
    }
    rng.shuffle(&mut people);
    clients.extend(
        people.drain(..40).map(|name| Client { name, tax_id: with_tax_id_check(&digits(rng, 9)) }),
    );
    let mut strangers: Vec<Client> = companies
        .drain(..60)
        .map(|name| Client { name, tax_id: with_tax_id_check(&format!("{}0001", digits(rng, 8))) })
        .collect();
    strangers.extend(
        people.drain(..60).map(|name| Client { name, tax_id: with_tax_id_check(&digits(rng, 9)) }),
    );
    Office {
        name: "Contábil Mirante Assessoria Ltda".into(),
        tax_id: with_tax_id_check("069905900001"),
        clients,
        strangers,
    }
}

impl Office {
    /// A company that is no client.
    pub(crate) fn stranger<'a>(&'a self, rng: &mut Rng) -> &'a Client {
        &self.strangers[rng.usize(..60)]
    }

    /// A person who is no client.
    pub(crate) fn worker<'a>(&'a self, rng: &mut Rng) -> &'a Client {
        &self.strangers[60 + rng.usize(..60)]
    }
}

/// Punctuates a tax id, unless `plain`.
pub(crate) fn display(tax_id: &str) -> String {
    let id = tax_id;
    if id.len() == 11 {
        format!("{}.{}.{}-{}", &id[..3], &id[3..6], &id[6..9], &id[9..])
    } else {
        format!("{}.{}.{}/{}-{}", &id[..2], &id[2..5], &id[5..8], &id[8..12], &id[12..])
    }
}

pub(crate) fn pick<'a>(rng: &mut Rng, choices: &[&'a str]) -> &'a str {
    choices[rng.usize(..choices.len())]
}

pub(crate) fn digits(rng: &mut Rng, count: usize) -> String {
    (0..count).map(|index| char::from(b'0' + rng.u8(u8::from(index == 0)..10))).collect()
}

fn letters(rng: &mut Rng) -> String {
    let alphabet = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    (0..8).map(|_| char::from(alphabet[rng.usize(..alphabet.len())])).collect()
}
