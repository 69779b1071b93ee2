//! What is found in the epochs that a real server wrote (`fixtures/epochs`), held to what is known to have happened.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use stepscope_diagnose::{Config, Diagnosis, JudgedStall, Locus, Steps, diagnose, differences};
use stepscope_epoch_log::{Epoch, EpochParts, ReadOptions, SegmentParser, SideFile, assemble};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/epochs")
}

/// The engine epochs of an archive, by name.
fn engine_epochs(archive: &str) -> Vec<Epoch> {
    let path = fixtures().join(format!("{archive}.tar.gz"));
    let file = std::fs::File::open(&path).expect("the fixture is there");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for entry in archive.entries().expect("a tar archive") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("its bytes");
        files.insert(path, bytes);
    }
    let mut epochs: BTreeMap<String, EpochParts> = BTreeMap::new();
    for (path, bytes) in files {
        let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
        let [.., host_boot, epoch, file] = names[..] else { continue };
        if !epoch.starts_with("engine-") {
            continue;
        }
        let parts = epochs.entry(epoch.to_owned()).or_insert_with(|| EpochParts {
            host_boot: host_boot.to_owned(),
            epoch: epoch.to_owned(),
            ..EpochParts::default()
        });
        if file == "status.json" {
            parts.status = SideFile::Bytes(bytes);
        } else if file.contains(".jsonl") {
            let mut parser = SegmentParser::new(file, epoch);
            parser.push(&bytes);
            parts.blocks.push(parser.finish().into());
        }
    }
    assert!(!epochs.is_empty(), "{}", path.display());
    epochs.into_values().map(|parts| assemble(parts, &ReadOptions::default())).collect()
}

fn found(epoch: &Epoch) -> Diagnosis {
    diagnose(epoch, &Config::corrected(None))
}

/// Each engine compiled in its first step, and nothing later is taken for warm-up.
#[test]
fn warm_up_is_the_first_step() {
    for archive in ["steady", "crashed", "killed_torn", "multi", "pause_reset", "preempt", "spec_ngram"] {
        for epoch in engine_epochs(archive) {
            let found = found(&epoch);
            let warm_up: Vec<_> = found.over_limit().filter(|judged| judged.warm_up).collect();
            assert_eq!(
                warm_up.iter().map(|judged| judged.stall.step).collect::<Vec<_>>(),
                [Some(0)],
                "{archive}"
            );
            assert_eq!(found.late_heartbeats, [], "{archive}");
            let config = Config::corrected(None);
            assert!(differences(&epoch, &Steps::of(&epoch, &config), &config).is_empty(), "{archive}");
        }
    }
}

/// An injected stall of `truth/stalls.stalls.jsonl`.
struct Injected {
    kind: String,
    ms: f64,
    start_mono_ns: i64,
    end_mono_ns: i64,
}

fn injected() -> Vec<Injected> {
    let text =
        std::fs::read_to_string(fixtures().join("truth/stalls.stalls.jsonl")).expect("the fixture is there");
    text.lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
            Injected {
                kind: row["kind"].as_str().expect("a kind").to_owned(),
                ms: row["ms"].as_f64().expect("a length"),
                start_mono_ns: row["start_mono_ns"].as_i64().expect("a stamp"),
                end_mono_ns: row["end_mono_ns"].as_i64().expect("a stamp"),
            }
        })
        .collect()
}

/// How much of an injected stall lies in a stretch, from 0 to 1.
fn share(injected: &Injected, start: i64, end: i64) -> f64 {
    let common = end.min(injected.end_mono_ns) - start.max(injected.start_mono_ns);
    common.max(0) as f64 / (injected.end_mono_ns - injected.start_mono_ns) as f64
}

#[test]
fn every_injected_stall_is_listed_or_explained() {
    let epochs = engine_epochs("stalls");
    let found = found(&epochs[0]);
    let mut listed: Vec<&JudgedStall> = found.over_limit().filter(|judged| !judged.warm_up).collect();
    assert_eq!(found.over_limit().count(), listed.len() + 1, "the first step compiled");
    let injected = injected();
    assert_eq!(injected.len(), 18);
    let mut explained = Vec::new();
    for one in &injected {
        let locus = match one.kind.as_str() {
            "sleep" | "spin" | "heap" | "gc" => Locus::BetweenSteps,
            "sleep_in_schedule" => Locus::InSchedule,
            "sleep_in_step" | "sleep_before_update" | "sigstop_engine" | "sigstop_worker" => {
                Locus::WithinStep
            }
            "sigstop_frontend" => {
                explained.push("froze only the frontend");
                continue;
            }
            kind => panic!("an unknown kind: {kind}"),
        };
        let held_by = |judged: &&JudgedStall| {
            let start = judged.stall.start_mono_ns;
            judged.stall.locus == locus && share(one, start, start + judged.stall.duration_ns) > 0.8
        };
        match listed.iter().position(held_by) {
            Some(at) => drop(listed.remove(at)),
            None if one.ms * 1e6 < 50e6 => explained.push("under the floor"),
            None => {
                let [late] = found.late_heartbeats[..] else {
                    panic!("{} of {} ms is nowhere", one.kind, one.ms)
                };
                assert!(share(one, late.quiet_start_mono_ns, late.quiet_end_mono_ns) > 0.9);
                explained.push("began with an empty scheduler");
            }
        }
    }
    assert_eq!(explained, ["under the floor", "froze only the frontend", "began with an empty scheduler"]);
    // One step of 77.5 ms against 76.3 ms was slow by itself.
    assert_eq!(listed.iter().map(|judged| judged.stall.duration_ns / 1_000_000).collect::<Vec<_>>(), [77]);
}
