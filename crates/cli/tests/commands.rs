//! The commands as a user types them, on real epochs.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/epochs").join(format!("{name}.tar.gz"))
}

fn stepscope(words: &[&str], path: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepscope"));
    command.args(words).arg(path).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn all_real_epochs_are_summed_up() {
    let epochs = [
        ("steady", 1),
        ("stalls", 1),
        ("preempt", 1),
        ("pause_reset", 1),
        ("spec_ngram", 1),
        ("killed_torn", 2),
        ("multi", 7),
        ("crashed", 1),
    ];
    for (name, count) in epochs {
        let output = stepscope(&["summary"], &fixture(name));
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        let summary = text(&output.stdout);
        assert_eq!(summary.matches("\nTrust ").count(), count, "{name}:\n{summary}");
        assert_eq!(summary.matches("\nVerdict ").count(), count, "{name}:\n{summary}");
        assert!(summary.contains("warm-up"), "{name} begins with a first call:\n{summary}");
    }
}

#[test]
fn the_injected_stalls_are_found_with_their_locus() {
    let output = stepscope(&["diagnose", "--json"], &fixture("stalls"));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let epoch = &answer["epochs"][0];
    assert_eq!(epoch["role"], "engine");
    assert_eq!(epoch["state"], "ended");
    assert_eq!(epoch["verdict"]["thresholds_version"], "diagnosis_thresholds_v1");
    let over = epoch["over_limit"].as_array().expect("a list");
    let count = |locus: &str| over.iter().filter(|stall| stall["locus"] == locus).count();
    assert_eq!((count("between_steps"), count("in_schedule"), count("within_step")), (9, 1, 7));
    assert!(over.iter().all(|stall| stall["limit_ns"].as_f64() <= stall["duration_ns"].as_f64()));
}

#[test]
fn overrides_change_the_verdict_and_wrong_ones_are_refused() {
    let path = fixture("steady");
    let strict = [
        "diagnose",
        "--json",
        "--threshold",
        "host_stall.stall_factor=2",
        "--threshold",
        "host_stall.stall_floor_ns=5000000",
    ];
    let answer: Value = serde_json::from_slice(&stepscope(&strict, &path).stdout).expect("JSON");
    let verdict = &answer["epochs"][0]["verdict"];
    assert_eq!(verdict["threshold_overridden"], true);
    let plain: Value =
        serde_json::from_slice(&stepscope(&["diagnose", "--json"], &path).stdout).expect("JSON");
    let over = |answer: &Value| answer["epochs"][0]["over_limit"].as_array().expect("a list").len();
    assert!(over(&answer) > over(&plain));

    for (override_, error) in [
        ("host_stall.nothing=1", "unknown threshold keys: host_stall.nothing"),
        ("host_stall.stall_factor=many", "threshold overrides must be finite numbers"),
        ("host_stall.stall_factor=0", "loop thresholds must be positive: host_stall.stall_factor"),
    ] {
        let output = stepscope(&["diagnose", "--threshold", override_], &path);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(error), "{}", text(&output.stderr));
    }
}

#[test]
fn what_is_no_log_is_named_with_advice() {
    let empty = tempfile::tempdir().expect("a folder");
    let output = stepscope(&["summary"], empty.path());
    assert_eq!(output.status.code(), Some(5));
    assert!(text(&output.stderr).contains("no epoch in it"), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());

    let output = stepscope(&["summary"], &empty.path().join("missing"));
    assert_eq!(output.status.code(), Some(5));

    let other = empty.path().join("notes.txt");
    std::fs::write(&other, "hello").expect("a file");
    let output = stepscope(&["summary"], &other);
    assert!(text(&output.stderr).contains("neither a folder nor"), "{}", text(&output.stderr));
}

#[test]
fn one_epoch_gives_the_same_verdict_through_every_door_and_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let status = Command::new("tar")
        .args(["-xzf", &fixture("steady").to_string_lossy(), "-C", &folder.path().to_string_lossy()])
        .status()
        .expect("tar runs");
    assert!(status.success());
    let only = |path: &Path| {
        let mut entries = std::fs::read_dir(path).expect("a folder");
        entries.next().expect("an entry").expect("an entry").path()
    };
    let hook = folder.path().join("steady");
    let host = only(&hook);
    let epoch = only(&host);
    let loose = folder.path().join("loose");
    std::fs::create_dir(&loose).expect("a folder");
    for entry in std::fs::read_dir(&epoch).expect("a folder") {
        let path = entry.expect("an entry").path();
        std::fs::copy(&path, loose.join(path.file_name().expect("a name"))).expect("a copy");
    }
    let doors = [fixture("steady"), folder.path().to_owned(), hook, host, epoch, loose];
    let answers: Vec<String> = doors
        .iter()
        .flat_map(|door| ["1", "2", "0"].map(|threads| (door, threads)))
        .map(|(door, threads)| {
            let output = stepscope(&["diagnose", "--json", "--threads", threads], door);
            assert!(output.status.success(), "{}: {}", door.display(), text(&output.stderr));
            text(&output.stdout)
        })
        .collect();
    for answer in &answers {
        assert_eq!(*answer, answers[0]);
    }
    assert!(answers[0].contains("engine-"));
}

#[test]
fn a_simulated_epoch_is_the_same_for_the_same_seed_and_reads_as_it_should() {
    let folder = tempfile::tempdir().expect("a folder");
    let simulate = |preset: &str, name: &str| {
        let root = folder.path().join(name);
        let words = ["simulate", preset, "--seed", "7", "-o"];
        let output = stepscope(&words, &root);
        assert!(output.status.success(), "{}", text(&output.stderr));
        root
    };
    let answer = |root: &Path| text(&stepscope(&["diagnose", "--json"], root).stdout);
    let (first, second) = (simulate("late-host", "first"), simulate("late-host", "second"));
    assert_eq!(answer(&first), answer(&second));
    let verdict: Value = serde_json::from_str(&answer(&first)).expect("JSON");
    let over = verdict["epochs"][0]["over_limit"].as_array().expect("a list");
    assert_eq!(over.len(), 6);
    for stall in over {
        assert_eq!((&stall["locus"], &stall["attribution"]), (&"between_steps".into(), &"host".into()));
        assert_eq!(stall["duration_ns"], 250_200_000);
        assert_eq!(stall["limit_ns"], 122_000_000.0);
    }

    let listed = Command::new(env!("CARGO_BIN_EXE_stepscope")).arg("simulate").output().expect("it runs");
    assert!(text(&listed.stdout).contains("\ndrought "));
    let unknown = stepscope(&["simulate", "nothing", "-o"], folder.path());
    assert_eq!(unknown.status.code(), Some(2));
    let fixed = stepscope(&["simulate", "drought", "--seconds", "3", "-o"], folder.path());
    assert_eq!(fixed.status.code(), Some(2));
}

/// A hook directory made of the real epoch `steady`, each of its segments changed by `packed`: new name and bytes.
fn repacked(packed: impl Fn(&str, Vec<u8>) -> (String, Vec<u8>)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let file = std::fs::File::open(fixture("steady")).expect("the fixture");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let path = folder.path().join(entry.path().expect("a path"));
        if entry.header().entry_type().is_dir() {
            std::fs::create_dir_all(path).expect("a folder");
            continue;
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its bytes");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let (name, bytes) = if name.contains(".jsonl") { packed(&name, bytes) } else { (name, bytes) };
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path.with_file_name(name), bytes).expect("it is written");
    }
    folder
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).expect("it is packed");
    packed.finish().expect("it is packed")
}

#[test]
fn gzipped_segments_say_what_plain_ones_say() {
    let plain = repacked(|name, bytes| (name.to_owned(), bytes));
    let gzipped = repacked(|name, bytes| (format!("{name}.gz"), gzip(&bytes)));
    let told = |folder: &tempfile::TempDir| text(&stepscope(&["summary"], folder.path()).stdout);
    assert!(told(&plain).contains(" steps, "), "{}", told(&plain));
    assert_eq!(told(&gzipped), told(&plain));
}

#[test]
fn a_gzipped_segment_cut_off_is_read_as_far_as_it_goes() {
    let cut = repacked(|name, bytes| {
        let packed = gzip(&bytes);
        (format!("{name}.gz"), packed[..packed.len() / 2].to_vec())
    });
    let summary = text(&stepscope(&["summary"], cut.path()).stdout);
    assert!(summary.contains("000000.jsonl: cannot be read to its end"), "{summary}");
    assert!(summary.contains("what came before was read"), "{summary}");
    assert!(summary.contains(" steps, "), "{summary}");
    let not = repacked(|name, _| (format!("{name}.gz"), b"no gzip at all".to_vec()));
    let summary = text(&stepscope(&["summary"], not.path()).stdout);
    assert!(summary.contains("000000.jsonl: cannot be read to its end"), "{summary}");
}

/// What two answers say about stalls, without the names that only one of them has.
fn stalls_of(answer: &[u8]) -> Vec<Vec<Value>> {
    const SHARED: [&str; 6] =
        ["locus", "duration_ns", "start_mono_ns", "start_wall_ns", "overlapped", "limit_ns"];
    let answer: Value = serde_json::from_slice(answer).expect("JSON");
    let epochs = answer["epochs"].as_array().expect("a list");
    let stalls = epochs.iter().flat_map(|epoch| epoch["over_limit"].as_array().expect("a list"));
    stalls.map(|stall| SHARED.iter().map(|name| stall[name].clone()).collect()).collect()
}

#[test]
fn an_artifact_of_a_whole_log_has_the_stalls_of_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["stalls", "steady", "pause_reset", "crashed"] {
        let (plain, gzipped) =
            (folder.path().join(format!("{name}.jsonl")), folder.path().join(format!("{name}.jsonl.gz")));
        for artifact in [&plain, &gzipped] {
            let output = stepscope(&["reduce", "-o", &artifact.to_string_lossy()], &fixture(name));
            assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        }
        let judge = |path: &Path| stepscope(&["diagnose", "--json", "--rules", "corrected"], path);
        let kept = judge(&plain);
        assert!(kept.status.success(), "{name}: {}", text(&kept.stderr));
        assert_eq!(stalls_of(&kept.stdout), stalls_of(&judge(&fixture(name)).stdout), "{name}");
        assert_eq!(kept.stdout, judge(&gzipped).stdout, "{name}");

        let told = text(&stepscope(&["summary"], &plain).stdout);
        assert!(told.contains("\nTrust    Every step with members was kept"), "{name}: {told}");
        let summary: Value =
            serde_json::from_slice(&stepscope(&["summary", "--json"], &plain).stdout).expect("JSON");
        let of_log: Value =
            serde_json::from_slice(&stepscope(&["summary", "--json"], &fixture(name)).stdout).expect("JSON");
        // A step that may still complete waits for a later import.
        if summary["epochs"][0]["state"] == "ended" {
            assert_eq!(summary["epochs"][0]["memberships"], of_log["epochs"][0]["memberships"], "{name}");
        }
        assert_eq!(summary["epochs"][0]["epoch"], of_log["epochs"][0]["epoch"], "{name}");
    }
}

#[test]
fn an_artifact_of_the_run_alone_says_that_it_is_rebuilt_from_kept_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let artifact = folder.path().join("run.jsonl");
    // A client that sent one of the requests: steps of the others are left out.
    let identity = r#"{"schema_version":2,"event_type":"infer.artifact","event_id":"artifact","artifact_kind":"inference_jsonl","created_at_ns":1,"context":{"run_id":"run1","session_id":"sess1","producer_id":"c","source":"c","clock_domain":"h/b/unix_epoch_ns","clock_kind":"wall","collection_mode":"active","provenance":"observed"}}"#;
    let dispatch =
        r#"{"event_type":"infer.dispatch","session_id":"sess1","x_request_id":"warmup-1","request_id":"r1"}"#;
    std::fs::write(&artifact, format!("{identity}\n{dispatch}\n")).expect("a file");
    let output = stepscope(&["reduce", "--into", &artifact.to_string_lossy()], &fixture("stalls"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    for command in ["diagnose", "summary"] {
        let told = text(&stepscope(&[command], &artifact).stdout);
        assert!(told.contains("Rebuilt from kept steps: "), "{told}");
        assert!(told.contains(" of other clients only left out"), "{told}");
    }
    let answer: Value =
        serde_json::from_slice(&stepscope(&["diagnose", "--json"], &artifact).stdout).expect("JSON");
    let rebuilt = &answer["epochs"][0]["rebuilt"];
    assert_eq!((&rebuilt["from"], &rebuilt["whole"]), (&"kept_steps".into(), &false.into()));

    let output = stepscope(&["diagnose", "--now-wall-ns", "5"], &artifact);
    assert_eq!(output.status.code(), Some(2));

    std::fs::write(&artifact, "{}\n").expect("a file");
    let output = stepscope(&["diagnose"], &artifact);
    assert_eq!(output.status.code(), Some(5));
    assert!(text(&output.stderr).contains("no artifact"), "{}", text(&output.stderr));
}

#[test]
fn more_threads_than_a_machine_has_are_refused() {
    let output = stepscope(&["summary", "--threads", "100000"], &fixture("crashed"));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("0 to 256"), "{}", text(&output.stderr));
}
