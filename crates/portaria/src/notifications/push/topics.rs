//! The topics by which people mute push messages.

use sea_query::{Expr, ExprTrait, OnConflict, Query};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::center::CenterEvent,
    security::{ids::UserId, keys},
};

/// All topics. Clients hear of the first three and `reminders`, staff of `tickets` and the last four.
pub(crate) const TOPICS: [&str; 7] =
    ["documents", "requests", "tickets", "received_files", "approvals", "payments", "reminders"];

/// Returns the topic of an event.
pub(crate) fn of_event(event: CenterEvent) -> &'static str {
    use CenterEvent as E;
    match event {
        E::DocumentNew | E::DocumentWithdrawn | E::ApprovalAsked => "documents",
        E::RequestNew | E::RequestRefused => "requests",
        E::TicketNew | E::TicketReply => "tickets",
        E::RequestAnswered | E::FilesReceived => "received_files",
        E::ApprovalAnswered => "approvals",
        E::PaymentReported => "payments",
        E::DocumentsUnopened | E::RequestsUnanswered => "reminders",
    }
}

/// Returns the topics that a person muted.
pub(crate) fn muted(tx: &mut Tx<'_>, person: UserId) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.column("topic").from("push_muted_topics").and_where(Expr::col("person_id").eq(person));
    let rows = tx.rows(query.order_by("topic", sea_query::Order::Asc))?;
    rows.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Mutes a topic for a person.
pub(crate) fn mute(tx: &mut Tx<'_>, app: &App, person: UserId, topic: &str) -> Result<(), Error> {
    let now = app.clock.now();
    let mut insert = Query::insert();
    insert.into_table("push_muted_topics").columns(["id", "person_id", "topic", "created_at"]);
    insert.values_panic([
        keys::new_id(now).to_string().into(),
        person.into(),
        topic.into(),
        format_timestamp(now).into(),
    ]);
    let unique = OnConflict::columns(["person_id", "topic"]).do_nothing().to_owned();
    tx.execute(insert.on_conflict(unique)).map(drop)
}

/// Ends the mute of a topic.
pub(crate) fn unmute(tx: &mut Tx<'_>, person: UserId, topic: &str) -> Result<(), Error> {
    let mut delete = Query::delete();
    delete.from_table("push_muted_topics").and_where(Expr::col("person_id").eq(person));
    tx.execute(delete.and_where(Expr::col("topic").eq(topic))).map(drop)
}
