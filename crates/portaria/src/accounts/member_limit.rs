//! Changes of a person's membership: the role, and the folders to which the person is limited.

use std::collections::BTreeSet;

use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;

use crate::{
    accounts::{AccountError, member_invitation::member_event, user::User},
    app::App,
    audit::{self, EventName},
    db::Tx,
    notifications::cancellation,
    policy::{
        FolderReach, folder_limits,
        members::{self, MemberRole, Membership},
    },
    security::caller::Caller,
};

/// Maximum number of folders to which a person is limited.
const MAX_FOLDERS: usize = 500;

/// A change of a membership. `None` leaves a value as it is.
#[derive(Debug)]
pub(crate) struct MemberChange {
    pub(crate) role: Option<MemberRole>,
    pub(crate) folders: Option<FolderReach>,
}

/// Checks that a person with a role may be limited to these folders.
///
/// # Errors
/// [`AccountError::Invalid`] for a limit of an owner, without a folder, or with a folder that does not exist.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    role: MemberRole,
    folders: Option<&BTreeSet<String>>,
) -> Result<(), AccountError> {
    let Some(folders) = folders else { return Ok(()) };
    if role == MemberRole::Owner {
        return Err(AccountError::Invalid("An owner reaches all folders"));
    }
    if folders.is_empty() || folders.len() > MAX_FOLDERS {
        return Err(AccountError::Invalid("A limit names 1 to 500 folders"));
    }
    let mut query = Query::select();
    query.column("id").from("folders");
    query.and_where(Expr::col("id_supabase").is_in(folders.iter().map(String::as_str)));
    if tx.rows(&query)?.len() < folders.len() {
        return Err(AccountError::Invalid("A folder does not exist"));
    }
    Ok(())
}

/// Changes a membership. A new owner reaches all folders. Mails about documents that the person does not reach any more
/// do not leave.
///
/// # Errors
/// Those of [`check`].
pub(crate) fn change(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    client: &User,
    membership: &Membership,
    change: MemberChange,
) -> Result<(), AccountError> {
    let now = app.clock.now();
    let role = change.role.unwrap_or(membership.role);
    let before = match members::reaches_of(tx, std::slice::from_ref(membership))?.pop() {
        Some(FolderReach::Only(folders)) => Some(folders),
        _ => None,
    };
    let kept = before.clone().filter(|_| role != MemberRole::Owner);
    let is_changed = change.folders.is_some();
    let folders = match change.folders {
        None => kept,
        Some(FolderReach::All) => None,
        Some(FolderReach::Only(folders)) => Some(folders),
    };
    if is_changed {
        check(tx, role, folders.as_ref())?;
    }

    // A constraint holds that no owner is limited, also in between.
    if folders.is_none() && before.is_some() {
        folder_limits::set(tx, membership.id, None, now)?;
    }
    let mut events = Vec::new();
    if role != membership.role {
        let mut update = Query::update();
        update.table("memberships").value("role", role.as_str());
        tx.execute(update.and_where(Expr::col("id").eq(membership.id)))?;
        let event = member_event(EventName::MemberRoleChanged, client, membership.person);
        events.push(event.detail(json!({"role": role.as_str()})));
    }
    if folders != before {
        folder_limits::set(tx, membership.id, folders.as_ref(), now)?;
        let event = member_event(EventName::MemberFoldersChanged, client, membership.person);
        events.push(event.detail(json!({"folders": folders})));
    }
    audit::record(tx, app, caller, events);
    if folders != before {
        cancellation::cancel_obsolete(tx, app, &cancellation::to_user(membership.person), now)?;
    }
    Ok(())
}
