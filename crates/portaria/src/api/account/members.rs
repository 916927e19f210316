//! `/account/v1/members`: the people who act for a client. Staff manage those of every client; the client's own account
//! and its owners manage their own.

use std::{collections::BTreeSet, sync::Arc};

use axum::{
    Extension,
    extract::{Path, State},
    http::StatusCode,
};
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use crate::{
    accounts::{
        authenticate::Credential,
        member_invitation::{self, Invitee},
        member_limit::{self, MemberChange},
        user::{self, User},
    },
    api::account::{AccountError, extract::JsonBody},
    app::App,
    db::Tx,
    policy::{
        FolderReach,
        members::{self, MemberRole, Membership},
    },
    privacy::member_removal,
    security::{caller::Caller, ids::UserId},
};

/// The body of an invitation. Staff name the client.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invitation {
    client_id: Option<String>,
    email: String,
    name: String,
    role: String,
    /// The folders to which the person is limited; null or absent for all folders.
    #[serde(default)]
    folders: Option<Vec<String>>,
}

/// The body of a change. An absent field leaves its value as it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    #[serde(default)]
    role: Option<String>,
    /// The folders to which the person is limited; null for all folders.
    #[serde(default, deserialize_with = "folder_reach")]
    folders: Option<FolderReach>,
}

/// Distinguishes null from an absent field.
fn folder_reach<'de, D: Deserializer<'de>>(source: D) -> Result<Option<FolderReach>, D::Error> {
    let folders = Option::<BTreeSet<String>>::deserialize(source)?;
    Ok(Some(folders.map_or(FolderReach::All, FolderReach::Only)))
}

/// `POST`: makes a person a member of a client and mails an invitation or a notice.
///
/// # Errors
/// `validation_failed`; `not_owner` for a member who may not invite; `member_exists`, `too_many_members`,
/// `member_not_possible` for the address of a member of staff; `user_not_found` for an unknown client.
pub async fn invite(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    JsonBody(body): JsonBody<Invitation>,
) -> Result<StatusCode, AccountError> {
    let invitee = Invitee::new(&app, &body.email, &body.name, &body.role, body.folders)?;
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = credential.caller(tx, &app.config, app.clock.now())?;
        let named = body.client_id.and_then(|id| id.parse().ok());
        // A client invites for itself, whatever the body names. No account has the nil id.
        let client = caller.client().or(named).unwrap_or(UserId(Uuid::nil()));
        let client = require_manager(tx, caller, client)?;
        member_invitation::invite(tx, app, caller, &client, invitee)?;
        Ok::<_, AccountError>(StatusCode::NO_CONTENT)
    };
    app.write(write).await
}

/// `POST {id}/invitation`: mails the invitation again.
///
/// # Errors
/// `not_found`, `not_owner`; `over_request_rate_limit` after too many mails to the address.
pub async fn invite_again(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (caller, membership) = find(tx, app, &credential, &id)?;
        require_manager(tx, caller, membership.client)?;
        member_invitation::invite_again(tx, app, caller, &membership)?;
        Ok::<_, AccountError>(StatusCode::NO_CONTENT)
    };
    app.write(write).await
}

/// `PATCH {id}`: changes the role, and the folders to which the person is limited.
///
/// # Errors
/// `validation_failed`, `not_found`, `not_owner`.
pub async fn change(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<Change>,
) -> Result<StatusCode, AccountError> {
    let parse = |role: String| {
        let role = MemberRole::parse(&role);
        role.ok_or_else(|| AccountError::invalid("The role is owner or member"))
    };
    let change = MemberChange { role: body.role.map(parse).transpose()?, folders: body.folders };
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (caller, membership) = find(tx, app, &credential, &id)?;
        let client = require_manager(tx, caller, membership.client)?;
        member_limit::change(tx, app, caller, &client, &membership, change)?;
        Ok::<_, AccountError>(StatusCode::NO_CONTENT)
    };
    app.write(write).await
}

/// `DELETE {id}`: removes a person from a client. A person may also leave.
///
/// # Errors
/// `not_found`, `not_owner`.
pub async fn remove(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (caller, membership) = find(tx, app, &credential, &id)?;
        if caller.user() != Some(membership.person) {
            require_manager(tx, caller, membership.client)?;
        }
        member_removal::remove(tx, app, caller, &membership)?;
        Ok::<_, AccountError>(StatusCode::NO_CONTENT)
    };
    app.write(write).await
}

/// Finds a membership of the caller's client, or of any client for staff. The caller may also find their own.
fn find(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
    id: &str,
) -> Result<(Caller, Membership), AccountError> {
    let caller = credential.caller(tx, &app.config, app.clock.now())?;
    if caller == Caller::Anon {
        return Err(AccountError::no_authorization());
    }
    let id = id.parse().map_err(|_| AccountError::not_found())?;
    let membership = members::locked_by_id(tx, id)?.ok_or_else(AccountError::not_found)?;
    let is_visible = matches!(caller, Caller::Admin(_) | Caller::Service)
        || caller.client() == Some(membership.client)
        || caller.user() == Some(membership.person);
    if is_visible { Ok((caller, membership)) } else { Err(AccountError::not_found()) }
}

/// Returns the client if the caller manages its people.
fn require_manager(tx: &mut Tx<'_>, caller: Caller, client: UserId) -> Result<User, AccountError> {
    match caller {
        Caller::Anon => return Err(AccountError::no_authorization()),
        Caller::Viewer { .. } => return Err(AccountError::no_person()),
        Caller::Employee { .. } => return Err(AccountError::not_admin()),
        Caller::Client { person, client: own, .. } => {
            let is_owner = person == client
                || members::find(tx, person, client)?
                    .is_some_and(|membership| membership.role == MemberRole::Owner);
            if own != client || !is_owner {
                return Err(AccountError::not_owner());
            }
        }
        Caller::Admin(_) | Caller::Service => {}
    }
    let client = user::by_id(tx, client)?.filter(|user| user.is_client && !user.is_admin());
    client.ok_or_else(AccountError::no_client)
}
