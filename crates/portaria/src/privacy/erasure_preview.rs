//! Preview of an erasure: the data that would be deleted, and the data that would stay.

use sea_query::{Alias, Condition, Expr, ExprTrait, Order, Query};
use serde::Serialize;

use crate::privacy::mails;
use crate::{
    accounts::user::User,
    audit,
    db::{
        Error, Tx,
        dialect::{Dialect, literal},
    },
    documents::legal_hold,
    security::ids::UserId,
};

/// Maximum number of held documents, and of mentions per table, in a preview.
const MAX_LISTED: u64 = 50;
/// Minimum number of characters of a name to search for. Shorter names occur within other words.
const MIN_TERM_CHARS: usize = 5;

/// Data about a person.
#[derive(Debug, Serialize)]
pub struct ErasurePreview {
    /// Documents that would be deleted with their files, with those in the trash.
    pub documents: u64,
    /// Tickets that would be deleted with their messages and files.
    pub tickets: u64,
    /// Mails in the outbox.
    pub mails: u64,
    /// Audit events from which names would be removed.
    pub lines: u64,
    /// Number of documents under legal hold.
    pub held_count: u64,
    /// The first documents under legal hold.
    pub held: Vec<HeldDocument>,
    /// Texts of the office that contain the person's name or address. The erasure does not change them.
    pub mentions: Vec<Mention>,
}

/// A document that stays because of a legal hold.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are self-explanatory")]
pub struct HeldDocument {
    pub id: String,
    pub name: String,
    pub folder: String,
    pub reason: String,
}

/// A row with a text that contains the person's name or address.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are self-explanatory")]
pub struct Mention {
    pub table: &'static str,
    pub id: String,
    pub name: String,
}

/// Tables with free text of the office: table, key, column of the displayed name, and searched columns.
const TEXTS: [(&str, &str, &str, &[&str]); 6] = [
    ("email_templates", "id", "name", &["name", "subject", "html_content", "description"]),
    ("saved_replies", "id", "title", &["title", "body"]),
    ("saved_views", "id", "name", &["name", "search"]),
    ("folders", "id_supabase", "name", &["name"]),
    ("documents", "id", "name", &["name"]),
    ("tickets", "id", "subject", &["subject", "message"]),
];

/// Collects the preview of an account's erasure.
///
/// # Errors
/// Database errors.
pub fn preview(tx: &mut Tx<'_>, user: &User) -> Result<ErasurePreview, Error> {
    let id = user.id;
    let owned_by = |column: &'static str| Condition::all().add(Expr::col(column).eq(id));
    let all = count(tx, "documents", documents_of(id))?;
    let is_held = documents_of(id).add(legal_hold::is_on_hold());
    let held_count = count(tx, "documents", is_held)?;
    let trashed = count(tx, "deleted_documents", owned_by("client_id"))?;
    Ok(ErasurePreview {
        documents: all - held_count + trashed,
        tickets: count(tx, "tickets", owned_by("user_id"))?,
        mails: count(tx, "outbox", mails::about(id))?,
        lines: audit::count_named(tx, id)?,
        held_count,
        held: held(tx, id)?,
        mentions: mentions(tx, user)?,
    })
}

/// The condition for the documents of a client, with those that were withdrawn from the client.
fn documents_of(id: UserId) -> Condition {
    let owner = |column| Expr::col(("documents", column)).eq(id);
    Condition::all().add(owner("client_id").or(owner("withdrawn_client_id")))
}

fn count(tx: &mut Tx<'_>, table: &'static str, condition: Condition) -> Result<u64, Error> {
    let mut query = Query::select();
    query.expr(Expr::cust("count(*)")).from(table).cond_where(condition);
    let rows = tx.rows(&query)?;
    rows.first().map_or(Ok(0), |row| row.int(0).map(i64::unsigned_abs))
}

fn held(tx: &mut Tx<'_>, id: UserId) -> Result<Vec<HeldDocument>, Error> {
    let mut query = Query::select();
    query.columns([("documents", "id"), ("documents", "name"), ("folders", "name")]);
    query.columns([("documents", "legal_hold_reason"), ("folders", "legal_hold_reason")]);
    query.from("documents").inner_join(
        "folders",
        Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase")),
    );
    query.cond_where(documents_of(id)).cond_where(legal_hold::is_on_hold());
    query.order_by(("documents", "id"), Order::Asc).limit(MAX_LISTED);
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
    let terms = [user.email.as_str(), user.full_name()].into_iter();
    let patterns: Vec<String> = terms
        .filter(|term| term.chars().count() >= MIN_TERM_CHARS)
        .map(|term| format!("%{}%", literal(term)))
        .collect();

    let dialect = tx.dialect();
    let mut found = Vec::new();
    for (table, key, name, columns) in TEXTS {
        let columns =
            columns.iter().flat_map(|column| patterns.iter().map(move |pattern| (column, pattern)));
        let matches = columns.fold(Condition::any(), |any, (column, pattern)| {
            any.add(dialect.ilike(Expr::col(Alias::new(*column)), pattern))
        });
        let matches = if table == "tickets" {
            matches.add(has_matching_message(&patterns, dialect))
        } else {
            matches
        };

        let mut query = Query::select();
        query.columns([Alias::new(key), Alias::new(name)]).from(Alias::new(table));
        query.cond_where(Condition::all().add(matches));

        // The person's own rows are deleted anyway.
        let owner = match table {
            "documents" => Some("client_id"),
            "tickets" => Some("user_id"),
            _ => None,
        };
        if let Some(owner) = owner {
            let others = Expr::col(owner).ne(user.id).or(Expr::col(owner).is_null());
            query.and_where(others);
        }
        query.order_by(Alias::new(key), Order::Asc).limit(MAX_LISTED);
        for row in tx.rows(&query)?.iter() {
            let (id, name) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
            found.push(Mention { table, id, name });
        }
    }
    Ok(found)
}

/// Returns the condition for tickets with a message that matches one of the patterns.
fn has_matching_message(patterns: &[String], dialect: Dialect) -> Expr {
    let matches = patterns.iter().map(|pattern| dialect.ilike(Expr::col("body"), pattern));
    let mut messages = Query::select();
    messages.column("ticket_id").from("ticket_messages");
    messages.cond_where(matches.fold(Condition::any(), Condition::add));
    Expr::col("id").in_subquery(messages)
}
