//! Stepscope on the command line.

mod commands;
mod machine;
mod reading;
mod source;

use std::path::PathBuf;

fn main() -> std::process::ExitCode {
    for case in std::env::args().skip(2) {
        match commands::conform::conform(&PathBuf::from(case)) {
            #[allow(clippy::print_stdout)]
            Ok(text) => println!("{text}"),
            Err(e) => eprintln!("{e}"),
        }
    }
    std::process::ExitCode::SUCCESS
}
