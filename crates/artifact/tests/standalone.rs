//! The artifact for a log without a client run (`artifact.md` §17).

mod common;

use common::{EPOCH, PLAIN, epoch, imported_in_full, options, record_lines, worked_log};
use serde_json::Value;
use stepscope_artifact::{Artifact, Imported, Refusal, RunName, import, standalone};
use stepscope_epoch_log::Epoch;
use stepscope_reduce::Rules;

fn made(epochs: &[Epoch]) -> (String, Imported) {
    let mut bytes = Vec::new();
    let imported =
        standalone(epochs, &RunName::of(epochs), &options(), &mut |piece| bytes.extend_from_slice(piece));
    (String::from_utf8(bytes).expect("ASCII"), imported.expect("accepted"))
}

fn lines(file: &str) -> Vec<Value> {
    file.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn with_goodbye() -> Vec<String> {
    let mut log = worked_log();
    let seq = log.len();
    log.push(format!(
        r#"{{"format":"stormlog.vllm_hook/1","epoch":"{EPOCH}","seq":{seq},"kind":"goodbye","wall_ns":1100,"mono_ns":200,"wall_after_ns":1101,"last_seq":{seq}}}"#
    ));
    log
}

#[test]
fn every_step_is_kept_under_pseudonyms() {
    let (file, imported) = made(&[epoch(EPOCH, &with_goodbye(), true, None)]);
    let rows = lines(&file);
    assert_eq!(rows[0]["event_type"], "infer.session");
    assert_eq!((&rows[0]["status"], &rows[0]["timestamp_ns"]), (&"completed".into(), &1100.into()));
    assert_eq!(rows[1]["event_type"], "infer.artifact");
    assert_eq!(rows[1]["context"]["clock_domain"], "h/b/unix_epoch_ns");
    assert_eq!((&rows[2]["start_ns"], &rows[2]["end_ns"]), (&1000.into(), &1100.into()));
    assert_eq!(imported.counts.iterations, 3);
    assert_eq!(imported.counts.memberships, 5);
    assert_eq!(imported.counts.requests, 2);
    let owners = rows.iter().filter(|row| row["event_type"] == "infer.request");
    assert!(owners.into_iter().all(|row| row["metadata"]["ownership"] == "foreign"));
    for id in ["chatcmpl-x1", "cmpl-zz"] {
        assert!(!file.contains(id), "{id}");
    }
}

/// A log that may still grow has a window without end, and a later import goes on.
#[test]
fn a_growing_log_goes_on() {
    let log = with_goodbye();
    let (first, _) = made(&[epoch(EPOCH, &log[..5], true, None)]);
    let rows = lines(&first);
    assert_eq!((&rows[0]["status"], &rows[2]["end_ns"]), (&"running".into(), &i64::MAX.into()));
    let (second, _) = imported_in_full(&first, &log, PLAIN).expect("accepted");
    let (whole, _) = made(&[epoch(EPOCH, &log, true, None)]);
    let ids = |file: &str| {
        let mut ids: Vec<String> =
            lines(file).iter().filter_map(|row| Some(row["event_id"].as_str()?.to_owned())).collect();
        ids.retain(|id| !id.contains("_adapter:") && !id.contains("_collector:"));
        ids.sort();
        ids
    };
    assert_eq!(ids(&second), ids(&whole));
    // The same run, so the same pseudonyms.
    assert_eq!(rows[1]["context"]["run_id"], lines(&whole)[1]["context"]["run_id"]);
}

/// What it writes is what an import into its first three rows writes.
#[test]
fn it_is_an_import_into_its_head() {
    let epochs = [epoch(EPOCH, &with_goodbye(), true, None)];
    let (file, _) = made(&epochs);
    let head: String = file.lines().take(3).map(|line| line.to_owned() + "\n").collect();
    let old = Artifact::read(head.as_bytes(), Rules::Reference).expect("an artifact");
    let plan = import(&old, &epochs, &options()).expect("accepted");
    assert_eq!(common::whole(&plan), file);
}

/// Engines of several hosts are all kept, each on its own clock.
#[test]
fn several_hosts_stand_in_one_artifact() {
    let other: Vec<String> = with_goodbye()
        .iter()
        .map(|line| {
            line.replace("\"host\":\"h\"", "\"host\":\"h2\"")
                .replace("\"producer\":\"P\"", "\"producer\":\"Q\"")
        })
        .collect();
    let epochs = [epoch(EPOCH, &with_goodbye(), true, None), epoch("engine-8-100", &other, true, None)];
    let (file, imported) = made(&epochs);
    assert_eq!(imported.counts.iterations, 6);
    assert_eq!(record_lines(&file).iter().filter(|line| line.contains("\"iteration:Q:")).count(), 3);
}

#[test]
fn no_epoch_is_refused_and_one_without_records_is_not() {
    let name = RunName { run_id: "r".into(), session_id: "s".into() };
    assert_eq!(standalone(&[], &name, &options(), &mut |_| {}).err(), Some(Refusal::NoEpoch));
    let (file, imported) = made(&[epoch(EPOCH, &[], true, None)]);
    assert_eq!(imported.counts.iterations, 0);
    Artifact::read(file.as_bytes(), Rules::Reference).expect("an artifact");
}
