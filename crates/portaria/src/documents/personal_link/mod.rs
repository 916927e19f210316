//! Personal links (`/d/{token}`): a document for its recipient, without a session and after a check
//! (`docs/decisions/0120-personal-links-show-one-document.md`).

pub(crate) mod opening;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, LockType, Order, Query, SelectStatement};
use uuid::Uuid;

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    config::pages::Page,
    db::{Error, Row, Tx},
    notifications::Recipient,
    policy::{self, Action},
    schema::TableId,
    security::{
        caller::Caller,
        ids::{DocumentId, UserId},
        keys,
    },
};

/// Time for which a link is valid.
const LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Number of wrong answers that lock a link.
pub(crate) const MAX_WRONG_ANSWERS: i64 = 5;
/// Maximum number of links in the list of a document: the newest ones.
const MAX_LISTED: u64 = 20;

/// Whether a link shows its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkState {
    /// The right answer opens the document.
    Ready,
    /// [`LIFE`] is over.
    Expired,
    /// Staff revoked the link.
    Revoked,
    /// [`MAX_WRONG_ANSWERS`] were given.
    Locked,
    /// The recipient may not open the document at present.
    Unavailable,
}

impl LinkState {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
            Self::Locked => "locked",
            Self::Unavailable => "unavailable",
        }
    }
}

/// A personal link.
#[derive(Debug)]
pub(crate) struct PersonalLink {
    pub(crate) id: Uuid,
    pub(crate) document: DocumentId,
    pub(crate) client: UserId,
    token_hash: String,
    pub(crate) created_at: String,
    pub(crate) expires_at: String,
    is_revoked: bool,
    is_locked: bool,
    pub(crate) wrong_answers: i64,
    codes_sent: i64,
    code_sent_at: Option<String>,
    pub(crate) opened_at: Option<String>,
}

/// The columns that [`PersonalLink::from_row`] reads.
const COLUMNS: [&str; 12] = [
    "id",
    "document_id",
    "client_id",
    "token_hash",
    "created_at",
    "expires_at",
    "revoked_at",
    "locked_at",
    "wrong_answers",
    "codes_sent",
    "code_sent_at",
    "opened_at",
];

impl PersonalLink {
    fn from_row(row: Row<'_>) -> Result<Self, Error> {
        let text = |column| Ok::<_, Error>(row.opt_text(column)?.map(str::to_owned));
        Ok(Self {
            id: row.parse(0)?,
            document: row.parse(1)?,
            client: row.parse(2)?,
            token_hash: row.text(3)?.to_owned(),
            created_at: row.text(4)?.to_owned(),
            expires_at: row.text(5)?.to_owned(),
            is_revoked: row.opt_text(6)?.is_some(),
            is_locked: row.opt_text(7)?.is_some(),
            wrong_answers: row.int(8)?,
            codes_sent: row.int(9)?,
            code_sent_at: text(10)?,
            opened_at: text(11)?,
        })
    }

    /// Returns the address of the link. `None` after a change of the portal secret: the link still works, but its
    /// address cannot be derived again.
    pub(crate) fn url(&self, app: &App) -> Option<String> {
        let token = app.keys.personal_link_token(self.id);
        let is_same = keys::sha256_hex(&token) == self.token_hash;
        is_same.then(|| app.config.page_url(Page::PersonalLink(&token)))
    }

    /// Determines the state of the link.
    pub(crate) fn state(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<LinkState, Error> {
        Ok(if self.is_revoked {
            LinkState::Revoked
        } else if self.expires_at <= format_timestamp(now) {
            LinkState::Expired
        } else if self.is_locked {
            LinkState::Locked
        } else if recipient(tx, self.client, now)?.is_none()
            || visible_file(tx, self.document, self.client)?.is_none()
        {
            LinkState::Unavailable
        } else {
            LinkState::Ready
        })
    }
}

fn select() -> SelectStatement {
    Query::select().columns(COLUMNS).from("personal_links").take()
}

/// Finds a link by its token. With `lock`, no other transaction answers it at the same time.
pub(crate) fn find(
    tx: &mut Tx<'_>,
    token: &str,
    lock: bool,
) -> Result<Option<PersonalLink>, Error> {
    let mut query = select();
    query.and_where(Expr::col("token_hash").eq(keys::sha256_hex(token)));
    if lock {
        query.lock_exclusive();
    }
    tx.rows(&query)?.first().map(PersonalLink::from_row).transpose()
}

/// Returns the recipient, unless the account is banned or belongs to the office.
fn recipient(tx: &mut Tx<'_>, client: UserId, now: Timestamp) -> Result<Option<Recipient>, Error> {
    let account = Recipient::load(tx, client)?;
    Ok(account.filter(|account| !account.is_admin && !account.is_banned(now)))
}

/// Returns the name of the document's file if the client may open both.
fn visible_file(
    tx: &mut Tx<'_>,
    document: DocumentId,
    client: UserId,
) -> Result<Option<String>, Error> {
    let caller = Caller::own_account(client);
    let Ok(access) = policy::access(caller, TableId::Documents, Action::Select) else {
        return Ok(None);
    };
    let mut query = Query::select();
    query
        .column(("documents", "file_url"))
        .from("documents")
        .inner_join("objects", Expr::col(("objects", "name")).equals(("documents", "file_url")));
    query.and_where(Expr::col(("documents", "id")).eq(document));
    query.cond_where(access.condition("documents")).cond_where(policy::readable_objects(caller));
    let rows = tx.rows(&query)?;
    rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

/// Returns the live link of a document, whose life begins again, or creates one. `None` if the document has no recipient who may open it.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    document: DocumentId,
) -> Result<Option<PersonalLink>, Error> {
    let Some((name, client)) = lock_document(tx, document)? else { return Ok(None) };
    let now = app.clock.now();
    if recipient(tx, client, now)?.is_none() || visible_file(tx, document, client)?.is_none() {
        return Ok(None);
    }
    for link in of_document(tx, document)? {
        if link.client == client
            && link.state(tx, now)? == LinkState::Ready
            && link.url(app).is_some()
        {
            let mut update = Query::update();
            update.table("personal_links").value("expires_at", format_timestamp(now + LIFE));
            tx.execute(update.and_where(Expr::col("id").eq(link.id.to_string())))?;
            return by_id(tx, link.id);
        }
    }
    let id = keys::new_api_secret_id();
    let token_hash = keys::sha256_hex(&app.keys.personal_link_token(id));
    let values: [(&'static str, Expr); 9] = [
        ("id", id.to_string().into()),
        ("document_id", document.into()),
        ("client_id", client.into()),
        ("token_hash", token_hash.into()),
        ("author_id", caller.user().into()),
        ("created_at", format_timestamp(now).into()),
        ("expires_at", format_timestamp(now + LIFE).into()),
        ("wrong_answers", 0.into()),
        ("codes_sent", 0.into()),
    ];
    let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    tx.execute(Query::insert().into_table("personal_links").columns(columns).values_panic(values))?;
    audit::record(tx, app, caller, [event(EventName::PersonalLinkCreated, document, client, name)]);
    by_id(tx, id)
}

fn by_id(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<PersonalLink>, Error> {
    let mut query = select();
    query.and_where(Expr::col("id").eq(id.to_string()));
    tx.rows(&query)?.first().map(PersonalLink::from_row).transpose()
}

/// Revokes a link of a document. A revoked link stays so. Returns `false` for an unknown link.
pub(crate) fn revoke(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    document: DocumentId,
    id: Uuid,
) -> Result<bool, Error> {
    let mut query = select();
    query.and_where(Expr::col("id").eq(id.to_string()));
    query.and_where(Expr::col("document_id").eq(document)).lock_exclusive();
    let link = tx.rows(&query)?.first().map(PersonalLink::from_row).transpose()?;
    let Some(link) = link else { return Ok(false) };
    if !link.is_revoked {
        set(tx, id, [("revoked_at", format_timestamp(app.clock.now()).into())])?;
        let name = document_name(tx, document)?;
        let event = event(EventName::PersonalLinkRevoked, document, link.client, name);
        audit::record(tx, app, caller, [event]);
    }
    Ok(true)
}

/// Returns the links of a document, newest first.
pub(crate) fn of_document(
    tx: &mut Tx<'_>,
    document: DocumentId,
) -> Result<Vec<PersonalLink>, Error> {
    let mut query = select();
    query.and_where(Expr::col("document_id").eq(document));
    query.order_by("created_at", Order::Desc).order_by("id", Order::Desc).limit(MAX_LISTED);
    tx.rows(&query)?.iter().map(PersonalLink::from_row).collect()
}

/// Whether a document exists.
pub(crate) fn document_exists(tx: &mut Tx<'_>, document: DocumentId) -> Result<bool, Error> {
    let mut query = Query::select();
    query.column("id").from("documents").and_where(Expr::col("id").eq(document));
    Ok(!tx.rows(&query)?.is_empty())
}

/// Locks a document, so that one link is created at a time. Returns its name and client.
fn lock_document(tx: &mut Tx<'_>, document: DocumentId) -> Result<Option<(String, UserId)>, Error> {
    let mut query = Query::select();
    query.columns(["name", "client_id"]).from("documents");
    query.and_where(Expr::col("id").eq(document)).lock(LockType::NoKeyUpdate);
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(row.opt_parse(1)?.map(|client| (row.text(0).unwrap_or_default().to_owned(), client)))
}

fn document_name(tx: &mut Tx<'_>, document: DocumentId) -> Result<String, Error> {
    let mut query = Query::select();
    query.column("name").from("documents").and_where(Expr::col("id").eq(document));
    tx.rows(&query)?.first().map_or(Ok(String::new()), |row| row.text(0).map(str::to_owned))
}

fn set<const N: usize>(
    tx: &mut Tx<'_>,
    id: Uuid,
    values: [(&'static str, Expr); N],
) -> Result<(), Error> {
    let mut update = Query::update();
    update.table("personal_links").values(values);
    tx.execute(update.and_where(Expr::col("id").eq(id.to_string()))).map(drop)
}

fn event(name: EventName, document: DocumentId, client: UserId, title: String) -> AuditEvent {
    AuditEvent::new(name).person(Some(client)).subject(Some(document.to_string()), Some(title))
}
