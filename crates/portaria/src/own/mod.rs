//! `/own/v1`: what people take with them. A calendar of what expires, which their own calendar program reads, and a
//! copy of everything that is theirs. And the page on which they end notices without signing in.

mod archive;
pub mod calendar_feed;
pub mod calendar_link;
mod error;
pub mod export;
mod ics;
mod names;
pub mod unsubscribe;

use jiff::Timestamp;

pub use error::OwnError;

use crate::{
    db::Tx,
    policy::Caller,
    session::Credential,
    users::{self, User},
};

/// The person behind a credential: whose things these are. A program of the office is no person.
fn person(tx: &mut Tx<'_>, credential: &Credential, now: Timestamp) -> Result<User, OwnError> {
    let caller = credential.caller(tx, now)?.map_err(|_| OwnError::session_ended())?;
    let id = match caller {
        Caller::Client(id) | Caller::Admin(id) => id,
        Caller::Anon => return Err(OwnError::no_authorization()),
        // What a client takes along, their calendar's secret above all, is not for who only looks.
        Caller::Service | Caller::Viewer { .. } => return Err(OwnError::no_person()),
    };
    users::by_id(tx, id)?.ok_or_else(OwnError::session_ended)
}
