//! SIGKILL at a thousand random moments under load (six in the short run).

use std::{thread::sleep, time::Duration};

use crate::{
    capabilities::{either, say},
    history::Ledger,
    workload::Office,
};

/// Interval of rounds between complete checks.
const ROUNDS: u32 = 3;

#[test]
fn acknowledged_changes_survive_random_kills() {
    let mut office = Office::open();
    let mut ledger = Ledger::default();
    let kills = either(6, 1000);
    for kill in 0..kills {
        let pid = office.portal.pid();
        let after = Duration::from_millis(30 + (kill * 7919) % 400);
        ledger.load(&office, || {
            sleep(after);
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        });
        office.portal.kill();
        office.portal.up();
        ledger.check(&office, ROUNDS);
        if kill % either(1, 10) == 0 {
            office.portal.is_whole();
        }
    }
    office.portal.is_whole();
    let slowest = office.portal.slowest;
    say(&format!(
        "{kills} kills under load, {} changes acknowledged, none lost; slowest start {slowest:?}",
        ledger.acknowledged
    ));
}
