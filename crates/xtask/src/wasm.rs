//! `cargo xtask wasm`: crates/wasm for wasm32 and its glue, in three modules: what reads logs, which the page loads first,
//! and what reduces them and what makes sample epochs, which it loads when they are asked for.
//!
//! No wasm-opt: on what the page profile builds, its `-O3`, `-Os` and `-Oz` all make more to send (gzip 289.7 → 296.5 kB).

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wasm_bindgen_cli_support::Bindgen;

use crate::{Failure, workspace};

const PACKAGE: &str = "stepscope-wasm";
/// What the wasm beside it was made from; equal to the build's own means there is nothing to do.
const STAMP: &str = ".made-from";

/// How the wasm is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Seconds to build, for work on the page.
    Dev,
    /// What users get.
    Release,
}

/// One module built of the crate.
#[derive(Debug)]
struct Module {
    /// Base name of the glue: `<glue>.js`, `<glue>.d.ts`, `<glue>_bg.wasm`.
    glue: &'static str,
    /// Where the module and its glue go, below the workspace.
    package: &'static str,
    /// Arguments that choose the features.
    features: &'static [&'static str],
}

const PAGE: Module = Module { glue: "stepscope_wasm", package: "web/src/pkg", features: &[] };
const SIMULATE: Module = Module {
    glue: "stepscope_simulate",
    package: "web/src/pkg-simulate",
    features: &["--no-default-features", "--features", "simulate"],
};
const REDUCE: Module = Module {
    glue: "stepscope_reduce",
    package: "web/src/pkg-reduce",
    features: &["--no-default-features", "--features", "reduce"],
};
/// The page's, and the function that answers conformance cases.
const CONFORMANCE: Module = Module {
    glue: "stepscope_wasm",
    package: "target/conformance-pkg",
    features: &["--features", "conformance"],
};

/// Builds the page's modules and writes each with its glue where it belongs.
pub(crate) fn build(profile: Profile) -> Result<(), Failure> {
    build_module(&PAGE, profile)?;
    build_module(&REDUCE, profile)?;
    build_module(&SIMULATE, profile)
}

/// The page's module with the conformance cases' answers, for a test.
pub(crate) fn build_conformance() -> Result<(), Failure> {
    build_module(&CONFORMANCE, Profile::Release)
}

fn build_module(module: &Module, profile: Profile) -> Result<(), Failure> {
    let built = compile(module, profile)?;
    let bytes = fs::read(&built)?;
    let stamp = stamp(&bytes, profile);
    let package = workspace().join(module.package);
    if fs::read_to_string(package.join(STAMP)).is_ok_and(|made_from| made_from == stamp) {
        return Ok(());
    }

    // Beside the module, so that a build that fails half way leaves the page's glue as it was.
    let staged = built.with_file_name(format!("glue-{}", std::process::id()));
    Bindgen::new()
        .input_bytes(module.glue, bytes)
        .web(true)?
        .typescript(true)
        .keep_debug(profile == Profile::Dev)
        .remove_name_section(profile != Profile::Dev)
        .remove_producers_section(true)
        .generate(&staged)?;
    install(&staged, &package)?;
    fs::write(package.join(STAMP), stamp)?;
    fs::remove_dir_all(&staged)?;
    Ok(())
}

/// Runs cargo for wasm32 and returns the module it names.
fn compile(module: &Module, profile: Profile) -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(workspace())
        .args(["build", "--lib", "--package", PACKAGE, "--target", "wasm32-unknown-unknown"])
        .args(["--message-format", "json-render-diagnostics"])
        .args(module.features)
        .stderr(Stdio::inherit());
    if profile == Profile::Release {
        command.args(["--profile", "page"]);
    }
    let output = command.output().map_err(|error| format!("cargo does not start: {error}"))?;
    if !output.status.success() {
        return Err(
            "the wasm does not build; if its target is missing: rustup target add wasm32-unknown-unknown"
                .into(),
        );
    }
    String::from_utf8(output.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| {
            message["reason"] == "compiler-artifact" && message["target"]["name"] == PACKAGE.replace('-', "_")
        })
        .filter_map(|message| {
            let names = message["filenames"].as_array()?.clone();
            names
                .iter()
                .filter_map(|name| name.as_str())
                .find(|name| name.ends_with(".wasm"))
                .map(PathBuf::from)
        })
        .next_back()
        .ok_or_else(|| format!("cargo built {PACKAGE} and named no .wasm").into())
}

/// Moves the staged files in one by one, each whole at every moment: a running dev server watches the folder.
fn install(staged: &Path, package: &Path) -> Result<(), Failure> {
    fs::create_dir_all(package)?;
    for entry in fs::read_dir(staged)? {
        let entry = entry?;
        let new = package.join(format!("{}.new", entry.file_name().display()));
        fs::copy(entry.path(), &new)?;
        fs::rename(&new, package.join(entry.file_name()))?;
    }
    Ok(())
}

fn stamp(module: &[u8], profile: Profile) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(module);
    format!("{profile:?} {:016x}\n", hasher.finish())
}
