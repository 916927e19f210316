//! `phx_join` and `access_token`: opens a channel, and gives it a new token.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::realtime::{
    event::{Binding, Bindings, Kind, is_recorded},
    filter,
    frame::{Incoming, PREFIX},
    hub::Channel,
    rooms::Member,
    socket::Connection,
    topic,
};
use crate::{
    accounts::authenticate::{AuthenticationError, Credential, token_expiry},
    app::App,
    policy::{Reach, TopicAccess, listening},
    schema::{Column, TableId, tables::find_table},
    security::{caller::Caller, keys},
};

/// Maximum number of entries of `postgres_changes`.
const MAX_BINDINGS: usize = 20;
/// Maximum number of different lists of columns of one table. A change is written once for each.
const MAX_COLUMN_LISTS: usize = 4;
/// Maximum number of patterns (`like`, `ilike`) of a channel. Each is compared with the whole text of each change.
const MAX_PATTERNS: usize = 4;
/// Maximum length of the key of a presence, in bytes.
const MAX_PRESENCE_KEY: usize = 255;

#[derive(Debug, Deserialize)]
struct Payload {
    #[serde(default)]
    config: Config,
    access_token: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default)]
    postgres_changes: Vec<Requested>,
    private: Option<bool>,
    broadcast: Option<BroadcastConfig>,
    presence: Option<PresenceConfig>,
}

#[derive(Debug, Default, Deserialize)]
struct BroadcastConfig {
    #[serde(rename = "self")]
    receives_own: Option<bool>,
    ack: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
struct PresenceConfig {
    key: Option<String>,
    enabled: Option<bool>,
}

/// One entry of `postgres_changes`.
#[derive(Debug, Deserialize)]
struct Requested {
    event: String,
    schema: Option<String>,
    table: Option<String>,
    filter: Option<String>,
    select: Option<Vec<String>>,
}

/// Opens a channel, and sends the reply. Returns its id.
///
/// # Errors
/// The reason of the refusal, for the client.
pub(crate) async fn join(connection: &Connection, frame: &Incoming) -> Result<u64, String> {
    let Connection { app, hub, .. } = connection;
    let name = frame.topic.strip_prefix(PREFIX).ok_or("a topic begins with realtime:")?;
    let payload =
        Payload::deserialize(&frame.payload).map_err(|_| "the payload of phx_join is malformed")?;
    let Config { postgres_changes: requested, private, broadcast, presence } = payload.config;
    let topic = Some(name).filter(|_| private == Some(true));
    let (broadcast, presence) = (broadcast.unwrap_or_default(), presence.unwrap_or_default());
    let key = presence.key.filter(|key| !key.is_empty()).unwrap_or_else(keys::new_request_id);
    if key.len() > MAX_PRESENCE_KEY {
        return Err(format!("the key of a presence has at most {MAX_PRESENCE_KEY} bytes"));
    }
    let membership = |access: TopicAccess| Member {
        may_send: access.may_send,
        receives_own: broadcast.receives_own == Some(true),
        acknowledges: broadcast.ack == Some(true),
        sees_presence: presence.enabled == Some(true),
        key: key.clone(),
    };
    if requested.len() > MAX_BINDINGS {
        return Err(format!("a channel has at most {MAX_BINDINGS} entries of postgres_changes"));
    }
    let (credential, expires_at) = match &payload.access_token {
        Some(token) => (connection.credential_of(token).await?, token_expiry(token, &app.keys)),
        // The connection can be older than its token.
        None if connection.has_expired() => return Err("the token has expired".into()),
        None => (connection.credential.clone(), connection.expires_at),
    };
    let permit = match credential.person() {
        None => None,
        Some(person) => {
            if app.limits.joins(person).is_err() {
                return Err("too many joins".into());
            }
            connection.admit(person)?;
            let permit = hub.channels.acquire(person);
            Some(Arc::new(permit.ok_or("this person has too many open channels")?))
        }
    };
    let listed = requested.iter().zip(1..).map(|(entry, id)| entry.describe(id));
    let response = json!({"postgres_changes": listed.collect::<Vec<_>>()});
    let reply = connection.format.reply(frame, "ok", &response);

    if !matches!(credential, Credential::Nothing | Credential::Anon) {
        connection.outbox.enlarge();
    }
    loop {
        let epoch = hub.epoch();
        // The end of its session would not end the channel. The gap advances the epoch.
        if !app.db.is_listening() {
            return Err("the server is busy".into());
        }
        let resolved = resolve(app, &credential, topic).await;
        let (caller, reach, access) = resolved.map_err(|error| refusal(&error))?;
        if topic.is_some() && access.is_none() {
            return Err("this topic does not exist for the caller".into());
        }
        let bindings: Result<Bindings, String> = requested
            .iter()
            .zip(1..)
            .map(|(entry, id)| entry.bind(app, caller, &reach, id))
            .collect();
        let bindings = bindings?;
        limit_work(&bindings)?;
        let channel = Arc::new(Channel {
            topic: frame.topic.clone(),
            join_ref: frame.join_ref.clone(),
            format: connection.format,
            credential: credential.clone(),
            expires_at,
            caller,
            bindings,
            member: access.map(&membership),
            outbox: connection.outbox.clone(),
            permit: permit.clone(),
        });
        if let Some(id) = hub.open(epoch, &channel, reply.clone()) {
            if !requested.is_empty() {
                channel.send_system("postgres_changes", "ok", "Subscribed to PostgreSQL");
            }
            return Ok(id);
        }
    }
}

/// Gives a channel a new token. The channel starts again if the token has other rights or the database fails, and ends
/// if the token has no rights.
pub(crate) async fn refresh(connection: &Connection, id: u64, token: &str) {
    let Connection { app, hub, .. } = connection;
    let close = |reason: &str| {
        if let Some(channel) = hub.remove(id) {
            channel.close(reason);
        }
    };
    let restart = || {
        if let Some(channel) = hub.remove(id) {
            channel.restart();
        }
    };
    let credential = match connection.credential_of(token).await {
        Ok(credential) => credential,
        Err(reason) => return close(&reason),
    };
    loop {
        let epoch = hub.epoch();
        let caller = match resolve(app, &credential, None).await {
            Ok((caller, ..)) => caller,
            Err(error @ AuthenticationError::Session(_)) => return close(&refusal(&error)),
            // The client joins again, and is refused until the database answers.
            Err(AuthenticationError::Database(_)) => return restart(),
        };
        let Some(channel) = hub.get(id) else { return };
        if caller != channel.caller {
            return restart();
        }
        let renewed = Channel {
            credential: credential.clone(),
            expires_at: token_expiry(token, &app.keys),
            topic: channel.topic.clone(),
            join_ref: channel.join_ref.clone(),
            bindings: Arc::clone(&channel.bindings),
            member: channel.member.clone(),
            outbox: channel.outbox.clone(),
            permit: channel.permit.clone(),
            ..*channel
        };
        if hub.replace(epoch, id, &Arc::new(renewed)) {
            return;
        }
    }
}

/// Reads the present rights of a caller, also in a private topic.
async fn resolve(
    app: &Arc<App>,
    credential: &Credential,
    topic: Option<&str>,
) -> Result<(Caller, Reach, Option<TopicAccess>), AuthenticationError> {
    let (credential, topic) = (credential.clone(), topic.map(str::to_owned));
    let read = app.read(move |tx, app| {
        let caller = credential.caller(tx, &app.config, app.clock.now())?;
        let reach = Reach::of(tx, caller)?;
        let access = topic.map(|topic| topic::access(tx, caller, &topic)).transpose()?.flatten();
        Ok((caller, reach, access))
    });
    let resolved = read.await;
    if let Err(AuthenticationError::Database(error)) = &resolved {
        tracing::warn!(%error, "resolving the caller of a channel failed");
    }
    resolved
}

/// The reason of a refusal, for the client.
fn refusal(error: &AuthenticationError) -> String {
    match error {
        AuthenticationError::Session(_) => "the session grants no access".to_owned(),
        AuthenticationError::Database(_) => "the server is busy".to_owned(),
    }
}

/// Refuses entries that take too much work for each change: many patterns, or many different lists of columns of one
/// table.
fn limit_work(bindings: &[Binding]) -> Result<(), String> {
    let tests = bindings.iter().flat_map(|binding| &binding.tests);
    if tests.filter(|test| test.is_pattern()).count() > MAX_PATTERNS {
        return Err(format!("a channel has at most {MAX_PATTERNS} patterns"));
    }
    let mut lists: HashMap<TableId, HashSet<Vec<&str>>> = HashMap::new();
    for Binding { table, columns, .. } in bindings {
        let names = columns.iter().map(|column| column.name).collect();
        lists.entry(table.id).or_default().insert(names);
    }
    if lists.values().any(|lists| lists.len() > MAX_COLUMN_LISTS) {
        return Err(format!("a channel has at most {MAX_COLUMN_LISTS} selections of one table"));
    }
    Ok(())
}

impl Requested {
    /// The entry of the reply. Clients compare it with their own.
    fn describe(&self, id: usize) -> Value {
        let Self { event, schema, table, filter, select: _ } = self;
        json!({"id": id, "event": event, "schema": schema, "table": table, "filter": filter})
    }

    /// Checks the entry against the rights of the caller. A table or column that does not exist for the caller is
    /// refused like one that does not exist at all.
    fn bind(&self, app: &App, caller: Caller, reach: &Reach, id: usize) -> Result<Binding, String> {
        let kind = match self.event.as_str() {
            "*" => None,
            "INSERT" => Some(Kind::Insert),
            "UPDATE" => Some(Kind::Update),
            "DELETE" => Some(Kind::Delete),
            other => return Err(format!("unknown event: {other}")),
        };
        let name = self.table.as_deref().ok_or("an entry of postgres_changes names a table")?;
        let unknown = || format!("no changes of the table {name} can be read");
        let table = find_table(name).filter(|table| is_recorded(table.id)).ok_or_else(unknown)?;
        if self.schema.as_deref().is_some_and(|schema| schema != "public") {
            return Err("the schema is public".into());
        }
        let access = listening(caller, table.id).map_err(|_| unknown())?;
        let sees_hidden = caller.is_staff();
        let filter = self.filter.as_deref().unwrap_or_default();
        let tests = filter::parse(filter, table, sees_hidden, &app.config.time_zone)?;
        let visible = table.columns.iter().filter(|column| sees_hidden || !column.staff_only);
        let columns: Vec<&'static Column> = match self.select.as_deref() {
            None | Some([]) => visible.collect(),
            Some(names) => names
                .iter()
                .map(|name| {
                    let column = table.column(name, sees_hidden);
                    column.ok_or_else(|| format!("column {name} does not exist"))
                })
                .collect::<Result<_, _>>()?,
        };
        // Each repetition would be written again, for each change.
        let names: HashSet<&str> = columns.iter().map(|column| column.name).collect();
        if names.len() < columns.len() {
            return Err("a column is selected twice".into());
        }
        let key = table.public_key_column(sees_hidden);
        let reach = reach.clone();
        Ok(Binding { id, kind, table, access, reach, sees_hidden, tests, columns, key })
    }
}
