//! iCalendar files (RFC 5545): one all-day event for each document that expires
//! (docs/protocol/account.md, section 2.2).
//!
//! The writer is our own: it needs a hundred lines, and the crate `icalendar` brings `chrono`, a second library for
//! time.

use jiff::{Timestamp, ToSpan};

use crate::{
    config::{
        Config,
        pages::{Area, Page},
    },
    documents::payment::format_brl,
    security::ids::DocumentId,
};

/// A document that expires.
pub(crate) struct Event {
    pub(crate) id: DocumentId,
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) expires: Timestamp,
    /// Time of the last change of the document.
    pub(crate) changed: Timestamp,
    /// The amount to pay, if the client wants it in the calendar.
    pub(crate) amount_cents: Option<i64>,
    /// The digits to type for the payment, likewise.
    pub(crate) payment_line: Option<String>,
}

/// Maximum length of a line without its end (RFC 5545, section 3.1). Bytes.
const MAX_LINE_BYTES: usize = 75;
/// Interval at which programs should reload the calendar. Some programs, such as Google Calendar, ignore it.
const REFRESH_INTERVAL: &str = "PT6H";

/// Writes the calendar. The result depends only on configuration and events, so that its `ETag` is stable.
pub(crate) fn calendar(config: &Config, office: &str, events: &[Event]) -> String {
    let title = escape(&format!("Vencimentos · {office}"));
    let mut text = String::with_capacity(512 + events.len() * 512);
    for (name, value) in [
        ("BEGIN", "VCALENDAR"),
        ("VERSION", "2.0"),
        ("PRODID", "-//Portaria//Vencimentos//PT-BR"),
        ("CALSCALE", "GREGORIAN"),
        ("NAME", &title),
        ("X-WR-CALNAME", &title),
        ("X-WR-TIMEZONE", config.time_zone_name()),
        ("REFRESH-INTERVAL;VALUE=DURATION", REFRESH_INTERVAL),
        ("X-PUBLISHED-TTL", REFRESH_INTERVAL),
    ] {
        write_line(&mut text, name, value);
    }
    for event in events {
        write_event(&mut text, event, config);
    }
    write_line(&mut text, "END", "VCALENDAR");
    text
}

fn write_event(text: &mut String, event: &Event, config: &Config) {
    let host = config.site_url.split_once("://").map_or("", |(_, host)| host);
    // The due date is a day in the portal's zone. An all-day event has no zone.
    let day = event.expires.to_zoned(config.time_zone.clone()).date();
    let next = day.checked_add(1.day()).unwrap_or(day);
    let changed = event.changed.strftime("%Y%m%dT%H%M%SZ").to_string();
    let link = config.page_url(Page::Document(Area::Client, &event.id.to_string()));
    for (name, value) in [
        ("BEGIN", "VEVENT"),
        ("UID", &*format!("{}@{host}", event.id)),
        ("DTSTAMP", &changed),
        ("LAST-MODIFIED", &changed),
        ("DTSTART;VALUE=DATE", &day.strftime("%Y%m%d").to_string()),
        ("DTEND;VALUE=DATE", &next.strftime("%Y%m%d").to_string()),
        ("SUMMARY", &escape(&event.name)),
        // Some programs do not display `URL`.
        ("DESCRIPTION", &escape(&description(event, &link))),
        ("URL", &link),
        // The event does not mark its owner as busy.
        ("TRANSP", "TRANSPARENT"),
        ("X-MICROSOFT-CDO-BUSYSTATUS", "FREE"),
        ("END", "VEVENT"),
    ] {
        write_line(text, name, value);
    }
}

fn description(event: &Event, link: &str) -> String {
    let mut lines = vec![format!("Vence neste dia. Pasta: {}", event.folder)];
    lines.extend(event.amount_cents.map(|cents| format!("Valor: {}", format_brl(cents))));
    lines.extend(event.payment_line.as_ref().map(|line| format!("Linha digitável: {line}")));
    lines.push(link.to_owned());
    lines.join("\n")
}

/// Escapes a text value (RFC 5545, section 3.3.11) and removes control characters.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ';' | ',' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            c if c.is_control() => {}
            c => escaped.push(c),
        }
    }
    escaped
}

/// Writes a line and folds it at [`MAX_LINE_BYTES`], never within a character.
fn write_line(text: &mut String, name: &str, value: &str) {
    let mut width = 0;
    for c in name.chars().chain([':']).chain(value.chars()) {
        if width + c.len_utf8() > MAX_LINE_BYTES {
            text.push_str("\r\n ");
            width = 1;
        }
        text.push(c);
        width += c.len_utf8();
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use crate::config::sources::ConfigSources;
    use crate::documents::ics::{Event, calendar, escape, write_line};

    #[test]
    fn escaped_value_cannot_end_its_line() {
        assert_eq!(escape("a\\b; c, d\r\nEND:VEVENT\u{7}"), "a\\\\b\\; c\\, d\\nEND:VEVENT");
    }

    #[test]
    fn long_line_is_folded_between_characters() {
        let value = "ação ".repeat(60);
        let mut text = String::new();
        write_line(&mut text, "SUMMARY", &value);
        let lines: Vec<&str> = text.trim_end_matches("\r\n").split("\r\n").collect();
        assert!(lines.len() > 4 && lines.iter().all(|line| line.len() <= 75), "{lines:?}");
        assert!(lines[..lines.len() - 1].iter().all(|line| line.len() >= 74), "{lines:?}");
        assert_eq!(text.replace("\r\n ", ""), format!("SUMMARY:{value}\r\n"));
    }

    #[test]
    fn event_is_on_the_day_in_the_portals_zone() {
        let config = ConfigSources::defaults().read().unwrap();
        // One second before midnight in São Paulo, which is the next day in UTC.
        let event = Event {
            id: "019b7600-0000-7000-8000-000000000001".parse().unwrap(),
            name: "Alvará".into(),
            folder: "Contratos".into(),
            expires: "2026-12-01T02:59:59Z".parse().unwrap(),
            changed: "2026-11-21T15:00:00Z".parse().unwrap(),
            amount_cents: Some(123_456),
            payment_line: Some("8467".into()),
        };
        let text = calendar(&config, "Escritório Prado", &[event]);
        for expected in [
            "\r\nDTSTART;VALUE=DATE:20261130\r\nDTEND;VALUE=DATE:20261201\r\nSUMMARY:Alvará\r\n",
            "\r\nDTSTAMP:20261121T150000Z\r\nLAST-MODIFIED:20261121T150000Z\r\n",
            r"\nValor: R$ 1.234\,56\nLinha digitável: 8467\n",
            "\r\nUID:019b7600-0000-7000-8000-000000000001@127.0.0.1:8080\r\n",
        ] {
            let unfolded = text.replace("\r\n ", "");
            assert!(unfolded.contains(expected), "{text}");
        }
        assert!(!text.contains("METHOD"));
        assert!(text.starts_with("BEGIN:VCALENDAR\r\n") && text.ends_with("END:VCALENDAR\r\n"));
    }
}
