//! Inviting a person to act for a client, and inviting the person again.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::json;

use crate::{
    accounts::{
        AccountError, invitation, login_attempts, member_limit,
        one_time_token::TokenPurpose,
        redirect_to::Redirect,
        user::{self, User},
        validation,
        verification_mail::{self, MailRequest},
    },
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::Tx,
    display_name, notifications,
    policy::{
        folder_limits,
        members::{self, MAX_CLIENTS, MAX_PEOPLE, MemberRole, Membership},
    },
    security::{
        caller::Caller,
        ids::{MembershipId, UserId},
        rate_limit::RateLimited,
    },
};

/// Maximum number of characters of a person's name.
const MAX_NAME_CHARS: usize = 200;
/// Maximum number of people that a client invites in a [`DAY`].
const MAX_PER_DAY: u64 = 20;
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The person to invite.
#[derive(Debug)]
pub(crate) struct Invitee {
    /// E-mail address, in lower case.
    email: String,
    name: String,
    role: MemberRole,
    /// The folders to which the person is limited; `None` for all folders.
    folders: Option<BTreeSet<String>>,
}

impl Invitee {
    /// Checks name, address and role.
    ///
    /// # Errors
    /// [`AccountError::Invalid`], [`AccountError::EmailNotAscii`].
    pub(crate) fn new(
        app: &App,
        email: &str,
        name: &str,
        role: &str,
        folders: Option<Vec<String>>,
    ) -> Result<Self, AccountError> {
        let email = validation::email(email)?;
        validation::require_ascii_local_part(&email)?;
        validation::require_not_reserved(&email, &app.config)?;
        let name = display_name::sanitize_display_name(name.trim());
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS {
            return Err(AccountError::Invalid("A name has 1 to 200 characters"));
        }
        let role = MemberRole::parse(role);
        let role = role.ok_or(AccountError::Invalid("The role is owner or member"))?;
        let folders = folders.map(|folders| folders.into_iter().collect());
        Ok(Self { email, name, role, folders })
    }
}

/// Makes a person a member of a client and mails the person: an invitation to a new account, and a notice to an existing
/// one. The answer is the same for both, so that a client does not learn which addresses have an account.
///
/// # Errors
/// [`AccountError::MemberExists`], [`AccountError::TooManyMembers`], [`AccountError::MemberNotPossible`] for the
/// address of a member of staff, those of [`member_limit::check`], and those of the limits for requested mails if a
/// client invites.
pub(crate) fn invite(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    client: &User,
    invitee: Invitee,
) -> Result<(), AccountError> {
    let now = app.clock.now();
    // Serializes invitations to one client, so that together they keep the limit.
    user::lock_for_delete(tx, client.id)?;
    if members::people_of(tx, client.id)?.len() >= MAX_PEOPLE {
        return Err(AccountError::TooManyMembers);
    }
    let Invitee { email, name, role, folders } = invitee;
    member_limit::check(tx, role, folders.as_ref())?;
    let (mut person, is_new) = if let Some(person) = user::locked_by_email(tx, &email)? {
        (person, false)
    } else {
        let mut person = new_person(email, &name, now);
        // An address that a client entered receives neither the name nor notifications before it is confirmed.
        person.signed_up = !caller.is_staff();
        if user::insert_unless_exists(tx, &mut person, &app.config)? {
            (person, true)
        } else {
            let existing = user::locked_by_email(tx, &person.email)?;
            (existing.ok_or(AccountError::MemberNotPossible)?, false)
        }
    };
    if person.is_admin() {
        return Err(AccountError::MemberNotPossible);
    }
    if person.id == client.id || members::find(tx, person.id, client.id)?.is_some() {
        return Err(AccountError::MemberExists);
    }
    if members::clients_of(tx, person.id, now)?.len() >= MAX_CLIENTS {
        return Err(AccountError::TooManyMembers);
    }
    if !is_new && person.email_confirmed_at.is_none() {
        invitation::forget_sign_up(tx, &mut person)?;
        user::update(tx, &mut person, &app.config, now)?;
    }
    if !caller.is_staff() {
        check_daily_limit(tx, client.id, now)?;
        login_attempts::check_mail_quota(tx, app, &person.email)?;
    }

    let id = MembershipId::new(now);
    tx.insert(
        "memberships",
        [
            ("id", id.into()),
            ("client_id", client.id.into()),
            ("user_id", person.id.into()),
            ("role", role.as_str().into()),
            ("name", name.into()),
            ("created_at", format_timestamp(now).into()),
        ],
    )?;
    if let Some(folders) = &folders {
        folder_limits::set(tx, id, Some(folders), now)?;
    }
    if is_new {
        audit::record(tx, app, caller, [person.audit_event(EventName::AccountCreated)]);
    }
    let added = member_event(EventName::MemberAdded, client, person.id);
    let detail = json!({"role": role.as_str(), "folders": folders});
    audit::record(tx, app, caller, [added.detail(detail)]);
    mail(tx, app, &mut person)
}

/// Mails the invitation or the notice again.
///
/// # Errors
/// Those of the limits for requested mails.
pub(crate) fn invite_again(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    membership: &Membership,
) -> Result<(), AccountError> {
    let Some(mut person) = user::locked_by_id(tx, membership.person)? else {
        return Err(AccountError::MemberNotPossible);
    };
    login_attempts::check_mail_quota(tx, app, &person.email)?;
    if person.email_confirmed_at.is_none() {
        audit::record(tx, app, caller, [person.audit_event(EventName::AccountInvited)]);
    }
    mail(tx, app, &mut person)
}

/// Creates an event about a person's membership, with the client as its subject.
pub(crate) fn member_event(event: EventName, client: &User, person: UserId) -> AuditEvent {
    AuditEvent::new(event)
        .person(Some(person))
        .subject(Some(client.id.to_string()), Some(client.full_name().to_owned()))
}

/// Limits the people that a client invites per day, also those removed since: each receives a mail.
///
/// # Errors
/// [`AccountError::RateLimited`].
fn check_daily_limit(tx: &mut Tx<'_>, client: UserId, now: Timestamp) -> Result<(), AccountError> {
    let mut query = Query::select();
    query.column("created_at").from("activity");
    query.and_where(Expr::col("subject_id").eq(client));
    query.and_where(Expr::col("event").eq(EventName::MemberAdded.as_str()));
    query.and_where(Expr::col("actor").eq("client"));
    query.and_where(Expr::col("created_at").gt(format_timestamp(now - DAY)));
    query.order_by("created_at", Order::Desc).limit(1).offset(MAX_PER_DAY - 1);
    match tx.rows(&query)?.first() {
        Some(oldest) => {
            let allowed_at = oldest.parse::<Timestamp>(0)? + DAY;
            let wait = allowed_at.duration_since(now).unsigned_abs();
            Err(AccountError::RateLimited(RateLimited(wait)))
        }
        None => Ok(()),
    }
}

/// Creates the account of a person who only acts for clients, and does not store it.
fn new_person(email: String, name: &str, now: Timestamp) -> User {
    let mut person = User::new(email, now);
    person.is_client = false;
    person.user_metadata.insert("full_name".to_owned(), name.into());
    person
}

fn mail(tx: &mut Tx<'_>, app: &App, person: &mut User) -> Result<(), AccountError> {
    if person.email_confirmed_at.is_none() {
        let mail_request = MailRequest { redirect: Redirect::default(), challenge: None };
        return verification_mail::send(tx, app, person, TokenPurpose::Invite, &mail_request);
    }
    let notice = &notifications::MEMBER_ADDED;
    Ok(notifications::send_account_notice(tx, app, notice, &person.recipient(), &person.email)?)
}
