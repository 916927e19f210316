//! The certificate that visitors see: of the portal itself, or of the proxy at the address of the portal.

use anyhow::Context;
use jiff::Timestamp;
use url::Url;

use crate::doctor::{
    Finding, certificate_end,
    finding::{Section, Subject},
};
use crate::{clock::Clock, config::Config};

pub(super) const CERTIFICATE: Subject =
    Subject::new(Section::Machine, "certificate", "Certificado");
/// Number of days before the end of a certificate from which it should have been renewed. Let's Encrypt's clients renew
/// thirty days before.
const WARNING_DAYS: i64 = 21;

/// Examines the certificate of the portal, or the one that answers at its address.
pub(super) async fn check(config: &Config) -> Finding {
    if let Some(files) = config.tls_files() {
        let file = files.cert.display();
        return match certificate_end::of_file(&files.cert).map(days_until) {
            Ok(days) => judge(days, &file.to_string()),
            Err(error) => CERTIFICATE
                .error(format!("{file} não pode ser lido."), "Confira tls_cert e tls_key.")
                .because(&format!("{error:#}")),
        };
    }
    let Ok(url) = Url::parse(&config.site_url) else {
        return CERTIFICATE.error("site_url não é um endereço.", "Confira site_url.");
    };
    if url.scheme() != "https" {
        return CERTIFICATE.ok("Não há: o endereço do portal começa com http://.");
    }
    match fetch(&url).await {
        Ok(days) => judge(days, &config.site_url),
        Err(error) => CERTIFICATE
            .warning(
                format!("{} não atende com um certificado válido.", config.site_url),
                "Confira o proxy, o DNS e o certificado; desta máquina o endereço pode não ser alcançável.",
            )
            .because(&format!("{error:#}")),
    }
}

fn judge(days: i64, place: &str) -> Finding {
    let renew = "Renove-o (com o certbot: `certbot renew`), e veja por que não se renovou sozinho.";
    match days {
        ..0 => CERTIFICATE.error(format!("O de {place} venceu há {} dias.", -days), renew),
        0..WARNING_DAYS => {
            CERTIFICATE.warning(format!("O de {place} vence em {days} dias."), renew)
        }
        _ => CERTIFICATE.ok(format!("O de {place} vale por mais {days} dias.")),
    }
}

async fn fetch(url: &Url) -> anyhow::Result<i64> {
    let host = url.host_str().context("there is no host")?;
    let port = url.port_or_known_default().unwrap_or(443);
    certificate_end::of_host(host, port).await.map(days_until)
}

/// Returns the number of whole days until a time; negative after it.
fn days_until(end: Timestamp) -> i64 {
    (end.as_second() - Clock::system().now().as_second()).div_euclid(24 * 60 * 60)
}
