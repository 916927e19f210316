//! Migrations of the database schema, in portable SQL.

use sea_query::Query;

use crate::db::{Error, Tx, postgres::Session};

/// All migrations, in order. A migration that was part of a release is never edited.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_accounts", include_str!("../../migrations/0001_accounts.sql")),
    ("0002_storage", include_str!("../../migrations/0002_storage.sql")),
    ("0003_portal", include_str!("../../migrations/0003_portal.sql")),
    ("0004_mail", include_str!("../../migrations/0004_mail.sql")),
    ("0005_activity", include_str!("../../migrations/0005_activity.sql")),
];

/// Takes the advisory lock for migrations, so that two nodes that start at once do not both migrate.
pub(crate) fn lock(session: &mut Session) -> Result<(), Error> {
    session.batch("SELECT pg_advisory_xact_lock(7305803)")
}

/// Returns the names of all migrations, in order.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    MIGRATIONS.iter().map(|(name, _)| *name)
}

/// Returns the names of the migrations that were applied to a database.
pub(crate) fn applied(tx: &mut Tx<'_>) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.column("name").from("migrations").order_by("name", sea_query::Order::Asc);
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Applies the missing migrations, inside the caller's transaction.
pub(crate) fn run(tx: &mut Tx<'_>) -> Result<(), Error> {
    let all: Vec<String> = names().map(str::to_owned).collect();
    for name in run_selected(tx, &all)? {
        tracing::info!(migration = name, "migration applied");
    }
    Ok(())
}

/// Applies those of the `wanted` migrations that are missing, and returns their names. A subset creates the schema of
/// an older version of the program.
pub(crate) fn run_selected(tx: &mut Tx<'_>, wanted: &[String]) -> Result<Vec<&'static str>, Error> {
    tx.execute_batch("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)")?;
    let done = applied(tx)?;
    if let Some(newer) = done.iter().chain(wanted).find(|name| !names().any(|ours| ours == *name)) {
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
