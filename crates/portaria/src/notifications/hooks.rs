//! The rules of the tables `outbox`, `email_notification_settings` and `muted_topics`.

use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::table_write::{Row, TableHooks, WriteContext, WriteError, text};
use crate::{
    audit::{EventName, RowEvents, RowNaming},
    db::Tx,
    notifications::outbox,
};

/// Maximum number of keys in one statement.
const MAX_KEYS: usize = 500;

/// The hooks of `outbox`.
pub(crate) struct OutboxHooks;

impl TableHooks for OutboxHooks {
    /// Changes the state of mails, all of them or none. Failed and canceled mails can be queued again, queued mails can
    /// be canceled or sent at once.
    ///
    /// # Errors
    /// `mail_state` for any other change, `mail_gone` for a mail whose text was removed from the outbox.
    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        let new_state = text(changes, "state").filter(|_| changes.len() == 1);
        let new_state = new_state.ok_or_else(invalid_state)?;
        let allowed_states: &[&str] = match new_state {
            "queued" => &["failed", "cancelled", "queued"],
            "cancelled" => &["queued"],
            _ => return Err(invalid_state()),
        };
        let mut query = Query::select();
        query.columns(["id", "state"].map(|name| ("outbox", name)));
        query.expr(Expr::cust("html = ''")).from("outbox").cond_where(which.clone());
        query.order_by(("outbox", "id"), Order::Asc).lock_exclusive();
        let mut ids = Vec::new();
        for row in tx.rows(&query)?.iter() {
            if !allowed_states.contains(&row.text(1)?) {
                return Err(invalid_state());
            }
            if new_state == "queued" && row.bool(2)? {
                return Err(text_purged());
            }
            ids.push(row.text(0)?.to_owned());
        }
        let mut statement = Query::update();
        if new_state == "queued" {
            statement = outbox::requeue(ctx.now);
            // The expressions read the state before the update. A queued mail keeps its attempts, because it may have
            // arrived.
            let attempts = Expr::cust("CASE WHEN state = 'queued' THEN attempts ELSE 0 END");
            let last_error = Expr::cust("CASE WHEN state = 'queued' THEN last_error END");
            statement.value("attempts", attempts).value("last_error", last_error);
            statement.value("send_now", Expr::col("state").eq("queued"));
            outbox::notify_worker(tx, ctx.app);
        } else {
            statement.table("outbox").value("state", new_state);
        }
        for ids in ids.chunks(MAX_KEYS) {
            let mut statement = statement.clone();
            let selection = Expr::col("id").is_in(ids.iter().map(String::as_str));
            tx.execute(statement.and_where(selection))?;
        }
        Ok(ids)
    }

    /// The new state of a mail determines the event.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.columns(["id", "subject", "user_id", "state"].map(|name| ("outbox", name)));
        let events = RowEvents::ByKind(|_, state| {
            if state == "cancelled" { EventName::MailCanceled } else { EventName::MailResent }
        });
        let naming = RowNaming::of_query(("outbox", "id"), labels.from("outbox").take(), events);
        Some(RowNaming { lists_columns: false, ..naming })
    }
}

fn invalid_state() -> WriteError {
    let message = "Só se envia um e-mail que falhou, foi cancelado ou espera na fila, e só se cancela um que ainda espera.";
    WriteError::conflict("mail_state", message)
}

fn text_purged() -> WriteError {
    let message = "O conteúdo deste e-mail já foi apagado; ele não pode mais ser reenviado.";
    WriteError::conflict("mail_gone", message)
}

/// The hooks of `email_notification_settings`.
pub(crate) struct SettingsHooks;

impl TableHooks for SettingsHooks {
    /// The screen saves all settings at once, which is one event.
    fn audit(&self) -> Option<RowNaming> {
        let (table, key) = ("email_notification_settings", "document_type_event");
        let mut labels = Query::select();
        labels.column((table, key)).from(table);
        for _ in 0..3 {
            labels.expr(Expr::cust("NULL"));
        }
        let events = RowEvents::ByChange([
            EventName::SettingsCreated,
            EventName::SettingsChanged,
            EventName::SettingsDeleted,
        ]);
        let naming = RowNaming::of_query((table, key), labels, events);
        Some(RowNaming { is_one_event: true, ..naming })
    }
}

/// The hooks of `muted_topics`.
pub(crate) struct MutedTopicHooks;

impl TableHooks for MutedTopicHooks {
    fn export(&self) -> Option<&'static str> {
        Some("avisos-desligados.json")
    }
}
