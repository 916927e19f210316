//! The command `portaria doctor`: examines everything that an office depends on, and says what to do.
//!
//! It changes nothing except a test file in the storage, which it removes. The doc comments of the arguments are the help
//! texts; the findings are for the office's IT person, in Portuguese.

mod backups;
mod certificate;
mod machine;
mod services;

use std::{fmt::Write as _, sync::Arc};

use anyhow::bail;
use clap::Args;
use serde::Serialize;
use serde_json::{Map, json};

use crate::cli::{office::Office, print, runtime};
use crate::{
    app::App,
    backup::database_source,
    clock::Clock,
    db::{Error, migrations::find_applied},
    schema::migrations::MIGRATIONS,
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

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warning,
    Error,
}

/// Something that is examined.
#[derive(Debug, Clone, Copy)]
struct Subject {
    id: &'static str,
    title: &'static str,
}

/// The result of a check.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    title: &'static str,
    status: Status,
    message: String,
    /// The next step of the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Subject {
    const fn new(id: &'static str, title: &'static str) -> Self {
        Self { id, title }
    }

    fn ok(self, message: impl Into<String>) -> Finding {
        self.find(Status::Ok, message.into(), None)
    }

    fn warning(self, message: impl Into<String>, advice: impl Into<String>) -> Finding {
        self.find(Status::Warning, message.into(), Some(advice.into()))
    }

    fn error(self, message: impl Into<String>, advice: impl Into<String>) -> Finding {
        self.find(Status::Error, message.into(), Some(advice.into()))
    }

    fn find(self, status: Status, message: String, advice: Option<String>) -> Finding {
        Finding { check: self.id, title: self.title, status, message, advice }
    }
}

const DATABASE: Subject = Subject::new("database", "Banco de dados");
const MIGRATIONS_PENDING: Subject = Subject::new("migrations", "Versão do banco");

pub(crate) fn run(office: &Office, given: &Doctor) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let mut findings = machine::check(office);
    let (database, app) = open(office);
    findings.extend(database);
    runtime.block_on(async {
        findings.push(services::check_storage(&office.config).await);
        findings.push(services::check_smtp(&office.config, given.mail_to.as_deref()).await);
        findings.push(certificate::check(&office.config).await);
        findings.extend(backups::check_target(&office.config).await);
        if let Some(app) = &app {
            findings.push(machine::check_clock(app).await);
            findings.extend(backups::check(app).await);
        }
    });
    print(&if given.json { as_json(office, &findings)? } else { as_text(office, &findings) })?;
    match findings.iter().filter(|finding| finding.status == Status::Error).count() {
        0 => Ok(()),
        1 => bail!("one check failed"),
        count => bail!("{count} checks failed"),
    }
}

/// Examines the database, and opens it if that changes nothing.
fn open(office: &Office) -> (Vec<Finding>, Option<Arc<App>>) {
    let config = &office.config;
    let begun = std::time::Instant::now();
    let applied = match find_applied(&database_source(config).location) {
        Ok(Some(applied)) => applied,
        Ok(None) => {
            let advice = "Confira na primeira linha se este é o escritório certo. `portaria serve` e `portaria init` criam um novo.";
            return (vec![DATABASE.error("Aqui não há escritório nenhum.", advice)], None);
        }
        Err(error) => return (vec![database_error(&error)], None),
    };
    let took = begun.elapsed().as_millis();
    let mut findings = vec![DATABASE.ok(format!("Responde em {took} ms."))];
    let missing = MIGRATIONS.missing(&applied);
    if let Some(newer) = MIGRATIONS.unknown(&applied) {
        findings.push(MIGRATIONS_PENDING.error(
            format!("O banco foi usado por uma versão mais nova do programa ({newer})."),
            "Instale de novo a versão mais nova, ou restaure um backup desta.",
        ));
        return (findings, None);
    }
    if !missing.is_empty() {
        findings.push(MIGRATIONS_PENDING.warning(
            format!("Falta aplicar {}: {}.", missing.len(), missing.join(", ")),
            "O próximo início do portal atualiza o banco; faça um backup antes.",
        ));
        return (findings, None);
    }
    findings.push(MIGRATIONS_PENDING.ok("Está em dia."));
    match App::open(config.clone(), Clock::system()) {
        Ok(app) => (findings, Some(app)),
        Err(error) => {
            findings.push(DATABASE.error(
                format!("O escritório não abre: {error:#}."),
                "`journalctl -u portaria` mostra o que o portal registrou.",
            ));
            (findings, None)
        }
    }
}

fn database_error(error: &Error) -> Finding {
    let advice = match error {
        Error::Corrupt(_) => {
            "Pare o portal, guarde uma cópia da pasta de dados e rode `portaria fsck`."
        }
        Error::DiskFull(_) => "Libere espaço no disco.",
        _ => "Confira se o servidor está no ar, e o endereço, o usuário e a senha em database_url.",
    };
    DATABASE.error(format!("Não abre: {error}."), advice)
}

fn as_text(office: &Office, findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding { title, status, message, advice, .. } in findings {
        let mark = match status {
            Status::Ok => "ok    ",
            Status::Warning => "AVISO ",
            Status::Error => "ERRO  ",
        };
        writeln!(text, "{mark} {title}: {message}").expect("writing to a String cannot fail");
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
    let worst = findings.iter().map(|finding| finding.status).max().unwrap_or(Status::Ok);
    let report = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "office": office.to_string(),
        "status": worst,
        "checks": findings,
        "settings": settings,
    });
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}
