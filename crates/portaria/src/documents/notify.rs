//! Notifications of documents that became visible to their client: new, released, or assigned to a client.

use std::collections::BTreeMap;

use sea_query::{Expr, ExprTrait, JoinType, Query, SelectStatement};

use crate::notifications::{
    cancellation,
    center::{self, CenterEntry, CenterEvent},
    notifier::{Audience, NotificationSubject, Notifier},
};
use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx},
    documents::model::{DocumentSnapshot, DocumentStatus, DocumentSummary},
    notifications::catalog,
    security::ids::{DocumentId, UserId},
    table_write::{Row as TableRow, WriteContext, parse},
};

/// Locks the selected documents until the end of the transaction, and returns their state.
pub fn snapshot(
    tx: &mut Tx<'_>,
    mut selection: SelectStatement,
) -> Result<Vec<DocumentSnapshot>, Error> {
    selection.clear_selects().columns(DocumentSnapshot::COLUMNS.map(|name| ("documents", name)));
    selection
        .from("documents")
        .order_by(("documents", "id"), sea_query::Order::Asc)
        .lock_exclusive();
    tx.rows(&selection)?.iter().map(DocumentSnapshot::from_row).collect()
}

/// Notifies clients of documents that they could not open before. Documents that are absent from `before` are new.
pub fn notify_visible(
    tx: &mut Tx<'_>,
    app: &App,
    ids: &[DocumentId],
    before: &[DocumentSnapshot],
) -> Result<(), Error> {
    let before: BTreeMap<DocumentId, &DocumentSnapshot> =
        before.iter().map(|old| (old.id, old)).collect();
    let mut notifier = Notifier::new(app);
    let (mut new, mut asked) = (Vec::new(), Vec::new());
    for ids in ids.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut query = select_active();
        query.and_where(Expr::col(("documents", "id")).is_in(ids.iter().copied()));
        let rows = tx.rows(&query)?;
        let documents =
            rows.iter().map(DocumentSummary::from_row).collect::<Result<Vec<_>, _>>()?;
        for document in documents {
            let Some(client) = document.client else { continue };
            let old = before.get(&document.id);
            let was_theirs = old.is_some_and(|old| {
                old.status != DocumentStatus::Pending && old.client == Some(client)
            });
            if was_theirs {
                continue;
            }
            let subject = NotificationSubject::Document(document.id);
            let entries = if document.asks_for_answer { &mut asked } else { &mut new };
            let is_new = old.is_none();
            entries.push(CenterEntry { client, subject: Some(subject), is_new });
            // The mail of the first publication may have left before the document was withdrawn.
            let is_republished = old.is_some_and(|old| old.client.is_none());
            let version =
                if is_republished { format_timestamp(app.clock.now()) } else { String::new() };
            send_new(tx, app, &mut notifier, &document, client, &version)?;
        }
    }
    center::notify_clients(tx, app, CenterEvent::DocumentNew, &new)?;
    center::notify_clients(tx, app, CenterEvent::ApprovalAsked, &asked)
}

/// Notifies the client of a visible document whose file the office replaced by another to read, as of a new document.
pub(crate) fn notify_replaced(tx: &mut Tx<'_>, app: &App, id: DocumentId) -> Result<(), Error> {
    let mut query = select_active();
    query.and_where(Expr::col(("documents", "id")).eq(id));
    let rows = tx.rows(&query)?;
    let document = rows.first().map(DocumentSummary::from_row).transpose()?;
    let Some(document) = document else { return Ok(()) };
    let Some(client) = document.client else { return Ok(()) };
    let subject = NotificationSubject::Document(id);
    // Of a document that asks for an answer, the change of its file notifies.
    if !document.asks_for_answer {
        let entry = CenterEntry { client, subject: Some(subject), is_new: false };
        center::notify_clients(tx, app, CenterEvent::DocumentNew, &[entry])?;
    }
    let mut notifier = Notifier::new(app);
    send_new(tx, app, &mut notifier, &document, client, &format_timestamp(app.clock.now()))
}

/// Sends the mail of a new document. `version` makes the mails of one document different.
fn send_new(
    tx: &mut Tx<'_>,
    app: &App,
    notifier: &mut Notifier<'_>,
    document: &DocumentSummary,
    client: UserId,
    version: &str,
) -> Result<(), Error> {
    let notice = document.kind.and_then(|kind| catalog::of_document(kind, "new"));
    let Some(notice) = notice else { return Ok(()) };
    // Checked first, because most notifications are disabled in most offices, and this check is cached.
    if !notifier.is_enabled(tx, notice)? {
        return Ok(());
    }
    let variables = document.template_variables(app);
    let audience = Audience { client, folder: Some(&document.folder_id) };
    let subject = NotificationSubject::Document(document.id);
    notifier.send_to_client(tx, notice, audience, subject, version, &variables).map(drop)
}

/// Notifies the clients of changed documents that ask for an answer now: of another kind, or about another file.
pub(crate) fn notify_asked(tx: &mut Tx<'_>, app: &App, ids: &[DocumentId]) -> Result<(), Error> {
    let mut asked = Vec::new();
    for ids in ids.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut query = select_active();
        query.and_where(Expr::col(("documents", "id")).is_in(ids.iter().copied()));
        query.and_where(Expr::col("approval_request").is_not_null());
        query.and_where(Expr::col("approval_outcome").is_null());
        for row in tx.rows(&query)?.iter() {
            let document = DocumentSummary::from_row(row)?;
            let subject = Some(NotificationSubject::Document(document.id));
            let entry = |client| CenterEntry { client, subject, is_new: false };
            asked.extend(document.client.map(entry));
        }
    }
    center::notify_clients(tx, app, CenterEvent::ApprovalAsked, &asked)
}

/// Notifies the staff of a client's row about a document.
pub(crate) fn notify_staff(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    event: CenterEvent,
    row: &TableRow,
) -> Result<(), Error> {
    let (Some(client), Some(document)) = (parse(row, "client_id"), parse(row, "document_id"))
    else {
        return Ok(());
    };
    let subject = Some(NotificationSubject::Document(document));
    let entry = CenterEntry { client, subject, is_new: false };
    center::notify_staff(tx, ctx.app, ctx.caller, event, entry, None)
}

/// Cancels the mails about documents that have not left and whose reason is gone, and removes the documents from the
/// notification centers of clients who may not open them any more.
pub(crate) fn cancel_obsolete(tx: &mut Tx<'_>, app: &App, ids: &[String]) -> Result<(), Error> {
    for ids in ids.chunks(MAX_KEYS_PER_STATEMENT) {
        let about = cancellation::about_documents(ids);
        cancellation::cancel_obsolete(tx, app, &about, app.clock.now())?;
        center::forget_documents(tx, ids)?;
    }
    Ok(())
}

/// Builds the query for documents that have a client and are active. Replaced and archived documents cause no
/// notification.
pub(crate) fn select_active() -> SelectStatement {
    let mut query = select_with_folder();
    query.and_where(Expr::col(("documents", "status")).eq(DocumentStatus::ACTIVE));
    query.and_where(Expr::col(("documents", "client_id")).is_not_null());
    query
}

/// Builds the query for all documents with the name and kind of their folders.
pub(crate) fn select_with_folder() -> SelectStatement {
    let mut query = Query::select();
    query.columns(DocumentSummary::COLUMNS).from("documents").join(
        JoinType::InnerJoin,
        "folders",
        Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase")),
    );
    query
}
