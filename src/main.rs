//! The door.

use std::process::ExitCode;

fn main() -> ExitCode {
    policyc::cli::main()
}
