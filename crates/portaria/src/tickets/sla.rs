//! Response due dates of tickets: 24 hours of the office's opening hours, or of business days if it has set none.
//!
//! Without opening hours business days count with all their hours, in the portal's zone: a message of Friday 15:00 is due
//! on Monday 15:00. Holidays never count (docs/decisions/0112-deadlines-count-opening-hours.md).
//! The period starts with the first message without a reply, so that further messages do not postpone it. The database
//! stores the due date, because it sorts and pages the queue (docs/decisions/0037-server-managed-ticket-state.md).

use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::{
    clock::format_timestamp,
    db::{Error, Tx},
    office::business_calendar::BusinessCalendar,
    security::ids::TicketId,
    tickets::model::TicketStatus,
};

/// Time within which staff should reply, in business time.
const RESPONSE_TIME: SignedDuration = SignedDuration::from_hours(24);

/// Returns the time by which a message that was received at `received` should be answered.
#[must_use]
pub fn response_due_at(
    received: Timestamp,
    calendar: &BusinessCalendar,
    zone: &TimeZone,
) -> Timestamp {
    calendar.add_business_time(received, RESPONSE_TIME, zone)
}

/// Updates the response due dates of tickets. A closed ticket has none, nor has a ticket whose last message is from
/// staff. Notes do not count as replies.
///
/// # Errors
/// [`Error`] of the database.
pub fn update_due_dates(
    tx: &mut Tx<'_>,
    tickets: &[TicketId],
    calendar: &BusinessCalendar,
    zone: &TimeZone,
) -> Result<(), Error> {
    for id in tickets {
        let matches_id = |column: &'static str| Expr::col(column).eq(*id);
        let mut ticket = Query::select();
        ticket
            .columns(["status", "created_at", "due_at"])
            .from("tickets")
            .and_where(matches_id("id"));
        let found = tx.rows(&ticket)?;
        let Some(ticket) = found.first() else { continue };
        let mut messages = Query::select();
        messages.columns(["from_staff", "created_at"]).from("ticket_messages");
        messages.and_where(matches_id("ticket_id")).and_where(Expr::col("internal").eq(false));
        messages.order_by("created_at", Order::Asc).order_by("id", Order::Asc);
        let messages = tx.rows(&messages)?;
        let mut waiting_since = Some(ticket.text(1)?);
        for message in messages.iter() {
            let sent_at = message.text(1)?;
            waiting_since = if message.bool(0)? { None } else { waiting_since.or(Some(sent_at)) };
        }
        let is_closed = ticket.parse::<TicketStatus>(0)? == TicketStatus::Closed;
        let due = match waiting_since.filter(|_| !is_closed) {
            Some(since) => {
                let since: Timestamp =
                    since.parse().map_err(|error| Error::Internal(format!("a moment: {error}")))?;
                Some(format_timestamp(response_due_at(since, calendar, zone)))
            }
            None => None,
        };
        if due.as_deref() != ticket.opt_text(2)? {
            let mut change = Query::update();
            tx.execute(change.table("tickets").value("due_at", due).and_where(matches_id("id")))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

    use crate::{office::business_calendar::BusinessCalendar, tickets::sla::response_due_at};

    fn zone() -> TimeZone {
        TimeZone::get("America/Sao_Paulo").unwrap()
    }

    /// The due date of a message, both in the portal's zone.
    fn due(received: &str) -> String {
        let received: DateTime = received.parse().unwrap();
        let received = received.to_zoned(zone()).unwrap().timestamp();
        let due = response_due_at(received, &BusinessCalendar::default(), &zone());
        due.to_zoned(zone()).strftime("%Y-%m-%d %H:%M").to_string()
    }

    #[test]
    fn response_is_due_after_24_hours_of_business_days() {
        for (received, expected, case) in [
            ("2026-11-24T10:30", "2026-11-25 10:30", "the next day"),
            ("2026-11-27T15:00", "2026-11-30 15:00", "over a weekend"),
            ("2026-11-28T09:00", "2026-12-01 00:00", "received on a Saturday: the whole Monday"),
            ("2026-11-29T23:59", "2026-12-01 00:00", "received on a Sunday"),
            ("2026-11-30T00:00", "2026-12-01 00:00", "received at midnight"),
            ("2026-11-19T10:00", "2026-11-23 10:00", "Consciência Negra on a Friday"),
            ("2026-04-02T17:00", "2026-04-06 17:00", "Good Friday"),
            ("2026-04-20T12:00", "2026-04-22 12:00", "Tiradentes"),
            ("2026-12-24T18:00", "2026-12-28 18:00", "Christmas and a weekend"),
            ("2026-12-31T08:00", "2027-01-04 08:00", "New Year and a weekend"),
            ("2026-02-16T09:00", "2026-02-17 09:00", "Carnival is no holiday"),
            ("2026-06-03T09:00", "2026-06-04 09:00", "Corpus Christi is no holiday"),
        ] {
            assert_eq!(due(received), expected, "{case}");
        }
    }

    #[test]
    fn response_time_counts_real_hours_when_clocks_change() {
        // Daylight saving time ended in the night after Saturday, 17 February 2018.
        assert_eq!(due("2018-02-16T12:00"), "2018-02-19 12:00");
        let utc: Timestamp = "2026-11-27T23:30:00Z".parse().unwrap();
        let due = response_due_at(utc, &BusinessCalendar::default(), &TimeZone::UTC);
        assert_eq!(due, "2026-11-30T23:30:00Z".parse().unwrap());
    }
}
