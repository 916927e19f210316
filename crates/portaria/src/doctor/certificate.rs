//! The certificate that visitors see: of the portal itself, or of the proxy at the address of the portal.

use anyhow::Context;
use jiff::{Timestamp, tz::TimeZone};
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
    let (zone, now) = (&config.time_zone, Clock::system().now());
    if let Some(files) = config.tls_files() {
        let file = files.cert.display();
        return match certificate_end::of_file(&files.cert) {
            Ok(end) => judge(end, &file.to_string(), zone, now),
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
        Ok(end) => judge(end, &config.site_url, zone, now),
        Err(error) => CERTIFICATE
            .warning(
                format!("{} não atende com um certificado válido.", config.site_url),
                "Confira o proxy, o DNS e o certificado; desta máquina o endereço pode não ser alcançável.",
            )
            .because(&format!("{error:#}")),
    }
}

/// Judges the end of a certificate. A day that has begun does not count as a whole one.
fn judge(end: Timestamp, place: &str, zone: &TimeZone, now: Timestamp) -> Finding {
    let renew = "Renove-o (com o certbot: `certbot renew`), e veja por que não se renovou sozinho.";
    let at = end.to_zoned(zone.clone()).strftime("%d/%m/%Y às %H:%M").to_string();
    if end <= now {
        return CERTIFICATE.error(format!("O de {place} está vencido desde {at}."), renew);
    }
    match (end.as_second() - now.as_second()) / (24 * 60 * 60) {
        0 => CERTIFICATE.warning(format!("O de {place} vence em menos de um dia, em {at}."), renew),
        1 => CERTIFICATE.warning(format!("O de {place} vence em 1 dia, em {at}."), renew),
        days @ ..WARNING_DAYS => {
            CERTIFICATE.warning(format!("O de {place} vence em {days} dias, em {at}."), renew)
        }
        days => CERTIFICATE.ok(format!("O de {place} vale por mais {days} dias.")),
    }
}

async fn fetch(url: &Url) -> anyhow::Result<Timestamp> {
    let host = url.host_str().context("there is no host")?;
    let port = url.port_or_known_default().unwrap_or(443);
    certificate_end::of_host(host, port).await
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp, tz::TimeZone};

    use crate::doctor::{Status, certificate::judge};

    #[test]
    fn judge_names_an_expired_certificate_and_whole_days() {
        let end: Timestamp = "2026-11-28T15:00:00Z".parse().unwrap();
        let zone = TimeZone::get("America/Sao_Paulo").unwrap();
        let (hour, day) = (SignedDuration::from_hours(1), SignedDuration::from_hours(24));
        let expired = "O de x está vencido desde 28/11/2026 às 12:00.";
        for (left, status, message) in [
            (day * -40, Status::Error, expired),
            (-hour, Status::Error, expired),
            (SignedDuration::ZERO, Status::Error, expired),
            (hour, Status::Warning, "O de x vence em menos de um dia, em 28/11/2026 às 12:00."),
            (day + hour, Status::Warning, "O de x vence em 1 dia, em 28/11/2026 às 12:00."),
            (day * 3 - hour, Status::Warning, "O de x vence em 2 dias, em 28/11/2026 às 12:00."),
            (day * 21, Status::Ok, "O de x vale por mais 21 dias."),
        ] {
            let finding = judge(end, "x", &zone, end - left);
            assert_eq!((finding.status, finding.message.as_str()), (status, message), "{left:?}");
        }
    }
}
