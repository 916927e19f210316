//! Types that describe the tables of the table API: columns, column types, defaults and relations.
//!
//! [`tables`] contains the tables, [`relations`] their foreign keys, and [`mod@value`] the conversion of values.

mod canonical_text;
mod document_tables;
mod inbox_tables;
mod member_tables;
pub mod migrations;
mod notification_tables;
mod office_tables;
pub mod relations;
mod request_tables;
pub mod search_words;
pub mod tables;
pub mod value;

/// Bucket of the documents' files: `public/{client}/{folder}/{file}`.
pub const DOCUMENTS_BUCKET: &str = "client-documents";
/// Bucket of the files that are attached to messages of tickets: `{sender}/{ticket}/{file}`.
pub const ATTACHMENTS_BUCKET: &str = "ticket-attachments";
/// Bucket of files that the office received and did not publish yet, with any names. Only staff can reach it.
pub const INBOX_BUCKET: &str = "inbox";
/// Bucket of the files that clients sent: `{client}/{item}/{file}`, or `{client}/unrequested/{file}`.
pub const RECEIVED_BUCKET: &str = "received-files";
/// Bucket of the files of deleted documents: `{client}/{document}/{file}`. Only staff can reach it.
pub const TRASH_BUCKET: &str = "deleted-documents";
/// Bucket of the earlier files of documents: `{client}/{document}/{file}`. Only staff can reach it.
pub const VERSIONS_BUCKET: &str = "document-versions";
/// First segment of the names of staff's attachments; a client's attachments begin with the client's id. The prefixes
/// differ because an upload reveals whether a name is taken, and clients must not learn of files of internal notes.
pub const STAFF_PREFIX: &str = "office";

/// A table or view of the API. The `match` in `policy/` is exhaustive, so a table without a policy does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "variants are named after the tables")]
pub enum TableId {
    Folders,
    Documents,
    Tickets,
    Clients,
    ClientMembers,
    EmailNotificationSettings,
    EmailTemplates,
    TicketMessages,
    TicketAttachments,
    TicketHistory,
    DocumentReceipts,
    DocumentPayments,
    DocumentApprovals,
    DocumentContacts,
    DeletedDocuments,
    DocumentVersions,
    ReminderRules,
    SavedReplies,
    Staff,
    TicketPresence,
    Sessions,
    MutedTopics,
    Notifications,
    StaffMailChoices,
    SavedViews,
    Activity,
    Outbox,
    InboxFiles,
    InboxRules,
    RecognitionRules,
    RequestItems,
    ReceivedFiles,
    RequestTemplates,
    OfficeSettings,
    ClientAssignments,
}

/// A table of the API.
#[derive(Debug)]
pub struct Table {
    /// The identifier of the table.
    pub id: TableId,
    /// The name on the wire and in the database.
    pub name: &'static str,
    /// The columns, in the order of `select=*`.
    pub columns: &'static [Column],
    /// The primary key.
    pub key: &'static str,
    /// Other unique columns, which an upsert may name in `on_conflict`.
    pub unique: &'static [&'static str],
    /// Whether the table exists for staff only.
    pub staff_only: bool,
    /// Whether no caller can write to the table: a view, or a table that only the server writes.
    pub read_only: bool,
}

/// A column of a table.
#[derive(Debug)]
pub struct Column {
    /// The name on the wire and in the database.
    pub name: &'static str,
    /// The type of its values.
    pub column_type: ColumnType,
    /// Whether the column accepts NULL.
    pub nullable: bool,
    /// Whether the column exists for staff only.
    pub staff_only: bool,
    /// The value if an insert omits the column.
    pub default: ColumnDefault,
    /// Whether a client's value is accepted and replaced by the default (docs/protocol/rest.md, section 3.3).
    pub server: bool,
    /// The companion column with the stems of the words, for the text search. It exists for no caller.
    pub words: Option<&'static str>,
    /// The values of a column whose rows are many in one state and few in another. They are part of the text of a
    /// statement, so that the database knows how many rows a test finds, and uses the index of the few.
    pub states: &'static [&'static str],
}

/// The type of a column, which determines how values are validated and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// A UUID, lower case.
    Uuid,
    /// Text with a maximum length in characters.
    Text(usize),
    /// A point in time. A date without a time is the given boundary of that day in the portal's zone.
    Timestamp(DayBoundary),
    /// A boolean.
    Bool,
    /// A signed 64-bit integer.
    Int,
    /// Any JSON, stored as text.
    Json,
}

/// The time of a date without a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayBoundary {
    /// 00:00:00
    Start,
    /// 23:59:59: a document is valid until the end of the day on which it expires.
    End,
}

/// The value of a column that an insert omits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnDefault {
    /// NULL; a column that is not nullable must then be given.
    Null,
    /// A fixed text.
    Text(&'static str),
    /// A fixed number.
    Int(i64),
    /// `false`
    False,
    /// A new UUID.
    NewId,
    /// The time of the insert.
    Now,
    /// The caller's user id.
    Caller,
}

/// A foreign key: `child.column` refers to `parent.parent_column`.
#[derive(Debug)]
pub struct Relation {
    /// The name of the foreign key, which a request may use as a hint (`relation!name`).
    pub name: &'static str,
    /// The referring table.
    pub child: TableId,
    /// The referring column.
    pub column: &'static str,
    /// The referenced table.
    pub parent: TableId,
    /// The referenced column.
    pub parent_column: &'static str,
}

impl Column {
    /// Describes a column that is not nullable and has no default.
    pub(crate) const fn new(name: &'static str, kind: ColumnType) -> Self {
        Self {
            name,
            column_type: kind,
            nullable: false,
            staff_only: false,
            default: ColumnDefault::Null,
            server: false,
            words: None,
            states: &[],
        }
    }

    pub(crate) const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    pub(crate) const fn staff_only(self) -> Self {
        Self { staff_only: true, ..self }
    }

    pub(crate) const fn server_managed(self) -> Self {
        Self { server: true, ..self }
    }

    pub(crate) const fn searchable(self, words: &'static str) -> Self {
        Self { words: Some(words), ..self }
    }

    pub(crate) const fn states(self, states: &'static [&'static str]) -> Self {
        Self { states, ..self }
    }

    pub(crate) const fn default(self, default: ColumnDefault) -> Self {
        Self { default, ..self }
    }
}

impl Table {
    /// Returns the column that identifies rows for a caller: the key, or a unique column if the key is hidden.
    #[must_use]
    pub fn public_key_column(&self, sees_hidden: bool) -> &'static str {
        let is_visible = |name: &&'static str| self.column(name, sees_hidden).is_some();
        let mut keys = [self.key].into_iter().chain(self.unique.iter().copied());
        keys.find(is_visible).expect("every table has a visible key (tested in schema/tables.rs)")
    }

    /// Returns the columns for which an object has values.
    pub(crate) fn columns_in(
        &self,
        values: &serde_json::Map<String, serde_json::Value>,
    ) -> Vec<&'static Column> {
        self.columns.iter().filter(|column| values.contains_key(column.name)).collect()
    }

    /// Finds a column by its name. `sees_hidden` includes the columns for staff.
    #[must_use]
    pub fn column(&self, name: &str, sees_hidden: bool) -> Option<&'static Column> {
        self.columns
            .iter()
            .find(|column| column.name == name && (sees_hidden || !column.staff_only))
    }
}
