//! `/account/v1/clients`: the clients for whom the caller may act, and the one for whom the session acts.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{RawQuery, State},
    http::StatusCode,
};
use sea_query::{Expr, ExprTrait, Query};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    api::{
        account::{AccountError, extract::JsonBody},
        query_string::{decode_lossy, query_pairs},
    },
    app::App,
    db::{Error, Tx},
    policy::{
        self, Action,
        members::{self, MemberRole},
    },
    schema::TableId,
    security::{caller::Caller, ids::UserId},
};

/// The client for whom the session is to act.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Selection {
    client_id: String,
}

/// `GET`: returns `{clients: [{id, name, role, is_active, member_name}], owner_id}`, the caller's own account first.
/// `owner_id` is the one among them to which the document, ticket or requested item in the query belongs, or null.
///
/// # Errors
/// `no_authorization`; `no_person` for callers who are no clients.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, AccountError> {
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (person, active) = require_client(tx, app, &credential)?;
        let clients = choices(tx, app, &person)?;
        let owner = owner_of(tx, app, &person, query.as_deref().unwrap_or_default())?;
        let clients: Vec<Value> = clients
            .iter()
            .map(|(client, role, name)| {
                json!({
                    "id": client.id,
                    "name": client.full_name(),
                    "role": role.as_str(),
                    "is_active": client.id == active,
                    "member_name": name,
                })
            })
            .collect();
        Ok::<_, AccountError>(Json(json!({"clients": clients, "owner_id": owner})))
    };
    app.read(read).await
}

/// `PUT /active`: lets the session act for another client. Other sessions of the person stay as they are.
///
/// # Errors
/// `user_not_found` for a client for whom the caller may not act; `no_person` without a session.
pub async fn select(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    JsonBody(body): JsonBody<Selection>,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (person, _) = require_client(tx, app, &credential)?;
        let Credential::Person { session: Some(session), .. } = &credential else {
            return Err(AccountError::no_person());
        };
        let wanted: UserId = body.client_id.parse().map_err(|_| AccountError::no_client())?;
        if !choices(tx, app, &person)?.iter().any(|(client, ..)| client.id == wanted) {
            return Err(AccountError::no_client());
        }
        let client = Some(wanted).filter(|client| *client != person.id);
        let mut update = Query::update();
        update.table("sessions").value("client_id", client);
        tx.execute(update.and_where(Expr::col("id").eq(*session)))?;
        Ok(StatusCode::NO_CONTENT)
    };
    app.write(write).await
}

/// Returns the person and the client for whom the person acts.
fn require_client(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<(User, UserId), AccountError> {
    match credential.caller(tx, &app.config, app.clock.now())? {
        Caller::Client { person, client, .. } => {
            let person = user::by_id(tx, person)?.ok_or_else(AccountError::session_ended)?;
            Ok((person, client))
        }
        Caller::Anon => Err(AccountError::no_authorization()),
        Caller::Admin(_) | Caller::Employee { .. } | Caller::Service | Caller::Viewer { .. } => {
            Err(AccountError::no_person())
        }
    }
}

/// Returns the clients for whom a person may act, with the person's role and name as a member: the person's own account
/// first, then in the order of membership.
fn choices(
    tx: &mut Tx<'_>,
    app: &App,
    person: &User,
) -> Result<Vec<(User, MemberRole, Option<String>)>, AccountError> {
    let mut clients = Vec::new();
    if person.is_client {
        clients.push((person.clone(), MemberRole::Owner, None));
    }
    for membership in members::clients_of(tx, person.id, app.clock.now())? {
        if let Some(client) = user::by_id(tx, membership.client)? {
            clients.push((client, membership.role, Some(membership.name)));
        }
    }
    Ok(clients)
}

/// Returns the owner of the document, ticket or requested item that a query names, if the person reaches it as one of
/// its people.
fn owner_of(
    tx: &mut Tx<'_>,
    app: &App,
    person: &User,
    query: &str,
) -> Result<Option<UserId>, Error> {
    let named = query_pairs(query).find_map(|pair| {
        let (table, column) = match &*decode_lossy(pair.name) {
            "document" => (TableId::Documents, "client_id"),
            "ticket" => (TableId::Tickets, "user_id"),
            "request" => (TableId::RequestItems, "client_id"),
            _ => return None,
        };
        Some((table, column, decode_lossy(pair.value?)))
    });
    let Some((table, column, id)) = named else { return Ok(None) };
    let Ok(id) = id.parse::<Uuid>() else { return Ok(None) };
    let id = id.to_string();
    let mut owner = Query::select();
    owner.column(column).from(table.table().name).and_where(Expr::col("id").eq(id.as_str()));
    let owner = tx.rows(&owner)?.first().map(|row| row.opt_parse(0)).transpose()?.flatten();
    let Some(owner) = owner else { return Ok(None) };
    let caller = if owner == person.id {
        person.is_client.then(|| Caller::own_account(owner))
    } else {
        members::acting_for(tx, person.id, owner, app.clock.now())?
    };
    let Some(caller) = caller else { return Ok(None) };
    let reaches = policy::reaches_all(tx, caller, table, Action::Select, &[id])?;
    Ok(reaches.then_some(owner))
}
