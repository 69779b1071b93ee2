//! `cargo xtask wasm`: crates/wasm for wasm32 and its glue.
//!
//! No wasm-opt: on what the page profile builds, its `-O3`, `-Os` and `-Oz` all make more to send (gzip 289.7 → 296.5 kB).

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wasm_bindgen_cli_support::Bindgen;

use crate::{Failure, workspace};

const PACKAGE: &str = "stepscope-wasm";
/// Base name of the glue: `<GLUE>.js`, `<GLUE>.d.ts`, `<GLUE>_bg.wasm`.
const GLUE: &str = "stepscope_wasm";
/// What the wasm in web/src/pkg was made from; equal to the build's own means there is nothing to do.
const STAMP: &str = ".made-from";

/// What the wasm is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Seconds to build, for work on the page.
    Dev,
    /// What users get.
    Release,
    /// What users get, and the function that answers conformance cases, for a test.
    Conformance,
}

impl Profile {
    /// Where the wasm and its glue go, below the workspace.
    fn package(self) -> &'static str {
        match self {
            Profile::Dev | Profile::Release => "web/src/pkg",
            Profile::Conformance => "target/conformance-pkg",
        }
    }
}

/// Builds the wasm and writes it with its glue into web/src/pkg, or where its profile says.
pub(crate) fn build(profile: Profile) -> Result<(), Failure> {
    let module = compile(profile)?;
    let bytes = fs::read(&module)?;
    let stamp = stamp(&bytes, profile);
    let package = workspace().join(profile.package());
    if fs::read_to_string(package.join(STAMP)).is_ok_and(|made_from| made_from == stamp) {
        return Ok(());
    }

    // Beside the module, so that a build that fails half way leaves the page's glue as it was.
    let staged = module.with_file_name(format!("glue-{}", std::process::id()));
    Bindgen::new()
        .input_bytes(GLUE, bytes)
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
fn compile(profile: Profile) -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(workspace())
        .args(["build", "--lib", "--package", PACKAGE, "--target", "wasm32-unknown-unknown"])
        .args(["--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit());
    match profile {
        Profile::Dev => &mut command,
        Profile::Release => command.args(["--profile", "page"]),
        Profile::Conformance => command.args(["--profile", "page", "--features", "conformance"]),
    };
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
