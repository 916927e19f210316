//! Where a notice is written: whether it is on, in whose words, and whether its reader wants it. What is asked once
//! holds for the whole transaction, so that five hundred documents at once ask little more than one.

use std::collections::{BTreeMap, BTreeSet};

use sea_query::{Expr, ExprTrait, Order, Query};

use crate::notifications::{NewMail, enqueue};
use crate::{
    accounts::user,
    app::App,
    db::{Error, Tx},
    mail::{layout::MailLayout, template::Values},
    notifications::{catalog::NotificationType, unsubscribe_token},
};

const FOOTER: &str = "Você recebe este aviso porque é cliente de {{office.name}}.<br>\
    <a href=\"{{unsubscribe}}\" style=\"color:#5C6670\">Não quero mais avisos sobre {{topic}}</a>";

/// Longer names were made to be a message.
const MOST_NAME: usize = 80;

/// A client who may be told of the office's business.
#[derive(Debug, Clone)]
pub(crate) struct Recipient {
    pub(crate) id: String,
    pub(crate) email: String,
    pub(crate) name: String,
    muted: BTreeSet<String>,
}

/// What a notice is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Topic<'a> {
    Document(&'a str),
    Ticket(&'a str),
}

/// See the top of the file.
#[derive(Debug)]
pub(crate) struct Notifier<'a> {
    app: &'a App,
    letters: BTreeMap<&'static str, Option<MailLayout>>,
    readers: BTreeMap<String, Option<Recipient>>,
}

impl<'a> Notifier<'a> {
    pub(crate) fn new(app: &'a App) -> Self {
        Self { app, letters: BTreeMap::new(), readers: BTreeMap::new() }
    }

    /// The client of that id, if they may be told anything: not the staff, nobody who is banned, and no address that
    /// a stranger typed and nobody proved.
    pub(crate) fn recipient(
        &mut self,
        tx: &mut Tx<'_>,
        id: &str,
    ) -> Result<Option<Recipient>, Error> {
        if let Some(known) = self.readers.get(id) {
            return Ok(known.clone());
        }
        let found = reader(tx, self.app, id)?;
        self.readers.insert(id.to_owned(), found.clone());
        Ok(found)
    }

    /// Whether a notice is on: asked before anything else, for most offices turn on few.
    pub(crate) fn is_enabled(
        &mut self,
        tx: &mut Tx<'_>,
        notice: &'static NotificationType,
    ) -> Result<bool, Error> {
        Ok(self.letter(tx, notice)?.is_some())
    }

    /// Queues a notice, if it is on and wanted. One of the same `version` is queued once, whatever happens again.
    pub(crate) fn send(
        &mut self,
        tx: &mut Tx<'_>,
        notice: &'static NotificationType,
        reader: &Recipient,
        (subject, version): (Topic<'_>, &str),
        mut values: Values<'_>,
    ) -> Result<bool, Error> {
        if !reader.wants(notice.topic) {
            return Ok(false);
        }
        let app = self.app;
        let Some(letter) = self.letter(tx, notice)? else { return Ok(false) };
        let (document, ticket) = match subject {
            Topic::Document(id) => (Some(id), None),
            Topic::Ticket(id) => (None, Some(id)),
        };
        values.extend(common_values(app, &reader.name));
        values.extend(footer_values(app, &reader.id, notice));
        let id = document.or(ticket).unwrap_or_default();
        let mail = NewMail {
            event: notice.trigger,
            cause: &dedupe_key(id, version, &reader.id),
            user: Some(&reader.id),
            about: None,
            to: &reader.email,
            written: letter.render(&values),
            topic: Some(notice.topic),
            document,
            ticket,
        };
        Ok(enqueue(tx, app, mail)?.is_some())
    }

    /// What the notice says; nothing if it is off.
    fn letter(
        &mut self,
        tx: &mut Tx<'_>,
        notice: &'static NotificationType,
    ) -> Result<Option<&MailLayout>, Error> {
        if !self.letters.contains_key(notice.trigger) {
            let letter =
                if is_on(tx, notice)? { Some(load_template(tx, self.app, notice)?) } else { None };
            self.letters.insert(notice.trigger, letter);
        }
        Ok(self.letters.get(notice.trigger).and_then(Option::as_ref))
    }
}

impl Recipient {
    /// Whether they did not turn a topic off.
    pub(crate) fn wants(&self, topic: &str) -> bool {
        !self.muted.contains(topic)
    }
}

fn reader(tx: &mut Tx<'_>, app: &App, id: &str) -> Result<Option<Recipient>, Error> {
    let Ok(uuid) = uuid::Uuid::parse_str(id) else { return Ok(None) };
    let Some(user) = user::by_id(tx, uuid)? else { return Ok(None) };
    let is_theirs = user.email_confirmed_at.is_some() || !user.signed_up;
    if user.is_admin() || user.is_banned(app.clock.now()) || !is_theirs {
        return Ok(None);
    }
    let mut query = Query::select();
    query.column("topic").from("muted_topics").and_where(Expr::col("client_id").eq(id));
    let muted = tx
        .rows(&query)?
        .iter()
        .map(|row| row.text(0).map(str::to_owned))
        .collect::<Result<_, _>>()?;
    let name = user.full_name().to_owned();
    Ok(Some(Recipient { id: id.to_owned(), email: user.email, name, muted }))
}

/// What makes a notice the same as one that was queued before.
pub(crate) fn dedupe_key(id: &str, version: &str, reader: &str) -> String {
    format!("{id}|{version}|{reader}")
}

/// Whether the office turned a notice on.
pub(crate) fn is_on(tx: &mut Tx<'_>, notice: &NotificationType) -> Result<bool, Error> {
    let mut query = Query::select();
    query.column("enabled").from("email_notification_settings");
    query.and_where(Expr::col("document_type_event").eq(notice.setting));
    let rows = tx.rows(&query)?;
    rows.first().map_or(Ok(notice.on_by_default), |row| row.bool(0))
}

/// In the words of the template that was changed last; without one, in our own.
fn load_template(
    tx: &mut Tx<'_>,
    app: &App,
    notice: &NotificationType,
) -> Result<MailLayout, Error> {
    let mut query = Query::select();
    query.columns(["subject", "html_content"]).from("email_templates");
    query.and_where(Expr::col("event_trigger").eq(notice.trigger));
    query.order_by("updated_at", Order::Desc).order_by("id", Order::Desc).limit(1);
    let rows = tx.rows(&query)?;
    Ok(match rows.first() {
        Some(row) => MailLayout::custom(row.text(0)?, row.text(1)?, FOOTER),
        None => MailLayout::built_in(notice.subject, &built_in(app, notice), FOOTER),
    })
}

/// Our own words for a notice, as a template.
#[must_use]
pub fn built_in(app: &App, notice: &NotificationType) -> String {
    notice.body.trim_end().replace("{{site.url}}", &app.config.site_url)
}

/// The same letter of words that are not kept yet.
pub(crate) fn written(subject: &str, html: &str) -> MailLayout {
    MailLayout::custom(subject, html, FOOTER)
}

/// What every notice can name.
pub(crate) fn common_values(app: &App, name: &str) -> Values<'static> {
    Values::from([
        ("client.name", name.chars().take(MOST_NAME).collect()),
        ("office.name", app.config.product_name.clone()),
    ])
}

/// What the footer of a notice names.
pub(crate) fn footer_values(app: &App, reader: &str, notice: &NotificationType) -> Values<'static> {
    let topic = unsubscribe_token::TOPICS.iter().find(|(topic, _)| *topic == notice.topic);
    Values::from([
        ("unsubscribe", unsubscribe_token::link(app, reader, notice.topic)),
        ("topic", topic.map_or_else(String::new, |(_, words)| (*words).to_owned())),
    ])
}

/// A day as people write it, in the portal's zone; empty without one.
pub(crate) fn day(app: &App, moment: Option<&str>) -> String {
    let moment = moment.and_then(|text| text.parse::<jiff::Timestamp>().ok());
    moment.map_or_else(String::new, |moment| {
        moment.to_zoned(app.config.time_zone.clone()).strftime("%d/%m/%Y").to_string()
    })
}
