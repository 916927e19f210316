//! Exported data that no screen shows to their person: memberships, mails, audit events, the calendar subscription,
//! personal links, the trash, earlier files, MFA factors, devices with
//! notifications, and passkeys.

use sea_query::{Alias, Condition, Expr, ExprTrait, Order, Query, Value as Sql};
use serde_json::{Map, Value};

use crate::privacy::export_archive::{PAGE, cell_to_json};
use crate::{
    audit::EventName,
    db::{self, Cell, Tx},
    notifications::staff_mail,
    schema::{ColumnType, DayBoundary, tables::TABLES},
    security::ids::UserId,
};

const TEXT: ColumnType = ColumnType::Text(0);
const TIMESTAMP: ColumnType = ColumnType::Timestamp(DayBoundary::Start);

/// The audit events about a client that only staff see: their notes, the assignments, and the rules and mails of the
/// office.
const OFFICE_EVENTS: [EventName; 9] = [
    EventName::AssignmentCreated,
    EventName::AssignmentChanged,
    EventName::AssignmentDeleted,
    EventName::TicketNoted,
    EventName::InboxRuleCreated,
    EventName::InboxRuleChanged,
    EventName::InboxRuleDeleted,
    EventName::MailResent,
    EventName::MailCanceled,
];

/// A page of rows, and the key of the last row if there may be more.
pub(crate) type Page = (Vec<Map<String, Value>>, Option<Sql>);

/// Rows about a person that become one file of the archive.
pub(crate) struct PersonalDataSource {
    pub(crate) file: &'static str,
    table: &'static str,
    key: &'static str,
    columns: &'static [(&'static str, ColumnType)],
    filter: fn(&str) -> Condition,
}

/// All sources, in the order of the archive.
pub(crate) static SOURCES: [PersonalDataSource; 12] = [
    PersonalDataSource {
        file: "pessoas.json",
        table: "memberships",
        key: "id",
        columns: &[
            ("id", ColumnType::Uuid),
            ("client_id", ColumnType::Uuid),
            ("user_id", ColumnType::Uuid),
            ("role", TEXT),
            ("name", TEXT),
            ("created_at", TIMESTAMP),
            ("is_limited", ColumnType::Bool),
        ],
        filter: |id| Condition::any().add(equals("client_id", id)).add(equals("user_id", id)),
    },
    PersonalDataSource {
        file: "pastas-das-pessoas.json",
        table: "member_folders",
        key: "id",
        columns: &[
            ("id", ColumnType::Uuid),
            ("membership_id", ColumnType::Uuid),
            ("folder_id_supabase", TEXT),
        ],
        filter: |id| {
            let mut memberships = Query::select();
            memberships.column(("memberships", "id")).from("memberships");
            memberships.cond_where(
                Condition::any().add(equals("client_id", id)).add(equals("user_id", id)),
            );
            Condition::all().add(Expr::col("membership_id").in_subquery(memberships))
        },
    },
    PersonalDataSource {
        file: "emails.json",
        table: "outbox",
        key: "id",
        // Without `html`: links in a mail that is not sent yet grant access to the account. Without the attempts and the
        // answers of the mail server, which are the office's.
        columns: &[
            ("id", ColumnType::Uuid),
            ("created_at", TIMESTAMP),
            ("event", TEXT),
            ("recipient", TEXT),
            ("subject", TEXT),
            ("topic", TEXT),
            ("document_id", ColumnType::Uuid),
            ("ticket_id", ColumnType::Uuid),
            ("request_item_id", ColumnType::Uuid),
            ("state", TEXT),
            ("sent_at", TIMESTAMP),
        ],
        // Mails to staff about the person are the office's.
        filter: |id| {
            let about = Condition::all()
                .add(equals("about_id", id))
                .add(Expr::col("event").is_not_in(staff_mail::events()));
            Condition::any().add(equals("user_id", id)).add(about)
        },
    },
    PersonalDataSource {
        file: "registro.json",
        table: "activity",
        key: "number",
        // Without the names of other people. The kind of actor distinguishes the office from the client.
        columns: &[
            ("number", ColumnType::Int),
            ("created_at", TIMESTAMP),
            ("event", TEXT),
            ("actor", TEXT),
            ("subject_id", TEXT),
            ("subject", TEXT),
            ("detail", ColumnType::Json),
        ],
        // Actions of an administrator belong to the office, so only actions as a client are included, and of those about
        // the person not the ones among staff.
        filter: |id| {
            let own_actions =
                Condition::all().add(equals("actor", "client")).add(equals("actor_id", id));
            let about = Condition::all()
                .add(equals("person_id", id))
                .add(Expr::col("event").is_not_in(OFFICE_EVENTS.map(EventName::as_str)));
            Condition::any().add(about).add(own_actions)
        },
    },
    PersonalDataSource {
        file: "calendario.json",
        table: "calendar_feeds",
        key: "id",
        columns: &[
            ("id", ColumnType::Uuid),
            ("created_at", TIMESTAMP),
            ("with_payments", ColumnType::Bool),
        ],
        filter: |id| Condition::all().add(equals("client_id", id)),
    },
    PersonalDataSource {
        file: "links-pessoais.json",
        table: "personal_links",
        key: "id",
        // Without the token, which opens the document.
        columns: &[
            ("id", ColumnType::Uuid),
            ("document_id", ColumnType::Uuid),
            ("created_at", TIMESTAMP),
            ("expires_at", TIMESTAMP),
            ("revoked_at", TIMESTAMP),
            ("locked_at", TIMESTAMP),
            ("opened_at", TIMESTAMP),
        ],
        filter: |id| Condition::all().add(equals("client_id", id)),
    },
    PersonalDataSource {
        file: "lixeira.json",
        table: "deleted_documents",
        key: "id",
        // Without the file: the office took the document back, and it may be another client's.
        columns: &[
            ("id", ColumnType::Uuid),
            ("name", TEXT),
            ("folder_id_supabase", TEXT),
            ("size", ColumnType::Int),
            ("deleted_at", TIMESTAMP),
            ("purge_at", TIMESTAMP),
        ],
        filter: |id| Condition::all().add(equals("client_id", id)),
    },
    PersonalDataSource {
        file: "versoes.json",
        table: "document_versions",
        key: "id",
        // Without the file and its hash: the office replaced it, and it may be another client's.
        columns: &[
            ("id", ColumnType::Uuid),
            ("document_id", ColumnType::Uuid),
            ("name", TEXT),
            ("size", ColumnType::Int),
            ("uploaded_at", TIMESTAMP),
            ("replaced_at", TIMESTAMP),
            ("document_values", ColumnType::Json),
        ],
        filter: |id| Condition::all().add(equals("client_id", id)),
    },
    PersonalDataSource {
        file: "segunda-etapa.json",
        table: "factors",
        key: "id",
        // Without the secret, which proves the person's identity.
        columns: &[
            ("id", ColumnType::Uuid),
            ("kind", TEXT),
            ("friendly_name", TEXT),
            ("verified", ColumnType::Bool),
            ("created_at", TIMESTAMP),
            ("updated_at", TIMESTAMP),
            ("last_challenged_at", TIMESTAMP),
        ],
        filter: |id| Condition::all().add(equals("user_id", id)),
    },
    PersonalDataSource {
        file: "aparelhos-com-notificacoes.json",
        table: "push_subscriptions",
        key: "id",
        columns: &[
            ("id", ColumnType::Uuid),
            ("device_name", TEXT),
            ("created_at", TIMESTAMP),
            ("last_used_at", TIMESTAMP),
        ],
        filter: |id| Condition::all().add(equals("person_id", id)),
    },
    PersonalDataSource {
        file: "notificacoes-desligadas.json",
        table: "push_muted_topics",
        key: "id",
        columns: &[("id", ColumnType::Uuid), ("topic", TEXT), ("created_at", TIMESTAMP)],
        filter: |id| Condition::all().add(equals("person_id", id)),
    },
    PersonalDataSource {
        file: "chaves-de-acesso.json",
        table: "passkeys",
        key: "id",
        columns: &[
            ("id", ColumnType::Uuid),
            ("friendly_name", TEXT),
            ("created_at", TIMESTAMP),
            ("last_used_at", TIMESTAMP),
        ],
        filter: |id| Condition::all().add(equals("user_id", id)),
    },
];

/// Removes the names of columns that clients do not see from the detail of an event about changes. Returns whether there is
/// another one, or the event is no such change.
fn hide_staff_columns(event: &mut Map<String, Value>) -> bool {
    let detail = event.get_mut("detail").and_then(|detail| detail.get_mut("columns"));
    let Some(columns) = detail.and_then(Value::as_array_mut) else { return true };
    let is_visible = |name: &str| {
        let mut columns = TABLES.iter().flat_map(|table| table.columns).filter(|c| c.name == name);
        columns.clone().next().is_none() || columns.any(|column| !column.staff_only)
    };
    columns.retain(|name| name.as_str().is_none_or(is_visible));
    !columns.is_empty()
}

fn equals(column: &'static str, value: &str) -> Expr {
    Expr::col(column).eq(value)
}

impl PersonalDataSource {
    /// Reads the next rows after a key.
    pub(crate) fn page(
        &self,
        tx: &mut Tx<'_>,
        person: UserId,
        after: Option<Sql>,
    ) -> Result<Page, db::Error> {
        let mut query = Query::select();
        query.columns(self.columns.iter().map(|(name, _)| Alias::new(*name)));
        query.from(Alias::new(self.table)).cond_where((self.filter)(&person.to_string()));
        if let Some(after) = after {
            query.and_where(Expr::col(Alias::new(self.key)).gt(after));
        }
        query.order_by(Alias::new(self.key), Order::Asc).limit(PAGE);
        let rows = tx.rows(&query)?;
        let mut page = Vec::with_capacity(rows.len());
        let mut last = None;
        for row in rows.iter() {
            let mut object = Map::new();
            for (index, (name, kind)) in self.columns.iter().enumerate() {
                object.insert((*name).to_owned(), cell_to_json(row, index, *kind)?);
            }
            // The first column is the key.
            last = match row.cell(0) {
                Cell::Int(number) => Some(number.into()),
                _ => Some(row.text(0)?.into()),
            };
            if hide_staff_columns(&mut object) {
                page.push(object);
            }
        }
        let is_full = rows.iter().count() as u64 == PAGE;
        Ok((page, last.filter(|_| is_full)))
    }
}
