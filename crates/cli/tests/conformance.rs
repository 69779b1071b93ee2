//! The conformance cases: what the reference finds in 99 logs, this program finds too.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use stepscope_epoch_log::tar::TarReader;

/// Unpacks the cases; the archive cannot hold what every log had beside its epochs: an empty folder that is no epoch.
fn unpack(into: &Path) -> Vec<PathBuf> {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cases.tar.gz");
    let mut bytes = Vec::new();
    let file = fs::File::open(archive).expect("fixtures/cases.tar.gz");
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip");
    let mut tar = TarReader::new();
    tar.push(&bytes);
    while let Some(piece) = tar.next_piece().expect("a tar") {
        assert!(piece.done, "all bytes were there");
        let path = into.join(&piece.path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, piece.bytes).expect("a file");
    }
    let mut cases: Vec<PathBuf> = folders(into);
    for case in &cases {
        for log in folders(case) {
            if let Some(host) = folders(&log).first() {
                fs::create_dir(host.join("no-epoch")).expect("a folder");
            }
        }
    }
    cases.sort();
    cases
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Compares by the rules of the cases: objects by their sets of fields, numbers by value, booleans only to booleans.
fn differences(ours: &Value, expected: &Value, place: &str, found: &mut Vec<String>) {
    match (ours, expected) {
        (Value::Object(a), Value::Object(b)) => {
            for name in a.keys().filter(|name| !b.contains_key(*name)) {
                found.push(format!("{place}/{name} is not expected"));
            }
            // The importing tool's own version is not compared.
            for (name, expected) in b.iter().filter(|field| field.0 != "source_version") {
                match a.get(name) {
                    Some(ours) => differences(ours, expected, &format!("{place}/{name}"), found),
                    None => found.push(format!("{place}/{name} is missing")),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (ours, expected)) in a.iter().zip(b).enumerate() {
                differences(ours, expected, &format!("{place}[{at}]"), found);
            }
        }
        (Value::Number(a), Value::Number(b)) if a == b || a.as_f64() == b.as_f64() => {
            // Beyond 2⁵³ two integers may share a float.
            if a.is_i64() && b.is_i64() && a != b {
                found.push(format!("{place}: {a}, expected {b}"));
            }
        }
        (ours, expected) if ours == expected => {}
        (ours, expected) => found.push(format!("{place}: {ours:.200}, expected {expected:.200}")),
    }
}

#[test]
fn all_cases_equal_the_reference() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases = unpack(folder.path());
    assert_eq!(cases.len(), 99);
    let ran =
        Command::new(env!("CARGO_BIN_EXE_stepscope")).arg("conform").args(&cases).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let answers = String::from_utf8(ran.stdout).expect("UTF-8");
    assert_eq!(answers.lines().count(), cases.len());

    let mut found = Vec::new();
    let mut compared = 0;
    for (case, answer) in cases.iter().zip(answers.lines()) {
        let name = case.file_name().expect("a name").to_string_lossy();
        let ours: Value = serde_json::from_str(answer).expect("JSON");
        let text = fs::read_to_string(case.join("expected.json")).expect("expected.json");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        let imports = |value: &Value| value["imports"].as_array().expect("imports").clone();
        assert_eq!(imports(&ours).len(), imports(&expected).len(), "{name}");
        for (at, (ours, expected)) in imports(&ours).iter().zip(&imports(&expected)).enumerate() {
            for (part, ours) in ours.as_object().expect("an import") {
                differences(ours, &expected[part], &format!("{name} import {at} {part}"), &mut found);
                compared += 1;
            }
        }
        differences(&ours["diagnose"], &expected["diagnose"], &format!("{name} diagnose"), &mut found);
    }
    assert!(compared >= 99);
    assert!(
        found.is_empty(),
        "{} differences, the first:\n{}",
        found.len(),
        found[..found.len().min(20)].join("\n")
    );
}
