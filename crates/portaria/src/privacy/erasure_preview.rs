//! What would go with a person and what would stay: shown before anybody is asked to confirm it.

use sea_query::{Alias, Condition, Expr, ExprTrait, Order, Query};
use serde::Serialize;

use crate::privacy::erasure::told_of;
use crate::{
    accounts::user::User,
    audit,
    db::{
        Error, Tx,
        dialect::{Dialect, literal},
    },
    documents::legal_hold,
};

/// Held documents and mentions are shown up to so many each.
const SHOWN: u64 = 50;
/// A shorter name is part of too many words to be looked for.
const SHORTEST: usize = 5;

/// What there is of a person.
#[derive(Debug, Serialize)]
pub struct ErasurePreview {
    /// Documents that would go with their files.
    pub documents: u64,
    /// Tickets that would go with their messages and files.
    pub tickets: u64,
    /// Mails in the outbox.
    pub mails: u64,
    /// Lines of the log from which names would go.
    pub lines: u64,
    /// How many documents a legal hold keeps.
    pub held_count: u64,
    /// The first of them.
    pub held: Vec<HeldDocument>,
    /// Where the office's own texts seem to speak of the person: they are the office's to mend.
    pub mentions: Vec<Mention>,
}

/// A document that stays.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct HeldDocument {
    pub id: String,
    pub name: String,
    pub folder: String,
    pub reason: String,
}

/// A text that holds the person's name or address.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Mention {
    pub table: &'static str,
    pub id: String,
    pub name: String,
}

/// Where the office writes freely, with the column that names the row and those that are searched.
const TEXTS: [(&str, &str, &str, &[&str]); 5] = [
    ("email_templates", "id", "name", &["name", "subject", "html_content", "description"]),
    ("saved_replies", "id", "title", &["title", "body"]),
    ("folders", "id_supabase", "name", &["name"]),
    ("documents", "id", "name", &["name"]),
    ("tickets", "id", "subject", &["subject", "message"]),
];

/// Looks for all that there is of a person.
///
/// # Errors
/// Those of the database.
pub fn plan(tx: &mut Tx<'_>, user: &User) -> Result<ErasurePreview, Error> {
    let id = user.id.to_string();
    let own = |column: &'static str| Condition::all().add(Expr::col(column).eq(&id));
    let all = count(tx, "documents", own("client_id"))?;
    let held_count = count(tx, "documents", own("client_id").add(legal_hold::is_on_hold()))?;
    Ok(ErasurePreview {
        documents: all - held_count,
        tickets: count(tx, "tickets", own("user_id"))?,
        mails: count(tx, "outbox", told_of(&id))?,
        lines: audit::count_named(tx, &id)?,
        held_count,
        held: held(tx, &id)?,
        mentions: mentions(tx, user)?,
    })
}

fn count(tx: &mut Tx<'_>, table: &'static str, which: Condition) -> Result<u64, Error> {
    let mut query = Query::select();
    query.expr(Expr::cust("count(*)")).from(table).cond_where(which);
    let rows = tx.rows(&query)?;
    rows.first().map_or(Ok(0), |row| row.int(0).map(i64::unsigned_abs))
}

fn held(tx: &mut Tx<'_>, id: &str) -> Result<Vec<HeldDocument>, Error> {
    let mut query = Query::select();
    query.columns([("documents", "id"), ("documents", "name"), ("folders", "name")]);
    query.columns([("documents", "hold_reason"), ("folders", "hold_reason")]);
    query.from("documents").inner_join(
        "folders",
        Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase")),
    );
    query
        .and_where(Expr::col(("documents", "client_id")).eq(id))
        .cond_where(legal_hold::is_on_hold());
    query.order_by(("documents", "id"), Order::Asc).limit(SHOWN);
    let rows = tx.rows(&query)?;
    let read = |row: crate::db::Row<'_>| {
        let text = |cell| row.text(cell).map(str::to_owned);
        let reason = row.opt_text(3)?.or(row.opt_text(4)?).unwrap_or_default();
        Ok(HeldDocument {
            id: text(0)?,
            name: text(1)?,
            folder: text(2)?,
            reason: reason.to_owned(),
        })
    };
    rows.iter().map(read).collect()
}

fn mentions(tx: &mut Tx<'_>, user: &User) -> Result<Vec<Mention>, Error> {
    let words = [user.email.as_str(), user.full_name()].into_iter();
    let words: Vec<String> = words
        .filter(|word| word.chars().count() >= SHORTEST)
        .map(|word| format!("%{}%", literal(word)))
        .collect();
    let dialect = tx.dialect();
    let mut found = Vec::new();
    for (table, key, name, columns) in TEXTS {
        let columns =
            columns.iter().flat_map(|column| words.iter().map(move |word| (column, word)));
        let says = columns.fold(Condition::any(), |any, (column, word)| {
            any.add(dialect.ilike(Expr::col(Alias::new(*column)), word))
        });
        let says = if table == "tickets" { says.add(written_under(&words, dialect)) } else { says };
        let mut query = Query::select();
        query.columns([Alias::new(key), Alias::new(name)]).from(Alias::new(table));
        query.cond_where(Condition::all().add(says));
        // What is theirs goes anyway.
        let owner = match table {
            "documents" => Some("client_id"),
            "tickets" => Some("user_id"),
            _ => None,
        };
        if let Some(owner) = owner {
            let others = Expr::col(owner).ne(user.id.to_string()).or(Expr::col(owner).is_null());
            query.and_where(others);
        }
        query.order_by(Alias::new(key), Order::Asc).limit(SHOWN);
        for row in tx.rows(&query)?.iter() {
            let (id, name) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
            found.push(Mention { table, id, name });
        }
    }
    Ok(found)
}

/// Tickets with a message that holds one of the words.
fn written_under(words: &[String], dialect: Dialect) -> Expr {
    let says = words.iter().map(|word| dialect.ilike(Expr::col("body"), word));
    let mut messages = Query::select();
    messages.column("ticket_id").from("ticket_messages");
    messages.cond_where(says.fold(Condition::any(), Condition::add));
    Expr::col("id").in_subquery(messages)
}
