//! The database and its version.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time::sleep;

use crate::doctor::{
    Finding,
    finding::{Section, Subject},
};
use crate::{
    app::App,
    clock::Clock,
    config::Config,
    db::{
        Error,
        migrations::{applied, find_applied},
    },
    schema::migrations::{MIGRATIONS, database_source},
};

const DATABASE: Subject = Subject::new(Section::Data, "database", "Banco de dados");
const REPLICA: Subject = Subject::new(Section::Data, "replica", "Réplica do banco");
/// Time in which a portal that has just started compares the replica with the primary.
const COMPARISON_TIME: Duration = Duration::from_secs(3);
const VERSION: Subject = Subject::new(Section::Data, "migrations", "Versão do banco");

/// Examines the database, and opens it if that changes nothing.
pub(super) fn open(config: &Config) -> (Vec<Finding>, Option<Arc<App>>) {
    let begun = Instant::now();
    let applied = match find_applied(&database_source(config).location) {
        Ok(Some(applied)) => applied,
        Ok(None) => {
            let advice = "Confira na primeira linha se este é o escritório certo. `portaria serve` e `portaria init` criam um novo.";
            return (vec![DATABASE.error("Aqui não há escritório nenhum.", advice)], None);
        }
        Err(error) => return (vec![not_open(&error)], None),
    };
    let version = check_version(&applied);
    let is_current =
        MIGRATIONS.missing(&applied).is_empty() && MIGRATIONS.unknown(&applied).is_none();
    let mut findings = vec![answered(config, begun.elapsed()), version];
    if !is_current {
        return (findings, None);
    }
    match App::open(config.clone(), Clock::system()) {
        Ok(app) => (findings, Some(app)),
        Err(error) => {
            let finding = DATABASE.error(
                "O escritório não abre.",
                "`journalctl -u portaria` mostra o que o portal registrou.",
            );
            findings.push(finding.because(&format!("{error:#}")));
            (findings, None)
        }
    }
}

/// Examines the database through the connections of the running portal.
pub(super) async fn check_running(app: &Arc<App>, limit: Duration) -> Vec<Finding> {
    let begun = Instant::now();
    let read = tokio::time::timeout(limit, app.db.read(applied)).await;
    match read {
        Ok(Ok(applied)) => vec![answered(&app.config, begun.elapsed()), check_version(&applied)],
        Ok(Err(error)) => vec![not_open(&error)],
        Err(_) => vec![DATABASE.within(Duration::ZERO, std::future::pending()).await],
    }
}

/// Examines the replica, if there is one.
pub(super) async fn check_replica(app: &App) -> Option<Finding> {
    app.config.database_replica.as_ref()?;
    let is_current = || app.db.load().replica.is_some_and(|replica| replica.is_current);
    let begun = Instant::now();
    while !is_current() && begun.elapsed() < COMPARISON_TIME {
        sleep(Duration::from_millis(50)).await;
    }
    if is_current() {
        return Some(REPLICA.ok("Acompanha o banco; as listas são lidas dela."));
    }
    Some(REPLICA.warning(
        "Não acompanha o banco; as listas são lidas do servidor principal.",
        "O registro do portal diz o motivo. Confira database_replica_url e, na réplica, `SELECT * FROM pg_stat_wal_receiver`.",
    ))
}

fn answered(config: &Config, took: Duration) -> Finding {
    let engine = if config.database.is_some() { "PostgreSQL" } else { "SQLite" };
    DATABASE.ok(format!("O {engine} respondeu em {} ms.", took.as_millis()))
}

fn check_version(applied: &[String]) -> Finding {
    let missing = MIGRATIONS.missing(applied);
    if let Some(newer) = MIGRATIONS.unknown(applied) {
        return VERSION.error(
            format!("O banco foi usado por uma versão mais nova do programa ({newer})."),
            "Instale de novo a versão mais nova, ou restaure um backup desta.",
        );
    }
    if missing.is_empty() {
        return VERSION.ok("Está em dia.");
    }
    VERSION.warning(
        format!("Falta aplicar {}: {}.", missing.len(), missing.join(", ")),
        "O próximo início do portal atualiza o banco; faça um backup antes.",
    )
}

fn not_open(error: &Error) -> Finding {
    let advice = match error {
        Error::Corrupt(_) => {
            "Pare o portal, guarde uma cópia da pasta de dados e rode `portaria fsck`."
        }
        Error::DiskFull(_) => "Libere espaço no disco.",
        _ => "Confira se o servidor está no ar, e o endereço, o usuário e a senha em database_url.",
    };
    DATABASE.error("Não abre.", advice).because(error)
}
