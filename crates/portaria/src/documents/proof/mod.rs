//! Proofs of delivery ("Comprovante de entrega"): a PDF with a document's timeline and the hash of its file, which
//! anybody who holds it can check by its code (docs/decisions/0075-proofs-are-checked-without-data.md).

pub(crate) mod pdf;
mod pdf_text;
pub(crate) mod timeline;

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Func, JoinType, Order, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    documents::proof::timeline::Entry,
    schema::DOCUMENTS_BUCKET,
    security::{
        caller::Caller,
        ids::{DocumentId, UserId},
        keys,
    },
};

/// The facts of a proof.
#[derive(Debug)]
pub(crate) struct Proof {
    pub(crate) document: DocumentId,
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) client: Option<UserId>,
    pub(crate) client_name: Option<String>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) published_at: Option<Timestamp>,
    /// The document's file; `None` if it has none.
    pub(crate) file: Option<ProvenFile>,
    pub(crate) entries: Vec<Entry>,
}

/// The file of a document.
#[derive(Debug, Clone)]
pub(crate) struct ProvenFile {
    pub(crate) sha256: String,
    pub(crate) size: u64,
}

/// The facts that [`check`] confirms. None of them is personal data.
#[derive(Debug)]
pub(crate) struct CheckedProof {
    pub(crate) issued_at: String,
    pub(crate) pdf_sha256: String,
    pub(crate) file_sha256: Option<String>,
    pub(crate) published_at: Option<String>,
    pub(crate) opened_at: Option<String>,
    pub(crate) event_count: i64,
    /// Whether the audit log still has the last event of the proof.
    pub(crate) log: LogState,
}

/// Whether the audit log confirms a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogState {
    /// The log has the last event of the proof, unchanged.
    Confirmed,
    /// The retention period of the event is over.
    Expired,
    /// The event is missing or was changed.
    Contradicted,
}

impl Proof {
    /// Returns the time at which the client first opened or downloaded the document.
    pub(crate) fn opened_at(&self) -> Option<Timestamp> {
        self.entries.iter().find(|entry| entry.is_opening).map(|entry| entry.at)
    }
}

/// Reads the facts of a document's proof. Returns `None` for an unknown document.
pub(crate) fn read(
    tx: &mut Tx<'_>,
    app: &App,
    document: DocumentId,
) -> Result<Option<Proof>, Error> {
    let client = || {
        Func::coalesce([
            Expr::col(("documents", "client_id")),
            Expr::col(("documents", "withdrawn_client_id")),
        ])
    };
    let mut query = Query::select();
    query.columns([("documents", "name"), ("folders", "name")]).expr(client());
    query.columns([("documents", "expires_at"), ("documents", "published_at")]);
    query.columns([("objects", "sha256"), ("objects", "size")]).from("documents");
    let folder = Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase"));
    query.join(JoinType::InnerJoin, "folders", folder);
    let file = Expr::col(("objects", "name")).equals(("documents", "file_url"));
    let file = file.and(Expr::col(("objects", "bucket_id")).eq(DOCUMENTS_BUCKET));
    query.join(JoinType::LeftJoin, "objects", file);
    query.and_where(Expr::col(("documents", "id")).eq(document));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let client: Option<UserId> = row.opt_parse(2)?;
    let file = match row.opt_text(5)? {
        Some(sha256) => Some(ProvenFile {
            sha256: sha256.to_owned(),
            size: u64::try_from(row.int(6)?).unwrap_or_default(),
        }),
        None => None,
    };
    let client_name = match client {
        Some(client) => audit::name_of(tx, client)?,
        None => None,
    };
    let published_at = row.opt_parse(4)?;
    Ok(Some(Proof {
        document,
        name: row.text(0)?.to_owned(),
        folder: row.text(1)?.to_owned(),
        client,
        client_name,
        expires_at: row.opt_parse(3)?,
        published_at,
        file,
        entries: timeline::read(tx, app, document, published_at)?,
    }))
}

/// Records that a proof was issued: the row by which it can be checked, and the audit event.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    proof: &Proof,
    code: &str,
    pdf_sha256: &str,
) -> Result<(), Error> {
    let audited = || proof.entries.iter().filter_map(|entry| entry.audit.as_ref());
    let last = audited().max_by_key(|place| place.number);
    let count = i64::try_from(audited().count()).unwrap_or(i64::MAX);
    let values: [(&'static str, Expr); 9] = [
        ("code", code.into()),
        ("issued_at", format_timestamp(app.clock.now()).into()),
        ("pdf_sha256", pdf_sha256.into()),
        ("file_sha256", proof.file.as_ref().map(|file| file.sha256.clone()).into()),
        ("published_at", proof.published_at.map(format_timestamp).into()),
        ("opened_at", proof.opened_at().map(format_timestamp).into()),
        ("event_count", count.into()),
        ("last_number", last.map(|place| place.number).into()),
        ("last_hash", last.map(|place| place.hash.clone()).into()),
    ];
    let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
    tx.execute(
        Query::insert().into_table("delivery_proofs").columns(columns).values_panic(values),
    )?;
    let event = AuditEvent::new(EventName::DocumentProved)
        .person(proof.client)
        .subject(Some(proof.document.to_string()), Some(proof.name.clone()));
    audit::record(tx, app, caller, [event]);
    Ok(())
}

/// Finds a proof by its code, and compares it with the audit log.
pub(crate) fn check(tx: &mut Tx<'_>, code: &str) -> Result<Option<CheckedProof>, Error> {
    let mut query = Query::select();
    query.columns(["issued_at", "pdf_sha256", "file_sha256", "published_at", "opened_at"]);
    query.columns(["event_count", "last_number", "last_hash"]).from("delivery_proofs");
    query.and_where(Expr::col("code").eq(normalize(code)));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let log = match row.opt_int(6)? {
        Some(number) => log_state(tx, number, row.text(7)?)?,
        None => LogState::Confirmed,
    };
    let text = |column| Ok::<_, Error>(row.opt_text(column)?.map(str::to_owned));
    Ok(Some(CheckedProof {
        issued_at: row.text(0)?.to_owned(),
        pdf_sha256: row.text(1)?.to_owned(),
        file_sha256: text(2)?,
        published_at: text(3)?,
        opened_at: text(4)?,
        event_count: row.int(5)?,
        log,
    }))
}

fn log_state(tx: &mut Tx<'_>, number: i64, hash: &str) -> Result<LogState, Error> {
    let mut query = Query::select();
    query.column("hash").from("activity").and_where(Expr::col("number").eq(number));
    if let Some(row) = tx.rows(&query)?.first() {
        let is_same = row.text(0)? == hash;
        return Ok(if is_same { LogState::Confirmed } else { LogState::Contradicted });
    }
    let mut oldest = Query::select();
    oldest.column("number").from("activity").order_by("number", Order::Asc).limit(1);
    let is_pruned = tx.rows(&oldest)?.first().map_or(Ok(true), |row| Ok(row.int(0)? > number));
    is_pruned.map(|pruned: bool| if pruned { LogState::Expired } else { LogState::Contradicted })
}

/// Creates a code: sixteen letters and digits in groups of four.
pub(crate) fn new_code() -> String {
    group(&keys::new_recovery_code())
}

/// Brings a typed code into the stored form.
fn normalize(code: &str) -> String {
    let typed: String = code.chars().filter(char::is_ascii_alphanumeric).take(64).collect();
    group(&typed.to_ascii_lowercase())
}

fn group(code: &str) -> String {
    let groups: Vec<&str> =
        (0..code.len()).step_by(4).map(|at| &code[at..code.len().min(at + 4)]).collect();
    groups.join("-")
}

#[cfg(test)]
mod tests {
    use crate::documents::proof::{new_code, normalize};

    #[test]
    fn codes_are_read_as_people_type_them() {
        let code = new_code();
        assert_eq!(code.len(), 19);
        assert_eq!(normalize(&code), code);
        assert_eq!(normalize(&code.to_uppercase().replace('-', " ")), code);
        assert_eq!(normalize("çã"), "");
    }
}
