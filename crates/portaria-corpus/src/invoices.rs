//! XML files of invoices.

use fastrand::Rng;

use crate::case::{Case, Truth};
use crate::facts::Facts;
use crate::office::{Client, Office, digits};

/// Generates the XML of a goods invoice or of a service invoice in one of two layouts.
pub(crate) fn generate(rng: &mut Rng, office: &Office, owner: usize, layout: usize) -> Case {
    let facts = Facts::invent(rng);
    let client = &office.clients[owner];
    let other = office.stranger(rng);
    let (issuer, recipient) = if rng.bool() { (client, other) } else { (other, client) };
    let value = format!("{}.{:02}", facts.cents / 100, facts.cents % 100);
    let day = format!("{:04}-{:02}-11", facts.year, facts.month);
    let (kind, xml) = match layout {
        0 => (
            "nfe",
            format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?><nfeProc xmlns=\"http://www.portalfiscal.inf.br/nfe\"><NFe><infNFe Id=\"NFe{}\"><ide><dhEmi>{day}T10:00:00-03:00</dhEmi></ide><emit>{}</emit><dest>{}</dest><total><ICMSTot><vNF>{value}</vNF></ICMSTot></total><cobr><dup><dVenc>{}</dVenc></dup></cobr></infNFe></NFe></nfeProc>",
                digits(rng, 44),
                party(issuer, "CNPJ", "CPF", "xNome"),
                party(recipient, "CNPJ", "CPF", "xNome"),
                facts.due,
            ),
        ),
        1 => (
            "nfse",
            format!(
                "<?xml version=\"1.0\"?>\n<NFSe xmlns=\"http://www.sped.fazenda.gov.br/nfse\"><infNFSe><emit>{}</emit><valores><vLiq>{value}</vLiq></valores><DPS><infDPS><dCompet>{day}</dCompet><toma>{}</toma><valores><vServPrest><vServ>{value}</vServ></vServPrest></valores></infDPS></DPS></infNFSe></NFSe>",
                party(issuer, "CNPJ", "CPF", "xNome"),
                party(recipient, "CNPJ", "CPF", "xNome"),
            ),
        ),
        _ => (
            "nfse",
            format!(
                "<?xml version=\"1.0\"?><CompNfse xmlns=\"http://www.abrasf.org.br/nfse.xsd\"><Nfse><InfNfse><Competencia>{day}</Competencia><PrestadorServico><IdentificacaoPrestador><CpfCnpj>{}</CpfCnpj></IdentificacaoPrestador></PrestadorServico><TomadorServico><IdentificacaoTomador><CpfCnpj>{}</CpfCnpj></IdentificacaoTomador></TomadorServico><Servico><Valores><ValorServicos>{value}</ValorServicos></Valores></Servico></InfNfse></Nfse></CompNfse>",
                party(issuer, "Cnpj", "Cpf", "RazaoSocial"),
                party(recipient, "Cnpj", "Cpf", "RazaoSocial"),
            ),
        ),
    };
    let truth = Truth {
        kind,
        owner: Some(owner),
        amount_cents: Some(facts.cents),
        period: (kind == "nfse").then(|| facts.period()),
        due: (kind == "nfe").then_some(facts.due),
        ..Truth::default()
    };
    Case {
        name: format!("{}.xml", digits(rng, 12)),
        bytes: xml.into_bytes(),
        layout: format!("tuned/xml/{layout}"),
        truth,
    }
}

fn party(party: &Client, company: &str, person: &str, name: &str) -> String {
    let tag = if party.tax_id.len() == 14 { company } else { person };
    format!("<{tag}>{}</{tag}><{name}>{}</{name}>", party.tax_id, party.name)
}
