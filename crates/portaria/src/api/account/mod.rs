//! `/own/v1`: what people take with them. A calendar of what expires, which their own calendar program reads, and a
//! copy of everything that is theirs. And the page on which they end notices without signing in.

pub mod calendar_feed;
pub mod calendar_subscription;
pub mod error;
pub mod export;
pub mod unsubscribe;

pub use error::OwnError;

use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    db::Tx,
    policy::Caller,
};

/// The person behind a credential: whose things these are. A program of the office is no person.
fn person(tx: &mut Tx<'_>, credential: &Credential, app: &App) -> Result<User, OwnError> {
    let id = match credential.caller(tx, &app.config, app.clock.now())?? {
        Caller::Client(id) | Caller::Admin(id) => id,
        Caller::Anon => return Err(OwnError::no_authorization()),
        // What a client takes along, their calendar's secret above all, is not for who only looks.
        Caller::Service | Caller::Viewer { .. } => return Err(OwnError::no_person()),
    };
    user::by_id(tx, id)?.ok_or_else(OwnError::session_ended)
}
