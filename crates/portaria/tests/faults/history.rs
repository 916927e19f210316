//! A load with a ledger of acknowledged changes: after any failure each object must be in its last acknowledged state,
//! or in the state of a later change without a response.

use std::{collections::BTreeMap, thread::scope};

use crate::workload::{Office, Outcome, pdf};

/// Parallel connections.
const LANES: u32 = 4;
/// Size of a file, in bytes.
const SIZE: usize = 40_000;
/// More changes than a connection makes per round.
const MOST: u32 = 10_000;

/// The possible states of an object: the number of its content, or `None` if it does not exist.
type PossibleStates = Vec<Option<u32>>;

/// The known objects: folders (`p…`) and files (`….pdf`).
#[derive(Default)]
pub(crate) struct Ledger {
    known: BTreeMap<String, PossibleStates>,
    round: u32,
    /// The number of acknowledged changes.
    pub(crate) acknowledged: u64,
}

impl Ledger {
    /// Inserts, uploads, replaces and deletes on several connections until `end` has stopped the portal.
    pub(crate) fn load(&mut self, office: &Office, end: impl FnOnce()) {
        self.round += 1;
        let round = self.round;
        let lanes: Vec<_> = scope(|scope| {
            let lanes: Vec<_> = (0..LANES)
                .map(|lane| scope.spawn(move || work(office, &format!("{round}-{lane}"))))
                .collect();
            end();
            lanes.into_iter().map(|lane| lane.join().unwrap()).collect()
        });
        for (known, acknowledged) in lanes {
            self.known.extend(known);
            self.acknowledged += acknowledged;
        }
    }

    /// Checks all objects of the last rounds, and forgets older ones.
    pub(crate) fn check(&mut self, office: &Office, rounds: u32) {
        let oldest = self.round.saturating_sub(rounds);
        let is_due = |name: &String| {
            let round = name.trim_start_matches('p').split('-').next().unwrap();
            round.parse::<u32>().unwrap() > oldest
        };
        self.known.retain(|name, _| is_due(name));
        for (name, may) in &mut self.known {
            let found = if name.starts_with('p') {
                office.folder(name).map(|name| name.parse().unwrap())
            } else {
                office.file(name).map(|bytes| {
                    let is_it = |number: &u32| bytes == pdf(*number, SIZE);
                    (1..MOST).find(is_it).unwrap_or_else(|| {
                        let zeros: usize = bytes.iter().map(|byte| usize::from(*byte == 0)).sum();
                        panic!(
                            "{name}: {} bytes, {zeros} of them zero, were never sent",
                            bytes.len()
                        )
                    })
                })
            };
            assert!(may.contains(&found), "{name}: {found:?} is none of {may:?}");
            *may = vec![found];
        }
    }
}

/// One connection of the load. Returns the possible states and the number of acknowledged changes.
fn work(office: &Office, lane: &str) -> (BTreeMap<String, PossibleStates>, u64) {
    let (mut known, mut acknowledged) = (BTreeMap::<String, PossibleStates>::new(), 0);
    let mut number = 0;
    loop {
        number += 1;
        let about = number / 4;
        let (folder, file) = (format!("p{lane}-{about}"), format!("{lane}-{about}.pdf"));
        let (name, content, outcome): (_, _, Outcome) = match number % 4 {
            0 => (folder.clone(), Some(number), office.upsert_folder(&folder, &number.to_string())),
            1 | 2 => (file.clone(), Some(number), office.replace(&file, &pdf(number, SIZE))),
            _ if about % 2 == 0 => (file.clone(), None, office.remove(&file)),
            _ => (folder.clone(), None, office.delete_folder(&folder)),
        };
        let may = known.entry(name).or_insert_with(|| vec![None]);
        if outcome.is_some() {
            acknowledged += 1;
            *may = vec![content];
        } else {
            may.push(content);
            return (known, acknowledged);
        }
    }
}
