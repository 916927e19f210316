//! Fault injection: the real program with sockets, disks and signals that fail at a chosen step. Each run tests a
//! sample of the steps; `cargo xtask faults` tests all of them.

#![expect(clippy::unwrap_used, reason = "a failed precondition fails the test")]

mod backup;
mod capabilities;
mod corruption;
mod crash;
mod database_locked;
mod disk_full;
mod fsync_order;
mod history;
mod http;
mod inbox;
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
