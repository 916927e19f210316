//! The changes of rows that the caller of a channel of the realtime API may receive, by a reach that is read once for many
//! events.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use sea_query::{Expr, ExprTrait, Query, SelectStatement};
use uuid::Uuid;

use crate::{
    db::{Error, Row, Tx},
    policy::{
        Access, Action, Denied, RowScope, access, assignments,
        folder_limits::{self, LimitedRows, limited_rows},
    },
    schema::{RECEIVED_BUCKET, TableId},
    security::{caller::Caller, ids::UserId},
};

/// The clients who are assigned to a limited member of the staff, by id, or the folders of a limited member of a client,
/// by `id_supabase`. Empty for callers whose rights do not depend on it.
#[derive(Debug, Clone, Default)]
pub struct Reach(Arc<HashSet<String>>);

impl Reach {
    /// Reads the reach of a caller.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn of(tx: &mut Tx<'_>, caller: Caller) -> Result<Self, Error> {
        let query = if let Some(staff) = caller.limited_to_assigned() {
            assignments::clients_of(staff)
        } else if let Some(limit) = caller.folder_limit() {
            folder_limits::folders_of(limit.membership)
        } else {
            return Ok(Self::default());
        };
        let rows = tx.rows(&query)?;
        let ids = rows.iter().map(|row| row.text(0).map(str::to_owned));
        Ok(Self(Arc::new(ids.collect::<Result<_, Error>>()?)))
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.0.contains(id)
    }
}

/// Permission to receive the changes of rows of a table. Only staff receive those of `clients`: the column that changed
/// may be one that exists for staff alone.
///
/// # Errors
/// [`Denied`] if the caller may receive the changes of no row.
pub fn listening(caller: Caller, table: TableId) -> Result<Access, Denied> {
    if table == TableId::Clients && !caller.is_staff() {
        return Err(Denied);
    }
    access(caller, table, Action::Select)
}

/// The values by which callers may read a row: its own, and those of the document and of the file that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ownership {
    /// The value of [`owner_column`].
    owner: Option<String>,
    /// The value of [`folder_column`], or the folder of the document if it belongs to the same owner.
    folder: Option<String>,
    /// The person who sent the file.
    sender: Option<String>,
}

/// The documents and files that rows of several tables name.
#[derive(Debug, Default)]
pub struct NamedRows {
    /// Owner and folder of each document.
    documents: HashMap<String, [Option<String>; 2]>,
    /// The person who sent each file that waits.
    files: HashMap<String, Option<String>>,
}

impl NamedRows {
    /// Reads documents by id ([`document_column`]) and files by path ([`file_column`]).
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn read(
        tx: &mut Tx<'_>,
        documents: &BTreeSet<String>,
        files: &BTreeSet<String>,
    ) -> Result<Self, Error> {
        let mut query = Query::select();
        query.columns(["id", "client_id", "folder_id_supabase"]).from("documents");
        let documents = by_key(tx, query, "id", documents, |row| {
            Ok([row.opt_text(1)?, row.opt_text(2)?].map(|value| value.map(str::to_owned)))
        })?;
        let mut query = Query::select();
        query.columns(["name", "owner_id"]).from("objects");
        query.and_where(Expr::col("bucket_id").eq(RECEIVED_BUCKET));
        let files =
            by_key(tx, query, "name", files, |row| Ok(row.opt_text(1)?.map(str::to_owned)))?;
        Ok(Self { documents, files })
    }

    /// Returns the ownership of a row. `value` returns that of a column.
    #[must_use]
    pub fn ownership(
        &self,
        table: TableId,
        value: impl Fn(&'static str) -> Option<String>,
    ) -> Ownership {
        let owner = owner_column(table).and_then(&value);
        let document = || {
            let [client, folder] = self.documents.get(&document_column(table).and_then(&value)?)?;
            folder.clone().filter(|_| *client == owner)
        };
        let folder = folder_column(table).and_then(&value).or_else(document);
        let sender = file_column(table)
            .and_then(&value)
            .and_then(|path| self.files.get(&path).cloned().flatten());
        Ownership { owner, folder, sender }
    }
}

/// Reads rows by the first of their columns.
fn by_key<Value>(
    tx: &mut Tx<'_>,
    mut query: SelectStatement,
    column: &'static str,
    keys: &BTreeSet<String>,
    value: impl Fn(Row<'_>) -> Result<Value, Error>,
) -> Result<HashMap<String, Value>, Error> {
    let mut keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let Some(last) = keys.last().copied() else { return Ok(HashMap::new()) };
    // A power of two, so that few statements are prepared.
    keys.resize(keys.len().next_power_of_two(), last);
    let rows = tx.rows(query.and_where(Expr::col(column).is_in(keys)))?;
    rows.iter().map(|row| Ok((row.text(0)?.to_owned(), value(row)?))).collect()
}

impl Access {
    /// Whether a row is among the rows. `reach` is that of the caller.
    #[must_use]
    pub fn permits(self, row: &Ownership, reach: &Reach) -> bool {
        let is_of = |id: UserId| row.owner.as_deref() == Some(id.to_string().as_str());
        let is_in_folders = || row.folder.as_deref().is_some_and(|folder| reach.contains(folder));
        match self.0 {
            RowScope::All => true,
            RowScope::Own { owner, .. } => is_of(owner),
            RowScope::Assigned { .. } | RowScope::OfAssignedTickets { .. } => {
                row.owner.as_deref().is_some_and(|client| reach.contains(client))
            }
            RowScope::InFolders { rows, limit } => match rows {
                LimitedRows::Folders => is_in_folders(),
                LimitedRows::Documents | LimitedRows::AboutDocuments => {
                    is_of(limit.client) && is_in_folders()
                }
                LimitedRows::ReceivedFiles => {
                    let is_sent = row.sender.as_deref() == Some(limit.person.to_string().as_str());
                    is_of(limit.client) && (is_sent || is_in_folders())
                }
                LimitedRows::Notifications => false,
            },
            // These columns do not decide, so no change of such a row is announced.
            RowScope::OwnOfAssigned { .. }
            | RowScope::MailsOfAssigned { .. }
            | RowScope::AddedToInbox { .. }
            | RowScope::Personal { .. } => false,
        }
    }
}

/// The column by whose value clients may read a row of a table; `None` if they may read all its rows, or none.
#[must_use]
pub fn owner_column(table: TableId) -> Option<&'static str> {
    let access = access(Caller::own_account(UserId(Uuid::nil())), table, Action::Select).ok()?;
    access.owner().map(|(column, _)| column)
}

/// The column by whose value, beside [`owner_column`], limited members may read a row of a table.
#[must_use]
pub fn folder_column(table: TableId) -> Option<&'static str> {
    match limited_rows(table)? {
        LimitedRows::Folders => Some("id_supabase"),
        LimitedRows::Documents => Some("folder_id_supabase"),
        LimitedRows::AboutDocuments | LimitedRows::ReceivedFiles | LimitedRows::Notifications => {
            None
        }
    }
}

/// The column with the document by whose folder limited members may read a row of a table.
#[must_use]
pub fn document_column(table: TableId) -> Option<&'static str> {
    let rows = limited_rows(table)?;
    matches!(rows, LimitedRows::AboutDocuments | LimitedRows::ReceivedFiles)
        .then_some("document_id")
}

/// The column with the file whose sender may read a row of a table in spite of a limit.
#[must_use]
pub fn file_column(table: TableId) -> Option<&'static str> {
    (limited_rows(table)? == LimitedRows::ReceivedFiles).then_some("file_url")
}
