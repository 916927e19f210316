//! People who act for a client: the rows of `memberships` (`docs/decisions/0100-a-session-acts-for-one-client.md`).
//!
//! The client's own account is a member without a row. `accounts/resolve.rs` decides with [`acting_for`] for whom a
//! session acts; `accounts/member_invitation.rs` and `privacy/member_removal.rs` change the rows.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, JoinType, Order, Query, SelectStatement};

use crate::{
    clock::format_timestamp,
    db::{Error, Row, Tx},
    policy::folder_limits::{self, FolderReach},
    security::{
        caller::Caller,
        ids::{MembershipId, UserId},
    },
};

/// Maximum number of people of one client besides its own account.
pub(crate) const MAX_PEOPLE: usize = 50;
/// Maximum number of clients of one person besides the person's own account.
pub(crate) const MAX_CLIENTS: usize = 100;

/// The rights of a person who acts for a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberRole {
    /// Everything that the client's own account may do, and inviting and removing people.
    Owner,
    /// Everything that the client's own account may do.
    Member,
}

impl MemberRole {
    /// The role as the database and the wire name it.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Member => "member",
        }
    }

    /// Parses a role. `None` for any other text.
    #[must_use]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Owner, Self::Member].into_iter().find(|role| role.as_str() == text)
    }
}

/// A person's membership of a client.
#[derive(Debug)]
pub(crate) struct Membership {
    /// Id of the row.
    pub(crate) id: MembershipId,
    /// The client.
    pub(crate) client: UserId,
    /// The person.
    pub(crate) person: UserId,
    /// The rights of the person.
    pub(crate) role: MemberRole,
    /// The person's name, as the inviter wrote it.
    pub(crate) name: String,
    /// Whether the person reaches the folders of `member_folders` only.
    pub(crate) is_limited: bool,
}

impl Membership {
    fn from_row(row: Row<'_>) -> Result<Self, Error> {
        let role = MemberRole::parse(row.text(3)?);
        let role = role.ok_or_else(|| Error::Internal("an unknown role of a member".into()))?;
        let name = row.text(4)?.to_owned();
        Ok(Self {
            id: row.parse(0)?,
            client: row.parse(1)?,
            person: row.parse(2)?,
            role,
            name,
            is_limited: row.bool(5)?,
        })
    }

    /// Returns the person as the caller who acts for the client.
    pub(crate) fn caller(&self) -> Caller {
        let limited_by = self.is_limited.then_some(self.id);
        Caller::Client { person: self.person, client: self.client, limited_by }
    }
}

fn select() -> SelectStatement {
    let mut query = Query::select();
    let columns = ["id", "client_id", "user_id", "role", "name", "is_limited"];
    query.columns(columns.map(|name| ("memberships", name)));
    query.from("memberships").take()
}

/// Returns a person as the caller who acts for a client. `None` if the person may not at this moment: there is no
/// membership, or the client is suspended or belongs to the staff by now.
pub(crate) fn acting_for(
    tx: &mut Tx<'_>,
    person: UserId,
    client: UserId,
    now: Timestamp,
) -> Result<Option<Caller>, Error> {
    let mut query = select_active(now);
    query.and_where(Expr::col(("memberships", "user_id")).eq(person));
    query.and_where(Expr::col(("memberships", "client_id")).eq(client));
    let membership = tx.rows(&query)?.first().map(Membership::from_row).transpose()?;
    Ok(membership.map(|membership| membership.caller()))
}

/// Returns the memberships of a person whose clients are not suspended, oldest first.
pub(crate) fn clients_of(
    tx: &mut Tx<'_>,
    person: UserId,
    now: Timestamp,
) -> Result<Vec<Membership>, Error> {
    let mut query = select_active(now);
    query.and_where(Expr::col(("memberships", "user_id")).eq(person));
    query.order_by(("memberships", "created_at"), Order::Asc);
    query.order_by(("memberships", "client_id"), Order::Asc);
    tx.rows(&query)?.iter().map(Membership::from_row).collect()
}

/// Returns the memberships of a client, oldest first.
pub(crate) fn people_of(tx: &mut Tx<'_>, client: UserId) -> Result<Vec<Membership>, Error> {
    let mut query = select();
    query.and_where(Expr::col("client_id").eq(client));
    query.order_by("created_at", Order::Asc).order_by("id", Order::Asc);
    tx.rows(&query)?.iter().map(Membership::from_row).collect()
}

/// A person of a client besides its own account.
#[derive(Debug, Clone)]
pub(crate) struct Colleague {
    pub(crate) id: UserId,
    /// The folders whose documents the person may read.
    pub(crate) folders: FolderReach,
}

/// Returns the people of several clients, besides the clients' own accounts.
pub(crate) fn people_of_all(
    tx: &mut Tx<'_>,
    clients: BTreeSet<UserId>,
) -> Result<BTreeMap<UserId, Vec<Colleague>>, Error> {
    if clients.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut query = select();
    query.and_where(Expr::col("client_id").is_in(clients));
    let rows = tx.rows(query.order_by("id", Order::Asc))?;
    let memberships = rows.iter().map(Membership::from_row).collect::<Result<Vec<_>, _>>()?;
    let folders = reaches_of(tx, &memberships)?;
    let mut people: BTreeMap<UserId, Vec<Colleague>> = BTreeMap::new();
    for (membership, folders) in memberships.iter().zip(folders) {
        let colleague = Colleague { id: membership.person, folders };
        people.entry(membership.client).or_default().push(colleague);
    }
    Ok(people)
}

/// Returns the folders that the people of memberships may read, in the order of the memberships.
pub(crate) fn reaches_of(
    tx: &mut Tx<'_>,
    memberships: &[Membership],
) -> Result<Vec<FolderReach>, Error> {
    let limited = memberships.iter().filter(|membership| membership.is_limited);
    let limited: Vec<MembershipId> = limited.map(|membership| membership.id).collect();
    let mut folders = folder_limits::folders_of_all(tx, &limited)?;
    let reach = |membership: &Membership| {
        if membership.is_limited {
            FolderReach::Only(folders.remove(&membership.id).unwrap_or_default())
        } else {
            FolderReach::All
        }
    };
    Ok(memberships.iter().map(reach).collect())
}

/// Returns a membership and locks it until the end of the transaction.
pub(crate) fn locked_by_id(tx: &mut Tx<'_>, id: MembershipId) -> Result<Option<Membership>, Error> {
    let mut query = select();
    query.and_where(Expr::col("id").eq(id)).lock_exclusive();
    tx.rows(&query)?.first().map(Membership::from_row).transpose()
}

/// Returns the membership by which a person acts for a client; `None` for the person's own account.
pub(crate) fn find(
    tx: &mut Tx<'_>,
    person: UserId,
    client: UserId,
) -> Result<Option<Membership>, Error> {
    let mut query = select();
    query.and_where(Expr::col("user_id").eq(person)).and_where(Expr::col("client_id").eq(client));
    tx.rows(&query)?.first().map(Membership::from_row).transpose()
}

/// Returns the name of the member as whom a caller acts; `None` for a client's own account, and for staff.
pub(crate) fn name_of(tx: &mut Tx<'_>, caller: Caller) -> Result<Option<String>, Error> {
    match caller {
        Caller::Client { person, client, .. } if person != client => {
            Ok(find(tx, person, client)?.map(|membership| membership.name))
        }
        _ => Ok(None),
    }
}

/// Removes the name of a person from what the person wrote for clients.
pub(crate) fn forget_name(tx: &mut Tx<'_>, person: UserId) -> Result<(), Error> {
    for table in ["tickets", "ticket_messages", "ticket_history"] {
        let mut update = Query::update();
        update.table(table).value("member_name", Option::<String>::None);
        update.and_where(Expr::col("author_id").eq(person));
        tx.execute(update.and_where(Expr::col("member_name").is_not_null()))?;
    }
    Ok(())
}

/// Deletes a membership.
pub(crate) fn delete(tx: &mut Tx<'_>, id: MembershipId) -> Result<(), Error> {
    let mut delete = Query::delete();
    tx.execute(delete.from_table("memberships").and_where(Expr::col("id").eq(id))).map(drop)
}

/// Whether a person acts for any client other than `client`. Suspended clients count.
pub(crate) fn has_other(tx: &mut Tx<'_>, person: UserId, client: UserId) -> Result<bool, Error> {
    let mut query = select();
    query.and_where(Expr::col("user_id").eq(person)).and_where(Expr::col("client_id").ne(client));
    Ok(!tx.rows(query.limit(1))?.is_empty())
}

/// Lets the sessions of a person that act for a client act for another one from now on; `None` is the person's own
/// account.
pub(crate) fn leave_in_sessions(
    tx: &mut Tx<'_>,
    person: UserId,
    client: UserId,
    next: Option<UserId>,
) -> Result<(), Error> {
    let mut update = Query::update();
    update.table("sessions").value("client_id", next);
    update.and_where(Expr::col("user_id").eq(person)).and_where(Expr::col("client_id").eq(client));
    tx.execute(&update).map(drop)
}

fn select_active(now: Timestamp) -> SelectStatement {
    let mut query = select();
    query.join(
        JoinType::InnerJoin,
        "users",
        Expr::col(("users", "id")).equals(("memberships", "client_id")),
    );
    query.and_where(Expr::col(("users", "is_admin")).eq(false));
    query.cond_where(
        Condition::any()
            .add(Expr::col(("users", "banned_until")).is_null())
            .add(Expr::col(("users", "banned_until")).lte(format_timestamp(now))),
    );
    query
}
