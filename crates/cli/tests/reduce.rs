//! `stepscope reduce` on real epochs: what it writes, what it never writes, and that a refusal changes nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use stepscope_epoch_log::json::Value;

const EPOCHS: [&str; 8] =
    ["steady", "stalls", "preempt", "pause_reset", "spec_ngram", "killed_torn", "multi", "crashed"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/epochs").join(format!("{name}.tar.gz"))
}

fn reduce(log: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepscope"));
    command.arg("reduce").arg(log).args(words).output().expect("it runs")
}

fn unpacked(name: &str, into: &Path) -> PathBuf {
    let status = Command::new("tar")
        .args(["-xzf", &fixture(name).to_string_lossy(), "-C", &into.to_string_lossy()])
        .status()
        .expect("tar runs");
    assert!(status.success());
    into.join(name)
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

/// Strings under a name, in all records of a log.
fn strings_in(log: &Path, field: &str) -> BTreeSet<String> {
    let mut files = Vec::new();
    files_below(log, &mut files);
    let mut found = BTreeSet::new();
    let mark = format!("\"{field}\":\"");
    for path in files.iter().filter(|path| path.to_string_lossy().contains(".jsonl")) {
        let text = fs::read_to_string(path).expect("a segment");
        for rest in text.split(&mark).skip(1) {
            found.extend(rest.split('"').next().map(str::to_owned));
        }
    }
    found
}

fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    !needle.is_empty() && memchr::memmem::find(haystack, needle).is_some()
}

#[test]
fn no_output_holds_a_key_or_another_clients_id() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in EPOCHS {
        let log = unpacked(name, folder.path());
        let out = folder.path().join(format!("{name}.jsonl"));
        let output = reduce(&log, &["-o", &out.to_string_lossy()]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let artifact = fs::read(&out).expect("an artifact");
        let tables = folder.path().join(format!("{name}.tables"));
        let written = reduce(&log, &["--parquet", &tables.to_string_lossy()]);
        assert!(written.status.success(), "{name}: {}", String::from_utf8_lossy(&written.stderr));
        let mut files = Vec::new();
        files_below(&tables, &mut files);
        assert!(files.len() >= 5 && files.len().is_multiple_of(5), "{name}: {files:?}");

        let mut outputs = vec![artifact, output.stdout, output.stderr, written.stdout, written.stderr];
        outputs.extend(files.iter().map(|path| fs::read(path).expect("a table")));
        for command in ["summary", "diagnose"] {
            let run =
                Command::new(env!("CARGO_BIN_EXE_stepscope")).arg(command).arg(&log).output().expect("runs");
            outputs.extend([run.stdout, run.stderr]);
        }
        let mut files = Vec::new();
        files_below(&log, &mut files);
        let keys = files.iter().filter(|path| path.ends_with("key"));
        for key in keys.map(|path| fs::read(path).expect("a key")) {
            let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            for form in [key.clone(), hex.clone().into_bytes(), hex.to_uppercase().into_bytes(), base64(&key)]
            {
                assert!(
                    outputs.iter().all(|output| !holds(output, &form)),
                    "{name}: the key is in an output"
                );
            }
        }
        // Every request of these logs is another client's here. One word of an ID is enough to know it again.
        let artifact = String::from_utf8(outputs.swap_remove(0)).expect("ASCII");
        let words: BTreeSet<&str> =
            artifact.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').collect();
        for id in strings_in(&log, "internal").union(&strings_in(&log, "external")) {
            assert!(!words.contains(id.as_str()), "{name}: {id} is in the artifact");
        }
    }
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // Whole groups are enough to find it.
    bytes
        .chunks_exact(3)
        .flat_map(|group| {
            let bits = u32::from(group[0]) << 16 | u32::from(group[1]) << 8 | u32::from(group[2]);
            [18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift & 63) as usize])
        })
        .collect()
}

#[test]
fn tables_come_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = || {
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let tables = |name: &str| folder.path().join(name);
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let write = |log: &Path, words: &[&str]| reduce(log, &[&["--parquet"], words].concat());

    // Not a log: nothing is left.
    let nothing = write(folder.path(), &[&shown(&tables("a"))]);
    assert_eq!((nothing.status.code(), names()), (Some(5), vec![]));
    // Neither is an artifact that cannot be written beside them.
    let missing = folder.path().join("missing/run.jsonl");
    let words = [shown(&tables("a")), "-o".to_owned(), shown(&missing)];
    assert_eq!(
        (write(&fixture("crashed"), &words.each_ref().map(String::as_str)).status.code(), names()),
        (Some(5), vec![])
    );

    let artifact = tables("run.jsonl");
    let words = [shown(&tables("a")), "-o".to_owned(), shown(&artifact)];
    assert!(write(&fixture("crashed"), &words.each_ref().map(String::as_str)).status.success());
    assert_eq!(names(), ["a", "run.jsonl"]);
    fs::create_dir(tables("b")).expect("an empty folder");
    assert!(write(&fixture("crashed"), &[&shown(&tables("b"))]).status.success());
    let (mut first, mut second) = (Vec::new(), Vec::new());
    files_below(&tables("a"), &mut first);
    files_below(&tables("b"), &mut second);
    first.sort();
    second.sort();
    let content = |paths: &[PathBuf]| -> Vec<Vec<u8>> {
        paths.iter().map(|path| fs::read(path).expect("a table")).collect()
    };
    assert_eq!(content(&first), content(&second), "the same log gives the same bytes");

    // What stands there already is never mixed with what is new.
    let before = content(&first);
    let again = write(&fixture("steady"), &[&shown(&tables("a"))]);
    assert_eq!(again.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&again.stderr).contains("not empty"));
    assert_eq!(content(&first), before);
    assert_eq!(names(), ["a", "b", "run.jsonl"]);
}

#[test]
fn raw_foreign_ids_are_written_when_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = unpacked("crashed", folder.path());
    let out = folder.path().join("raw.jsonl");
    assert!(reduce(&log, &["-o", &out.to_string_lossy(), "--raw-foreign-ids"]).status.success());
    let artifact = fs::read_to_string(&out).expect("an artifact");
    assert!(strings_in(&log, "internal").iter().any(|id| artifact.contains(id.as_str())));
    let tables = folder.path().join("raw");
    assert!(reduce(&log, &["--parquet", &tables.to_string_lossy(), "--raw-foreign-ids"]).status.success());
    let mut files = Vec::new();
    files_below(&tables, &mut files);
    let raw = |id: &String| files.iter().any(|path| holds(&fs::read(path).expect("a table"), id.as_bytes()));
    assert!(strings_in(&log, "internal").iter().any(raw));
}

#[test]
fn gzip_holds_the_same_bytes_and_so_does_every_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str| {
        let out = folder.path().join(name);
        assert!(reduce(&fixture("killed_torn"), &["-o", &out.to_string_lossy()]).status.success());
        fs::read(out).expect("an artifact")
    };
    let plain = write("a.jsonl");
    assert_eq!(plain, write("b.jsonl"));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&write("c.jsonl.gz")[..]).read_to_end(&mut unpacked).expect("a gzip");
    assert_eq!(plain, unpacked);
}

#[test]
fn an_import_appends_once_and_a_refused_one_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let artifact = folder.path().join("run.jsonl");
    let words = ["-o", &artifact.to_string_lossy()];
    assert!(reduce(&fixture("killed_torn"), &words).status.success());
    let count = |kind: &str| {
        let text = fs::read_to_string(&artifact).expect("an artifact");
        text.lines().filter(|line| line.contains(&format!("\"event_type\": \"{kind}\""))).count()
    };
    let (steps, capabilities) = (count("infer.iteration"), count("infer.capabilities"));
    assert!(steps > 100);
    let into = ["--into", &artifact.to_string_lossy()];
    let again = reduce(&fixture("killed_torn"), &into);
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(count("infer.iteration"), steps);
    assert_eq!(count("infer.capabilities"), capabilities + 2);
    assert!(folder.path().join("stormlog_run.json").is_file());

    // Other clients' IDs stood there as pseudonyms: raw ones would give one request two identities.
    let before = fs::read(&artifact).expect("an artifact");
    let refused = reduce(&fixture("killed_torn"), &[into[0], into[1], "--raw-foreign-ids"]);
    assert_eq!(refused.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("pseudonym"));
    assert_eq!(fs::read(&artifact).expect("an artifact"), before);

    fs::write(&artifact, [&before[..], b"not JSON\n"].concat()).expect("written");
    let broken = reduce(&fixture("killed_torn"), &into);
    assert_eq!(broken.status.code(), Some(5));
    let line = before.iter().filter(|byte| **byte == b'\n').count();
    let message = String::from_utf8_lossy(&broken.stderr).into_owned();
    assert!(message.contains(&(line + 1).to_string()), "{message} names line {}", line + 1);
    let names: Vec<_> =
        fs::read_dir(folder.path()).expect("a folder").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(names.len(), 2, "nothing is left beside the two files: {names:?}");
}

#[test]
fn records_are_json_of_the_canonical_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run.jsonl");
    assert!(reduce(&fixture("crashed"), &["-o", &out.to_string_lossy()]).status.success());
    for line in fs::read_to_string(out).expect("an artifact").lines() {
        let row = Value::parse(line.as_bytes()).expect("JSON");
        let Value::Object(fields) = &row else { panic!("{line}") };
        let names: Vec<_> = fields.iter().map(|(name, _)| name.clone()).collect();
        assert!(names.is_sorted(), "{line}");
        assert!(row.get("event_type").and_then(Value::string).is_some_and(|kind| kind.starts_with("infer.")));
    }
}
