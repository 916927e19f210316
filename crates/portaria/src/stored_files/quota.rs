//! How much all files together, and those of one client, may take (`quota`, `quota_per_client`): added up in the
//! transaction that writes a file's row, so that nobody slips past.

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::api::storage::StorageError;
use crate::{
    app::App,
    db::{Error, Tx},
    lease,
    stored_files::object::{ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, STAFF_PREFIX},
};

/// The fact that those who add files hold one after the other.
const FACT: &str = "quota";

/// Waits until nobody else adds files, if it matters how much there is. Before any file is locked: all who lock both
/// do so in one order.
pub(crate) fn take_turn(tx: &mut Tx<'_>, app: &App) -> Result<(), Error> {
    let doors = &app.config.doors;
    if doors.quota.is_none() && doors.quota_per_client.is_none() {
        return Ok(());
    }
    lease::advisory_lock(tx, FACT)
}

/// Whether there is room for so many bytes more in that place: for what is still to come, or for none once they are
/// there.
///
/// # Errors
/// `QuotaExceeded`.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    app: &App,
    (bucket, name): (&str, &str),
    more: u64,
) -> Result<(), StorageError> {
    let doors = &app.config.doors;
    if let Some(most) = doors.quota
        && stored(tx, Condition::all())?.saturating_add(more) > most
    {
        return Err(StorageError::full("O espaço para arquivos do portal acabou."));
    }
    if let Some(most) = doors.quota_per_client
        && let Some(client) = client_of(bucket, name)
        && stored(tx, of_client(client))?.saturating_add(more) > most
    {
        return Err(StorageError::full("O espaço para os arquivos deste cliente acabou."));
    }
    Ok(())
}

fn stored(tx: &mut Tx<'_>, which: Condition) -> Result<u64, Error> {
    let mut query = Query::select();
    // PostgreSQL's sum of BIGINT is a NUMERIC.
    query.expr(Expr::cust("CAST(coalesce(sum(size), 0) AS BIGINT)")).from("objects");
    let rows = tx.rows(query.cond_where(which))?;
    Ok(rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0).unsigned_abs())
}

/// Whose file it is: documents lie below `public/{client}/`, files of messages below `{sender}/`.
fn client_of<'a>(bucket: &str, name: &'a str) -> Option<&'a str> {
    let mut segments = name.split('/');
    let client = match bucket {
        DOCUMENTS_BUCKET => segments.nth(1),
        ATTACHMENTS_BUCKET => segments.next().filter(|sender| *sender != STAFF_PREFIX),
        _ => None,
    };
    client.filter(|client| !client.is_empty())
}

fn of_client(client: &str) -> Condition {
    // Everything below a folder stands between `/` and the character behind it.
    let below = |bucket: &str, folder: String| {
        let name = || Expr::col("name");
        Condition::all()
            .add(Expr::col("bucket_id").eq(bucket))
            .add(name().gt(format!("{folder}/")))
            .add(name().lt(format!("{folder}0")))
    };
    Condition::any()
        .add(below(DOCUMENTS_BUCKET, format!("public/{client}")))
        .add(below(ATTACHMENTS_BUCKET, client.to_owned()))
}
