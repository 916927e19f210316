//! The files that each caller may use.

use sea_query::{Condition, Expr, ExprTrait, Query, SelectStatement};

use crate::{
    db::{Error, Tx},
    policy::{Denied, assignments, referable_rows},
    schema::{
        ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, INBOX_BUCKET, RECEIVED_BUCKET, STAFF_PREFIX,
        TRASH_BUCKET, TableId, VERSIONS_BUCKET,
    },
    security::caller::Caller,
};

/// The buckets with files of clients, each with the table whose rows show them to their client.
const CLIENT_FILES: [(&str, TableId); 3] = [
    (DOCUMENTS_BUCKET, TableId::Documents),
    (ATTACHMENTS_BUCKET, TableId::TicketAttachments),
    (RECEIVED_BUCKET, TableId::ReceivedFiles),
];

/// The buckets with files of clients that only staff see, each with its table.
const STAFF_FILES: [(&str, TableId); 2] =
    [(TRASH_BUCKET, TableId::DeletedDocuments), (VERSIONS_BUCKET, TableId::DocumentVersions)];

/// Condition on the buckets that a caller can see: all for staff, and the portal's own and public ones for others.
#[must_use]
pub fn visible_buckets(caller: Caller) -> Condition {
    match caller {
        Caller::Admin(_) | Caller::Employee { .. } | Caller::Service => Condition::all(),
        Caller::Anon | Caller::Client { .. } | Caller::Viewer { .. } => Condition::any()
            .add(Expr::col(("buckets", "id")).is_in(CLIENT_FILES.map(|(bucket, _)| bucket)))
            .add(Expr::col(("buckets", "public")).eq(true)),
    }
}

/// Condition on the objects that a caller may read by name: those of public buckets for everyone, and for a client the
/// files of released documents, the attachments of the client's tickets, and the files that the client sent.
#[must_use]
pub fn readable_objects(caller: Caller) -> Condition {
    let public = Query::select()
        .expr(Expr::cust("1"))
        .from("buckets")
        .and_where(Expr::col(("buckets", "id")).equals(("objects", "bucket_id")))
        .and_where(Expr::col(("buckets", "public")).eq(true))
        .take();
    let readable = Condition::any().add(Expr::exists(public));
    // Wrapped in `all`, because a caller's further conditions must narrow it.
    Condition::all().add(match caller {
        Caller::Anon => readable,
        Caller::Employee { rights, .. } if rights.assigned_clients_only => {
            reached_objects(readable, caller)
        }
        Caller::Admin(_) | Caller::Employee { .. } | Caller::Service => return Condition::all(),
        Caller::Client { .. } | Caller::Viewer { .. } => shown_by(readable, &CLIENT_FILES, caller),
    })
}

/// Condition on the objects that lists show to a caller: for a client those that [`readable_objects`] names.
/// Files of public buckets are readable by name but not listed.
///
/// Subqueries on the rows of the client come first, because a client has few and the office has many
/// objects.
///
/// # Errors
/// [`Denied`] if the caller may list nothing.
pub fn listed_objects(caller: Caller) -> Result<Condition, Denied> {
    match caller {
        Caller::Anon => return Err(Denied),
        Caller::Employee { rights, .. } if rights.assigned_clients_only => {
            return Ok(Condition::all().add(reached_objects(Condition::any(), caller)));
        }
        Caller::Admin(_) | Caller::Employee { .. } | Caller::Service => {
            return Ok(Condition::all());
        }
        Caller::Client { .. } | Caller::Viewer { .. } => {}
    }
    let mut listed = Condition::any();
    for (bucket, table) in CLIENT_FILES {
        let names = rows_with_files(table, caller)?.column((name_of(table), "file_url")).take();
        listed = listed.add(in_bucket(bucket, Expr::col(("objects", "name")).in_subquery(names)));
    }
    // Wrapped in `all`, because a caller's further conditions must narrow it.
    Ok(Condition::all().add(listed))
}

/// Adds to alternatives the objects that a member of the staff with assigned clients reaches: the files of their
/// documents, attachments and received files, of the trash and the versions, and what the person added to the inbox.
fn reached_objects(alternatives: Condition, caller: Caller) -> Condition {
    // A file that became a client's is the client's, also for the person who uploaded it.
    let own = in_bucket(INBOX_BUCKET, Expr::col(("objects", "owner_id")).eq(caller.user()));
    let shown = shown_by(alternatives.add(own), &CLIENT_FILES, caller);
    shown_by(shown, &STAFF_FILES, caller)
}

/// Adds to alternatives the objects that a readable row of these tables shows.
fn shown_by(
    alternatives: Condition,
    files: &[(&'static str, TableId)],
    caller: Caller,
) -> Condition {
    files.iter().fold(alternatives, |alternatives, (bucket, table)| {
        let Ok(mut rows) = rows_with_files(*table, caller) else { return alternatives };
        rows.expr(Expr::cust("1"));
        rows.and_where(Expr::col((name_of(*table), "file_url")).equals(("objects", "name")));
        alternatives.add(in_bucket(bucket, Expr::exists(rows)))
    })
}

fn in_bucket(bucket: &str, condition: Expr) -> Condition {
    Condition::all().add(Expr::col(("objects", "bucket_id")).eq(bucket)).add(condition)
}

/// The rows of a table whose files a caller may read: a client not those of documents that are not published.
fn rows_with_files(table: TableId, caller: Caller) -> Result<SelectStatement, Denied> {
    let rows = referable_rows(caller, table)?;
    Ok(Query::select().from(name_of(table)).cond_where(rows).take())
}

fn name_of(table: TableId) -> &'static str {
    table.table().name
}

/// Whether a caller may add, replace and remove objects at all. `may_write_object` decides about one object.
///
/// # Errors
/// [`Denied`] for readers and for callers other than staff.
pub fn check_write_objects(caller: Caller) -> Result<(), Denied> {
    match caller {
        Caller::Admin(_) | Caller::Service => Ok(()),
        Caller::Employee { rights, .. } if rights.may_write => Ok(()),
        Caller::Employee { .. } | Caller::Anon | Caller::Client { .. } | Caller::Viewer { .. } => {
            Err(Denied)
        }
    }
}

/// Whether a caller of [`check_write_objects`] may add, replace and remove the object of this name. Employees write to
/// the portal's own buckets; with assigned clients, below the folders of these clients, and to their own files of the
/// inbox.
///
/// # Errors
/// Of the database.
pub(crate) fn may_write_object(
    tx: &mut Tx<'_>,
    caller: Caller,
    bucket: &str,
    name: &str,
) -> Result<bool, Error> {
    if check_write_objects(caller).is_err() {
        return Ok(false);
    }
    let Caller::Employee { .. } = caller else { return Ok(true) };
    let Some(staff) = caller.limited_to_assigned() else {
        let own = [DOCUMENTS_BUCKET, ATTACHMENTS_BUCKET, RECEIVED_BUCKET, INBOX_BUCKET];
        return Ok(own.contains(&bucket));
    };
    let mut segments = name.split('/');
    let first = segments.next().unwrap_or_default();
    let second = segments.next().unwrap_or_default();
    let client = match bucket {
        DOCUMENTS_BUCKET if first == "public" => second,
        RECEIVED_BUCKET => first,
        ATTACHMENTS_BUCKET if first == STAFF_PREFIX => {
            let mut ticket = assignments::tickets_of(staff);
            ticket.and_where(Expr::col(("tickets", "id")).eq(second));
            return Ok(!tx.rows(&ticket)?.is_empty());
        }
        INBOX_BUCKET => {
            let mut others = Query::select();
            others.column("id").from("objects").and_where(Expr::col("bucket_id").eq(bucket));
            others.and_where(Expr::col("name").eq(name));
            let is_other = Condition::any()
                .add(Expr::col("owner_id").is_null())
                .add(Expr::col("owner_id").ne(staff));
            return Ok(tx.rows(others.cond_where(is_other))?.is_empty());
        }
        _ => return Ok(false),
    };
    match client.parse() {
        Ok(client) => assignments::is_assigned(tx, staff, client),
        Err(_) => Ok(false),
    }
}

/// Condition on the objects that a caller of [`may_write_object`] may replace, rename and remove. Files that a client and
/// the office sent each other are evidence: each is its sender's until it is sent, and does not change afterwards.
pub(crate) fn changeable_objects(caller: Caller) -> Condition {
    let sent = [
        (ATTACHMENTS_BUCKET, TableId::TicketAttachments),
        (RECEIVED_BUCKET, TableId::ReceivedFiles),
    ];
    let owner = Expr::col(("objects", "owner_id"));
    let is_own = match caller.user() {
        Some(person) => owner.eq(person),
        None => owner.is_null(),
    };
    sent.into_iter().fold(Condition::all(), |condition, (bucket, table)| {
        let mut rows = Query::select();
        rows.expr(Expr::cust("1")).from(name_of(table));
        rows.and_where(Expr::col((name_of(table), "file_url")).equals(("objects", "name")));
        let is_unsent = Condition::all().add(is_own.clone()).add(Expr::exists(rows).not());
        let elsewhere = Expr::col(("objects", "bucket_id")).ne(bucket);
        condition.add(Condition::any().add(elsewhere).add(is_unsent))
    })
}

/// Whether a token of the inbox may add an object to a bucket. A token reads, replaces and removes nothing.
pub(crate) fn inbox_token_may_add(bucket: &str) -> bool {
    bucket == INBOX_BUCKET
}

/// Whether a caller may list, create, change, empty and remove buckets.
///
/// # Errors
/// [`Denied`] for callers other than administrators and the service key.
pub fn check_manage_buckets(caller: Caller) -> Result<(), Denied> {
    match caller {
        Caller::Admin(_) | Caller::Service => Ok(()),
        Caller::Employee { .. } | Caller::Anon | Caller::Client { .. } | Caller::Viewer { .. } => {
            Err(Denied)
        }
    }
}
