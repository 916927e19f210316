//! The folders to which a member of a client may be limited: the rows of `member_folders`
//! (`docs/decisions/0155-members-may-be-limited-to-folders.md`).

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use sea_query::{Alias, Condition, Expr, ExprTrait, Query, SelectStatement};

use crate::{
    db::{Error, Tx},
    schema::{RECEIVED_BUCKET, TableId},
    security::{
        caller::FolderLimit,
        ids::{MembershipId, UserId},
        keys,
    },
};

/// The folders that a person may read for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FolderReach {
    /// All folders.
    All,
    /// These folders, by `id_supabase`.
    Only(BTreeSet<String>),
}

impl FolderReach {
    /// Whether the person may read the documents of a folder.
    pub(crate) fn contains(&self, folder: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(folders) => folders.contains(folder),
        }
    }
}

/// The rows of a table that a member with a folder limit reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitedRows {
    /// The folders themselves.
    Folders,
    /// Documents of the client in the folders.
    Documents,
    /// Rows about such documents.
    AboutDocuments,
    /// Files that became such documents, and files that the person sent and that wait.
    ReceivedFiles,
    /// The person's notifications, without those of other documents.
    Notifications,
}

/// How a folder limit narrows the rows of a table that a client may read and change. `None`: not at all.
pub(super) fn limited_rows(table: TableId) -> Option<LimitedRows> {
    use TableId as T;
    match table {
        T::Folders => Some(LimitedRows::Folders),
        T::Documents => Some(LimitedRows::Documents),
        T::DocumentReceipts | T::DocumentPayments | T::DocumentApprovals | T::DocumentContacts => {
            Some(LimitedRows::AboutDocuments)
        }
        T::ReceivedFiles => Some(LimitedRows::ReceivedFiles),
        T::Notifications => Some(LimitedRows::Notifications),
        // A ticket and an item of a request belong to the client as a whole.
        T::Tickets
        | T::TicketMessages
        | T::TicketAttachments
        | T::TicketHistory
        | T::RequestItems
        | T::Clients
        | T::ClientMembers
        | T::Sessions
        | T::MutedTopics
        // Clients have no access to the other tables.
        | T::DeletedDocuments
        | T::DocumentVersions
        | T::EmailNotificationSettings
        | T::EmailTemplates
        | T::SavedReplies
        | T::Staff
        | T::TicketPresence
        | T::Activity
        | T::Outbox
        | T::InboxFiles
        | T::InboxRules
        | T::RecognitionRules
        | T::ReminderRules
        | T::RequestTemplates
        | T::OfficeSettings
        | T::ClientAssignments
        | T::StaffMailChoices
        | T::SavedViews => None,
    }
}

impl LimitedRows {
    /// Condition on the rows of the table with this alias. Correlated subqueries leave the order of a list to the indexes
    /// of its table.
    pub(super) fn condition(self, limit: FolderLimit, alias: &str) -> Condition {
        let column = |name: &'static str| Expr::col((Alias::new(alias), Alias::new(name)));
        let is_of_client = || column("client_id").eq(limit.client);
        let is_in_folders = |folder| {
            let mut listed = folders_of(limit.membership);
            listed
                .and_where(Expr::col(("member_folders", "folder_id_supabase")).eq(column(folder)));
            Expr::exists(listed)
        };
        let is_about_document = || {
            let reached = Alias::new("reached_documents");
            let id = Expr::col((reached.clone(), Alias::new("id")));
            let mut document = Query::select();
            document.expr(Expr::cust("1")).from_as("documents", reached);
            document.and_where(id.eq(column("document_id")));
            document.cond_where(Self::Documents.condition(limit, "reached_documents"));
            exists_for_each_row(document)
        };
        match self {
            Self::Folders => Condition::all().add(is_in_folders("id_supabase")),
            Self::Documents => {
                Condition::all().add(is_of_client()).add(is_in_folders("folder_id_supabase"))
            }
            Self::AboutDocuments => Condition::all().add(is_of_client()).add(is_about_document()),
            Self::ReceivedFiles => {
                let sent =
                    |name: &'static str| Expr::col((Alias::new("sent_objects"), Alias::new(name)));
                let mut object = Query::select();
                object.expr(Expr::cust("1")).from_as("objects", Alias::new("sent_objects"));
                object.and_where(sent("bucket_id").eq(RECEIVED_BUCKET));
                object.and_where(sent("name").eq(column("file_url")));
                object.and_where(sent("owner_id").eq(limit.person));
                let reached = is_about_document().or(exists_for_each_row(object));
                Condition::all().add(is_of_client()).add(reached)
            }
            Self::Notifications => {
                let is_about_other = column("document_id").is_null();
                let reached = Condition::any().add(is_about_other).add(is_about_document());
                Condition::all()
                    .add(column("person_id").eq(limit.person))
                    .add(is_of_client())
                    .add(reached)
            }
        }
    }

    /// The column of the owner, and the owner.
    pub(super) fn owner(self, limit: FolderLimit) -> Option<(&'static str, UserId)> {
        match self {
            Self::Folders => None,
            Self::Documents | Self::AboutDocuments | Self::ReceivedFiles => {
                Some(("client_id", limit.client))
            }
            Self::Notifications => Some(("person_id", limit.person)),
        }
    }
}

/// Condition that a correlated subquery has a row. PostgreSQL would read all rows of the subquery, and all rows of the list
/// with them, before it answers the first; a subquery with an offset is evaluated for one row of the list at a time.
fn exists_for_each_row(mut rows: SelectStatement) -> Expr {
    Expr::exists(rows.limit(1).offset(0).take())
}

/// Selects the folders of a membership, by `id_supabase`.
pub(super) fn folders_of(membership: MembershipId) -> SelectStatement {
    let mut query = Query::select();
    query.column(("member_folders", "folder_id_supabase")).from("member_folders");
    query.and_where(Expr::col(("member_folders", "membership_id")).eq(membership)).take()
}

/// Condition on a membership and a folder, given by columns of the statement: the membership reaches the folder.
pub(crate) fn membership_reaches(folder: (&'static str, &'static str)) -> Condition {
    let mut listed = Query::select();
    listed.expr(Expr::cust("1")).from("member_folders");
    listed.and_where(Expr::col(("member_folders", "membership_id")).equals(("memberships", "id")));
    listed.and_where(Expr::col(("member_folders", "folder_id_supabase")).equals(folder));
    Condition::any()
        .add(Expr::col(("memberships", "is_limited")).eq(false))
        .add(Expr::exists(listed))
}

/// Limits a membership to folders, or with `None` not any more.
pub(crate) fn set(
    tx: &mut Tx<'_>,
    membership: MembershipId,
    folders: Option<&BTreeSet<String>>,
    now: Timestamp,
) -> Result<(), Error> {
    let mut delete = Query::delete();
    delete.from_table("member_folders").and_where(Expr::col("membership_id").eq(membership));
    tx.execute(&delete)?;
    let mut update = Query::update();
    update.table("memberships").value("is_limited", folders.is_some());
    tx.execute(update.and_where(Expr::col("id").eq(membership)))?;
    for folder in folders.into_iter().flatten() {
        tx.insert(
            "member_folders",
            [
                ("id", keys::new_id(now).to_string().into()),
                ("membership_id", membership.into()),
                ("folder_id_supabase", folder.as_str().into()),
            ],
        )?;
    }
    Ok(())
}

/// Reads the folders of limited memberships.
pub(crate) fn folders_of_all(
    tx: &mut Tx<'_>,
    memberships: &[MembershipId],
) -> Result<BTreeMap<MembershipId, BTreeSet<String>>, Error> {
    let mut folders: BTreeMap<MembershipId, BTreeSet<String>> = BTreeMap::new();
    if memberships.is_empty() {
        return Ok(folders);
    }
    let mut query = Query::select();
    query.columns(["membership_id", "folder_id_supabase"]).from("member_folders");
    query.and_where(Expr::col("membership_id").is_in(memberships.iter().copied()));
    for row in tx.rows(&query)?.iter() {
        folders.entry(row.parse(0)?).or_default().insert(row.text(1)?.to_owned());
    }
    Ok(folders)
}
