//! The chain that makes the log's lines one: each line's hash is made of the line and of the hash before it, by a key
//! of the portal's secret. A line can be changed in the database, but not so that it fits again.

use std::collections::HashMap;

use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::json;

use crate::audit::{AuditEvent, names};
use crate::{
    app::App,
    db::{Error, Row, Tx},
    security::keys::{self, HmacKey},
};

/// Lines in one statement at most.
const AT_ONCE: usize = 500;
/// The longest name that a line keeps. Characters.
const NAME: usize = 255;

const COLUMNS: [&str; 14] = [
    "number",
    "created_at",
    "event",
    "actor",
    "actor_id",
    "person_id",
    "subject_id",
    "detail",
    "actor_name",
    "person_name",
    "subject",
    "salt",
    "names_hash",
    "hash",
];

/// Who did it, and when.
pub(crate) struct Actor {
    pub(crate) kind: &'static str,
    pub(crate) id: Option<String>,
    pub(crate) at: String,
}

/// A line as it is stored.
#[derive(Debug)]
struct Stored {
    number: i64,
    /// From `created_at` to `detail`, as above.
    facts: [Option<String>; 7],
    /// `actor_name`, `person_name`, `subject`.
    names: [Option<String>; 3],
    salt: Option<String>,
    names_hash: String,
    hash: String,
}

impl Stored {
    fn read(row: Row<'_>) -> Result<Self, Error> {
        let mut texts = Vec::with_capacity(COLUMNS.len());
        for cell in 1..COLUMNS.len() {
            texts.push(row.opt_text(cell)?.map(str::to_owned));
        }
        let mut texts = texts.into_iter();
        let mut next = || texts.next().flatten();
        Ok(Self {
            number: row.int(0)?,
            facts: std::array::from_fn(|_| next()),
            names: std::array::from_fn(|_| next()),
            salt: next(),
            names_hash: next().unwrap_or_default(),
            hash: next().unwrap_or_default(),
        })
    }

    fn values(self) -> Vec<Expr> {
        let mut values: Vec<Expr> = vec![self.number.into()];
        values.extend(self.facts.into_iter().chain(self.names).map(Expr::from));
        values.extend([self.salt.into(), self.names_hash.into(), self.hash.into()]);
        values
    }

    /// The hash of the names: without the salt it tells nothing of them.
    fn hash_names(&self, salt: &str) -> String {
        keys::hash(&json!([salt, self.names]).to_string())
    }

    fn seal(&self, seal: HmacKey, before: &str) -> String {
        seal.sha256_hex(&json!([self.number, self.facts, self.names_hash, before]).to_string())
    }
}

/// One end of the chain: a line's number and hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChainHead {
    pub(crate) number: i64,
    pub(crate) hash: String,
}

impl ChainHead {
    /// What says that the portal dropped the lines up to here.
    pub(crate) fn seal(&self, seal: HmacKey) -> String {
        seal.sha256_hex(&json!(["dropped", self.number, self.hash]).to_string())
    }
}

/// Writes lines at the end of the chain. Everybody who does so waits here for the one before them to commit.
pub(crate) fn append(
    tx: &mut Tx<'_>,
    seal: HmacKey,
    actor: &Actor,
    lines: Vec<AuditEvent>,
) -> Result<(), Error> {
    let mut ids: Vec<&str> = lines
        .iter()
        .filter(|line| line.person_name.is_none())
        .filter_map(|line| line.person.as_deref())
        .chain(actor.id.as_deref())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let known: HashMap<String, String> = names(tx, &ids)?.into_iter().collect();
    let name_of = |id: &Option<String>| id.as_ref().and_then(|id| known.get(id).cloned());
    let actor_name = name_of(&actor.id);

    let mut end = end(tx, "end", true)?;
    let mut stored = Vec::with_capacity(lines.len());
    for line in lines {
        let person_name = line.person_name.or_else(|| name_of(&line.person));
        let names = [actor_name.clone(), person_name, line.subject];
        let salt = keys::new_token();
        let mut new = Stored {
            number: end.number + 1,
            facts: [
                Some(actor.at.clone()),
                Some(line.event),
                Some(actor.kind.to_owned()),
                actor.id.clone(),
                line.person,
                line.subject_id,
                Some(line.detail.to_string()),
            ],
            names: names.map(|name| name.map(|name| name.chars().take(NAME).collect())),
            salt: None,
            names_hash: String::new(),
            hash: String::new(),
        };
        new.names_hash = new.hash_names(&salt);
        new.salt = Some(salt);
        new.hash = new.seal(seal, &end.hash);
        end = ChainHead { number: new.number, hash: new.hash.clone() };
        stored.push(new.values());
    }
    while !stored.is_empty() {
        let rest = stored.split_off(stored.len().min(AT_ONCE));
        let mut statement = Query::insert();
        statement.into_table("activity").columns(COLUMNS);
        for values in std::mem::replace(&mut stored, rest) {
            statement.values_panic(values);
        }
        tx.execute(&statement)?;
    }
    let mut statement = Query::update();
    statement
        .table("activity_ends")
        .values([("number", end.number.into()), ("hash", end.hash.into())]);
    tx.execute(statement.and_where(Expr::col("name").eq("end"))).map(drop)
}

/// Whether a line since then says the same of the same actor and subject. Held against others who are about to say it.
pub(crate) fn recently_recorded(
    tx: &mut Tx<'_>,
    actor: &Actor,
    line: &AuditEvent,
    since: &str,
) -> Result<bool, Error> {
    end(tx, "end", true)?;
    let mut query = Query::select();
    query.column("number").from("activity");
    query.and_where(Expr::col("actor_id").eq(actor.id.clone()));
    query.and_where(Expr::col("event").eq(line.event.as_str()));
    query.and_where(Expr::col("subject_id").eq(line.subject_id.clone()));
    query.and_where(Expr::col("created_at").gt(since)).limit(1);
    Ok(!tx.rows(&query)?.is_empty())
}

/// The line before the oldest that is kept, and whether it was the portal that dropped it and those before.
fn start(tx: &mut Tx<'_>, seal: HmacKey) -> Result<(ChainHead, bool), Error> {
    let mut query = Query::select();
    query.column("seal").from("activity_ends").and_where(Expr::col("name").eq("start"));
    let rows = tx.rows(&query)?;
    let found = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
    let start = end(tx, "start", false)?;
    let sealed = start.number == 0 || found == Some(start.seal(seal).as_str());
    Ok((start, sealed))
}

pub(crate) fn end(tx: &mut Tx<'_>, name: &str, held: bool) -> Result<ChainHead, Error> {
    let mut query = Query::select();
    query.columns(["number", "hash"]).from("activity_ends").and_where(Expr::col("name").eq(name));
    if held {
        query.lock_exclusive();
    }
    let rows = tx.rows(&query)?;
    let row = rows.first().ok_or_else(|| Error::Internal(format!("the log has no {name}")))?;
    Ok(ChainHead { number: row.int(0)?, hash: row.text(1)?.to_owned() })
}

/// What does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainBreak {
    /// The line of that number is not what was written, or does not follow the one before it.
    Tampered(i64),
    /// The lines from one number to another are not there.
    Gap(i64, i64),
    /// The lines up to that number were not dropped by the portal.
    TruncatedPrefix(i64),
}

/// What a look at the whole log found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// So many lines are kept.
    pub lines: u64,
    /// In so many of them names were erased.
    pub erased: u64,
    /// Lines up to this number were dropped when their time was over.
    pub dropped: i64,
    /// The last line's number and hash: whoever noted them elsewhere can see later that it still stands.
    pub end: (i64, String),
    /// Where the log was tampered with.
    pub breaks: Vec<ChainBreak>,
}

/// A look at the log from its oldest line to its last, some lines at a time.
#[derive(Debug)]
pub struct ChainVerifier {
    found: ChainReport,
    before: Option<ChainHead>,
}

impl ChainVerifier {
    /// Looks at the whole log.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn run(app: &App) -> Result<ChainReport, Error> {
        let end = (0, String::new());
        let found = ChainReport { lines: 0, erased: 0, dropped: 0, end, breaks: Vec::new() };
        let mut audit = Self { found, before: None };
        let seal = app.keys.activity();
        loop {
            let (next, done) = app.db.read(move |tx| audit.page(tx, seal)).await?;
            if done {
                return Ok(next.found);
            }
            audit = next;
        }
    }

    fn page(mut self, tx: &mut Tx<'_>, seal: HmacKey) -> Result<(Self, bool), Error> {
        let (start, sealed) = start(tx, seal)?;
        // Old lines may be dropped while we look: then the log begins later than where we are.
        let mut before = match self.before.take() {
            Some(before) if before.number >= start.number => before,
            _ => {
                if !sealed {
                    self.found.breaks.push(ChainBreak::TruncatedPrefix(start.number));
                }
                self.found.dropped = start.number;
                start
            }
        };
        let mut query = Query::select();
        query.columns(COLUMNS).from("activity").order_by("number", Order::Asc);
        query.and_where(Expr::col("number").gt(before.number)).limit(AT_ONCE as u64);
        let rows = tx.rows(&query)?;
        for row in rows.iter() {
            let line = Stored::read(row)?;
            if line.number > before.number + 1 {
                self.found.breaks.push(ChainBreak::Gap(before.number + 1, line.number - 1));
            }
            let names_fit = match &line.salt {
                Some(salt) => line.hash_names(salt) == line.names_hash,
                None => line.names.iter().all(Option::is_none),
            };
            // Behind a gap nobody can say what the line before was; the gap is told already.
            let follows =
                line.number > before.number + 1 || line.seal(seal, &before.hash) == line.hash;
            if !(names_fit && follows) {
                self.found.breaks.push(ChainBreak::Tampered(line.number));
            }
            self.found.lines += 1;
            self.found.erased += u64::from(line.salt.is_none());
            before = ChainHead { number: line.number, hash: line.hash };
        }
        let done = rows.len() < AT_ONCE;
        if done {
            // Asked in the same state of the data as the last lines.
            let last = end(tx, "end", false)?;
            if last.number > before.number {
                self.found.breaks.push(ChainBreak::Gap(before.number + 1, last.number));
            } else if last != before {
                self.found.breaks.push(ChainBreak::Tampered(before.number));
            }
            self.found.end = (last.number, last.hash);
        }
        self.before = Some(before);
        Ok((self, done))
    }
}

#[cfg(test)]
mod tests {
    use crate::audit::hash_chain::Stored;
    use crate::security::keys::Keys;

    #[test]
    fn a_lines_hash_depends_on_all_that_is_in_it() {
        let seal = Keys::from_secret("a secret of thirty-two bytes or more").activity();
        let line = |number, fact: &str, name: Option<&str>| {
            let mut line = Stored {
                number,
                facts: std::array::from_fn(|_| Some(fact.to_owned())),
                names: std::array::from_fn(|_| name.map(str::to_owned)),
                salt: None,
                names_hash: String::new(),
                hash: String::new(),
            };
            line.names_hash = line.hash_names("salt");
            line
        };
        let first = line(1, "a", Some("Ana")).seal(seal, "");
        for other in [line(2, "a", Some("Ana")), line(1, "b", Some("Ana")), line(1, "a", None)] {
            assert_ne!(other.seal(seal, ""), first);
        }
        assert_ne!(line(1, "a", Some("Ana")).seal(seal, "before"), first);
        assert_eq!(line(1, "a", Some("Ana")).seal(seal, ""), first);
    }
}
