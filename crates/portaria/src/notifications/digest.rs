//! Several notices to one person as one mail: what it lists, and the rows that it stands for.

use std::fmt::Write as _;

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Order, Query};
use uuid::Uuid;

use crate::{
    accounts::user,
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    security::keys,
};
use crate::{
    mail::{
        layout::{MailLayout, RenderedMail},
        template::Values,
    },
    notifications::unsubscribe_token,
};

/// What a digest lists; of more it says how many there are.
const LISTED: usize = 30;
/// Below each.
const FOOTER: &str = "Estes avisos vieram juntos para não encher a sua caixa de entrada.<br>\
    <a href=\"{{unsubscribe}}\" style=\"color:#5C6670\">Não quero mais avisos sobre {{topic}}</a>";
/// Rows in one statement at most.
const AT_ONCE: usize = 500;

/// What is listed: a name, where it leads, and a word on it.
struct Item {
    name: String,
    link: Option<String>,
    note: String,
}

/// Puts a digest into the outbox in the place of these mails, which count as sent with it. Returns its id.
pub(crate) fn put(
    tx: &mut Tx<'_>,
    app: &App,
    (recipient, user, topic): (&str, Option<&str>, &str),
    mails: &[String],
    now: Timestamp,
) -> Result<String, Error> {
    let id = keys::new_id(now).to_string();
    let listed = items(tx, app, user, mails.get(..LISTED).unwrap_or(mails), now)?;
    let written = write(app, (user, topic), mails.len(), &listed);
    tx.insert(
        "outbox",
        [
            ("id", id.as_str().into()),
            ("event", "digest".into()),
            ("dedupe_key", format!("digest|{id}").into()),
            ("user_id", user.map(str::to_owned).into()),
            ("recipient", recipient.into()),
            ("subject", written.subject.into()),
            ("html", written.html.into()),
            ("topic", topic.into()),
            ("state", "queued".into()),
            ("next_attempt_at", format_timestamp(now).into()),
            ("created_at", format_timestamp(now).into()),
        ],
    )?;
    for mails in mails.chunks(AT_ONCE) {
        let mut told = Query::update();
        told.table("outbox").value("state", "sent").value("digest_id", id.as_str());
        tx.execute(told.and_where(Expr::col("id").is_in(mails.iter().map(String::as_str))))?;
    }
    Ok(id)
}

fn items(
    tx: &mut Tx<'_>,
    app: &App,
    user: Option<&str>,
    mails: &[String],
    now: Timestamp,
) -> Result<Vec<Item>, Error> {
    let user = user.and_then(|id| Uuid::parse_str(id).ok());
    let user = user.map(|id| user::by_id(tx, id)).transpose()?.flatten();
    let area = if user.is_some_and(|user| user.is_admin()) { "/admin" } else { "" };
    let portal = format!("{}{area}", app.config.site_url);
    let mut query = Query::select();
    query.columns([("outbox", "subject"), ("documents", "id"), ("documents", "name")]);
    query.columns([("documents", "expires_at"), ("tickets", "id"), ("tickets", "subject")]);
    query.from("outbox");
    for (table, column) in [("documents", "document_id"), ("tickets", "ticket_id")] {
        query.left_join(table, Expr::col((table, "id")).equals(("outbox", column)));
    }
    query.and_where(Expr::col(("outbox", "id")).is_in(mails.iter().map(String::as_str)));
    query.order_by(("outbox", "created_at"), Order::Asc).order_by(("outbox", "id"), Order::Asc);
    let mut items = Vec::new();
    for row in tx.rows(&query)?.iter() {
        let of = |id: Option<&str>, path: &str| id.map(|id| format!("{portal}/{path}/{id}"));
        let link = of(row.opt_text(1)?, "documents/view").or(of(row.opt_text(4)?, "tickets"));
        let expires: Option<Timestamp> = row.opt_text(3)?.and_then(|text| text.parse().ok());
        let note = expires.map(|expires| {
            let day = expires.to_zoned(app.config.time_zone.clone()).strftime("%d/%m/%Y");
            format!("{} em {day}", if expires > now { "vence" } else { "venceu" })
        });
        // What it was about may be gone by now.
        let name = row.opt_text(2)?.or(row.opt_text(5)?).unwrap_or(row.text(0)?);
        items.push(Item { name: name.to_owned(), link, note: note.unwrap_or_default() });
    }
    Ok(items)
}

/// What people wrote is put in as values, never as part of the template.
fn write(
    app: &App,
    (user, topic): (Option<&str>, &str),
    count: usize,
    items: &[Item],
) -> RenderedMail {
    let subject = match topic {
        "documents" => format!("{count} novos documentos"),
        "expiries" => format!("{count} avisos de vencimento"),
        _ => format!("{count} novidades em seus tickets"),
    };
    let mut values = Vec::new();
    let mut body = format!("<h1>{subject}</h1>\n<ul>\n");
    for (number, Item { name, link, note }) in items.iter().enumerate() {
        let link = link.as_ref().map(|link| (format!("link.{number}"), link.clone()));
        let note_name = format!("note.{number}");
        let words = match &link {
            Some((place, _)) => format!("<a href=\"{{{{{place}}}}}\">{{{{name.{number}}}}}</a>"),
            None => format!("{{{{name.{number}}}}}"),
        };
        let between = if note.is_empty() { "" } else { ": " };
        writeln!(body, "<li>{words}{between}{{{{{note_name}}}}}</li>").expect("a String takes it");
        values.extend(link);
        values.push((format!("name.{number}"), name.clone()));
        values.push((note_name, note.clone()));
    }
    body.push_str("</ul>\n");
    let more = count - items.len();
    if more > 0 {
        writeln!(body, "<p>E mais {more}, que estão no portal.</p>").expect("a String takes it");
    }
    values.push(("office.name".to_owned(), app.config.product_name.clone()));
    let words = unsubscribe_token::TOPICS.into_iter().find(|(name, _)| *name == topic);
    let footer = match (user, words) {
        (Some(user), Some((_, words))) => {
            values.push(("unsubscribe".to_owned(), unsubscribe_token::link(app, user, topic)));
            values.push(("topic".to_owned(), words.to_owned()));
            FOOTER
        }
        _ => "",
    };
    let values: Values<'_> =
        values.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    MailLayout::built_in(&subject, &body, footer).render(&values)
}
