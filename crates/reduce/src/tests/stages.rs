//! `reduce.md` §11.

use super::log::{End, Log, facts, raw, reduced};

/// Key and anchor of every stage.
fn stages(log: &Log) -> Vec<String> {
    let records = reduced(log, &facts(&[]), &raw()).records();
    let stages = records.iter().filter(|record| record["event_type"] == "infer.stage");
    let shown = stages.map(|stage| {
        let anchor = stage["iteration_ref"]["id"].as_str().unwrap_or("-");
        format!("{} on {anchor}", stage["stage_ref"]["id"].as_str().expect("text"))
    });
    shown.collect()
}

#[test]
fn the_table_of_stages() {
    let start = "hello";
    for (log, expected) in [
        (
            "sched 0 A | compl 0 | reset A | sched 1 A !A | compl 1",
            &["cache_reset/3 on 0", "preempted_by_reset/3/A on 0"][..],
        ),
        (
            "sched 1 A,B | compl 1 | reset A | sched 2 A,B !A,B,B | compl 2",
            &["preempted/2/B on 2", "cache_reset/3 on 1", "preempted_by_reset/3/A on 1"],
        ),
        (
            "sched 1 A,B | compl 1 | reset- A | sched 2 A,B !A,B,B | compl 2",
            &["preempted/2/A on 2", "preempted/2/B on 2", "cache_reset/3 on 1"],
        ),
        (
            "sched 0 A,B | compl 0 | reset A | reset B | sched 1 A,B !A,B | compl 1",
            &[
                "cache_reset/3 on 0",
                "preempted_by_reset/3/A on 0",
                "cache_reset/4 on 0",
                "preempted_by_reset/4/B on 0",
            ],
        ),
        ("pause | sched 0 A | compl 0 | pause", &["pause/4 on 0"]),
        ("reset A | sched 0 A | compl 0", &["preempted_by_reset/1/A on -"]),
        // T9: the largest number, not the latest; a name with zeros in front never.
        ("sched 1 A | sched 0 A | compl 1 | compl 0 | pause", &["pause/5 on 1"]),
        ("sched 1 A | compl 1 | sched 05 A | compl 05 | pause", &["pause/5 on 1"]),
    ] {
        let log = Log::new(&format!("{start} | {log}"));
        assert_eq!(stages(&log), expected, "{log:?}");
    }
}

#[test]
fn what_has_no_anchor_stands_in_the_summary() {
    let reduced = reduced(&Log::new("hello | pause @150 | reset A"), &facts(&[]), &raw());
    let summary = reduced.summary();
    assert_eq!(summary["stages"], serde_json::json!({"unanchored": 2, "unreferenced": 1}));
    assert_eq!(
        summary["unanchored"][0],
        serde_json::json!({
            "name": "engine.pause_transition", "seq": 1, "start_mono_ns": 150, "end_mono_ns": 150,
            "from": "UNPAUSED", "to": "PAUSED_NEW", "wall_ns": 1150, "wall_after_ns": 1153,
        })
    );
    let reset = summary["unanchored"][1].as_object().expect("an object");
    assert_eq!(
        (&reset["running"], &reset["start_mono_ns"], &reset["end_mono_ns"]),
        (&1.into(), &120.into(), &125.into())
    );
}

/// T6: the preemption of a request that only a pending step has waits.
#[test]
fn a_resets_preemption_waits_for_its_request() {
    let mut log = Log::new("hello | sched 0 B | compl 0 | reset A | sched 1 A !A");
    let waiting = reduced(&log, &facts(&[]), &raw());
    assert_eq!(waiting.reduction.high_water, Some(2));
    assert_eq!(waiting.summary()["stages"], serde_json::json!({"engine.cache_reset": 1}));
    log.end = End::Gone;
    assert_eq!(stages(&log), ["cache_reset/3 on 0", "preempted_by_reset/3/A on 0"]);
}

#[test]
fn stages_are_written_once() {
    let mut log = Log::new("hello | sched 0 A | compl 0 | pause | reset A | sched 1 A !A,B | compl 1");
    let mut held = facts(&[]);
    let first = reduced(&log, &held, &raw());
    first.reduction.each_record(&first.epoch, &mut |record| held.add_written(record));
    assert_eq!(first.summary()["stages"]["engine.preempted_by_reset"], 1);
    log.mark = None;
    let again = reduced(&log, &held, &raw());
    assert_eq!(again.records().len(), 0);
    assert_eq!(again.summary()["stages"]["already_imported"], 3);
}

/// T5.
#[test]
fn other_clients_have_no_stages_without_a_key() {
    let mut log = Log::new("hello | alias A chatcmpl-x1 | sched 0 A,B !B | compl 0");
    log.has_key = false;
    let reduced = reduced(&log, &facts(&["x1"]), &crate::Options::default());
    assert_eq!(reduced.summary()["stages"], serde_json::json!({"withheld": 1}));
    assert_eq!(
        reduced.summary()["withheld"],
        serde_json::json!({"executions": 1, "memberships": 1, "foreign_only_steps": 0})
    );
    assert_eq!(reduced.summary()["foreign_ids"], "withheld");
}
