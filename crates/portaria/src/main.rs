//! Entry point of the program. Everything else is in the library.

use std::process::ExitCode;

// A request makes many small allocations, which are often freed by another thread. Compared with jemalloc, the system
// allocator needs more processor time for a list of documents and half as much memory again after large files (`cargo
// xtask bench`, `docs/decisions/0008-measured-engine-settings.md`).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    portaria::cli::run()
}
