//! The rules of the tables `outbox`, `email_notification_settings`, `muted_topics`,
//! `notifications` and `staff_mail_choices`.

use sea_query::{Condition, Expr, ExprTrait, Order, Query, UpdateStatement};

use crate::table_write::{Row, TableHooks, WriteContext, WriteError, text};
use crate::{
    audit::{EventName, RowEvents, RowNaming},
    clock::format_timestamp,
    db::{MAX_KEYS_PER_STATEMENT, Tx},
    notifications::{cancellation, catalog::NOTICES, digest, outbox},
    security::ids::MailId,
};

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
        query.columns(["id", "state", "event"].map(|name| ("outbox", name)));
        query.expr(Expr::cust("html = ''")).from("outbox").cond_where(which.clone());
        query.order_by(("outbox", "id"), Order::Asc).lock_exclusive();
        let (mut ended, mut waiting) = (Vec::new(), Vec::new());
        let mut ended_digests: Vec<MailId> = Vec::new();
        for row in tx.rows(&query)?.iter() {
            let state = row.text(1)?;
            if !allowed_states.contains(&state) {
                return Err(invalid_state());
            }
            if new_state == "queued" && row.bool(3)? {
                return Err(text_purged());
            }
            if state != "queued" && row.text(2)? == digest::EVENT {
                ended_digests.push(row.parse(0)?);
            }
            let ids = if state == "queued" { &mut waiting } else { &mut ended };
            ids.push(row.text(0)?.to_owned());
        }
        if new_state == "queued" {
            let mut again = outbox::requeue(ctx.now);
            again.value("attempts", 0_i64).value("last_error", Option::<String>::None);
            // A digest joins no other one. A mail that came back has not left any more, nor have its notifications.
            again.value("send_now", Expr::cust("event = 'digest'"));
            again.value("sent_at", Option::<String>::None);
            update(tx, &again, "id", &ended)?;
            let mut parts = Query::update().table("outbox").take();
            update(tx, parts.value("sent_at", Option::<String>::None), "digest_id", &ended)?;
            // Notifications of a digest that has ended are canceled without a change of its text.
            for id in ended_digests {
                let parts = cancellation::mail_with_parts(id);
                cancellation::cancel_obsolete(tx, ctx.app, &parts, ctx.now)?;
                digest::rewrite(tx, ctx.app, id, ctx.now)?;
            }
            // A waiting mail keeps its attempts: it may have arrived, so it must not join a digest.
            let mut at_once = outbox::requeue(ctx.now);
            update(tx, at_once.value("send_now", true), "id", &waiting)?;
            outbox::notify_worker(tx, ctx.app);
        } else {
            let canceled = Query::update().table("outbox").value("state", new_state).take();
            update(tx, &canceled, "id", &waiting)?;
        }
        ended.append(&mut waiting);
        Ok(ended)
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

/// Runs an update of mails for these ids.
fn update(
    tx: &mut Tx<'_>,
    statement: &UpdateStatement,
    reference: &'static str,
    ids: &[String],
) -> Result<(), WriteError> {
    for ids in ids.chunks(MAX_KEYS_PER_STATEMENT) {
        let selection = Expr::col(reference).is_in(ids.iter().map(String::as_str));
        tx.execute(statement.clone().and_where(selection))?;
    }
    Ok(())
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
    /// # Errors
    /// 23514 for an event without a notification.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        require_event(ctx, row)
    }

    /// # Errors
    /// As [`Self::before_insert`].
    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        require_event(ctx, changes)
    }

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

fn require_event(ctx: &WriteContext<'_>, row: &Row) -> Result<(), WriteError> {
    match text(row, "document_type_event") {
        Some(event) if !NOTICES.iter().any(|notice| notice.setting == event) => {
            let check = "email_notification_settings_document_type_event_check";
            Err(WriteError::check_violation(ctx.table, check))
        }
        _ => Ok(()),
    }
}

/// The hooks of `muted_topics`.
pub(crate) struct MutedTopicHooks;

impl TableHooks for MutedTopicHooks {
    fn export(&self) -> Option<&'static str> {
        Some("avisos-desligados.json")
    }
}

/// The hooks of `notifications`.
pub(crate) struct NotificationHooks;

impl TableHooks for NotificationHooks {
    /// A notification becomes read, at the time of the server.
    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        if text(changes, "read_at").is_some() {
            changes.insert("read_at", Some(format_timestamp(ctx.now).into()));
        }
        Ok(())
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["read_at"])
    }

    fn export(&self) -> Option<&'static str> {
        Some("notificacoes.json")
    }
}

/// The hooks of `staff_mail_choices`.
pub(crate) struct StaffMailChoiceHooks;

impl TableHooks for StaffMailChoiceHooks {
    /// A choice replaces the earlier one of the topic.
    fn before_insert(
        &self,
        _ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        let (Some(person), Some(topic)) = (text(row, "person_id"), text(row, "topic")) else {
            return Ok(());
        };
        let mut earlier = Query::delete();
        earlier.from_table("staff_mail_choices").and_where(Expr::col("person_id").eq(person));
        tx.execute(earlier.and_where(Expr::col("topic").eq(topic)))?;
        Ok(())
    }
}
