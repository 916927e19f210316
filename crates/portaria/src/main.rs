//! The program; everything else is in the library.

use std::process::ExitCode;

// A request is many small allocations, often freed by another thread. With the system's allocator
// listing documents takes more processor time, and large files leave half as much memory again (`cargo xtask bench`).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    portaria::cli::run()
}
