//! A calendar as text (RFC 5545): one all-day event for each document that expires.
//!
//! Written by hand because it is a page, and the library there is brings a second time library with it.

use jiff::{Timestamp, ToSpan};

use crate::config::Config;

/// A document that expires.
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) expires: Timestamp,
    /// When anything about it was last changed.
    pub(crate) changed: Timestamp,
}

/// A line holds so many octets at most, its end not counted.
const WIDTH: usize = 75;
/// How often programs are asked to read it again. Google takes its own time.
const EVERY: &str = "PT6H";

/// The whole calendar. The same events make the same text, whenever that is.
pub(crate) fn calendar(config: &Config, events: &[Event]) -> String {
    let title = escaped(&format!("Vencimentos · {}", config.product_name));
    let mut text = String::with_capacity(512 + events.len() * 512);
    for (name, value) in [
        ("BEGIN", "VCALENDAR"),
        ("VERSION", "2.0"),
        ("PRODID", "-//Portaria//Vencimentos//PT-BR"),
        ("CALSCALE", "GREGORIAN"),
        ("NAME", &title),
        ("X-WR-CALNAME", &title),
        ("X-WR-TIMEZONE", &config.time_zone_name),
        ("REFRESH-INTERVAL;VALUE=DURATION", EVERY),
        ("X-PUBLISHED-TTL", EVERY),
    ] {
        line(&mut text, name, value);
    }
    for event in events {
        add(&mut text, event, config);
    }
    line(&mut text, "END", "VCALENDAR");
    text
}

fn add(text: &mut String, event: &Event, config: &Config) {
    let host = config.site_url.split_once("://").map_or("", |(_, host)| host);
    // The day on which it expires is a day of the portal's zone, and has no zone itself.
    let day = event.expires.to_zoned(config.time_zone.clone()).date();
    let next = day.checked_add(1.day()).unwrap_or(day);
    let changed = event.changed.strftime("%Y%m%dT%H%M%SZ").to_string();
    let link = format!("{}/documents/view/{}", config.site_url, event.id);
    for (name, value) in [
        ("BEGIN", "VEVENT"),
        ("UID", &*format!("{}@{host}", event.id)),
        ("DTSTAMP", &changed),
        ("LAST-MODIFIED", &changed),
        ("DTSTART;VALUE=DATE", &day.strftime("%Y%m%d").to_string()),
        ("DTEND;VALUE=DATE", &next.strftime("%Y%m%d").to_string()),
        ("SUMMARY", &escaped(&event.name)),
        // Not every program shows an event's address.
        ("DESCRIPTION", &escaped(&format!("Vence neste dia. Pasta: {}\n{link}", event.folder))),
        ("URL", &link),
        // Nobody is busy because something expires.
        ("TRANSP", "TRANSPARENT"),
        ("X-MICROSOFT-CDO-BUSYSTATUS", "FREE"),
        ("END", "VEVENT"),
    ] {
        line(text, name, value);
    }
}

/// Text as a value.
fn escaped(text: &str) -> String {
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

/// Adds a line, folded where it is too long, and never within a letter.
fn line(text: &mut String, name: &str, value: &str) {
    let mut width = 0;
    for c in name.chars().chain([':']).chain(value.chars()) {
        if width + c.len_utf8() > WIDTH {
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
    use crate::documents::ics::{Event, calendar, escaped, line};

    #[test]
    fn a_value_cannot_end_its_line() {
        assert_eq!(escaped("a\\b; c, d\r\nEND:VEVENT\u{7}"), "a\\\\b\\; c\\, d\\nEND:VEVENT");
    }

    #[test]
    fn long_lines_are_folded_between_letters() {
        let value = "ação ".repeat(60);
        let mut text = String::new();
        line(&mut text, "SUMMARY", &value);
        let lines: Vec<&str> = text.trim_end_matches("\r\n").split("\r\n").collect();
        assert!(lines.len() > 4 && lines.iter().all(|line| line.len() <= 75), "{lines:?}");
        assert!(lines[..lines.len() - 1].iter().all(|line| line.len() >= 74), "{lines:?}");
        assert_eq!(text.replace("\r\n ", ""), format!("SUMMARY:{value}\r\n"));
    }

    #[test]
    fn a_document_expires_on_its_day_in_the_portals_zone() {
        let config = ConfigSources::defaults().read().unwrap();
        // A second before midnight in São Paulo, which is the next day at Greenwich.
        let event = Event {
            id: "019b7600-0000-7000-8000-000000000001".into(),
            name: "Alvará".into(),
            folder: "Contratos".into(),
            expires: "2026-12-01T02:59:59Z".parse().unwrap(),
            changed: "2026-11-21T15:00:00Z".parse().unwrap(),
        };
        let text = calendar(&config, &[event]);
        for expected in [
            "\r\nDTSTART;VALUE=DATE:20261130\r\nDTEND;VALUE=DATE:20261201\r\nSUMMARY:Alvará\r\n",
            "\r\nDTSTAMP:20261121T150000Z\r\nLAST-MODIFIED:20261121T150000Z\r\n",
            "\r\nUID:019b7600-0000-7000-8000-000000000001@127.0.0.1:8080\r\n",
        ] {
            assert!(text.contains(expected), "{text}");
        }
        assert!(!text.contains("METHOD"));
        assert!(text.starts_with("BEGIN:VCALENDAR\r\n") && text.ends_with("END:VCALENDAR\r\n"));
    }
}
