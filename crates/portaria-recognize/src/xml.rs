//! XML files of invoices: NF-e, and NFS-e of the national layout and of ABRASF.

use roxmltree::{Document, Node, ParsingOptions};

use crate::dates::{date_at_start, month_at_start};
use crate::findings::{Findings, Found, Kind, Place, Problem, Role, TaxIdWithRole};
use crate::money::parse_amount;
use crate::rules::Rules;

/// Maximum number of nodes. An invoice of 990 items has about 60,000.
const MAX_NODES: u32 = 200_000;

/// Reads an XML file. A document type definition is refused, so entities cannot grow.
pub(crate) fn read(bytes: &[u8], rules: &Rules, findings: &mut Findings) -> Result<(), Problem> {
    let text = String::from_utf8_lossy(bytes);
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text.trim_start_matches('\u{feff}'), options)
        .map_err(|error| match error {
            roxmltree::Error::NodesLimitReached => Problem::TooLarge,
            _ => Problem::Damaged,
        })?;
    for node in
        document.descendants().filter(|node| matches!(name(*node), "CNPJ" | "CPF" | "Cnpj" | "Cpf"))
    {
        if let Ok(tax_id) = node.text().unwrap_or_default().parse() {
            let value = TaxIdWithRole { tax_id, role: node.ancestors().find_map(role) };
            findings.tax_ids.push(found(value));
        }
    }
    let is_goods = find(&document, &["infNFe"]).is_some();
    let is_services = find(&document, &["infNFSe", "InfNfse", "infDPS"]).is_some();
    let id = match (is_goods, is_services) {
        (true, _) => "nfe",
        (_, true) => "nfse",
        _ => return Ok(()),
    };
    findings.kind = rules.kinds.iter().find(|rule| rule.id == id).map(|rule| {
        found(Kind {
            id: rule.id.clone(),
            name: rule.name.clone(),
            owner_roles: rule.owner.clone(),
            code: None,
            code_name: None,
            is_payable: rule.is_payable(),
        })
    });
    let amount = find(&document, &["vNF", "vServ", "ValorServicos", "vLiq", "ValorLiquidoNfse"]);
    findings.amount_cents = amount.and_then(|text| parse_amount(&with_decimals(text))).map(found);
    let period = find(&document, &["dCompet", "Competencia", "dhEmi", "DataEmissao"]);
    findings.period = period.and_then(month_at_start).map(|(month, _)| found(month));
    // The first instalment of a goods invoice.
    findings.due = find(&document, &["dVenc"]).and_then(date_at_start).map(|(date, _)| found(date));
    Ok(())
}

/// The text of the first element with one of the names. Earlier names are preferred.
fn find<'a>(document: &'a Document<'_>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|wanted| {
        document
            .descendants()
            .find(|node| node.is_element() && name(*node) == *wanted)
            .map(|node| node.text().unwrap_or_default())
    })
}

fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// The role of the people below an element.
fn role(node: Node<'_, '_>) -> Option<Role> {
    match name(node) {
        "emit" | "prest" | "Prestador" | "PrestadorServico" | "IdentificacaoPrestador" => {
            Some(Role::Issuer)
        }
        "dest" | "toma" | "Tomador" | "TomadorServico" | "IdentificacaoTomador" => {
            Some(Role::Recipient)
        }
        _ => None,
    }
}

/// Writes the two decimals of a number that has fewer, or four of them.
fn with_decimals(text: &str) -> String {
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let decimals: String = decimals.chars().chain("00".chars()).take(2).collect();
    format!("{whole}.{decimals}")
}

fn found<T>(value: T) -> Found<T> {
    Found { value, place: Place::Field, confidence: 0.99 }
}
