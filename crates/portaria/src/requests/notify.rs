//! Notifications about items: asked for, refused, answered, and not answered before their due date.

use jiff::civil::Date;
use sea_query::{Expr, ExprTrait, Query, SelectStatement};

use crate::{
    app::App,
    config::pages::Page,
    db::{Error, MAX_KEYS_PER_STATEMENT, Row, Tx},
    mail::template::Values,
    notifications::{
        catalog,
        center::{self, CenterEntry, CenterEvent},
        notifier::{Audience, NotificationSubject, Notifier},
    },
    security::ids::{RequestItemId, UserId},
    table_write::WriteContext,
};

/// An item as mails mention it.
#[derive(Debug)]
pub(crate) struct ItemSummary {
    pub(crate) id: RequestItemId,
    pub(crate) client: UserId,
    pub(crate) due_on: Option<Date>,
    pub(crate) name: String,
    hint: Option<String>,
    refusal_reason: Option<String>,
}

impl ItemSummary {
    /// Columns in the order that [`ItemSummary::from_row`] expects.
    const COLUMNS: [&str; 6] = ["id", "client_id", "due_on", "name", "hint", "refusal_reason"];

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Error> {
        Ok(Self {
            id: row.parse(0)?,
            client: row.parse(1)?,
            due_on: row.opt_parse(2)?,
            name: row.text(3)?.to_owned(),
            hint: row.opt_text(4)?.map(str::to_owned),
            refusal_reason: row.opt_text(5)?.map(str::to_owned),
        })
    }

    fn template_variables(&self, app: &App) -> Values<'static> {
        let day = self.due_on.map(|day| day.strftime("%d/%m/%Y").to_string());
        Values::from([
            ("request.name", self.name.clone()),
            ("request.hint", self.hint.clone().unwrap_or_default()),
            ("request.due_on", day.unwrap_or_else(|| "sem data definida".to_owned())),
            ("request.refusal_reason", self.refusal_reason.clone().unwrap_or_default()),
            ("request.link", app.config.page_url(Page::RequestItem(&self.id.to_string()))),
        ])
    }
}

/// Returns the variables of an example.
pub(crate) fn example_variables(app: &App) -> Values<'static> {
    let example = ItemSummary {
        id: RequestItemId(uuid::Uuid::nil()),
        client: UserId(uuid::Uuid::nil()),
        due_on: Some(Date::constant(2026, 12, 31)),
        name: "Extrato bancário".to_owned(),
        hint: Some("Em PDF, de todas as contas".to_owned()),
        refusal_reason: Some("Faltou a segunda página".to_owned()),
    };
    example.template_variables(app)
}

/// Builds the query for the items that wait for their clients.
pub(crate) fn select_waiting() -> SelectStatement {
    let mut query = Query::select();
    query.columns(ItemSummary::COLUMNS.map(|name| ("request_items", name))).from("request_items");
    query.and_where(Expr::col(("request_items", "status")).is_in(["open", "refused"]));
    query
}

/// Notifies the clients of items that wait for them. The same `version` of an item is mailed once.
pub(crate) fn notify(
    tx: &mut Tx<'_>,
    app: &App,
    event: &str,
    ids: &[String],
    version: &str,
) -> Result<(), Error> {
    let mut mailer = Mailer::begin(tx, app, event)?;
    let mut entries = Vec::new();
    for ids in ids.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut query = select_waiting();
        query.and_where(Expr::col("id").is_in(ids.iter().map(String::as_str)));
        for row in tx.rows(&query)?.iter() {
            let item = ItemSummary::from_row(row)?;
            let subject = Some(NotificationSubject::RequestItem(item.id));
            entries.push(CenterEntry { client: item.client, subject, is_new: false });
            if let Some(mailer) = &mut mailer {
                mailer.send(tx, &item, version)?;
            }
        }
    }
    let is_new = event == catalog::REQUEST_NEW;
    let event = if is_new { CenterEvent::RequestNew } else { CenterEvent::RequestRefused };
    center::notify_clients(tx, app, event, &entries)
}

/// Notifies the staff of an answer to an item, or of a file without one, in the notification center.
pub(crate) fn notify_staff(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    client: UserId,
    item: Option<RequestItemId>,
) -> Result<(), Error> {
    let event =
        if item.is_some() { CenterEvent::RequestAnswered } else { CenterEvent::FilesReceived };
    let subject = item.map(NotificationSubject::RequestItem);
    let entry = CenterEntry { client, subject, is_new: false };
    center::notify_staff(tx, ctx.app, ctx.caller, event, entry, None)
}

/// Sends one type of mail within one transaction.
#[derive(Debug)]
pub(crate) struct Mailer<'a> {
    app: &'a App,
    notice: &'static catalog::NotificationType,
    notifier: Notifier<'a>,
}

impl<'a> Mailer<'a> {
    /// Returns `None` if the office turned these mails off.
    pub(crate) fn begin(tx: &mut Tx<'_>, app: &'a App, event: &str) -> Result<Option<Self>, Error> {
        let notice = catalog::by_event(event).expect("the catalog lists the mails about items");
        let mut notifier = Notifier::new(app);
        let is_enabled = notifier.is_enabled(tx, notice)?;
        Ok(is_enabled.then_some(Self { app, notice, notifier }))
    }

    /// Collects the mails of a scheduled run, as [`Notifier::collecting`].
    pub(crate) fn collecting(self) -> Self {
        Self { notifier: self.notifier.collecting(), ..self }
    }

    /// Returns whether somebody receives these mails about a client.
    pub(crate) fn reaches(&mut self, tx: &mut Tx<'_>, client: UserId) -> Result<bool, Error> {
        let recipients = self.notifier.recipients(tx, Audience { client, folder: None })?;
        Ok(recipients.iter().any(|recipient| recipient.wants(self.notice.topic)))
    }

    /// Queues the mail about an item. Returns whether there is a new one.
    pub(crate) fn send(
        &mut self,
        tx: &mut Tx<'_>,
        item: &ItemSummary,
        version: &str,
    ) -> Result<bool, Error> {
        let subject = NotificationSubject::RequestItem(item.id);
        let values = item.template_variables(self.app);
        let audience = Audience { client: item.client, folder: None };
        self.notifier.send_to_client(tx, self.notice, audience, subject, version, &values)
    }
}
