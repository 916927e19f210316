//! The words in which tables are told: columns, what they hold, who fills them, how tables relate.
//!
//! The tables themselves are told in `tables.rs`.

pub mod relations;
pub mod tables;
pub mod value;
pub mod write;

/// The bucket of the documents' files (spec §9).
pub const DOCUMENTS_BUCKET: &str = "client-documents";
/// The bucket of the files that come with tickets' messages: `{sender}/{ticket}/{file}`.
pub const ATTACHMENTS_BUCKET: &str = "ticket-attachments";
/// The sender of the office's files there; a client's is their id. Apart from the clients' own, because a name that is
/// taken is told to whoever may put files beside it, and of the notes' files no client hears.
pub const STAFF_PREFIX: &str = "office";

/// A table or view of the API. The enum lets `policy` prove at compile time that it forgot none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the tables'")]
pub enum TableId {
    Folders,
    Documents,
    Tickets,
    Clients,
    EmailNotificationSettings,
    EmailTemplates,
    TicketMessages,
    TicketAttachments,
    TicketHistory,
    DocumentReceipts,
    SavedReplies,
    Staff,
    TicketPresence,
    Sessions,
    MutedTopics,
    Activity,
    Outbox,
}

/// A table of the API.
#[derive(Debug)]
pub struct Table {
    /// Which one.
    pub id: TableId,
    /// Its name on the wire and in the database.
    pub name: &'static str,
    /// In the order in which `*` gives them.
    pub columns: &'static [Column],
    /// The column that names a row.
    pub key: &'static str,
    /// Columns, besides the key, of which no two rows hold the same value; an upsert may name them.
    pub unique: &'static [&'static str],
    /// For staff only: for others it does not exist.
    pub hidden: bool,
    /// Whether nobody writes to it: a view, or what the server alone writes down.
    pub read_only: bool,
}

/// A column of a table.
#[derive(Debug)]
pub struct Column {
    /// Its name on the wire and in the database.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// For staff only: for clients it does not exist.
    pub hidden: bool,
    /// What it holds if an insert does not say.
    pub default: ColumnDefault,
    /// Filled with the default whatever a client says: what the client library sends is accepted, not believed.
    pub server: bool,
}

/// What a column holds: how it is checked on the way in and written on the way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// A UUID, lower case.
    Uuid,
    /// Text of at most so many characters.
    Text(usize),
    /// A moment; a date without a time means the given end of that day in the portal's zone.
    Timestamp(DayBoundary),
    /// true or false.
    Bool,
    /// A 64-bit number.
    Int,
    /// Any JSON, stored as text.
    Json,
}

/// Which moment a bare date stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayBoundary {
    /// 00:00:00
    Start,
    /// 23:59:59: something that expires on a day is good all that day.
    End,
}

/// What fills a column that an insert leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnDefault {
    /// NULL, which a column that is not nullable refuses.
    Null,
    /// A fixed text.
    Text(&'static str),
    /// A fixed number.
    Int(i64),
    /// `false`
    False,
    /// A new id.
    NewId,
    /// The moment of the insert.
    Now,
    /// The caller's own id.
    Caller,
}

/// A way from one table to another: `child.column` holds a value of `parent.parent_column`.
#[derive(Debug)]
pub struct Relation {
    /// The foreign key's name, by which a caller may tell relations apart.
    pub name: &'static str,
    /// The table that refers.
    pub child: TableId,
    /// The column that refers.
    pub column: &'static str,
    /// The table that is referred to.
    pub parent: TableId,
    /// The column that is referred to.
    pub parent_column: &'static str,
}

impl Column {
    /// A column that must be given.
    pub(crate) const fn new(name: &'static str, kind: ColumnType) -> Self {
        Self {
            name,
            kind,
            nullable: false,
            hidden: false,
            default: ColumnDefault::Null,
            server: false,
        }
    }

    pub(crate) const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    pub(crate) const fn staff_only(self) -> Self {
        Self { hidden: true, ..self }
    }

    pub(crate) const fn server_managed(self) -> Self {
        Self { server: true, ..self }
    }

    pub(crate) const fn default(self, default: ColumnDefault) -> Self {
        Self { default, ..self }
    }
}

impl Table {
    /// The column that names a row to a caller: the key, or where that is hidden another of its kind.
    #[must_use]
    pub fn public_key_column(&self, sees_hidden: bool) -> &'static str {
        let shown = |name: &&'static str| self.column(name, sees_hidden).is_some();
        let mut keys = [self.key].into_iter().chain(self.unique.iter().copied());
        keys.find(shown).expect("some key of every table is shown: tested below")
    }

    /// The column of that name, if the caller may know of it.
    #[must_use]
    pub fn column(&self, name: &str, sees_hidden: bool) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.name == name && (sees_hidden || !column.hidden))
    }
}
