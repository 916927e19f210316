//! Builds and queues notifications: checks the setting, loads the template, and checks the recipient's muted topics.
//!
//! A `Notifier` caches templates and recipients for one transaction, so that five hundred documents at once need
//! hardly more queries than one.

use std::collections::{BTreeMap, BTreeSet};

use sea_query::{Expr, ExprTrait, Order, Query};

use crate::notifications::{NewMail, Recipient, enqueue};
use crate::{
    app::App,
    db::{Error, Tx},
    mail::{html_limits::LimitExceeded, layout::MailLayout, template::Values},
    notifications::{catalog::NotificationType, digest, unsubscribe_token},
    policy::{FolderReach, members},
    security::ids::{DocumentId, RequestItemId, TicketId, UserId},
};

const FOOTER: &str = "Você recebe este aviso porque {{relation}} {{office.name}}.<br>\
    <a href=\"{{unsubscribe}}\" style=\"color:#5C6670\">Não quero mais avisos sobre {{topic}}</a>";

/// Maximum number of characters of a client's name in a mail. A longer name could carry a message.
const MAX_NAME_CHARS: usize = 80;

/// A person who may receive the notifications of a client, with the topics that the person muted.
#[derive(Debug, Clone)]
pub(crate) struct Subscriber {
    pub(crate) id: UserId,
    pub(crate) email: String,
    pub(crate) name: String,
    /// Name of the client for whom the person acts; `None` for the client's own account.
    pub(crate) acts_for: Option<String>,
    muted: BTreeSet<String>,
    /// The folders whose documents the person may read.
    folders: FolderReach,
}

/// The row that a notification is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NotificationSubject {
    Document(DocumentId),
    Ticket(TicketId),
    RequestItem(RequestItemId),
}

/// The people of a client whom a notification is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audience<'a> {
    pub(crate) client: UserId,
    /// The folder of the document that the notification is about. People who are limited to other folders receive none.
    pub(crate) folder: Option<&'a str>,
}

/// Queues notifications within one transaction.
#[derive(Debug)]
pub(crate) struct Notifier<'a> {
    app: &'a App,
    templates: BTreeMap<&'static str, Option<MailLayout>>,
    subscribers: BTreeMap<UserId, Vec<Subscriber>>,
    /// Whether the notifications wait for the others of a scheduled run.
    is_collecting: bool,
}

impl<'a> Notifier<'a> {
    pub(crate) fn new(app: &'a App) -> Self {
        let (templates, subscribers) = (BTreeMap::new(), BTreeMap::new());
        Self { app, templates, subscribers, is_collecting: false }
    }

    /// Collects the notifications of a scheduled run, so that those to one person leave as one mail.
    pub(crate) fn collecting(self) -> Self {
        Self { is_collecting: true, ..self }
    }

    /// Returns the people who receive the notifications of a client: its own account and its members, without those that
    /// may not receive any: administrators, banned accounts, and addresses that were entered at sign-up and never
    /// confirmed. A banned client has no recipients.
    pub(crate) fn recipients(
        &mut self,
        tx: &mut Tx<'_>,
        audience: Audience<'_>,
    ) -> Result<Vec<Subscriber>, Error> {
        let Audience { client, folder } = audience;
        if !self.subscribers.contains_key(&client) {
            let loaded = load_subscribers(tx, self.app, client)?;
            self.subscribers.insert(client, loaded);
        }
        let all = self.subscribers.get(&client).into_iter().flatten();
        let reach = |person: &&Subscriber| folder.is_none_or(|name| person.folders.contains(name));
        Ok(all.filter(reach).cloned().collect())
    }

    /// Queues a notification for each recipient, as [`Self::send`]. Returns whether a row was inserted.
    pub(crate) fn send_to_client(
        &mut self,
        tx: &mut Tx<'_>,
        notification: &'static NotificationType,
        audience: Audience<'_>,
        subject: NotificationSubject,
        version: &str,
        values: &Values<'_>,
    ) -> Result<bool, Error> {
        let mut is_queued = false;
        for recipient in self.recipients(tx, audience)? {
            is_queued |=
                self.send(tx, notification, &recipient, subject, version, values.clone())?;
        }
        Ok(is_queued)
    }

    /// Returns whether the office enabled a notification. Callers ask this before anything else, because most offices
    /// enable few.
    pub(crate) fn is_enabled(
        &mut self,
        tx: &mut Tx<'_>,
        notification: &'static NotificationType,
    ) -> Result<bool, Error> {
        Ok(self.template(tx, notification)?.is_some())
    }

    /// Queues a notification if it is enabled and its topic is not muted, and returns whether a row was inserted. The
    /// same `version` of a subject is queued once per recipient.
    pub(crate) fn send(
        &mut self,
        tx: &mut Tx<'_>,
        notification: &'static NotificationType,
        recipient: &Subscriber,
        subject: NotificationSubject,
        version: &str,
        mut values: Values<'_>,
    ) -> Result<bool, Error> {
        if !recipient.wants(notification.topic) {
            return Ok(false);
        }
        let app = self.app;
        let Some(template) = self.template(tx, notification)? else { return Ok(false) };
        let id = match subject {
            NotificationSubject::Document(id) => id.to_string(),
            NotificationSubject::Ticket(id) => id.to_string(),
            NotificationSubject::RequestItem(id) => id.to_string(),
        };
        let office = app.office_in(tx)?.letterhead();
        values.extend(client_values(&recipient.name));
        let acts_for = recipient.acts_for.as_deref();
        values.extend(footer_values(app, recipient.id, acts_for, notification));
        let mail = NewMail {
            event: notification.trigger,
            cause: &dedupe_key(&id, version, recipient.id),
            user: Some(recipient.id),
            about_user_id: None,
            to: &recipient.email,
            rendered: template.render(&office, values),
            topic: Some(notification.topic),
            subject: Some(subject),
        };
        let queued = enqueue(tx, app, mail)?;
        if let Some(mail) = queued.filter(|_| self.is_collecting) {
            digest::collect(tx, mail, app.clock.now())?;
        }
        Ok(queued.is_some())
    }

    /// Returns the template of a notification, or `None` if the notification is disabled.
    fn template(
        &mut self,
        tx: &mut Tx<'_>,
        notification: &'static NotificationType,
    ) -> Result<Option<&MailLayout>, Error> {
        if !self.templates.contains_key(notification.trigger) {
            let template = if is_enabled_in_settings(tx, notification)? {
                Some(load_template(tx, self.app, notification)?)
            } else {
                None
            };
            self.templates.insert(notification.trigger, template);
        }
        Ok(self.templates.get(notification.trigger).and_then(Option::as_ref))
    }
}

impl Subscriber {
    /// Returns whether the recipient did not mute a topic.
    pub(crate) fn wants(&self, topic: &str) -> bool {
        !self.muted.contains(topic)
    }
}

fn load_subscribers(tx: &mut Tx<'_>, app: &App, client: UserId) -> Result<Vec<Subscriber>, Error> {
    let Some(account) = Recipient::load(tx, client)? else { return Ok(Vec::new()) };
    if account.is_banned(app.clock.now()) {
        return Ok(Vec::new());
    }
    let client_name = account.name().to_owned();
    let own = load_subscriber(tx, app, account, None, FolderReach::All)?;
    let mut subscribers = Vec::from_iter(own);
    let memberships = members::people_of(tx, client)?;
    let reaches = members::reaches_of(tx, &memberships)?;
    for (membership, folders) in memberships.into_iter().zip(reaches) {
        let Some(account) = Recipient::load(tx, membership.person)? else { continue };
        let acts_for = Some(client_name.clone());
        subscribers.extend(load_subscriber(tx, app, account, acts_for, folders)?);
    }
    Ok(subscribers)
}

fn load_subscriber(
    tx: &mut Tx<'_>,
    app: &App,
    account: Recipient,
    acts_for: Option<String>,
    folders: FolderReach,
) -> Result<Option<Subscriber>, Error> {
    let id = account.id;
    let is_banned = account.is_banned(app.clock.now());
    if account.is_admin || is_banned || !account.is_address_trusted {
        return Ok(None);
    }
    let mut query = Query::select();
    query.column("topic").from("muted_topics").and_where(Expr::col("client_id").eq(id));
    let muted = tx
        .rows(&query)?
        .iter()
        .map(|row| row.text(0).map(str::to_owned))
        .collect::<Result<_, _>>()?;
    let name = account.name().to_owned();
    Ok(Some(Subscriber { id, email: account.email, name, acts_for, muted, folders }))
}

/// Returns the cause under which a notification is queued once: subject, version and recipient.
pub(crate) fn dedupe_key(id: &str, version: &str, recipient: UserId) -> String {
    format!("{id}|{version}|{recipient}")
}

/// Returns whether the office's settings enable a notification.
pub(crate) fn is_enabled_in_settings(
    tx: &mut Tx<'_>,
    notification: &NotificationType,
) -> Result<bool, Error> {
    let mut query = Query::select();
    query.column("enabled").from("email_notification_settings");
    query.and_where(Expr::col("document_type_event").eq(notification.setting));
    let rows = tx.rows(&query)?;
    rows.first().map_or(Ok(notification.on_by_default), |row| row.bool(0))
}

/// Loads the office's template, the last changed one if there are several, or else the built-in one. A template that
/// an earlier release saved beyond the limits is replaced by the built-in one.
fn load_template(
    tx: &mut Tx<'_>,
    app: &App,
    notification: &NotificationType,
) -> Result<MailLayout, Error> {
    let mut query = Query::select();
    query.columns(["subject", "html_content"]).from("email_templates");
    query.and_where(Expr::col("event_trigger").eq(notification.trigger));
    query.order_by("updated_at", Order::Desc).order_by("id", Order::Desc).limit(1);
    let rows = tx.rows(&query)?;
    if let Some(row) = rows.first() {
        match custom_template(app, row.text(0)?, row.text(1)?) {
            Ok(layout) => return Ok(layout),
            Err(error) => {
                let event = notification.trigger;
                tracing::warn!(%error, event, "template beyond the limits, built-in text used");
            }
        }
    }
    Ok(MailLayout::built_in(notification.subject, &built_in_text(app, notification), FOOTER))
}

/// Returns the built-in text of a notification, as a template.
#[must_use]
pub fn built_in_text(app: &App, notification: &NotificationType) -> String {
    notification.body.trim_end().replace("{{site.url}}", &app.config.site_url)
}

/// Builds the layout of a template of the office. The page of a new text is built once; requests do so before their
/// transaction.
///
/// # Errors
/// [`LimitExceeded`] for HTML that is too large or nested too deeply.
pub(crate) fn custom_template(
    app: &App,
    subject: &str,
    html: &str,
) -> Result<MailLayout, LimitExceeded> {
    app.layouts.custom(subject, html, FOOTER)
}

/// Builds the layout of a template that is not stored. Its page is not kept.
///
/// # Errors
/// Like [`custom_template`].
pub(crate) fn draft_template(subject: &str, html: &str) -> Result<MailLayout, LimitExceeded> {
    MailLayout::custom(subject, html, FOOTER)
}

/// Returns the values of the client's placeholders, which every notification has.
pub(crate) fn client_values(name: &str) -> Values<'static> {
    Values::from([("client.name", shortened_name(name))])
}

/// Returns the values of the footer's placeholders.
pub(crate) fn footer_values(
    app: &App,
    recipient: UserId,
    acts_for: Option<&str>,
    notification: &NotificationType,
) -> Values<'static> {
    let relation = acts_for.map_or_else(
        || "é cliente de".to_owned(),
        |client| format!("acompanha {} no portal de", shortened_name(client)),
    );
    let topic = unsubscribe_token::TOPICS.iter().find(|(topic, _)| *topic == notification.topic);
    Values::from([
        ("relation", relation),
        ("unsubscribe", unsubscribe_token::link(app, recipient, notification.topic)),
        ("topic", topic.map_or_else(String::new, |(_, words)| (*words).to_owned())),
    ])
}

/// Shortens the name of a client for a mail. A longer name ends with an ellipsis.
pub(crate) fn shortened_name(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_CHARS {
        return name.to_owned();
    }
    let short: String = name.chars().take(MAX_NAME_CHARS - 1).collect();
    format!("{}…", short.trim_end())
}

/// Formats the date of a timestamp as `dd/mm/yyyy` in the portal's time zone. Returns an empty string for `None`.
pub(crate) fn format_date(app: &App, moment: Option<&str>) -> String {
    let moment = moment.and_then(|text| text.parse::<jiff::Timestamp>().ok());
    moment.map_or_else(String::new, |moment| {
        moment.to_zoned(app.config.time_zone.clone()).strftime("%d/%m/%Y").to_string()
    })
}
