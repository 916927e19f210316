//! The timeline of a document: publication, mails with the mail server's replies, reminders, openings and payments, from
//! the audit log and the outbox.

use std::collections::BTreeMap;

use jiff::Timestamp;
use sea_query::{Alias, Expr, ExprTrait, Func, JoinType, Order, Query};
use serde_json::Value;

use crate::{
    app::App,
    audit::EventName,
    db::{Error, Row, Tx},
    documents::{approvals, contacts},
    notifications::catalog,
    security::ids::DocumentId,
};

/// Maximum number of openings, of other audit events and of mails in a timeline: the first ones of each. Many openings do
/// not displace an answer or a payment.
pub(crate) const MAX_ENTRIES: u64 = 500;

/// The events of a client who opened or downloaded a document.
const OPENINGS: [EventName; 3] =
    [EventName::DocumentOpened, EventName::DocumentOpenedByLink, EventName::DocumentDownloaded];

/// An entry of a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at: Timestamp,
    /// The event, in pt-BR.
    pub(crate) title: String,
    /// The person who acted, or the recipient of a mail. `None` after the erasure of the name.
    pub(crate) person: Option<String>,
    /// Further facts, in pt-BR.
    pub(crate) detail: Option<String>,
    /// Whether the client opened or downloaded the document.
    pub(crate) is_opening: bool,
    /// Whether the document was delivered by other means, unless no record of a delivery is left.
    pub(crate) is_delivery: bool,
    /// The event's place in the audit log; `None` for a mail and the publication.
    pub(crate) audit: Option<AuditPlace>,
}

/// Number and hash of an event of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuditPlace {
    pub(crate) number: i64,
    pub(crate) hash: String,
}

/// Reads the timeline of a document, oldest first.
pub(crate) fn read(
    tx: &mut Tx<'_>,
    app: &App,
    document: DocumentId,
    published_at: Option<Timestamp>,
) -> Result<Vec<Entry>, Error> {
    let mut entries = audit_entries(tx, app, document)?;
    entries.extend(published_at.map(publication));
    entries.extend(mail_entries(tx, document)?);
    entries.sort_by_key(|entry| entry.at);
    Ok(entries)
}

/// Returns the entries of the audit log about a document.
fn audit_entries(tx: &mut Tx<'_>, app: &App, document: DocumentId) -> Result<Vec<Entry>, Error> {
    let deliveries = deliveries(tx, document)?;
    let reasons = approvals::refusal_reasons(tx, document)?;
    let mut query = Query::select();
    query.columns(["created_at", "event", "actor", "actor_name", "detail", "number", "hash"]);
    query.from("activity").and_where(Expr::col("subject_id").eq(document));
    query.order_by("created_at", Order::Asc).order_by("number", Order::Asc).limit(MAX_ENTRIES);
    let is_opening = Expr::col("event").is_in(OPENINGS.map(EventName::as_str));
    let opened = query.clone().and_where(is_opening.clone()).take();
    let others = query.and_where(is_opening.not()).take();
    let (opened, others) = (tx.rows(&opened)?, tx.rows(&others)?);
    let mut entries = Vec::new();
    for row in opened.iter().chain(others.iter()) {
        let name = row.text(1)?;
        let Some(event) = EventName::ALL.iter().find(|event| name == event.as_str()) else {
            continue;
        };
        let is_client = row.text(2)? == "client";
        let facts: Value = serde_json::from_str(row.text(4)?).unwrap_or_default();
        let Some(title) = title(*event, is_client, &facts) else { continue };
        let at: Timestamp = row.parse(0)?;
        let day = at.to_zoned(app.config.time_zone.clone()).date().to_string();
        entries.push(Entry {
            at,
            title: title.to_owned(),
            person: row.opt_text(3)?.map(str::to_owned),
            detail: match event {
                EventName::DocumentDelivered => deliveries.get(&day).cloned().flatten(),
                // The reason was stored in the transaction of the event, just before it.
                EventName::DocumentRefused => {
                    reasons.range(..=at).next_back().map(|(_, reason)| reason.clone())
                }
                _ => None,
            },
            is_delivery: *event == EventName::DocumentDelivered && !deliveries.is_empty(),
            is_opening: OPENINGS.contains(event),
            audit: Some(AuditPlace { number: row.int(5)?, hash: row.text(6)?.to_owned() }),
        });
    }
    Ok(entries)
}

/// The publication to the client. It may be later than the creation of the document, without a change of the row.
fn publication(at: Timestamp) -> Entry {
    Entry {
        at,
        title: "Publicado para o cliente".to_owned(),
        person: None,
        detail: None,
        is_opening: false,
        is_delivery: false,
        audit: None,
    }
}

/// Returns the title of an event, or `None` for an event that a timeline does not show.
fn title(event: EventName, is_client: bool, facts: &Value) -> Option<&'static str> {
    let changed = |column: &str| {
        let columns = facts.get("columns").and_then(Value::as_array);
        columns.is_some_and(|columns| columns.iter().any(|name| name == column))
    };
    Some(match event {
        EventName::DocumentCreated => "Documento registrado",
        EventName::DocumentChanged if changed("file_url") => "Arquivo substituído",
        EventName::DocumentDeleted => "Movido para a lixeira",
        EventName::DocumentRestored => "Restaurado da lixeira",
        EventName::DocumentWithdrawn => "Publicação recolhida",
        EventName::DocumentRepublished => "Publicado de novo",
        EventName::DocumentOpened if is_client => "Aberto pelo cliente",
        EventName::DocumentOpenedByLink => "Aberto pelo link pessoal",
        EventName::PersonalLinkCreated => "Link pessoal criado",
        EventName::PersonalLinkRevoked => "Link pessoal revogado",
        EventName::PersonalLinkLocked => "Link pessoal bloqueado por respostas erradas",
        EventName::DocumentDownloaded if is_client => "Baixado pelo cliente",
        EventName::DocumentReminded if facts["kind"] == contacts::MAIL => "Lembrete por e-mail",
        EventName::DocumentReminded => "Lembrete por WhatsApp",
        EventName::DocumentDelivered => "Entregue por outro meio",
        EventName::ContactDeleted => "Registro de entrega ou lembrete excluído",
        EventName::DocumentAcknowledged => "Ciente do cliente",
        EventName::DocumentApproved => "Aprovado pelo cliente",
        EventName::DocumentRefused => "Recusado pelo cliente",
        EventName::ApprovalWithdrawn => "Resposta desfeita pelo escritório",
        EventName::PaymentReported => "Pagamento informado",
        EventName::PaymentWithdrawn => "Pagamento informado desfeito",
        _ => return None,
    })
}

/// Returns the deliveries by other means that are recorded, by day, with their notes.
fn deliveries(
    tx: &mut Tx<'_>,
    document: DocumentId,
) -> Result<BTreeMap<String, Option<String>>, Error> {
    let mut query = Query::select();
    query.columns(["contacted_on", "note"]).from(contacts::TABLE.table().name);
    query.and_where(Expr::col("document_id").eq(document));
    query.and_where(Expr::col("kind").eq(contacts::DELIVERY)).limit(MAX_ENTRIES);
    let rows = tx.rows(&query)?;
    let delivery =
        |row: Row<'_>| Ok((row.text(0)?.to_owned(), row.opt_text(1)?.map(str::to_owned)));
    rows.iter().map(delivery).collect()
}

/// Returns the mails about a document. The state of a mail within a digest is that of the digest.
fn mail_entries(tx: &mut Tx<'_>, document: DocumentId) -> Result<Vec<Entry>, Error> {
    let digest = Alias::new("digest");
    let latest = |name: &'static str| {
        let of = |table: &'static str| Expr::col((Alias::new(table), Alias::new(name)));
        Func::coalesce([of("digest"), of("outbox")])
    };
    let mut query = Query::select();
    query.columns([("outbox", "event"), ("outbox", "recipient"), ("outbox", "created_at")]);
    query.exprs(["state", "sent_at", "smtp_reply", "last_error"].map(latest)).from("outbox");
    query.join_as(
        JoinType::LeftJoin,
        "outbox",
        digest,
        Expr::col((Alias::new("digest"), "id")).equals(("outbox", "digest_id")),
    );
    query.and_where(Expr::col(("outbox", "document_id")).eq(document));
    query.order_by(("outbox", "created_at"), Order::Asc).limit(MAX_ENTRIES);
    tx.rows(&query)?.iter().map(mail_entry).collect()
}

fn mail_entry(row: Row<'_>) -> Result<Entry, Error> {
    let notice = catalog::by_event(row.text(0)?).map_or("Aviso", |notice| notice.name);
    let sent_at: Option<Timestamp> = row.opt_parse(4)?;
    let (title, detail) = match row.text(3)? {
        "sent" => ("E-mail aceito pelo servidor do destinatário", row.opt_text(5)?),
        "failed" => ("E-mail não entregue", row.opt_text(6)?),
        "cancelled" => ("E-mail cancelado antes de sair", None),
        _ => ("E-mail na fila de envio", row.opt_text(6)?),
    };
    Ok(Entry {
        at: sent_at.map_or_else(|| row.parse(2), Ok)?,
        title: title.to_owned(),
        person: Some(row.text(1)?.to_owned()),
        detail: Some(detail.map_or(notice.to_owned(), |detail| format!("{notice} · {detail}"))),
        is_opening: false,
        is_delivery: false,
        audit: None,
    })
}
