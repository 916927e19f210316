//! A load on the portal, and a ledger of what it acknowledged: after whatever happens each thing must be found as it was
//! last acknowledged, or as a change left it whose answer never came.

use std::{collections::BTreeMap, thread::scope};

use crate::workload::{Office, Told, pdf};

/// Connections at once.
const LANES: u32 = 4;
/// The size of a file.
const SIZE: usize = 40_000;
/// More changes than a lane makes in a round.
const MOST: u32 = 10_000;

/// What a thing may be: the number of its content, `None` when it is not there.
type May = Vec<Option<u32>>;

/// What is known, under the names of folders (`p…`) and files (`….pdf`).
#[derive(Default)]
pub(crate) struct Ledger {
    known: BTreeMap<String, May>,
    round: u32,
    /// Changes that were acknowledged.
    pub(crate) acknowledged: u64,
}

impl Ledger {
    /// Inserts, uploads, replaces and deletes in several lanes until `end` has ended the portal.
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

    /// Looks for all that is known of the last rounds, and forgets what is older.
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

/// One lane of the load; what may be there now, and how much was acknowledged.
fn work(office: &Office, lane: &str) -> (BTreeMap<String, May>, u64) {
    let (mut known, mut acknowledged) = (BTreeMap::<String, May>::new(), 0);
    let mut number = 0;
    loop {
        number += 1;
        let about = number / 4;
        let (folder, file) = (format!("p{lane}-{about}"), format!("{lane}-{about}.pdf"));
        let (name, content, told): (_, _, Told) = match number % 4 {
            0 => (folder.clone(), Some(number), office.upsert_folder(&folder, &number.to_string())),
            1 | 2 => (file.clone(), Some(number), office.replace(&file, &pdf(number, SIZE))),
            _ if about % 2 == 0 => (file.clone(), None, office.remove(&file)),
            _ => (folder.clone(), None, office.delete_folder(&folder)),
        };
        let may = known.entry(name).or_insert_with(|| vec![None]);
        if told.is_some() {
            acknowledged += 1;
            *may = vec![content];
        } else {
            may.push(content);
            return (known, acknowledged);
        }
    }
}
