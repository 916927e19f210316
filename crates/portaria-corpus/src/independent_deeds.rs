//! The independent family's deeds: powers of attorney, articles of association and contracts.

use fastrand::Rng;

use crate::case::Truth;
use crate::facts::{Facts, written};
use crate::office::{Client, Office, display};
use crate::press::Press;

pub(crate) fn power_of_attorney(
    page: &mut Press,
    rng: &mut Rng,
    office: &Office,
    client: &Client,
) -> Truth {
    let attorney = office.worker(rng);
    page.put(230.0, 60.0, 12.0, "PROCURAÇÃO PARTICULAR");
    page.put(40.0, 100.0, 9.0, "Pelo presente instrumento, o OUTORGANTE");
    page.put(
        40.0,
        114.0,
        9.0,
        format!("{}, inscrito sob nº {},", client.name, display(&client.tax_id)),
    );
    page.put(40.0, 128.0, 9.0, "nomeia e constitui como OUTORGADO");
    page.put(40.0, 142.0, 9.0, format!("{}, CPF {}.", attorney.name, display(&attorney.tax_id)));
    Truth { kind: "power-of-attorney", ..Truth::default() }
}

pub(crate) fn articles(page: &mut Press, rng: &mut Rng, office: &Office, client: &Client) -> Truth {
    let partner = office.worker(rng);
    page.put(150.0, 60.0, 12.0, "CONTRATO SOCIAL CONSOLIDADO");
    page.put(40.0, 90.0, 9.0, client.name.as_str());
    page.put(40.0, 104.0, 9.0, format!("CNPJ {}", display(&client.tax_id)));
    page.put(
        40.0,
        130.0,
        9.0,
        format!("Sócio: {}, portador do CPF {}", partner.name, display(&partner.tax_id)),
    );
    page.put(40.0, 144.0, 9.0, "titular da totalidade das quotas do capital social.");
    Truth { kind: "articles", ..Truth::default() }
}

pub(crate) fn contract(
    page: &mut Press,
    rng: &mut Rng,
    office: &Office,
    client: &Client,
    facts: Facts,
) -> Truth {
    let other = office.stranger(rng);
    page.put(130.0, 60.0, 12.0, "INSTRUMENTO PARTICULAR DE LOCAÇÃO");
    page.put(40.0, 100.0, 9.0, format!("LOCADOR: {}, CNPJ {}", other.name, display(&other.tax_id)));
    page.put(
        40.0,
        120.0,
        9.0,
        format!("LOCATÁRIO: {}, CPF/CNPJ {}", client.name, display(&client.tax_id)),
    );
    page.put(40.0, 150.0, 9.0, "Cláusula 1ª. O locador dá em locação o imóvel descrito no anexo.");
    page.put(40.0, 180.0, 9.0, format!("São Paulo, {}", written(facts.due)));
    Truth { kind: "contract", ..Truth::default() }
}
