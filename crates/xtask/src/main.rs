//! What the workspace needs done and no user runs: `cargo xtask wasm`, `cargo xtask size`.

use std::path::PathBuf;
use std::process::ExitCode;

mod size;
mod wasm;

const USAGE: &str = "\
usage: cargo xtask wasm [--dev]         build crates/wasm with its glue into web/src/pkg, -reduce and -simulate
       cargo xtask wasm --conformance   with the conformance cases' answers, into target/conformance-pkg
       cargo xtask size                 what the built page loads first, against its limit";

/// Any failure, with a text that says what to do.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["wasm"] => wasm::build(wasm::Profile::Release),
        ["wasm", "--dev"] => wasm::build(wasm::Profile::Dev),
        ["wasm", "--conformance"] => wasm::build_conformance(),
        ["size"] => size::check(),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace's Cargo.toml.
fn workspace() -> PathBuf {
    // Cargo sets the variable for what it runs; a binary started by hand is started in the workspace.
    match std::env::var_os("CARGO_MANIFEST_DIR") {
        Some(crate_folder) => PathBuf::from(crate_folder).join("../.."),
        None => PathBuf::from("."),
    }
}
