//! Accounts: the table `users`. Their JSON form is in `api/auth/user/response.rs`.

use jiff::Timestamp;
use portaria_query::JsonPathStep;
use sea_query::{
    BinOper, CaseStatement, Condition, Expr, ExprTrait, InsertStatement, LockType, OnConflict,
    Order, Query, SelectStatement,
};
use serde_json::{Map, Value, json};

use crate::accounts::office_role::{self, OfficeRole};
use crate::audit::EventName;
use crate::{
    audit::AuditEvent,
    clock::format_timestamp,
    config::Config,
    db::{Error, Row, Tx},
    display_name,
    notifications::Recipient,
    security::ids::UserId,
};

/// An account.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the fields are named after the columns")]
pub struct User {
    pub id: UserId,
    /// E-mail address, in lower case.
    pub email: String,
    pub password_hash: Option<String>,
    /// Whether the address was entered by the user at sign-up or by a client who invited the user, not by the office.
    pub signed_up: bool,
    pub email_confirmed_at: Option<String>,
    pub confirmation_sent_at: Option<String>,
    pub invited_at: Option<String>,
    pub recovery_sent_at: Option<String>,
    pub reauthentication_sent_at: Option<String>,
    /// Requested address of a pending e-mail change.
    pub new_email: Option<String>,
    pub email_change_sent_at: Option<String>,
    /// Side of the pending change that was confirmed: `current` or `new`.
    pub email_change_confirmed: Option<String>,
    pub last_sign_in_at: Option<String>,
    /// Most recent sign-in before the present visit.
    pub last_visit_at: Option<String>,
    pub banned_until: Option<String>,
    /// Whether the account is a client. `false` for a person who only acts for clients, as their member.
    pub is_client: bool,
    pub app_metadata: Map<String, Value>,
    pub user_metadata: Map<String, Value>,
    pub created_at: String,
    pub updated_at: String,
}

/// Columns of an account, in the order of [`values`] and [`from_row`].
const COLUMNS: [&str; 20] = [
    "id",
    "email",
    "password_hash",
    "signed_up",
    "email_confirmed_at",
    "confirmation_sent_at",
    "invited_at",
    "recovery_sent_at",
    "reauthentication_sent_at",
    "new_email",
    "email_change_sent_at",
    "email_change_confirmed",
    "last_sign_in_at",
    "last_visit_at",
    "banned_until",
    "app_metadata",
    "user_metadata",
    "created_at",
    "updated_at",
    "is_client",
];

fn values(user: &User) -> Vec<Expr> {
    vec![
        user.id.into(),
        user.email.clone().into(),
        user.password_hash.clone().into(),
        user.signed_up.into(),
        user.email_confirmed_at.clone().into(),
        user.confirmation_sent_at.clone().into(),
        user.invited_at.clone().into(),
        user.recovery_sent_at.clone().into(),
        user.reauthentication_sent_at.clone().into(),
        user.new_email.clone().into(),
        user.email_change_sent_at.clone().into(),
        user.email_change_confirmed.clone().into(),
        user.last_sign_in_at.clone().into(),
        user.last_visit_at.clone().into(),
        user.banned_until.clone().into(),
        Value::Object(user.app_metadata.clone()).to_string().into(),
        Value::Object(user.user_metadata.clone()).to_string().into(),
        user.created_at.clone().into(),
        user.updated_at.clone().into(),
        user.is_client.into(),
    ]
}

fn from_row(row: Row<'_>) -> Result<User, Error> {
    let text = |column| row.opt_text(column).map(|text| text.map(str::to_owned));
    let json = |column| metadata(row.text(column)?);
    Ok(User {
        id: row.parse(0)?,
        email: row.text(1)?.to_owned(),
        password_hash: text(2)?,
        signed_up: row.bool(3)?,
        email_confirmed_at: text(4)?,
        confirmation_sent_at: text(5)?,
        invited_at: text(6)?,
        recovery_sent_at: text(7)?,
        reauthentication_sent_at: text(8)?,
        new_email: text(9)?,
        email_change_sent_at: text(10)?,
        email_change_confirmed: text(11)?,
        last_sign_in_at: text(12)?,
        last_visit_at: text(13)?,
        banned_until: text(14)?,
        app_metadata: json(15)?,
        user_metadata: json(16)?,
        created_at: row.text(17)?.to_owned(),
        updated_at: row.text(18)?.to_owned(),
        is_client: row.bool(19)?,
    })
}

/// Key of `app_metadata` with which the office requires a new password.
const MUST_CHANGE_PASSWORD: &str = "must_change_password";

impl User {
    /// Creates an unconfirmed account without a password, and does not store it.
    #[must_use]
    pub fn new(email: String, now: Timestamp) -> Self {
        let app_metadata = json!({"provider": "email", "providers": ["email"]});
        Self {
            id: UserId::new(now),
            email,
            password_hash: None,
            signed_up: false,
            email_confirmed_at: None,
            confirmation_sent_at: None,
            invited_at: None,
            recovery_sent_at: None,
            reauthentication_sent_at: None,
            new_email: None,
            email_change_sent_at: None,
            email_change_confirmed: None,
            last_sign_in_at: None,
            last_visit_at: None,
            banned_until: None,
            is_client: true,
            app_metadata: app_metadata.as_object().cloned().unwrap_or_default(),
            user_metadata: Map::new(),
            created_at: format_timestamp(now),
            updated_at: format_timestamp(now),
        }
    }

    /// Returns whether the account belongs to the office: `app_metadata.roles` contains `admin`.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        let roles = self.app_metadata.get("roles").and_then(Value::as_array);
        roles.is_some_and(|roles| roles.iter().any(|role| role == "admin"))
    }

    /// Returns whether the account is banned at this moment.
    #[must_use]
    pub fn is_banned(&self, now: Timestamp) -> bool {
        self.banned_until.as_ref().is_some_and(|until| *until > format_timestamp(now))
    }

    /// Returns whether the account is an administrator who can sign in at this moment: confirmed, and not banned.
    #[must_use]
    pub fn is_active_admin(&self, now: Timestamp) -> bool {
        self.is_administrator() && self.email_confirmed_at.is_some() && !self.is_banned(now)
    }

    /// Returns the full name, or the e-mail address if there is none.
    #[must_use]
    pub fn full_name(&self) -> &str {
        full_name_from(&self.user_metadata).unwrap_or(&self.email)
    }

    /// Returns whether the user must replace a password that the office set (`docs/protocol/auth.md`, section 4.5).
    #[must_use]
    pub fn must_change_password(&self) -> bool {
        self.app_metadata.get(MUST_CHANGE_PASSWORD) == Some(&Value::Bool(true))
    }

    /// Removes the requirement of a new password.
    pub fn changed_password(&mut self) {
        self.app_metadata.shift_remove(MUST_CHANGE_PASSWORD);
    }

    /// Returns the account as the recipient of mails.
    #[must_use]
    pub fn recipient(&self) -> Recipient {
        Recipient {
            id: self.id,
            email: self.email.clone(),
            new_email: self.new_email.clone(),
            full_name: full_name_from(&self.user_metadata).map(str::to_owned),
            is_address_trusted: self.email_confirmed_at.is_some() || !self.signed_up,
            is_address_confirmed: self.email_confirmed_at.is_some(),
            is_admin: self.is_admin(),
            banned_until: self.banned_until.clone(),
        }
    }

    /// Creates an audit event about the account, with its name as the person and its address as the subject.
    #[must_use]
    pub fn audit_event(&self, event: EventName) -> AuditEvent {
        AuditEvent::new(event)
            .person(Some(self.id))
            .person_name(self.full_name())
            .subject(None, Some(self.email.clone()))
    }

    /// Adds the role `admin`, with all rights.
    pub fn make_admin(&mut self) {
        office_role::remove_limits(&mut self.app_metadata);
        if self.is_admin() {
            return;
        }
        match self.app_metadata.entry("roles").or_insert_with(|| json!([])) {
            Value::Array(roles) => roles.push("admin".into()),
            other => *other = json!(["admin"]),
        }
    }
}

fn select() -> SelectStatement {
    Query::select().columns(COLUMNS).from("users").take()
}

/// Returns the account with this id.
pub fn by_id(tx: &mut Tx<'_>, id: UserId) -> Result<Option<User>, Error> {
    fetch_one(tx, &select().and_where(Expr::col("id").eq(id)).take())
}

/// Returns the account with this address, which must be in lower case.
pub fn by_email(tx: &mut Tx<'_>, email: &str) -> Result<Option<User>, Error> {
    fetch_one(tx, &select().and_where(Expr::col("email").eq(email)).take())
}

/// Returns the account with this id and locks it until the transaction ends. [`update`] writes all columns, so an
/// account must be locked when it is read: a concurrent change, for example a ban, would be lost otherwise.
pub fn locked_by_id(tx: &mut Tx<'_>, id: UserId) -> Result<Option<User>, Error> {
    fetch_one(tx, &select_for_update(Expr::col("id").eq(id)))
}

/// Like [`locked_by_id`], by address, which must be in lower case.
pub fn locked_by_email(tx: &mut Tx<'_>, email: &str) -> Result<Option<User>, Error> {
    fetch_one(tx, &select_for_update(Expr::col("email").eq(email)))
}

fn select_for_update(condition: Expr) -> SelectStatement {
    select().and_where(condition).lock(LockType::NoKeyUpdate).take()
}

/// Filter, order and range of a list of accounts.
#[derive(Debug)]
pub struct UserQuery {
    /// Maximum number of accounts.
    pub limit: u64,
    /// Number of accounts to skip.
    pub offset: u64,
    /// Text that address or name must contain.
    pub filter: Option<String>,
    /// Column and direction of the order.
    pub sort: (&'static str, Order),
}

/// Returns a range of accounts, and the total number that matches the filter.
pub fn list(tx: &mut Tx<'_>, page: &UserQuery) -> Result<(Vec<User>, u64), Error> {
    let condition = page.filter.as_ref().map_or_else(Condition::all, |text| {
        let pattern = format!("%{}%", escape_like(text));
        let dialect = tx.dialect();
        let name =
            dialect.json_text(Expr::col("user_metadata"), &[JsonPathStep::Key("full_name".into())]);
        Condition::any()
            .add(dialect.ilike(Expr::col("email"), &pattern))
            .add(dialect.ilike(name, &pattern))
    });

    let (column, order) = page.sort.clone();
    let mut query = select();
    query.cond_where(condition.clone()).order_by(column, order.clone()).order_by("id", order);
    let rows = tx.rows(query.limit(page.limit).offset(page.offset))?;
    let users = rows.iter().map(from_row).collect::<Result<_, _>>()?;
    Ok((users, count(tx, condition)?))
}

fn escape_like(text: &str) -> String {
    let escape = |c| matches!(c, '\\' | '%' | '_').then_some('\\');
    text.chars().flat_map(|c| escape(c).into_iter().chain([c])).collect()
}

/// Returns the number of administrators.
pub fn count_admins(tx: &mut Tx<'_>) -> Result<u64, Error> {
    count(tx, administrators())
}

/// Returns the time of the last change of an account's password, if it was changed.
pub fn password_changed_at(tx: &mut Tx<'_>, id: UserId) -> Result<Option<Timestamp>, Error> {
    let mut query = Query::select();
    query.column("password_changed_at").from("users").and_where(Expr::col("id").eq(id));
    tx.rows(&query)?.first().map_or(Ok(None), |row| row.opt_parse(0))
}

/// Returns the number of administrators who can sign in at this moment: confirmed, and not banned.
pub fn count_active_admins(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64, Error> {
    let not_banned = Condition::any()
        .add(Expr::col("banned_until").is_null())
        .add(Expr::col("banned_until").lte(format_timestamp(now)));
    let confirmed = Expr::col("email_confirmed_at").is_not_null();
    count(tx, administrators().add(confirmed).add(not_banned))
}

fn administrators() -> Condition {
    let has_all_rights = Expr::col("office_role").is_null();
    Condition::all().add(Expr::col("is_admin").eq(true)).add(has_all_rights)
}

/// Locks all members of the staff until the transaction ends: two administrators who demote or ban each other concurrently
/// would otherwise both count the other one. Callers acquire it before they lock an account that they change, or two
/// transactions deadlock.
pub fn lock_admins(tx: &mut Tx<'_>) -> Result<(), Error> {
    let mut admins = Query::select();
    admins.column("id").from("users").and_where(Expr::col("is_admin").eq(true));
    tx.rows(admins.order_by("id", Order::Asc).lock_exclusive())?;
    Ok(())
}

fn count(tx: &mut Tx<'_>, condition: Condition) -> Result<u64, Error> {
    let rows =
        tx.rows(Query::select().expr(Expr::cust("count(*)")).from("users").cond_where(condition))?;
    let row = rows.first().ok_or_else(|| Error::Internal("a count without a row".into()))?;
    Ok(row.int(0)?.unsigned_abs())
}

/// Inserts a new account.
pub fn insert(tx: &mut Tx<'_>, user: &mut User, config: &Config) -> Result<(), Error> {
    let statement = insertion(user, config);
    tx.execute(&statement).map(drop)
}

/// Inserts a new account. Returns `false` if the address has one, perhaps since a moment.
pub(crate) fn insert_unless_exists(
    tx: &mut Tx<'_>,
    user: &mut User,
    config: &Config,
) -> Result<bool, Error> {
    let mut statement = insertion(user, config);
    statement.on_conflict(OnConflict::column("email").do_nothing().to_owned());
    Ok(tx.execute(&statement)? > 0)
}

fn insertion(user: &mut User, config: &Config) -> InsertStatement {
    grant_configured_admin(user, config);
    let mut columns = COLUMNS.to_vec();
    let (derived_names, derived_values): (Vec<_>, Vec<_>) =
        derived_columns(user).into_iter().unzip();
    columns.extend(derived_names);
    let mut values = values(user);
    values.extend(derived_values);
    Query::insert().into_table("users").columns(columns).values_panic(values).take()
}

/// Updates an account and its `updated_at`.
pub fn update(
    tx: &mut Tx<'_>,
    user: &mut User,
    config: &Config,
    now: Timestamp,
) -> Result<(), Error> {
    grant_configured_admin(user, config);
    user.updated_at = format_timestamp(now);
    let mut statement = Query::update();
    statement.table("users").values(derived_columns(user));
    let same_password = Expr::col("password_hash")
        .binary(BinOper::Custom("IS NOT DISTINCT FROM"), user.password_hash.clone());
    let changed_at = CaseStatement::new()
        .case(same_password, Expr::col("password_changed_at"))
        .finally(user.updated_at.as_str());
    statement.value("password_changed_at", changed_at);
    statement.values(COLUMNS.into_iter().zip(values(user)).skip(1));
    tx.execute(statement.and_where(Expr::col("id").eq(user.id)))?;
    Ok(())
}

/// Locks an account until the transaction ends, so that no transaction signs in to it, changes it or refers to it.
pub fn lock_for_delete(tx: &mut Tx<'_>, id: UserId) -> Result<(), Error> {
    let mut lock = Query::select();
    lock.column("id").from("users").and_where(Expr::col("id").eq(id));
    tx.rows(lock.lock_exclusive()).map(drop)
}

/// Grants the role to the account with the address `admin_email`, once it is confirmed.
fn grant_configured_admin(user: &mut User, config: &Config) {
    if config.admin_email.as_deref() == Some(&user.email) && user.email_confirmed_at.is_some() {
        user.make_admin();
    }
}

/// Columns that are derived from others, for searches and for authentication.
fn derived_columns(user: &User) -> [(&'static str, Expr); 6] {
    let role = user.office_role();
    let assigned_only = role.is_some() && office_role::assigned_only(&user.app_metadata);
    let department = office_role::department(&user.app_metadata).filter(|_| user.is_admin());
    [
        ("is_admin", user.is_admin().into()),
        ("department", department.into()),
        ("office_role", role.map(OfficeRole::as_str).into()),
        ("assigned_clients_only", assigned_only.into()),
        ("must_change_password", user.must_change_password().into()),
        ("search_name", user_search_key(user).into()),
    ]
}

/// Search key of the user's full name; empty without a name.
fn user_search_key(user: &User) -> String {
    display_name::search_key(full_name_from(&user.user_metadata).unwrap_or_default())
}

fn fetch_one(tx: &mut Tx<'_>, query: &SelectStatement) -> Result<Option<User>, Error> {
    tx.rows(query)?.first().map(from_row).transpose()
}

fn full_name_from(metadata: &Map<String, Value>) -> Option<&str> {
    metadata.get("full_name").and_then(Value::as_str)
}

fn metadata(text: &str) -> Result<Map<String, Value>, Error> {
    serde_json::from_str(text).map_err(|error| Error::Internal(format!("metadata: {error}")))
}
