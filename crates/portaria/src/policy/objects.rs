//! The files that each caller may use.

use sea_query::{Condition, Expr, ExprTrait, Query, SelectStatement};

use crate::{
    db::{Error, Tx},
    policy::{Action, Denied, access, assignments},
    schema::{
        ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, INBOX_BUCKET, RECEIVED_BUCKET, STAFF_PREFIX,
        TRASH_BUCKET, TableId, VERSIONS_BUCKET,
    },
    security::{caller::Caller, ids::UserId},
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
    match caller {
        Caller::Anon => return Condition::all().add(Expr::exists(public)),
        Caller::Employee { person, rights } if rights.assigned_clients_only => {
            let readable = Condition::any().add(Expr::exists(public));
            return Condition::all().add(reached_objects(readable, person));
        }
        Caller::Admin(_) | Caller::Employee { .. } | Caller::Service => return Condition::all(),
        Caller::Client { .. } | Caller::Viewer { .. } => {}
    }
    let mut readable = Condition::any().add(Expr::exists(public));
    for (bucket, table) in CLIENT_FILES {
        let Some(mut rows) = visible_rows(table, caller) else { continue };
        rows.expr(Expr::cust("1"));
        rows.and_where(Expr::col((table.table().name, "file_url")).equals(("objects", "name")));
        readable = readable.add(in_bucket(bucket, Expr::exists(rows)));
    }
    // Wrapped in `all`, because a caller's further conditions must narrow it.
    Condition::all().add(readable)
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
        Caller::Employee { person, rights } if rights.assigned_clients_only => {
            return Ok(Condition::all().add(reached_objects(Condition::any(), person)));
        }
        Caller::Admin(_) | Caller::Employee { .. } | Caller::Service => {
            return Ok(Condition::all());
        }
        Caller::Client { .. } | Caller::Viewer { .. } => {}
    }
    let mut listed = Condition::any();
    for (bucket, table) in CLIENT_FILES {
        let Some(mut rows) = visible_rows(table, caller) else { continue };
        let names = rows.column((table.table().name, "file_url")).take();
        listed = listed.add(in_bucket(bucket, Expr::col(("objects", "name")).in_subquery(names)));
    }
    // Wrapped in `all`, because a caller's further conditions must narrow it.
    Ok(Condition::all().add(listed))
}

/// Adds to alternatives the objects that a member of the staff with assigned clients reaches: the files of their
/// documents, attachments and received files, of the trash and the versions, and what the person added to the inbox.
fn reached_objects(alternatives: Condition, staff: UserId) -> Condition {
    // A file that became a client's is the client's, also for the person who uploaded it.
    let own = in_bucket(INBOX_BUCKET, Expr::col(("objects", "owner_id")).eq(staff));
    let files = CLIENT_FILES.into_iter().chain(STAFF_FILES);
    files.fold(alternatives.add(own), |alternatives, (bucket, table)| {
        let table = table.table().name;
        let is_assigned = |column: &'static str| {
            Expr::col((table, column)).in_subquery(assignments::clients_of(staff))
        };
        let mut rows = Query::select();
        rows.expr(Expr::cust("1")).from(table);
        rows.and_where(Expr::col((table, "file_url")).equals(("objects", "name")));
        let mut client = Condition::any().add(is_assigned("client_id"));
        if table == "documents" {
            client = client.add(is_assigned("withdrawn_client_id"));
        }
        rows.cond_where(client);
        alternatives.add(in_bucket(bucket, Expr::exists(rows)))
    })
}

fn in_bucket(bucket: &str, condition: Expr) -> Condition {
    Condition::all().add(Expr::col(("objects", "bucket_id")).eq(bucket)).add(condition)
}

/// The rows of a table of [`CLIENT_FILES`] whose files a client may read: not those of unreleased documents.
fn visible_rows(table: TableId, caller: Caller) -> Option<SelectStatement> {
    let name = table.table().name;
    let access = access(caller, table, Action::Select).ok()?;
    let mut rows = Query::select();
    rows.from(name).cond_where(access.condition(name));
    if table == TableId::Documents {
        rows.and_where(Expr::col((name, "status")).ne("pending"));
    }
    Some(rows)
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
