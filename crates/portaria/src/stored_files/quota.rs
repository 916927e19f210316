//! Storage quotas of the portal and of each client (the settings `quota` and `quota_per_client`).
//!
//! The used space is summed in the transaction that inserts a file's row, so that concurrent uploads cannot exceed a
//! quota together (`docs/decisions/0012-free-space-and-quotas.md`).

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    app::App,
    db::{Error, Tx},
    lease,
    schema::{ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, RECEIVED_BUCKET, STAFF_PREFIX},
};

/// Name of the advisory lock that serializes transactions that add files.
const LOCK_NAME: &str = "quota";

/// A quota is exceeded, or its check failed.
#[derive(Debug)]
pub enum QuotaError {
    /// The files of the portal would exceed the setting `quota`.
    Portal,
    /// The files of a client would exceed the setting `quota_per_client`.
    Client,
    /// The database failed.
    Database(Error),
}

impl From<Error> for QuotaError {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

/// Serializes transactions that add files, if a quota is set. Call it before objects are locked: the same lock order in
/// all transactions prevents deadlocks.
pub(crate) fn lock(tx: &mut Tx<'_>, app: &App) -> Result<(), Error> {
    let config = &app.config;
    if config.quota.is_none() && config.quota_per_client.is_none() {
        return Ok(());
    }
    lease::advisory_lock(tx, LOCK_NAME)
}

/// Checks the quotas for `more` additional bytes under the name of an object. After the row was inserted, `more` is 0.
///
/// # Errors
/// [`QuotaError::Portal`], [`QuotaError::Client`].
pub(crate) fn check(
    tx: &mut Tx<'_>,
    app: &App,
    bucket: &str,
    name: &str,
    more: u64,
) -> Result<(), QuotaError> {
    let config = &app.config;
    if let Some(limit) = config.quota
        && used_bytes(tx, Condition::all())?.saturating_add(more) > limit
    {
        return Err(QuotaError::Portal);
    }
    if let Some(limit) = config.quota_per_client
        && let Some(client) = client_of(bucket, name)
        && used_bytes(tx, of_client(client))?.saturating_add(more) > limit
    {
        return Err(QuotaError::Client);
    }
    Ok(())
}

/// Sums the sizes of the objects that meet `condition`.
fn used_bytes(tx: &mut Tx<'_>, condition: Condition) -> Result<u64, Error> {
    let mut query = Query::select();
    // On PostgreSQL the sum of a BIGINT column is NUMERIC.
    query.expr(Expr::cust("CAST(coalesce(sum(size), 0) AS BIGINT)")).from("objects");
    let rows = tx.rows(query.cond_where(condition))?;
    Ok(rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0).unsigned_abs())
}

/// Returns the client to whose quota a file counts: the one in `public/{client}/…` of a document, or the sender in
/// `{sender}/…` of an attachment, or in `{client}/…` of a received file. Attachments of the office count to no client.
fn client_of<'a>(bucket: &str, name: &'a str) -> Option<&'a str> {
    let mut segments = name.split('/');
    let client = match bucket {
        DOCUMENTS_BUCKET => segments.nth(1),
        ATTACHMENTS_BUCKET => segments.next().filter(|sender| *sender != STAFF_PREFIX),
        RECEIVED_BUCKET => segments.next(),
        _ => None,
    };
    client.filter(|client| !client.is_empty())
}

/// Condition for the files of a client.
fn of_client(client: &str) -> Condition {
    // Names below `folder/` sort between `folder/` and `folder0`, because `0` follows `/` in ASCII. An index serves
    // this.
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
        .add(below(RECEIVED_BUCKET, client.to_owned()))
}
