//! Reminders of documents that their clients did not open ("Lembrar"), by mail and in the notification center. A document
//! is reminded of once a day by mail, a client once a day by a notification.

use sea_query::{Expr, ExprTrait, LockType, OnConflict, Query, SelectStatement};
use serde_json::json;

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    documents::{contacts, model::DocumentSummary, notify},
    notifications::{
        catalog::{self, NotificationType},
        center::CenterEvent,
        notifier::{Audience, NotificationSubject, Notifier},
        reminders::{self, Outcome, Reminders},
    },
    security::{caller::Caller, ids::UserId, keys},
    table_write::WriteError,
};

/// Reminds the clients of documents that they did not open.
///
/// # Errors
/// 22023 for no or too many documents, `reminders_off` if the office turned reminders off.
pub(crate) fn remind(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ids: &[String],
) -> Result<Reminders, WriteError> {
    let ids = reminders::requested_ids(ids, "documentos")?;
    let mut reminder = Reminder::begin(tx, app, caller)?.ok_or_else(reminders::turned_off)?;
    let mut query = select_unopened();
    query.and_where(Expr::col(("documents", "id")).is_in(ids.iter().copied()));
    query.order_by(("documents", "id"), sea_query::Order::Asc);
    let rows = tx.rows(&query)?;
    let documents = rows.iter().map(DocumentSummary::from_row).collect::<Result<Vec<_>, _>>()?;
    let mut done = Reminders::of(ids.len(), documents.len());
    let about = documents.iter().filter_map(DocumentSummary::folder_of_client).collect();
    reminders::remind_clients(tx, app, CenterEvent::DocumentsUnopened, &about)?;
    for document in &documents {
        done.count(reminder.send(tx, document)?);
    }
    Ok(done)
}

/// Sends reminders within one transaction.
#[derive(Debug)]
pub(crate) struct Reminder<'a> {
    app: &'a App,
    caller: Caller,
    notice: &'static NotificationType,
    notifier: Notifier<'a>,
}

impl<'a> Reminder<'a> {
    /// Returns `None` if the office turned reminders off.
    pub(crate) fn begin(
        tx: &mut Tx<'_>,
        app: &'a App,
        caller: Caller,
    ) -> Result<Option<Self>, Error> {
        let notice = catalog::by_event(catalog::DOCUMENT_REMINDER);
        let notice = notice.expect("the catalog lists the reminder");
        let mut notifier = Notifier::new(app);
        let is_enabled = notifier.is_enabled(tx, notice)?;
        Ok(is_enabled.then_some(Self { app, caller, notice, notifier }))
    }

    /// Collects the reminders of a scheduled run, as [`Notifier::collecting`].
    pub(crate) fn collecting(self) -> Self {
        Self { notifier: self.notifier.collecting(), ..self }
    }

    /// Queues the mail about a document and records the contact.
    pub(crate) fn send(
        &mut self,
        tx: &mut Tx<'_>,
        document: &DocumentSummary,
    ) -> Result<Outcome, Error> {
        let (app, notice) = (self.app, self.notice);
        let Some(client) = document.client else { return Ok(Outcome::Unreachable) };
        let audience = Audience { client, folder: Some(&document.folder_id) };
        let recipients = self.notifier.recipients(tx, audience)?;
        if !recipients.iter().any(|recipient| recipient.wants(notice.topic)) {
            return Ok(Outcome::Unreachable);
        }
        let today = contacts::today(app);
        let subject = NotificationSubject::Document(document.id);
        let variables = document.template_variables(app);
        if !self.notifier.send_to_client(tx, notice, audience, subject, &today, &variables)? {
            return Ok(Outcome::Repeated);
        }
        record(tx, app, self.caller, document, client, &today)?;
        Ok(Outcome::Reminded)
    }
}

/// Records the reminder: the contact and the audit event.
fn record(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    document: &DocumentSummary,
    client: UserId,
    today: &str,
) -> Result<(), Error> {
    let now = app.clock.now();
    let values: [(&'static str, Expr); 7] = [
        ("id", keys::new_id(now).to_string().into()),
        ("document_id", document.id.into()),
        ("client_id", client.into()),
        ("kind", contacts::MAIL.into()),
        ("contacted_on", today.into()),
        ("author_id", caller.user().into()),
        ("created_at", format_timestamp(now).into()),
    ];
    let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    let mut insert = Query::insert();
    insert.into_table("document_contacts").columns(columns).values_panic(values);
    tx.execute(insert.on_conflict(OnConflict::new().do_nothing().to_owned()))?;
    let event = AuditEvent::new(EventName::DocumentReminded)
        .person(Some(client))
        .subject(Some(document.id.to_string()), Some(document.name.clone()))
        .detail(json!({"kind": contacts::MAIL}));
    audit::record(tx, app, caller, [event]);
    Ok(())
}

/// Builds the query for the documents that wait to be opened: active, without a receipt, and not delivered by other
/// means.
pub(crate) fn select_unopened() -> SelectStatement {
    let about = |table: &'static str| {
        let mut query = Query::select();
        query.expr(Expr::cust("1")).from(table);
        query.and_where(Expr::col((table, "document_id")).equals(("documents", "id"))).take()
    };
    let mut delivered = about("document_contacts");
    delivered.and_where(Expr::col(("document_contacts", "kind")).eq(contacts::DELIVERY));
    let mut query = notify::select_active();
    query.and_where(Expr::col(("documents", "was_opened")).eq(false));
    query.and_where(Expr::exists(about("document_receipts")).not());
    query.and_where(Expr::exists(delivered).not());
    // A document that is deleted meanwhile drops out.
    query.lock_with_tables(LockType::KeyShare, ["documents"]);
    query
}
