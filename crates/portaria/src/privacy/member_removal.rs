//! Removal of a person from a client. A person who acts for no client any more loses the account, unless the person is a
//! client or works in the office.

use serde_json::json;

use crate::{
    accounts::{
        member_invitation::member_event,
        user::{self, User},
    },
    app::App,
    audit::{self, EventName},
    db::{Error, Tx},
    notifications::{cancellation, center},
    policy::members::{self, Membership},
    privacy::account_deletion,
    security::{caller::Caller, ids::UserId},
};

/// Removes a person from a client. The person's sessions act for another client from now on, and mails about the client
/// that have not left are cancelled.
pub(crate) fn remove(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    membership: &Membership,
) -> Result<(), Error> {
    let now = app.clock.now();
    let (Some(client), Some(person)) =
        (user::by_id(tx, membership.client)?, user::locked_by_id(tx, membership.person)?)
    else {
        return Ok(());
    };
    let event = member_event(EventName::MemberRemoved, &client, person.id);
    let event = event.person_name(person.full_name()).detail(json!({}));
    audit::record(tx, app, caller, [event]);
    members::delete(tx, membership.id)?;
    center::forget_client(tx, person.id, client.id)?;
    if has_no_other_use(&person) && !members::has_other(tx, person.id, client.id)? {
        account_deletion::delete_account(tx, app, person.id)?;
        audit::record(tx, app, caller, [person.audit_event(EventName::AccountDeleted)]);
        return Ok(());
    }
    let next = members::clients_of(tx, person.id, now)?.first().map(|next| next.client);
    members::leave_in_sessions(tx, person.id, client.id, next.filter(|_| !person.is_client))?;
    cancellation::cancel_obsolete(tx, app, &cancellation::to_user(person.id), now)
}

/// Returns whether a person has the account for the clients they act for only.
fn has_no_other_use(person: &User) -> bool {
    !person.is_client && !person.is_admin()
}

/// Returns the people who have their accounts for a client only. They go with the client.
pub(crate) fn people_without_other_client(
    tx: &mut Tx<'_>,
    client: UserId,
) -> Result<Vec<UserId>, Error> {
    let mut found = Vec::new();
    for membership in members::people_of(tx, client)? {
        // Another client may add the person at this moment.
        user::lock_for_delete(tx, membership.person)?;
        let person = user::by_id(tx, membership.person)?;
        if person.as_ref().is_some_and(has_no_other_use)
            && !members::has_other(tx, membership.person, client)?
        {
            found.push(membership.person);
        }
    }
    Ok(found)
}
