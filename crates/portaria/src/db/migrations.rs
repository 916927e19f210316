//! Brings a database up to date with one folder of portable SQL.

use sea_query::Query;

use crate::db::{Error, Tx, postgres::Session};

/// Every migration, in order. One that a release shipped is never edited.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_accounts", include_str!("../../migrations/0001_accounts.sql")),
    ("0002_storage", include_str!("../../migrations/0002_storage.sql")),
    ("0003_portal", include_str!("../../migrations/0003_portal.sql")),
    ("0004_mail", include_str!("../../migrations/0004_mail.sql")),
    ("0005_activity", include_str!("../../migrations/0005_activity.sql")),
];

/// What every node takes before it migrates, so that two that start at once do not both.
pub(crate) fn lock(session: &mut Session) -> Result<(), Error> {
    session.batch("SELECT pg_advisory_xact_lock(7305803)")
}

/// The names of all migrations, in order.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|(name, _)| *name)
}

/// The migrations that a database has seen.
pub(crate) fn done(tx: &mut Tx<'_>) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.column("name").from("migrations").order_by("name", sea_query::Order::Asc);
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Runs what is missing, inside the caller's transaction.
pub(crate) fn run(tx: &mut Tx<'_>) -> Result<(), Error> {
    let all: Vec<String> = names().map(str::to_owned).collect();
    for name in run_these(tx, &all)? {
        tracing::info!(migration = name, "migrated");
    }
    Ok(())
}

/// Runs those of these migrations that are missing, and returns their names. Not all of them make the tables of an
/// older program.
pub(crate) fn run_these(tx: &mut Tx<'_>, wanted: &[String]) -> Result<Vec<&'static str>, Error> {
    tx.execute_batch("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)")?;
    let done = done(tx)?;
    if let Some(newer) = done.iter().chain(wanted).find(|name| !names().any(|known| known == *name))
    {
        return Err(Error::Internal(format!(
            "the database was last used by a newer version of this program (migration {newer})"
        )));
    }
    let mut missing = Vec::new();
    for (name, sql) in MIGRATIONS {
        let is = |other: &String| other == name;
        if wanted.iter().any(is) && !done.iter().any(is) {
            tx.execute_batch(&tx.dialect().migration(sql))?;
            tx.insert("migrations", [("name", (*name).into())])?;
            missing.push(*name);
        }
    }
    Ok(missing)
}
