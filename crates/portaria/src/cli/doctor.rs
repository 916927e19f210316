//! The command `portaria doctor`: prints what the checks of `doctor/` found.
//!
//! The doc comments of the arguments are the help texts; the findings are for the office's IT person, in Portuguese.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, json};

use crate::cli::{office::Office, print, runtime};
use crate::{
    accounts::validation,
    doctor::{self, Finding, Status},
};

#[derive(Args)]
pub(crate) struct Doctor {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Send a test mail to this address.
    #[arg(long, value_name = "ADDRESS")]
    mail_to: Option<String>,
}

pub(crate) fn run(office: &Office, given: &Doctor) -> anyhow::Result<()> {
    let Office { config, sources, .. } = office;
    if let Some(address) = &given.mail_to {
        validation::email(address).context("--mail-to")?;
    }
    let examined = doctor::examine_office(config, sources, given.mail_to.as_deref());
    let findings = runtime()?.block_on(examined);
    print(&if given.json { as_json(office, &findings)? } else { as_text(office, &findings) })?;
    match findings.iter().filter(|finding| finding.status == Status::Error).count() {
        0 => Ok(()),
        1 => bail!("one check failed"),
        count => bail!("{count} checks failed"),
    }
}

fn as_text(office: &Office, findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding { title, status, message, cause, advice, .. } in findings {
        let mark = match status {
            Status::Ok => "ok    ",
            Status::Warning => "AVISO ",
            Status::Error => "ERRO  ",
        };
        writeln!(text, "{mark} {title}: {message}").expect("writing to a String cannot fail");
        if let Some(cause) = cause {
            writeln!(text, "       Causa: {cause}").expect("writing to a String cannot fail");
        }
        if let Some(advice) = advice {
            writeln!(text, "       → {advice}").expect("writing to a String cannot fail");
        }
    }
    let changed = office.sources.shown().filter_map(|(name, value, origin)| {
        origin.map(|origin| format!("       {name} = {value}  ({origin})\n"))
    });
    let changed: String = changed.collect();
    if changed.is_empty() { text } else { format!("{text}\nConfigurações mudadas:\n{changed}") }
}

fn as_json(office: &Office, findings: &[Finding]) -> anyhow::Result<String> {
    let setting = |(name, value, origin): (&str, String, Option<&str>)| {
        let shown =
            json!({"value": value.trim_matches('"'), "source": origin.unwrap_or("default")});
        (name.to_owned(), shown)
    };
    let settings: Map<_, _> = office.sources.shown().map(setting).collect();
    let report = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "office": office.to_string(),
        "status": doctor::worst(findings),
        "checks": findings,
        "settings": settings,
    });
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}
