//! What the portal promises when things fail: the real program, over real sockets, on a disk and under signals that fail it
//! at a chosen step. Each run takes a spread of the steps; `cargo xtask faults` walks them all.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod backup;
mod crash;
mod damaged;
mod full;
mod http;
mod ledger;
mod locked;
mod machine;
mod mail;
mod office;
mod order;
mod portal;
mod power;
mod slow;
mod start;
mod stop;
mod strace;
mod sync;
mod walk;
