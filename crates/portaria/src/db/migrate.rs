//! Brings a database up to date with one folder of portable SQL.

use sea_query::Query;

use super::{Error, Tx};

/// Every migration, in order. One that a release shipped is never edited.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_accounts", include_str!("../../migrations/0001_accounts.sql")),
    ("0002_storage", include_str!("../../migrations/0002_storage.sql")),
    ("0003_portal", include_str!("../../migrations/0003_portal.sql")),
    ("0004_mail", include_str!("../../migrations/0004_mail.sql")),
    ("0005_activity", include_str!("../../migrations/0005_activity.sql")),
];

/// Runs what is missing, inside the caller's transaction.
pub(super) fn run(tx: &mut Tx<'_>) -> Result<(), Error> {
    tx.batch("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)")?;
    let done = tx.rows(
        Query::select().column("name").from("migrations").order_by("name", sea_query::Order::Asc),
    )?;
    let done: Vec<&str> = done.iter().map(|row| row.text(0)).collect::<Result<_, _>>()?;
    if let Some(newer) =
        done.iter().find(|name| !MIGRATIONS.iter().any(|(known, _)| known == *name))
    {
        return Err(Error::Internal(format!(
            "the database was last used by a newer version of this program (migration {newer})"
        )));
    }
    for (name, sql) in MIGRATIONS.iter().filter(|(name, _)| !done.contains(name)) {
        tracing::info!(migration = name, "migrating");
        tx.batch(&tx.dialect().migration(sql))?;
        tx.insert("migrations", [("name", (*name).into())])?;
    }
    Ok(())
}
