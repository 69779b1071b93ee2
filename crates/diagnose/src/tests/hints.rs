//! What the specification does not define: warm-up, late heartbeats, explanations.

use serde_json::json;

use super::log::{Log, MS};
use crate::config::Config;
use crate::diagnosis::Diagnosis;
use crate::explanation::{Held, explain};
use crate::steps::Steps;

fn hello() -> Log {
    Log::new().hello(0, json!(["pause"]))
}

/// Starts of the stalls over their limit that count as warm-up, ms.
fn warm_ups(found: &Diagnosis) -> Vec<i64> {
    found.over_limit().filter(|judged| judged.warm_up).map(|judged| judged.stall.start_mono_ns / MS).collect()
}

fn of(log: &Log) -> Diagnosis {
    log.diagnose(&Config::default())
}

#[test]
fn the_first_step_of_an_engine_is_warm_up() {
    let found = of(&hello().steps("0-1-2000 a x16; 2001-2002-2010 a"));
    assert_eq!(warm_ups(&found), [1]);
    assert!(!found.ranked().is_empty());
}

#[test]
fn without_its_beginning_a_log_has_no_warm_up() {
    assert_eq!(warm_ups(&of(&Log::of("0-1-2000 a x16; 2001-2002-2010 a"))), [0; 0]);
    assert_eq!(warm_ups(&of(&hello().hole().steps("0-1-2000 a x16; 2001-2002-2010 a"))), [0; 0]);
    let log = hello().steps("0-1-2000 a x16; 2001-2002-2010 a");
    assert_eq!(warm_ups(&log.diagnose(&Config { tail_from: 1, ..Config::default() })), [0; 0]);
}

#[test]
fn a_later_recorder_warms_up_too() {
    let log = hello()
        .steps("0-1-2000 a x16; 2001-2002-2010 a!")
        .hello(9000, json!([]))
        .step("9", "10000-10001-12000 b x16");
    // Two scheduler epochs in one log: the second begins with its own hello.
    assert_eq!(warm_ups(&of(&log)), [1, 10_001]);
}

#[test]
fn what_recurs_is_no_warm_up() {
    let log = hello().steps("0-1-1000 a x4000; 1001-1002-1800 a x4000; 1801-1802-2600 a x4000");
    assert_eq!(warm_ups(&of(&log)), [0; 0]);
    assert_eq!(of(&log).over_limit().count(), 3);
}

#[test]
fn only_the_first_of_a_size_and_only_early() {
    let log = hello().steps("0-1-2000 a x16; 2001-2002-2010 a; 2011-2012-4000 a; 4001-4002-4010 a");
    assert_eq!(warm_ups(&of(&log)), [1]);
    // A stall after the first steps is one, though no step of its size came before.
    let steps: Vec<String> =
        (0..10).map(|at| format!("{}-{}-{} a", 10 * at, 10 * at + 1, 10 * at + 9)).collect();
    assert_eq!(warm_ups(&of(&hello().steps(&format!("{}; 100-101-900 a x64", steps.join("; "))))), [0; 0]);
    let steps = &steps[..9];
    assert_eq!(warm_ups(&of(&hello().steps(&format!("{}; 100-101-900 a x64", steps.join("; "))))), [101]);
}

#[test]
fn between_steps_nothing_warms_up() {
    let found = of(&hello().steps("0-1-10 a; 2000-2001-2010 a"));
    assert_eq!((found.over_limit().count(), warm_ups(&found)), (1, vec![]));
}

#[test]
fn warm_up_is_ranked_last() {
    let found = of(&hello().steps("0-1-9000 a x16; 9001-9002-9010 a; 9600-9601-9610 a"));
    let ranked: Vec<_> = found.ranked().iter().map(|judged| (judged.warm_up, judged.index)).collect();
    assert_eq!(ranked.iter().map(|entry| entry.0).collect::<Vec<_>>(), [false, true]);
    assert!(found.reported.expect("a stall").warm_up, "the verdict is the reference's all the same");
}

/// Gap, late part and admissions of the late heartbeats, ms.
fn late(log: &Log) -> Vec<(i64, i64, usize)> {
    of(log).late_heartbeats.iter().map(|beat| (beat.gap_ns / MS, beat.late_ns / MS, beat.admitted)).collect()
}

#[test]
fn a_late_heartbeat_of_an_idle_engine() {
    let idle = hello().steps("0-1-10 a!").heartbeat(1000);
    assert_eq!(late(&idle.clone().heartbeat(2000)), []);
    assert_eq!(late(&idle.clone().heartbeat(2499)), []);
    assert_eq!(late(&idle.clone().heartbeat(3900)), [(2900, 1900, 0)]);
    let thawed = |log: Log| {
        log.record("alias", json!({"internal": "b", "mono_ns": 3890 * MS}))
            .record("alias", json!({"internal": "c", "mono_ns": 1500 * MS}))
            .step("1", "3891-3892-3895 b")
            .heartbeat(3900)
    };
    assert_eq!(late(&thawed(idle.clone())), [(2900, 1891, 1)]);
    // A step at work when the beat was due: the machine was busy.
    assert_eq!(late(&idle.clone().step("1", "1900-1901-2100 b!").heartbeat(3900)), []);
    // A stall says it already.
    let stalled = hello().steps("0-1-990 a; 3890-3891-3895 a").heartbeat(1000).heartbeat(3900);
    assert_eq!((late(&stalled), of(&stalled).over_limit().count()), (vec![], 2));
    // No step at all: nothing can be said about the loop.
    assert_eq!(late(&hello().heartbeat(1000).heartbeat(3900)), []);
}

#[test]
fn who_was_held_up() {
    let table = [
        // Log, now, stall by its place, held, IDs.
        ("0-2-10 a b! c; 15-17-30 a b c d", None, 1, Held::Continuing, "a c"),
        ("0-2-10 a b! c; 15-17-30 a b c d", None, 0, Held::Continuing, "a c"),
        ("0-2-10 a b! c; 15-17-30 a b c d", None, 3, Held::Members, "a b c d"),
        ("0-2-10 a b! c d~5", Some(5000), 1, Held::Ready, "a c"),
        ("0-2-10 a b!; 15-17-never a", Some(5000), 3, Held::Members, "a"),
    ];
    for (text, now, place, held, ids) in table {
        let log = Log::of(text);
        let given = [("host_stall.no_baseline_floor_ns".to_owned(), 1.0)];
        let config = Config {
            now_wall_ns: now.map(super::log::wall),
            thresholds: crate::Thresholds::with_overrides(&given).expect("allowed"),
            ..Config::default()
        };
        let epoch = log.epoch();
        let found = crate::diagnose(&epoch, &config);
        let steps = Steps::of(&epoch, &config);
        let explained = explain(&epoch, &steps, &config, &found.stalls[place].stall);
        let names: Vec<_> = explained.ids.iter().map(|&id| epoch.strings.display(id).into_owned()).collect();
        assert_eq!((explained.held, names.join(" ").as_str()), (held, ids), "{text}: {place}");
    }
}

#[test]
fn a_terminated_request_is_not_held_up() {
    let log = Log::of("0-2-10 a b").terminal("a", 20);
    let config = Config { now_wall_ns: Some(super::log::wall(5000)), ..Config::default() };
    let epoch = log.epoch();
    let found = crate::diagnose(&epoch, &config).reported.expect("a stall");
    let explained = explain(&epoch, &Steps::of(&epoch, &config), &config, &found.stall);
    assert_eq!((explained.held, explained.ids.len()), (Held::Ready, 1));
    assert_eq!(explained.before.map(|rows| (rows.scheduled, rows.completed)), Some((0, Some(0))));
    assert_eq!((explained.step, explained.next), (None, None));
}
