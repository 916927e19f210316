//! The program; everything else is in the library.

use std::process::ExitCode;

// A request is many small allocations, often freed by another thread. The system's allocator took a sixth of the time
// of listing documents, and kept twice the memory after large files (`cargo xtask bench`).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    portaria::cli::run()
}
