//! The task that sends committed changes to the open channels. One task per node handles all changes in their order,
//! so that the events of a row keep the order of its changes, and no change that it handles after the end of a session
//! reaches it.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use sea_query::{Alias, Expr, ExprTrait, Query};
use tokio::time::{Instant, interval, sleep, timeout};

use crate::api::realtime::{
    event::{
        ACCOUNTS, Event, MEMBER_FOLDERS, MEMBERSHIPS, changed_table, recorded_tables,
        recorded_value,
    },
    frame::PREFIX,
    hub::{Channel, Hub},
    rooms::Rooms,
};
use crate::{
    accounts::authenticate::{AuthenticationError, Credential, SessionError},
    app::App,
    clock::format_timestamp,
    db::{
        self, Cell, Row, Rows, Tx,
        changes::{Change, ChangeEvent, ChangeFeed},
    },
    policy::{NamedRows, document_column, file_column, owner_column, ticket_topic},
    schema::{ColumnType, Table, TableId, value},
    security::{caller::Caller, ids::UserId},
};

/// Maximum number of changes whose rows are read at once.
const MAX_BATCH: usize = 512;
/// Time limit for reading the rows of a batch. Revoked sessions wait behind it, and leave with all channels above it.
const READ_TIME: Duration = Duration::from_secs(2);
/// Interval between checks for expired tokens.
const EXPIRY_INTERVAL: Duration = Duration::from_secs(2);
/// Interval between checks for changes by other processes.
const VERSION_INTERVAL: Duration = Duration::from_secs(2);
/// Interval at which nodes repeat their presences.
const PRESENCE_INTERVAL: Duration = Duration::from_secs(10);
/// Delay before a failed feed starts again.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// Starts the feed. It contains every change after the return.
pub(crate) async fn start(app: Arc<App>, hub: Arc<Hub>) -> Result<(), db::Error> {
    let version = app.db.foreign_version().await?;
    let feed = app.db.changes(recorded_tables()).await?;
    if let Some(version) = version {
        tokio::spawn(watch_other_processes(Arc::clone(&app), Arc::clone(&hub), version));
    }
    tokio::spawn(supervise(app, hub, feed));
    Ok(())
}

/// Restarts all channels when another process changed the embedded database, because the feed lacks its changes. They
/// may have ended sessions.
async fn watch_other_processes(app: Arc<App>, hub: Arc<Hub>, mut version: i64) {
    let mut ticks = interval(VERSION_INTERVAL);
    while app.stopping.run_until_cancelled(ticks.tick()).await.is_some() {
        match app.db.foreign_version().await {
            Ok(now) if now == Some(version) => {}
            Ok(now) => {
                version = now.unwrap_or(version);
                restart_all(&hub);
            }
            // The writer is busy or has stopped. The next attempt compares with the same version.
            Err(error) => tracing::warn!(%error, "reading the version of the data failed"),
        }
    }
}

/// Runs the feed, and again after a panic.
async fn supervise(app: Arc<App>, hub: Arc<Hub>, mut feed: ChangeFeed) {
    while tokio::spawn(run(Arc::clone(&app), Arc::clone(&hub), feed)).await.is_err() {
        tracing::error!("the change feed panicked and will begin again");
        feed = loop {
            sleep(RESTART_DELAY).await;
            match app.db.changes(recorded_tables()).await {
                Ok(feed) => break feed,
                Err(error) => tracing::warn!(%error, "starting the change feed failed, will retry"),
            }
        };
        restart_all(&hub);
    }
}

async fn run(app: Arc<App>, hub: Arc<Hub>, mut feed: ChangeFeed) {
    let mut expiry = interval(EXPIRY_INTERVAL);
    let mut presences = interval(PRESENCE_INTERVAL);
    hub.with_rooms(|rooms| rooms.greet());
    loop {
        tokio::select! {
            event = feed.next(MAX_BATCH) => match event {
                None => return,
                Some(ChangeEvent::Gap) => {
                    restart_all(&hub);
                    tokio::spawn(record_again(Arc::clone(&app), Arc::clone(&hub)));
                    hub.with_rooms(|rooms| rooms.greet());
                }
                Some(ChangeEvent::LostMessages) => hub.with_rooms(|rooms| rooms.greet()),
                Some(ChangeEvent::Message(message)) => hub.with_rooms(|rooms| rooms.receive(&message)),
                Some(ChangeEvent::Committed(changes)) => {
                    for batch in changes.chunks(MAX_BATCH) {
                        if let Err(error) = send(&app, &hub, batch).await {
                            tracing::warn!(%error, "reading changed rows failed, clients read again");
                            restart_all(&hub);
                        }
                    }
                }
            },
            _ = expiry.tick() => close_expired(&app, &hub),
            _ = presences.tick() => hub.with_rooms(|rooms| rooms.refresh_presences(Instant::now())),
            () = app.stopping.cancelled() => return hub.with_rooms(Rooms::say_goodbye),
        }
    }
}

/// Creates the triggers again if a migration of another node removed them, and lets clients read again the changes that
/// none recorded.
async fn record_again(app: Arc<App>, hub: Arc<Hub>) {
    while !app.stopping.is_cancelled() {
        match app.db.record_changes(&recorded_tables()).await {
            Ok(false) => return,
            Ok(true) => return restart_all(&hub),
            Err(error) => tracing::warn!(%error, "recording changes failed, will retry"),
        }
        sleep(RESTART_DELAY).await;
    }
}

/// Lets all clients join again and read again what they display.
fn restart_all(hub: &Hub) {
    hub.advance_epoch();
    for (id, _) in hub.find(|_| true) {
        if let Some(channel) = hub.remove(id) {
            channel.restart();
        }
    }
}

fn close_expired(app: &App, hub: &Hub) {
    let now = app.clock.now().as_second();
    for (id, _) in hub.find(|channel| channel.expires_at.is_some_and(|at| at <= now)) {
        if let Some(channel) = hub.remove(id) {
            channel.close("Token has expired");
        }
    }
}

/// Sends the changes of a batch. Topics of tickets and sessions that ended are closed first.
async fn send(app: &Arc<App>, hub: &Arc<Hub>, batch: &[Change]) -> Result<(), db::Error> {
    end_topics(hub, batch);
    let people = people_with_changed_rights(batch);
    let affected = if people.is_empty() {
        Vec::new()
    } else {
        // A join that is in progress resolves its caller again.
        hub.advance_epoch();
        hub.find(|channel| concerns(channel, &people))
    };
    let wanted = changed_rows(hub, batch);
    let (documents, files) = (named(hub, batch, document_column), named(hub, batch, file_column));
    if affected.is_empty() && !batch.iter().any(|change| listened_table(hub, change).is_some()) {
        return Ok(());
    }

    let read = app.read(move |tx, app| {
        let callers = affected.into_iter().map(|(id, channel)| {
            let now = app.clock.now();
            match channel.credential.caller(tx, &app.config, now) {
                Ok(caller) => Ok((id, channel, Ok(caller))),
                Err(AuthenticationError::Session(ended)) => Ok((id, channel, Err(ended))),
                Err(AuthenticationError::Database(error)) => Err(error),
            }
        });
        let callers = callers.collect::<Result<Vec<_>, db::Error>>()?;
        let rows = wanted.into_iter().map(|(table, keys)| {
            read_rows(tx, app, table.table(), &keys).map(|rows| (table, rows))
        });
        let rows = rows.collect::<Result<HashMap<_, _>, db::Error>>()?;
        Ok::<_, db::Error>((callers, rows, NamedRows::read(tx, &documents, &files)?))
    });
    let slow = |_| db::Error::Unavailable("reading the changed rows takes too long".into());
    let (callers, rows, named) = timeout(READ_TIME, read).await.map_err(slow)??;
    for (id, channel, caller) in callers {
        apply_rights(hub, id, &channel, caller);
    }

    let at = format_timestamp(app.clock.now());
    let rows: HashMap<TableId, HashMap<String, Row<'_>>> =
        rows.iter().map(|(table, rows)| (*table, by_key(table.table(), rows))).collect();
    for change in batch {
        let Some(table) = listened_table(hub, change) else { continue };
        let key = recorded_value(table, table.key, change.new.as_ref());
        let row = key.and_then(|key| rows.get(&table.id)?.get(key).copied());
        let mut event = Event::new(table, change, row, &at, &named);
        // Filters and frames take time, during which joins and broadcasts must not wait.
        for (id, channel) in hub.listeners(table.id) {
            let frames = event.frames_for(&channel);
            if !frames.is_empty() {
                hub.send(id, frames);
            }
        }
    }
    Ok(())
}

/// Ends the topics of the tickets that have another owner, or none.
fn end_topics(hub: &Hub, batch: &[Change]) {
    let tickets = TableId::Tickets.table();
    let owner = |values| recorded_value(tickets, owner_column(tickets.id)?, values);
    for change in batch.iter().filter(|change| change.table == tickets.name) {
        let Some(id) = recorded_value(tickets, tickets.key, change.old.as_ref()) else { continue };
        if owner(change.old.as_ref()) == owner(change.new.as_ref()) {
            continue;
        }
        // A join that is in progress reads the ticket again.
        hub.advance_epoch();
        let Ok(topic) = id.parse().map(ticket_topic) else { continue };
        let is_member = |channel: &Channel| {
            channel.member.is_some() && channel.topic.strip_prefix(PREFIX) == Some(&*topic)
        };
        for (id, _) in hub.find(is_member) {
            match hub.remove(id) {
                Some(channel) if change.new.is_some() => channel.restart(),
                Some(channel) => channel.close("The topic has ended"),
                None => {}
            }
        }
    }
}

/// Ends a channel whose caller has other rights than before.
fn apply_rights(hub: &Hub, id: u64, before: &Channel, caller: Result<Caller, SessionError>) {
    // The assignments or folders of a limited caller may have changed, which the channel holds.
    let is_limited =
        |caller: &Caller| caller.limited_to_assigned().is_some() || caller.folder_limit().is_some();
    let is_same = |caller: &Caller| *caller == before.caller && !is_limited(caller);
    if caller.as_ref().is_ok_and(is_same) {
        return;
    }
    if let Some(channel) = hub.remove(id) {
        match caller {
            Ok(_) => channel.restart(),
            Err(_) => channel.close("The session has ended"),
        }
    }
}

/// The accounts, and the memberships, whose rights may have changed. A new session changes no rights of others.
fn people_with_changed_rights(batch: &[Change]) -> HashSet<&str> {
    batch.iter().filter_map(person_with_changed_rights).collect()
}

fn person_with_changed_rights(change: &Change) -> Option<&str> {
    let (sessions, assignments) = (TableId::Sessions.table(), TableId::ClientAssignments.table());
    if change.table == ACCOUNTS {
        change.old.as_ref()?.first()?.as_deref()
    } else if change.table == MEMBERSHIPS {
        change.old.as_ref()?.get(1)?.as_deref()
    } else if change.table == MEMBER_FOLDERS {
        change.old.as_ref().or(change.new.as_ref())?.get(1)?.as_deref()
    } else if change.table == sessions.name {
        recorded_value(sessions, "user_id", change.old.as_ref())
    } else if change.table == assignments.name {
        let values = change.old.as_ref().or(change.new.as_ref());
        recorded_value(assignments, "staff_id", values)
    } else {
        None
    }
}

fn concerns(channel: &Channel, people: &HashSet<&str>) -> bool {
    let is_affected = |id: &UserId| people.contains(id.to_string().as_str());
    let limit = channel.caller.folder_limit();
    if limit.is_some_and(|limit| people.contains(limit.membership.to_string().as_str())) {
        return true;
    }
    // The client for whom the person acts may be suspended.
    if channel.caller.client().is_some_and(|client| is_affected(&client)) {
        return true;
    }
    match &channel.credential {
        Credential::Person { user, .. } => is_affected(user),
        Credential::Viewer { admin, client, .. } => is_affected(admin) || is_affected(client),
        Credential::Nothing | Credential::Anon | Credential::Service | Credential::Invalid(_) => {
            false
        }
    }
}

/// The table of a change, if channels are open for it.
fn listened_table(hub: &Hub, change: &Change) -> Option<&'static Table> {
    changed_table(change).filter(|table| hub.has_listeners(table.id))
}

/// The keys of the rows to read, per table.
fn changed_rows(hub: &Hub, batch: &[Change]) -> HashMap<TableId, BTreeSet<String>> {
    let mut wanted: HashMap<TableId, BTreeSet<String>> = HashMap::new();
    for change in batch {
        if let Some(table) = listened_table(hub, change)
            && let Some(key) = recorded_value(table, table.key, change.new.as_ref())
        {
            wanted.entry(table.id).or_default().insert(key.to_owned());
        }
    }
    wanted
}

/// The values of a column before and after the changes.
fn named(
    hub: &Hub,
    batch: &[Change],
    column: fn(TableId) -> Option<&'static str>,
) -> BTreeSet<String> {
    let values = batch.iter().filter_map(|change| {
        let table = listened_table(hub, change)?;
        let column = column(table.id)?;
        Some([&change.old, &change.new].map(|row| recorded_value(table, column, row.as_ref())))
    });
    values.flatten().flatten().map(str::to_owned).collect()
}

/// Reads the rows with these keys, with all columns of the table.
fn read_rows(
    tx: &mut Tx<'_>,
    app: &App,
    table: &'static Table,
    keys: &BTreeSet<String>,
) -> Result<Rows, db::Error> {
    let key = table.column(table.key, true);
    let key = key.ok_or_else(|| db::Error::Internal("a table without its key".into()))?;
    let mut keys: Vec<_> = keys
        .iter()
        .filter_map(|text| match key.column_type {
            // As recorded: another program may have written a text that this one would write differently.
            ColumnType::Text(_) => Some(text.as_str().into()),
            other => value::from_text(other, text, &app.config.time_zone).ok(),
        })
        .collect();
    // A power of two, so that few statements are prepared.
    if let Some(last) = keys.last().cloned() {
        keys.resize(keys.len().next_power_of_two(), last);
    }
    let mut query = Query::select();
    query.columns(table.columns.iter().map(|column| Alias::new(column.name)));
    query.from(Alias::new(table.name)).and_where(Expr::col(Alias::new(table.key)).is_in(keys));
    tx.rows(&query)
}

fn by_key<'a>(table: &'static Table, rows: &'a Rows) -> HashMap<String, Row<'a>> {
    let place = table.columns.iter().position(|column| column.name == table.key);
    let keyed = rows.iter().filter_map(|row| match row.cell(place?) {
        Cell::Text(key) => Some((key.to_owned(), row)),
        Cell::Int(key) => Some((key.to_string(), row)),
        _ => None,
    });
    keyed.collect()
}
