//! What the portal writes down about people and shows them on no screen: the mails to them, the log of what they did and
//! what was done to what is theirs, that they have a calendar. It is theirs to take along all the same.

use sea_query::{Alias, Condition, Expr, ExprTrait, Order, Query, Value as Sql};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::privacy::export_archive::{PAGE, value};
use crate::{
    db::{self, Cell, Tx},
    schema::{ColumnType, DayBoundary},
};

const TEXT: ColumnType = ColumnType::Text(0);
const MOMENT: ColumnType = ColumnType::Timestamp(DayBoundary::Start);

/// Some rows, and the last one's key if there may be more.
pub(crate) type Page = (Vec<Map<String, Value>>, Option<Sql>);

/// Rows about a person, and the file that they become.
pub(crate) struct PersonalDataSource {
    pub(crate) file: &'static str,
    table: &'static str,
    key: &'static str,
    columns: &'static [(&'static str, ColumnType)],
    whose: fn(&str) -> Condition,
}

/// All of them.
pub(crate) static SOURCES: [PersonalDataSource; 3] = [
    PersonalDataSource {
        file: "emails.json",
        table: "outbox",
        key: "id",
        // Without the words: until they are sent, links in there prove who opens them.
        columns: &[
            ("id", ColumnType::Uuid),
            ("created_at", MOMENT),
            ("event", TEXT),
            ("recipient", TEXT),
            ("subject", TEXT),
            ("topic", TEXT),
            ("document_id", ColumnType::Uuid),
            ("ticket_id", ColumnType::Uuid),
            ("state", TEXT),
            ("attempts", ColumnType::Int),
            ("last_error", TEXT),
            ("sent_at", MOMENT),
        ],
        whose: |id| Condition::any().add(is("user_id", id)).add(is("about_id", id)),
    },
    PersonalDataSource {
        file: "registro.json",
        table: "activity",
        key: "number",
        // Without the names of others: that it was the office is said by the kind of actor.
        columns: &[
            ("number", ColumnType::Int),
            ("created_at", MOMENT),
            ("event", TEXT),
            ("actor", TEXT),
            ("subject_id", TEXT),
            ("subject", TEXT),
            ("detail", ColumnType::Json),
        ],
        // What somebody did for the office is the office's.
        whose: |id| {
            let by_them = Condition::all().add(is("actor", "client")).add(is("actor_id", id));
            Condition::any().add(is("person_id", id)).add(by_them)
        },
    },
    PersonalDataSource {
        file: "calendario.json",
        table: "calendar_feeds",
        key: "id",
        columns: &[("id", ColumnType::Uuid), ("created_at", MOMENT)],
        whose: |id| Condition::all().add(is("client_id", id)),
    },
];

fn is(column: &'static str, value: &str) -> Expr {
    Expr::col(column).eq(value)
}

impl PersonalDataSource {
    /// The next rows behind a key.
    pub(crate) fn page(
        &self,
        tx: &mut Tx<'_>,
        person: Uuid,
        after: Option<Sql>,
    ) -> Result<Page, db::Error> {
        let mut query = Query::select();
        query.columns(self.columns.iter().map(|(name, _)| Alias::new(*name)));
        query.from(Alias::new(self.table)).cond_where((self.whose)(&person.to_string()));
        if let Some(after) = after {
            query.and_where(Expr::col(Alias::new(self.key)).gt(after));
        }
        query.order_by(Alias::new(self.key), Order::Asc).limit(PAGE);
        let rows = tx.rows(&query)?;
        let mut page = Vec::with_capacity(rows.len());
        let mut last = None;
        for row in rows.iter() {
            let mut object = Map::new();
            for (place, (name, kind)) in self.columns.iter().enumerate() {
                object.insert((*name).to_owned(), value(row, place, *kind)?);
            }
            // The key comes first.
            last = match row.cell(0) {
                Cell::Int(number) => Some(number.into()),
                _ => Some(row.text(0)?.into()),
            };
            page.push(object);
        }
        let is_full = page.len() as u64 == PAGE;
        Ok((page, last.filter(|_| is_full)))
    }
}
