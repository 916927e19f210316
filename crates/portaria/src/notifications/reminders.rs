//! Reminders of what clients did not do: the results of a request for them, and the notification center of clients and
//! staff.

use std::collections::{BTreeMap, BTreeSet};

use sea_query::{Condition, Expr, ExprTrait, Query};
use serde::Serialize;

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::center::{
        CenterEntry, CenterEvent, FolderOfClient, MAX_ROWS, active_staff, add, people_who_read,
    },
    security::ids::UserId,
    table_write::{WriteError, check_choice},
};

/// Maximum number of documents or items of a request for reminders.
const MAX_ROWS_OF_REQUEST: usize = 500;

/// The result of a request for reminders: numbers of documents, or of items of requests.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Reminders {
    /// A mail is on its way.
    reminded: usize,
    /// The client was reminded today already.
    repeated: usize,
    /// The client receives no such mails: muted, suspended, or without a confirmed address.
    unreachable: usize,
    /// The document does not wait to be opened any more, or the item to be answered.
    settled: usize,
}

/// The result of a reminder of one document or item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A mail is on its way.
    Reminded,
    /// The client was reminded today already.
    Repeated,
    /// The client receives no such mails.
    Unreachable,
}

impl Reminders {
    /// Returns the result of `requested` rows of which `waiting` still wait for their clients.
    pub(crate) fn of(requested: usize, waiting: usize) -> Self {
        Self { settled: requested.saturating_sub(waiting), ..Self::default() }
    }

    /// Counts a row.
    pub(crate) fn count(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Reminded => &mut self.reminded,
            Outcome::Repeated => &mut self.repeated,
            Outcome::Unreachable => &mut self.unreachable,
        };
        *count += 1;
    }
}

/// Returns the distinct ids of a request for reminders of `rows`, a noun in the plural.
///
/// # Errors
/// 22023 for no or too many ids.
pub(crate) fn requested_ids<'a>(
    ids: &'a [String],
    rows: &str,
) -> Result<BTreeSet<&'a str>, WriteError> {
    let ids: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    check_choice(ids.len(), MAX_ROWS_OF_REQUEST, rows)?;
    Ok(ids)
}

/// Refuses a request for reminders because the office turned these mails off.
pub(crate) fn turned_off() -> WriteError {
    WriteError::conflict("reminders_off", "Os lembretes por e-mail estão desligados.")
}

/// Reminds the people of clients of what they did not do. A person hears of a client once a day. Returns the number of
/// notifications.
pub(crate) fn remind_clients(
    tx: &mut Tx<'_>,
    app: &App,
    event: CenterEvent,
    about: &BTreeSet<FolderOfClient>,
) -> Result<u64, Error> {
    let people = people_who_read(tx, about)?;
    remind(tx, app, event, people)
}

/// Reminds the staff of what clients did not do: for each client and record the person who is responsible for the record,
/// otherwise the one who is responsible for the client, otherwise all. A person hears of a client once a day. Returns the
/// number of notifications.
pub(crate) fn remind_staff(
    tx: &mut Tx<'_>,
    app: &App,
    event: CenterEvent,
    about: &BTreeSet<(UserId, Option<UserId>)>,
) -> Result<u64, Error> {
    if about.is_empty() {
        return Ok(0);
    }
    let clients: BTreeSet<UserId> = about.iter().map(|(client, _)| *client).collect();
    let responsible = responsible_of(tx, &clients)?;
    let mut rows = BTreeSet::new();
    for (client, of_record) in about {
        let staff = active_staff(tx, *client, app.clock.now())?;
        let of_client = responsible.get(client).copied();
        let named = [*of_record, of_client].into_iter().flatten();
        let named = named.into_iter().find(|person| staff.contains(person));
        let people = named.map_or(staff, |person| vec![person]);
        rows.extend(people.into_iter().map(|person| (person, *client)));
    }
    remind(tx, app, event, rows)
}

/// Notifies people about clients, unless they were notified of the same today. The notification of an earlier day is
/// replaced, so that devices announce the new one. Returns the number of notifications.
fn remind(
    tx: &mut Tx<'_>,
    app: &App,
    event: CenterEvent,
    mut rows: BTreeSet<(UserId, UserId)>,
) -> Result<u64, Error> {
    if rows.is_empty() {
        return Ok(0);
    }
    let now = app.clock.now();
    let midnight = now.to_zoned(app.config.time_zone.clone()).start_of_day();
    let midnight = format_timestamp(midnight.map_or(now, |midnight| midnight.timestamp()));
    let clients: BTreeSet<UserId> = rows.iter().map(|(_, client)| *client).collect();
    let mut query = Query::select();
    query.columns(["person_id", "client_id", "id", "created_at"]).from("notifications");
    query.and_where(Expr::col("client_id").is_in(clients));
    query.and_where(Expr::col("kind").eq(event.as_str()));
    query.cond_where(
        Condition::any()
            .add(Expr::col("created_at").gte(midnight.as_str()))
            .add(Expr::col("read_at").is_null()),
    );
    let mut replaced = Vec::new();
    for row in tx.rows(&query)?.iter() {
        let key = (row.parse(0)?, row.parse(1)?);
        if row.text(3)? >= midnight.as_str() {
            rows.remove(&key);
        } else if rows.contains(&key) {
            replaced.push(row.text(2)?.to_owned());
        }
    }
    for ids in replaced.chunks(MAX_ROWS) {
        let mut delete = Query::delete();
        delete.from_table("notifications");
        delete.and_where(Expr::col("id").is_in(ids.iter().map(String::as_str)));
        tx.execute(&delete)?;
    }
    let rows: Vec<_> = rows
        .into_iter()
        .map(|(person, client)| (person, CenterEntry { client, subject: None, is_new: false }))
        .collect();
    Ok(add(tx, app, event, &rows)?.len() as u64)
}

/// Returns the responsible members of the staff by client.
fn responsible_of(
    tx: &mut Tx<'_>,
    clients: &BTreeSet<UserId>,
) -> Result<BTreeMap<UserId, UserId>, Error> {
    let mut query = Query::select();
    query.columns(["client_id", "staff_id"]).from("client_assignments");
    query.and_where(Expr::col("client_id").is_in(clients.iter().copied()));
    query.and_where(Expr::col("is_responsible").eq(true));
    tx.rows(&query)?.iter().map(|row| Ok((row.parse(0)?, row.parse(1)?))).collect()
}
