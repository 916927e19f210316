//! Mails to staff about what clients did, as each member of the staff chose for each topic: at once, in a digest at eight
//! on business days, or not at all (docs/decisions/0130-staff-choose-their-mails.md).
//!
//! The notification center decides who is concerned. A mail is about rows of `notifications`. In the outbox it names at
//! most a ticket, for its reply address; the rules by which clients' mails are canceled do not apply to it.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fmt::Write as _,
};

use jiff::civil::Date;
use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    config::pages::{Area, Page},
    db::{Error, Tx},
    mail::{
        layout::{MailLayout, RenderedMail},
        template::Values,
    },
    notifications::{
        NewMail, Recipient, cancellation, center::CenterEvent, enqueue,
        notifier::NotificationSubject,
    },
    policy,
    security::ids::{MailId, TicketId, UserId},
};

/// The event of a digest, as `outbox` names it.
pub const DIGEST_EVENT: &str = "staff_digest";
/// Maximum number of notifications that a digest lists. It states the number of further ones.
const MAX_LISTED: usize = 30;
/// Maximum number of characters of a name of a client or record in a mail.
const MAX_NAME_CHARS: usize = 120;
/// Maximum number of characters of a client's text in a mail. A longer one ends with an ellipsis.
const MAX_TEXT_CHARS: usize = 2_000;
/// The place of a client's text in a body.
const TEXT_MARK: &str = "{{text}}\n";
const FOOTER: &str = "Você escolheu receber este aviso. \
    <a href=\"{{settings}}\" style=\"color:#5C6670\">Mudar os meus avisos</a>";

/// A topic with its mail.
#[derive(Debug)]
pub struct StaffMail {
    /// The event, as `outbox` names it.
    pub event: &'static str,
    /// The topic, as `staff_mail_choices` names it.
    topic: &'static str,
    /// The kinds of notifications of the topic.
    kinds: &'static [CenterEvent],
    subject: &'static str,
    body: &'static str,
}

macro_rules! staff_mails {
    ($($event:literal $topic:literal $kinds:expr, $subject:literal)*) => {
        /// All topics, in the order in which screens list them.
        pub static STAFF_MAILS: &[StaffMail] = &[$(StaffMail {
            event: $event,
            topic: $topic,
            kinds: &$kinds,
            subject: $subject,
            body: include_str!(concat!("../../templates/staff/", $event, ".html")),
        },)*];
    };
}

staff_mails! {
    "staff_new_ticket" "new_tickets" [CenterEvent::TicketNew], "Novo ticket: {{record}}"
    "staff_client_reply" "client_replies" [CenterEvent::TicketReply], "{{client}} respondeu: {{record}}"
    "staff_received_files" "received_files" [CenterEvent::RequestAnswered, CenterEvent::FilesReceived], "Enviado por {{client}}"
    "staff_approval_answer" "approval_answers" [CenterEvent::ApprovalAnswered], "{{client}} respondeu a um documento: {{record}}"
}

/// The events of all mails to staff, as `outbox` names them.
pub fn events() -> impl Iterator<Item = &'static str> {
    STAFF_MAILS.iter().map(|mail| mail.event).chain([DIGEST_EVENT])
}

/// A notification as mails mention it.
struct Item {
    kind: String,
    client: UserId,
    ticket: Option<TicketId>,
    record: String,
    link: String,
}

/// Queues mails about new notifications, each with its person, for those who want one at once.
pub(crate) fn send_at_once(
    tx: &mut Tx<'_>,
    app: &App,
    event: CenterEvent,
    notifications: &[(UserId, String)],
) -> Result<(), Error> {
    let Some(mail) = STAFF_MAILS.iter().find(|mail| mail.kinds.contains(&event)) else {
        return Ok(());
    };
    let mut query = Query::select();
    query.column("person_id").from("staff_mail_choices");
    query
        .and_where(Expr::col("delivery").eq("at_once"))
        .and_where(Expr::col("topic").eq(mail.topic));
    query.and_where(Expr::col("person_id").is_in(notifications.iter().map(|(person, _)| *person)));
    let rows = tx.rows(&query)?;
    let wanted: Vec<UserId> = rows.iter().map(|row| row.parse(0)).collect::<Result<_, _>>()?;
    for (person, id) in notifications.iter().filter(|(person, _)| wanted.contains(person)) {
        let Some(recipient) = reachable(tx, app, *person)? else { continue };
        let is_it = Condition::all().add(Expr::col(("notifications", "id")).eq(id.as_str()));
        let Some(item) = load_items(tx, app, is_it)?.pop() else { continue };
        let client = client_name(tx, item.client)?;
        let office = app.office_in(tx)?.letterhead();
        let text = match item.ticket {
            Some(ticket) => newest_client_text(tx, ticket)?.unwrap_or_default(),
            None => String::new(),
        };
        let lines = quoted_lines(&text);
        let mut values = Values::from([
            ("client", client),
            ("record", item.record),
            ("link", item.link),
            ("settings", app.config.page_url(Page::StaffMails)),
        ]);
        values.extend(lines.iter().map(|(name, line)| (name.as_str(), line.clone())));
        let body = mail.body.replacen(TEXT_MARK, &blockquote(&lines), 1);
        let rendered = MailLayout::built_in(mail.subject, &body, FOOTER).render(&office, values);
        let about = (Some(item.client), item.ticket.map(NotificationSubject::Ticket));
        queue(tx, app, mail.event, id, &recipient, about, rendered)?;
    }
    Ok(())
}

/// Returns the people who want a digest.
///
/// # Errors
/// Database errors.
pub fn people_with_digest(tx: &mut Tx<'_>) -> Result<Vec<UserId>, Error> {
    let mut query = Query::select();
    query.column("person_id").distinct().from("staff_mail_choices");
    query.and_where(Expr::col("delivery").eq("daily")).order_by("person_id", Order::Asc);
    tx.rows(&query)?.iter().map(|row| row.parse(0)).collect()
}

/// Queues the digest of a person on a day: the unread notifications of the chosen topics since the last digest. Returns
/// whether a row was inserted.
///
/// # Errors
/// Database errors.
pub fn send_digest(tx: &mut Tx<'_>, app: &App, person: UserId, today: Date) -> Result<bool, Error> {
    let Some(recipient) = reachable(tx, app, person)? else { return Ok(false) };
    let items = load_digest(tx, app, person, None)?;
    if items.is_empty() {
        return Ok(false);
    }
    let rendered = render_digest(tx, app, &items)?;
    queue(tx, app, DIGEST_EVENT, &today.to_string(), &recipient, (None, None), rendered)
}

/// Writes a claimed digest of a person anew: the person may have lost a client or read what the digest lists, and records
/// may be gone. Cancels it if nothing is left.
pub(crate) fn rewrite_digest(
    tx: &mut Tx<'_>,
    app: &App,
    digest: MailId,
    person: UserId,
) -> Result<(), Error> {
    let is_claimed =
        || Condition::all().add(Expr::col("id").eq(digest)).add(Expr::col("state").eq("sending"));
    let mut query = Query::select();
    query.column("created_at").from("outbox").cond_where(is_claimed());
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(()) };
    let items = load_digest(tx, app, person, Some(row.text(0)?))?;
    let mut statement = if items.is_empty() {
        let mut canceled = cancellation::cancel("Nenhuma novidade deste resumo espera mais.");
        // The text names what is gone, so it must not be sent again.
        canceled.value("html", "").take()
    } else {
        let rendered = render_digest(tx, app, &items)?;
        let mut update = Query::update();
        update.table("outbox").value("subject", rendered.subject).value("html", rendered.html);
        update
    };
    tx.execute(statement.cond_where(is_claimed())).map(drop)
}

/// Loads the unread notifications of the topics that a person chose for digests, since the last digest. For a digest that
/// exists, those until its creation, since the digest before it.
fn load_digest(
    tx: &mut Tx<'_>,
    app: &App,
    person: UserId,
    created_at: Option<&str>,
) -> Result<Vec<Item>, Error> {
    let last = last_digest(tx, person, created_at)?;
    let mut chosen = Query::select();
    chosen.columns(["topic", "created_at"]).from("staff_mail_choices");
    chosen
        .and_where(Expr::col("person_id").eq(person))
        .and_where(Expr::col("delivery").eq("daily"));
    let mut is_new = Condition::any();
    let notified_at = || Expr::col(("notifications", "created_at"));
    for row in tx.rows(&chosen)?.iter() {
        let (topic, since) = (row.text(0)?, row.text(1)?);
        let Some(mail) = STAFF_MAILS.iter().find(|mail| mail.topic == topic) else { continue };
        let kinds = mail.kinds.iter().map(|kind| kind.as_str());
        let mut of_topic = Condition::all()
            .add(Expr::col(("notifications", "kind")).is_in(kinds))
            .add(notified_at().gte(since));
        if let Some(last) = &last {
            of_topic = of_topic.add(notified_at().gt(last.as_str()));
        }
        is_new = is_new.add(of_topic);
    }
    if is_new.is_empty() {
        return Ok(Vec::new());
    }
    let mut unread = Condition::all()
        .add(Expr::col(("notifications", "person_id")).eq(person))
        .add(Expr::col(("notifications", "read_at")).is_null())
        .add(policy::staff_reaches(&person.into(), &Expr::col(("notifications", "client_id"))))
        .add(is_new);
    if let Some(created_at) = created_at {
        unread = unread.add(notified_at().lte(created_at));
    }
    load_items(tx, app, unread)
}

/// Cancels the digests that have not left, and removes the texts of all. They may name a person whose data are erased.
///
/// # Errors
/// Database errors.
pub fn clear_digests(tx: &mut Tx<'_>) -> Result<(), Error> {
    let mut waiting = cancellation::cancel("Os dados de um cliente do resumo foram apagados.");
    waiting.and_where(Expr::col("event").eq(DIGEST_EVENT));
    tx.execute(waiting.and_where(Expr::col("state").is_in(["queued", "sending"])))?;
    let mut texts = Query::update();
    texts.table("outbox").value("html", "").and_where(Expr::col("event").eq(DIGEST_EVENT));
    tx.execute(texts.and_where(Expr::cust("html <> ''"))).map(drop)
}

/// Returns the time of the last digest of a person, before a time if one is given, that has left or may leave.
fn last_digest(
    tx: &mut Tx<'_>,
    person: UserId,
    before: Option<&str>,
) -> Result<Option<String>, Error> {
    let mut query = Query::select();
    query.expr(Expr::col("created_at").max()).from("outbox");
    query.and_where(Expr::col("user_id").eq(person)).and_where(Expr::col("event").eq(DIGEST_EVENT));
    query.and_where(Expr::col("state").is_not_in(["cancelled", "failed"]));
    if let Some(before) = before {
        query.and_where(Expr::col("created_at").lt(before));
    }
    let rows = tx.rows(&query)?;
    let last = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
    Ok(last.map(str::to_owned))
}

/// Returns a member of the staff whose address may receive mails.
fn reachable(tx: &mut Tx<'_>, app: &App, person: UserId) -> Result<Option<Recipient>, Error> {
    let now = app.clock.now();
    Ok(Recipient::load(tx, person)?.filter(|account| {
        account.is_admin && account.is_address_trusted && !account.is_banned(now)
    }))
}

fn client_name(tx: &mut Tx<'_>, client: UserId) -> Result<String, Error> {
    let account = Recipient::load(tx, client)?;
    Ok(account.map_or_else(String::new, |account| cut(account.name())))
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_NAME_CHARS).collect()
}

/// Returns what the client wrote last in a ticket: the newest message, else the text of the ticket. `None` if the ticket
/// is gone.
fn newest_client_text(tx: &mut Tx<'_>, id: TicketId) -> Result<Option<String>, Error> {
    let mut message = Query::select();
    message.column("body").from("ticket_messages").and_where(Expr::col("ticket_id").eq(id));
    message.and_where(Expr::col("from_staff").eq(false));
    message.order_by("created_at", Order::Desc).order_by("id", Order::Desc).limit(1);
    if let Some(row) = tx.rows(&message)?.first() {
        return Ok(Some(row.text(0)?.to_owned()));
    }
    let mut ticket = Query::select();
    ticket.column("message").from("tickets").and_where(Expr::col("id").eq(id));
    tx.rows(&ticket)?.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

/// Names the lines of a client's text, which is cut to [`MAX_TEXT_CHARS`], as placeholders.
fn quoted_lines(text: &str) -> Vec<(String, String)> {
    let text = text.trim();
    let mut cut: String = text.chars().take(MAX_TEXT_CHARS).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut.lines().enumerate().map(|(at, line)| (format!("text.{at}"), line.to_owned())).collect()
}

/// Returns the template of a quotation; empty without a text.
fn blockquote(lines: &[(String, String)]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines.iter().map(|(name, _)| format!("{{{{{name}}}}}")).collect();
    format!("<blockquote>{}</blockquote>\n", lines.join("<br>"))
}

/// Loads notifications with the names and pages of their records, oldest first.
fn load_items(tx: &mut Tx<'_>, app: &App, which: Condition) -> Result<Vec<Item>, Error> {
    let mut query = Query::select();
    query.columns(
        ["kind", "client_id", "document_id", "ticket_id"].map(|name| ("notifications", name)),
    );
    query.columns([("documents", "name"), ("tickets", "subject"), ("request_items", "name")]);
    query.from("notifications");
    for (table, column) in [
        ("documents", "document_id"),
        ("tickets", "ticket_id"),
        ("request_items", "request_item_id"),
    ] {
        query.left_join(table, Expr::col((table, "id")).equals(("notifications", column)));
    }
    query.cond_where(which);
    query.order_by(("notifications", "created_at"), Order::Asc);
    query.order_by(("notifications", "id"), Order::Asc);
    let mut items = Vec::new();
    for row in tx.rows(&query)?.iter() {
        let kind = row.text(0)?.to_owned();
        let area = Area::BackOffice;
        let document = row.opt_text(2)?.map(|id| Page::Document(area, id));
        let ticket = row.opt_text(3)?.map(|id| Page::Ticket(area, id));
        let is_loose = kind == CenterEvent::FilesReceived.as_str();
        let requests = if is_loose { Page::ReceivedFiles } else { Page::Requests(area) };
        let record = row.opt_text(4)?.or(row.opt_text(5)?).or(row.opt_text(6)?);
        items.push(Item {
            link: app.config.page_url(document.or(ticket).unwrap_or(requests)),
            client: row.parse(1)?,
            ticket: row.opt_parse(3)?,
            record: cut(record.unwrap_or_default()),
            kind,
        });
    }
    Ok(items)
}

/// Renders a digest. Texts of people become values, never parts of the template.
fn render_digest(tx: &mut Tx<'_>, app: &App, items: &[Item]) -> Result<RenderedMail, Error> {
    let count = items.len();
    let subject = match count {
        1 => "Resumo do dia: 1 novidade".to_owned(),
        _ => format!("Resumo do dia: {count} novidades"),
    };
    let mut names: BTreeMap<UserId, String> = BTreeMap::new();
    let mut values = vec![("settings".to_owned(), app.config.page_url(Page::StaffMails))];
    let mut body = format!("<h1>{subject}</h1>\n<ul>\n");
    for (number, item) in items.iter().take(MAX_LISTED).enumerate() {
        if let Entry::Vacant(name) = names.entry(item.client) {
            name.insert(client_name(tx, item.client)?);
        }
        let title = title(&item.kind);
        let record = if item.record.is_empty() { "" } else { ": " };
        writeln!(
            body,
            "<li><a href=\"{{{{link.{number}}}}}\">{title}</a>, {{{{client.{number}}}}}{record}{{{{record.{number}}}}}</li>"
        )
        .expect("writing to a String does not fail");
        values.push((format!("link.{number}"), item.link.clone()));
        values.push((format!("client.{number}"), names[&item.client].clone()));
        values.push((format!("record.{number}"), item.record.clone()));
    }
    body.push_str("</ul>\n");
    if count > MAX_LISTED {
        writeln!(body, "<p>E mais {}, que estão no portal.</p>", count - MAX_LISTED)
            .expect("writing to a String does not fail");
    }
    let values: Values<'_> =
        values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let office = app.office_in(tx)?.letterhead();
    Ok(MailLayout::built_in(&subject, &body, FOOTER).render(&office, values))
}

/// Returns the title of a notification in a digest.
fn title(kind: &str) -> &'static str {
    match kind {
        "ticket_new" => "Novo ticket",
        "ticket_reply" => "Mensagem do cliente",
        "request_answered" => "Solicitação respondida",
        "files_received" => "Arquivos recebidos",
        _ => "Resposta a um documento",
    }
}

fn queue(
    tx: &mut Tx<'_>,
    app: &App,
    event: &str,
    cause: &str,
    recipient: &Recipient,
    (about_user_id, subject): (Option<UserId>, Option<NotificationSubject>),
    rendered: RenderedMail,
) -> Result<bool, Error> {
    let mail = NewMail {
        event,
        cause: &format!("{cause}|{}", recipient.id),
        user: Some(recipient.id),
        about_user_id,
        to: &recipient.email,
        rendered,
        topic: None,
        subject,
    };
    Ok(enqueue(tx, app, mail)?.is_some())
}
