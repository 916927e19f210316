//! The files that each caller may use.

use sea_query::{Condition, Expr, ExprTrait, Query, SelectStatement};

use crate::{
    policy::Denied,
    schema::{ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, RECEIVED_BUCKET},
    security::{caller::Caller, ids::UserId},
};

/// The buckets with files of clients, each with the table whose rows show them to their client.
const CLIENT_FILES: [(&str, &str); 3] = [
    (DOCUMENTS_BUCKET, "documents"),
    (ATTACHMENTS_BUCKET, "ticket_attachments"),
    (RECEIVED_BUCKET, "received_files"),
];

/// Condition on the buckets that a caller can see: all for staff, and the portal's own and public ones for others.
#[must_use]
pub fn visible_buckets(caller: Caller) -> Condition {
    match caller {
        Caller::Admin(_) | Caller::Service => Condition::all(),
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
    let client = match caller {
        Caller::Anon => return Condition::all().add(Expr::exists(public)),
        Caller::Admin(_) | Caller::Service => return Condition::all(),
        Caller::Client { client, .. } | Caller::Viewer { client, .. } => client,
    };
    let mut readable = Condition::any().add(Expr::exists(public));
    for (bucket, table) in CLIENT_FILES {
        let mut rows = visible_rows(table, client);
        rows.expr(Expr::cust("1"));
        rows.and_where(Expr::col((table, "file_url")).equals(("objects", "name")));
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
    let client = match caller {
        Caller::Anon => return Err(Denied),
        Caller::Admin(_) | Caller::Service => return Ok(Condition::all()),
        Caller::Client { client, .. } | Caller::Viewer { client, .. } => client,
    };
    let mut listed = Condition::any();
    for (bucket, table) in CLIENT_FILES {
        let names = visible_rows(table, client).column((table, "file_url")).take();
        listed = listed.add(in_bucket(bucket, Expr::col(("objects", "name")).in_subquery(names)));
    }
    // Wrapped in `all`, because a caller's further conditions must narrow it.
    Ok(Condition::all().add(listed))
}

fn in_bucket(bucket: &str, condition: Expr) -> Condition {
    Condition::all().add(Expr::col(("objects", "bucket_id")).eq(bucket)).add(condition)
}

/// The rows of a table of [`CLIENT_FILES`] whose files a client may read: not those of unreleased documents.
fn visible_rows(table: &'static str, client: UserId) -> SelectStatement {
    let mut rows = Query::select();
    rows.from(table).and_where(Expr::col((table, "client_id")).eq(client));
    if table == "documents" {
        rows.and_where(Expr::col((table, "status")).ne("pending"));
    }
    rows
}

/// Whether a caller may add, replace and remove objects.
///
/// # Errors
/// [`Denied`] for callers other than staff.
pub fn check_write_objects(caller: Caller) -> Result<(), Denied> {
    match caller {
        Caller::Admin(_) | Caller::Service => Ok(()),
        Caller::Anon | Caller::Client { .. } | Caller::Viewer { .. } => Err(Denied),
    }
}

/// Whether a caller may list, create, change, empty and remove buckets.
///
/// # Errors
/// [`Denied`] for callers other than staff.
pub fn check_manage_buckets(caller: Caller) -> Result<(), Denied> {
    check_write_objects(caller)
}
