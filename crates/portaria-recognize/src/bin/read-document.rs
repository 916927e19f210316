//! The child alone, for the tests of this crate. The server calls the same function.

use std::process::ExitCode;

fn main() -> ExitCode {
    portaria_recognize::child::main()
}
