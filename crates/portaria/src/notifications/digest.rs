//! Digests: one mail that replaces several notifications of one topic to one recipient. The replaced rows remain in the
//! outbox and name the digest that carried them.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
};

use jiff::{SignedDuration, Timestamp, civil::Date};
use sea_query::{Condition, Expr, ExprTrait, Func, Order, Query};

use crate::{
    app::App,
    clock::format_timestamp,
    config::pages::{Area, Page},
    db::{Error, Tx},
    office::OfficeProfile,
    security::ids::{MailId, UserId},
};
use crate::{
    mail::{
        layout::{Letterhead, MailLayout, RenderedMail},
        template::Values,
    },
    notifications::{
        Recipient, cancellation, catalog, notifier::shortened_name, unsubscribe_token,
    },
};

/// The event of a digest, as `outbox` names it.
pub const EVENT: &str = "digest";
/// Time for which the notifications of a scheduled run to one person are collected.
pub(crate) const BATCH_WINDOW: SignedDuration = SignedDuration::from_mins(2);
/// Maximum number of notifications that a digest lists. It states the number of further ones.
const MAX_LISTED: usize = 30;
const FOOTER: &str = "Estes avisos vieram juntos para não encher a sua caixa de entrada.<br>\
    <a href=\"{{unsubscribe}}\" style=\"color:#5C6670\">Não quero mais avisos sobre {{topic}}</a>";
/// Maximum number of ids in one statement.
const MAX_IDS: usize = 500;

/// An entry of the list: a name, a link, and a note about the client and the due date.
struct Item {
    name: String,
    link: Option<String>,
    note: String,
    is_reminder: bool,
}

/// Inserts a digest into the outbox, marks the mails that it replaces as sent with it, and returns the digest's id.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    app: &App,
    recipient: &str,
    user: Option<UserId>,
    topic: &str,
    mails: &[MailId],
    now: Timestamp,
) -> Result<MailId, Error> {
    let id = MailId::new(now);
    let office = app.office_in(tx)?.letterhead();
    let newest = newest_of_each_subject(tx, mails)?;
    let items = load_items(tx, app, user, &newest, now)?;
    let written = render(app, &office, user, topic, newest.len(), &items);
    tx.insert(
        "outbox",
        [
            ("id", id.into()),
            ("event", EVENT.into()),
            ("dedupe_key", format!("digest|{id}").into()),
            ("user_id", user.into()),
            ("recipient", recipient.into()),
            ("subject", written.subject.into()),
            ("html", written.html.into()),
            ("topic", topic.into()),
            ("state", "queued".into()),
            ("next_attempt_at", format_timestamp(now).into()),
            ("created_at", format_timestamp(now).into()),
        ],
    )?;
    for mails in mails.chunks(MAX_IDS) {
        let mut update = Query::update();
        update.table("outbox").value("state", "sent").value("digest_id", id);
        tx.execute(update.and_where(Expr::col("id").is_in(mails.iter().copied())))?;
    }
    Ok(id)
}

/// Holds a new notification of a scheduled run until the run has queued the others to the same person.
pub(crate) fn collect(tx: &mut Tx<'_>, mail: MailId, now: Timestamp) -> Result<(), Error> {
    let mut update = Query::update();
    update.table("outbox").value("hold_reason", "digest");
    update.value("next_attempt_at", format_timestamp(now + BATCH_WINDOW));
    tx.execute(update.and_where(Expr::col("id").eq(mail))).map(drop)
}

/// Writes a digest that has not left anew, without the notifications that were canceled since. Cancels it if none is
/// left.
pub(crate) fn rewrite(
    tx: &mut Tx<'_>,
    app: &App,
    digest: MailId,
    now: Timestamp,
) -> Result<(), Error> {
    let is_waiting = || {
        Condition::all()
            .add(Expr::col("id").eq(digest))
            .add(Expr::col("state").is_in(["queued", "sending"]))
    };
    let mut query = Query::select();
    query.columns(["user_id", "topic"]).from("outbox").cond_where(is_waiting()).lock_exclusive();
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(()) };
    let (user, topic) = (row.opt_parse(0)?, row.opt_text(1)?.unwrap_or_default());

    let mut parts = Query::select();
    parts.column("id").from("outbox").and_where(Expr::col("digest_id").eq(digest));
    parts.order_by("created_at", Order::Asc).order_by("id", Order::Asc);
    let mails = tx.rows(&parts)?;
    let mails: Vec<MailId> = mails.iter().map(|row| row.parse(0)).collect::<Result<_, _>>()?;
    let mut statement = if mails.is_empty() {
        let mut canceled = cancellation::cancel("Todos os avisos deste resumo foram cancelados.");
        // The text names what is gone, so it must not be sent again.
        canceled.value("html", "").take()
    } else {
        let office = app.office_in(tx)?.letterhead();
        let newest = newest_of_each_subject(tx, &mails)?;
        let items = load_items(tx, app, user, &newest, now)?;
        let written = render(app, &office, user, topic, newest.len(), &items);
        let mut update = Query::update();
        update.table("outbox").value("subject", written.subject).value("html", written.html);
        update
    };
    tx.execute(statement.cond_where(is_waiting())).map(drop)
}

/// Returns the newest mail about each document, ticket and item, oldest first: a person reads about each once.
fn newest_of_each_subject(tx: &mut Tx<'_>, mails: &[MailId]) -> Result<Vec<MailId>, Error> {
    let mut subjects = BTreeMap::new();
    for mails in mails.chunks(MAX_IDS) {
        let columns = ["document_id", "ticket_id", "request_item_id", "id"].map(Expr::col);
        let mut query = Query::select();
        query.column("id").expr(Func::coalesce(columns)).from("outbox");
        query.and_where(Expr::col("id").is_in(mails.iter().copied()));
        for row in tx.rows(&query)?.iter() {
            subjects.insert(row.parse::<MailId>(0)?, row.text(1)?.to_owned());
        }
    }
    let mut seen = HashSet::new();
    let mut newest: Vec<MailId> = mails.to_vec();
    newest.reverse();
    newest.retain(|mail| subjects.get(mail).is_none_or(|subject| seen.insert(subject)));
    newest.reverse();
    Ok(newest)
}

/// Reads the first entries of the list.
fn load_items(
    tx: &mut Tx<'_>,
    app: &App,
    user: Option<UserId>,
    mails: &[MailId],
    now: Timestamp,
) -> Result<Vec<Item>, Error> {
    let mails = mails.get(..MAX_LISTED).unwrap_or(mails);
    let recipient = user.map(|id| Recipient::load(tx, id)).transpose()?.flatten();
    let area = Area::of(recipient.is_some_and(|recipient| recipient.is_admin));

    let mut query = Query::select();
    query.columns([("outbox", "subject"), ("documents", "id"), ("documents", "name")]);
    query.columns([("documents", "expires_at"), ("tickets", "id"), ("tickets", "subject")]);
    query.column(("outbox", "event"));
    query.columns(["name", "due_on", "refusal_reason", "id"].map(|name| ("request_items", name)));
    let owners =
        [("documents", "client_id"), ("tickets", "user_id"), ("request_items", "client_id")];
    query.expr(Func::coalesce(owners.map(Expr::col)));
    query.column(("documents", "category")).from("outbox");
    for (table, column) in [
        ("documents", "document_id"),
        ("tickets", "ticket_id"),
        ("request_items", "request_item_id"),
    ] {
        query.left_join(table, Expr::col((table, "id")).equals(("outbox", column)));
    }
    query.and_where(Expr::col(("outbox", "id")).is_in(mails.iter().copied()));
    query.order_by(("outbox", "created_at"), Order::Asc).order_by(("outbox", "id"), Order::Asc);

    let office = app.office_in(tx)?;
    let mut client_names = BTreeMap::new();
    let mut items = Vec::new();
    for row in tx.rows(&query)?.iter() {
        let item = row.opt_text(7)?;
        let document = row.opt_text(1)?.map(|id| Page::Document(area, id));
        let ticket = row.opt_text(4)?.map(|id| Page::Ticket(area, id));
        let page = document.or(ticket).or(row.opt_text(10)?.map(Page::RequestItem));
        let link = page.map(|page| app.config.page_url(page));
        let expires: Option<Timestamp> = row.opt_text(3)?.and_then(|text| text.parse().ok());
        let category = row.opt_text(12)?.unwrap_or_default();
        let note = expires.map(|expires| due_note(app, &office, category, expires, now));
        let due_on: Option<Date> = row.opt_parse(8)?;
        let note = note.or(due_on.map(|day| format!("até {}", day.strftime("%d/%m/%Y"))));
        let event = row.text(6)?;
        let reason = row.opt_text(9)?.filter(|_| event == catalog::REQUEST_REFUSED);
        let note = reason.map(|reason| format!("recusado, {reason}")).or(note);
        // The document, ticket or item may have been deleted since.
        let name = row.opt_text(2)?.or(row.opt_text(5)?).or(item).unwrap_or(row.text(0)?);
        let is_reminder = event == catalog::DOCUMENT_REMINDER;
        let owner: Option<UserId> = row.opt_parse(11)?;
        // A person who acts for several clients sees whose it is.
        let other = owner.filter(|owner| user.is_some_and(|user| user != *owner));
        let client = other.map(|owner| client_name(tx, &mut client_names, owner)).transpose()?;
        let note = client.into_iter().flatten().chain(note).collect::<Vec<_>>().join(", ");
        let name = name.to_owned();
        items.push(Item { name, link, note, is_reminder });
    }
    Ok(items)
}

/// Returns the note about a due date, or about a later last day to pay while that may still come.
fn due_note(
    app: &App,
    office: &OfficeProfile,
    category: &str,
    expires: Timestamp,
    now: Timestamp,
) -> String {
    let day = |moment: Timestamp| moment.to_zoned(app.config.time_zone.clone()).date();
    let due = day(expires);
    if expires > now {
        return format!("vence em {}", due.strftime("%d/%m/%Y"));
    }
    match office.later_payment_date(due, category).filter(|last_day| day(now) <= *last_day) {
        Some(last_day) => format!("pague até {}", last_day.strftime("%d/%m/%Y")),
        None => format!("venceu em {}", due.strftime("%d/%m/%Y")),
    }
}

/// Returns the name of a client, read once for a digest.
fn client_name(
    tx: &mut Tx<'_>,
    names: &mut BTreeMap<UserId, Option<String>>,
    client: UserId,
) -> Result<Option<String>, Error> {
    if let Some(name) = names.get(&client) {
        return Ok(name.clone());
    }
    let account = Recipient::load(tx, client)?;
    let name = account.map(|account| shortened_name(account.name()));
    names.insert(client, name.clone());
    Ok(name)
}

/// Renders a digest. Texts of people become values, never parts of the template.
fn render(
    app: &App,
    office: &Letterhead,
    user: Option<UserId>,
    topic: &str,
    count: usize,
    items: &[Item],
) -> RenderedMail {
    // A document that waits to be opened is not new.
    let is_new = items.iter().all(|item| !item.is_reminder);
    let subject = match (topic, count) {
        ("documents", 1) if !is_new => "1 documento espera por você".to_owned(),
        ("documents", _) if !is_new => format!("{count} documentos esperam por você"),
        ("documents", 1) => "1 novo documento".to_owned(),
        ("documents", _) => format!("{count} novos documentos"),
        ("expiries", 1) => "1 aviso de vencimento".to_owned(),
        ("expiries", _) => format!("{count} avisos de vencimento"),
        ("requests", 1) => "O escritório precisa de 1 documento".to_owned(),
        ("requests", _) => format!("O escritório precisa de {count} documentos"),
        (_, 1) => "1 novidade em seus tickets".to_owned(),
        (_, _) => format!("{count} novidades em seus tickets"),
    };

    let mut values = Vec::new();
    let mut body = format!("<h1>{subject}</h1>\n<ul>\n");
    for (number, Item { name, link, note, .. }) in items.iter().enumerate() {
        let link = link.as_ref().map(|link| (format!("link.{number}"), link.clone()));
        let note_name = format!("note.{number}");
        let label = match &link {
            Some((placeholder, _)) => {
                format!("<a href=\"{{{{{placeholder}}}}}\">{{{{name.{number}}}}}</a>")
            }
            None => format!("{{{{name.{number}}}}}"),
        };
        let separator = if note.is_empty() { "" } else { ": " };
        writeln!(body, "<li>{label}{separator}{{{{{note_name}}}}}</li>")
            .expect("writing to a String does not fail");
        values.extend(link);
        values.push((format!("name.{number}"), name.clone()));
        values.push((note_name, note.clone()));
    }
    body.push_str("</ul>\n");
    let more = count - items.len();
    if more > 0 {
        writeln!(body, "<p>E mais {more}, que estão no portal.</p>")
            .expect("writing to a String does not fail");
    }

    let label = unsubscribe_token::TOPICS.into_iter().find(|(name, _)| *name == topic);
    let footer = match (user, label) {
        (Some(user), Some((_, label))) => {
            values.push(("unsubscribe".to_owned(), unsubscribe_token::link(app, user, topic)));
            values.push(("topic".to_owned(), label.to_owned()));
            FOOTER
        }
        _ => "",
    };
    let values: Values<'_> =
        values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    MailLayout::built_in(&subject, &body, footer).render(office, values)
}
