//! The recipient of a mail: the data of an account that mails need.

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, LockType, Query};
use serde_json::{Map, Value};

use crate::{
    clock::format_timestamp,
    db::{Error, Row, Tx},
    security::ids::UserId,
};

/// An account as the recipient of mails.
#[derive(Debug, Clone)]
pub struct Recipient {
    /// Id of the account.
    pub id: UserId,
    /// E-mail address of the account.
    pub email: String,
    /// Requested address of a pending e-mail change.
    pub new_email: Option<String>,
    /// Full name, which people choose at sign-up.
    pub full_name: Option<String>,
    /// Whether the address is confirmed, or was entered by the office. A mail to another address must not contain the
    /// name, which could carry a message to a stranger.
    pub is_address_trusted: bool,
    /// Whether the address is confirmed. Answers by mail count only from such an address.
    pub is_address_confirmed: bool,
    /// Whether the account has the role `admin`.
    pub is_admin: bool,
    /// End of a ban.
    pub banned_until: Option<String>,
}

/// Columns of a recipient, in the order that [`Recipient::from_row`] expects.
const COLUMNS: [&str; 7] = [
    "email",
    "new_email",
    "user_metadata",
    "email_confirmed_at",
    "signed_up",
    "is_admin",
    "banned_until",
];

impl Recipient {
    /// Returns the account with this id.
    ///
    /// # Errors
    /// Database errors.
    pub fn load(tx: &mut Tx<'_>, id: UserId) -> Result<Option<Self>, Error> {
        let mut query = Query::select();
        query.columns(COLUMNS).from("users").and_where(Expr::col("id").eq(id));
        tx.rows(&query)?.first().map(|row| Self::from_row(id, row)).transpose()
    }

    /// Locks the account until the transaction ends, without blocking inserts of rows that refer to it.
    ///
    /// # Errors
    /// Database errors.
    pub fn lock(tx: &mut Tx<'_>, id: UserId) -> Result<(), Error> {
        let mut query = Query::select();
        query.column("id").from("users").and_where(Expr::col("id").eq(id));
        tx.rows(query.lock(LockType::NoKeyUpdate)).map(drop)
    }

    fn from_row(id: UserId, row: Row<'_>) -> Result<Self, Error> {
        let metadata: Map<String, Value> = serde_json::from_str(row.text(2)?)
            .map_err(|error| Error::Internal(format!("metadata: {error}")))?;
        Ok(Self {
            id,
            email: row.text(0)?.to_owned(),
            new_email: row.opt_text(1)?.map(str::to_owned),
            full_name: metadata.get("full_name").and_then(Value::as_str).map(str::to_owned),
            is_address_trusted: row.opt_text(3)?.is_some() || !row.bool(4)?,
            is_address_confirmed: row.opt_text(3)?.is_some(),
            is_admin: row.bool(5)?,
            banned_until: row.opt_text(6)?.map(str::to_owned),
        })
    }

    /// Returns the full name, or the e-mail address if there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.full_name.as_deref().unwrap_or(&self.email)
    }

    /// Returns whether the account is banned at this moment.
    #[must_use]
    pub fn is_banned(&self, now: Timestamp) -> bool {
        self.banned_until.as_ref().is_some_and(|until| *until > format_timestamp(now))
    }
}
