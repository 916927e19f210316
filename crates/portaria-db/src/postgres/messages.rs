//! Messages between nodes as notifications. The payload of a notification is shorter than 8000 bytes, so a message is
//! sent in parts. PostgreSQL delivers the notifications of a transaction one after another, without others between
//! them.

use sea_query::{Func, Query};

use crate::{Error, Tx};

/// Channel of `NOTIFY` for messages.
pub(crate) const CHANNEL: &str = "portaria_messages";
/// Maximum length of a part, in bytes.
const MAX_PART: usize = 7_900;
/// Follow the number of a part: more parts follow, or it is the last one.
const MORE: char = '+';
const LAST: char = '.';

/// Sends messages after the commit.
pub(crate) fn publish(tx: &mut Tx<'_>, messages: &[String]) -> Result<(), Error> {
    // The number makes each part unique, because PostgreSQL removes equal notifications of a transaction.
    let mut number = 0;
    for message in messages {
        let mut query = Query::select();
        for (sign, part) in parts(message) {
            let payload = format!("{number}{sign}{part}");
            query.expr(Func::cust("pg_notify").arg(CHANNEL).arg(payload));
            number += 1;
        }
        tx.execute(&query)?;
    }
    Ok(())
}

/// Divides a message.
fn parts(mut message: &str) -> impl Iterator<Item = (char, &str)> {
    let mut is_done = false;
    std::iter::from_fn(move || {
        if is_done {
            return None;
        }
        let (part, rest) = message.split_at(message.floor_char_boundary(MAX_PART));
        message = rest;
        is_done = rest.is_empty();
        Some((if is_done { LAST } else { MORE }, part))
    })
}

/// The parts of a message that was not received to its end.
#[derive(Debug, Default)]
pub(crate) struct Assembly(String);

impl Assembly {
    /// Adds a part. Returns the message with its last part.
    pub(crate) fn add(&mut self, payload: &str) -> Option<String> {
        let (sign, part) = payload.split_once([MORE, LAST]).map(|(number, part)| {
            let sign = payload[number.len()..].chars().next();
            (sign, part)
        })?;
        self.0.push_str(part);
        (sign == Some(LAST)).then(|| std::mem::take(&mut self.0))
    }
}

#[cfg(test)]
mod tests {
    use crate::postgres::messages::{Assembly, MAX_PART, parts};

    #[test]
    fn divided_messages_are_assembled() {
        for message in [String::new(), "a+b.c".into(), "é".repeat(MAX_PART)] {
            let mut assembly = Assembly::default();
            let payloads: Vec<_> = parts(&message)
                .enumerate()
                .map(|(n, (sign, part))| format!("{n}{sign}{part}"))
                .collect();
            assert!(payloads.iter().all(|payload| payload.len() < 8000));
            let (last, first) = payloads.split_last().unwrap();
            assert!(first.iter().all(|part| assembly.add(part).is_none()));
            assert_eq!(assembly.add(last), Some(message));
        }
    }
}
