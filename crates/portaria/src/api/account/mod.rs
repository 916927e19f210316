//! Routes for a person's own data (`docs/protocol/account.md`): the calendar subscription, the export of personal data,
//! the page that ends notifications without a session, personal links, proofs of delivery, the people who act for a
//! client, the devices that show notifications, and the tokens of the inbox.

pub mod calendar_feed;
pub mod calendar_subscription;
pub mod clients;
pub mod delivery_proof;
pub mod error;
pub mod export;
mod extract;
pub mod inbox_tokens;
pub mod members;
pub mod openapi;
mod openapi_inbox_tokens;
mod openapi_members;
mod openapi_push;
pub mod personal_link;
pub mod push;
pub mod unsubscribe;

pub use error::AccountError;

use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    db::Tx,
    policy::{self, Action},
    schema::TableId,
    security::{caller::Caller, ids::DocumentId},
};

/// Loads the account of the caller, a client or a member of the staff.
///
/// # Errors
/// `no_authorization` without a session, `no_person` for the service key and during impersonation.
fn require_person(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
) -> Result<User, AccountError> {
    let id = match credential.caller(tx, &app.config, app.clock.now())? {
        Caller::Client { person: id, .. }
        | Caller::Admin(id)
        | Caller::Employee { person: id, .. } => id,
        Caller::Anon => return Err(AccountError::no_authorization()),
        // Impersonation permits looking only: the export and the calendar's secret address would outlast it.
        Caller::Service | Caller::Viewer { .. } => return Err(AccountError::no_person()),
    };
    user::by_id(tx, id)?.ok_or_else(AccountError::session_ended)
}

/// Requires an administrator or the service key.
///
/// # Errors
/// `no_authorization` without a session, `not_admin` for other members of the staff, clients and during impersonation.
fn require_administrator(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
) -> Result<Caller, AccountError> {
    match credential.caller(tx, &app.config, app.clock.now())? {
        caller @ (Caller::Admin(_) | Caller::Service) => Ok(caller),
        Caller::Anon => Err(AccountError::no_authorization()),
        Caller::Employee { .. } | Caller::Client { .. } | Caller::Viewer { .. } => {
            Err(AccountError::not_admin())
        }
    }
}

/// Requires staff who may perform an action on a document.
///
/// # Errors
/// `no_authorization` without a session, `not_admin` for clients, during impersonation, and for staff who may perform it
/// on no document; `not_found` for a document out of reach.
fn require_staff_for(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
    action: Action,
    id: &str,
) -> Result<(Caller, DocumentId), AccountError> {
    let caller = credential.caller(tx, &app.config, app.clock.now())?;
    if caller == Caller::Anon {
        return Err(AccountError::no_authorization());
    }
    if !caller.is_staff() || policy::access(caller, TableId::Documents, action).is_err() {
        return Err(AccountError::not_admin());
    }
    let document: DocumentId = id.parse().map_err(|_| AccountError::not_found())?;
    let key = [document.to_string()];
    if policy::reaches_all(tx, caller, TableId::Documents, action, &key)? {
        Ok((caller, document))
    } else {
        Err(AccountError::not_found())
    }
}
