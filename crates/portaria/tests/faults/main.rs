//! What the portal promises when things fail: the real program, over real sockets, on a disk and under signals that fail it
//! at a chosen step. Each run takes a spread of the steps; `cargo xtask faults` walks them all.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod backup;
mod capabilities;
mod corruption;
mod crash;
mod database_locked;
mod disk_full;
mod fsync_order;
mod history;
mod http;
mod kill_at_syscall;
mod mail;
mod power;
mod server_process;
mod slow_readers;
mod start;
mod stop;
mod strace;
mod sync;
mod workload;
