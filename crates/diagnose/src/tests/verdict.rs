//! The tables of `diagnose.md` §14, and §10.

use serde_json::{Value, json};

use super::log::{Log, wall};
use crate::config::Config;
use crate::rules::Rules;
use crate::thresholds::Thresholds;

fn verdict(log: &Log, config: &Config) -> Value {
    serde_json::to_value(log.diagnose(config).verdict).expect("a JSON value")
}

/// Fields in `expected` must be so; `detail` is looked into likewise.
fn check(name: &str, found: &Value, expected: &Value) {
    for (field, value) in expected.as_object().expect("an object") {
        let found = if found.get(field).is_some() { &found[field] } else { &found["detail"][field] };
        let same = match (found.as_f64(), value.as_f64()) {
            (Some(found), Some(value)) => found == value,
            _ => found == value,
        };
        assert!(same, "{name}: {field} is {found}, expected {value}");
    }
}

/// Steps each 10 ms, then a hole of 751 ms, with a hello at 0.
fn stalled(observes: Value, beats: &[i64]) -> Log {
    let steps: Vec<String> = (0..25)
        .map(|at| format!("{}-{}-{} a", 10 * at, 10 * at + 1, 10 * at + 9))
        .chain(["1000-1001-1009 a".to_owned()])
        .collect();
    beats.iter().fold(Log::new().hello(0, observes).steps(&steps.join("; ")), |log, &ms| log.heartbeat(ms))
}

#[test]
fn a_stall_between_steps() {
    let pause = json!(["pause"]);
    for rules in [Rules::Reference, Rules::Corrected] {
        let config = Config { rules, ..Config::default() };
        let of = |observes: &Value, beats: &[i64]| verdict(&stalled(observes.clone(), beats), &config);
        let whole = of(&pause, &[300, 1100]);
        let expected = json!({
            "value": 751e6, "threshold": 100e6, "exceeds": true, "sufficient": true, "reason": null,
            "locus": "between_steps", "attribution": "host", "start_wall_ns": wall(249), "end_wall_ns": wall(1000),
            "baseline_ns": 10_000_000, "baseline": "matched", "covered": true, "ongoing": false, "steps": 26,
            "pause_capability": true, "reasons": [], "thresholds_version": "diagnosis_thresholds_v1",
            "threshold_overridden": false,
        });
        check("whole", &whole, &expected);
        let unknown = json!({"exceeds": null, "reasons": ["hook_coverage_unknown"], "value": 751e6});
        check("no heartbeat", &of(&pause, &[]), &unknown);
        for observes in [json!([]), json!(null)] {
            check("no pauses", &of(&observes, &[1100]), &json!({"reasons": ["pause_state_unknown"]}));
            let both = json!({
                "reasons": ["hook_coverage_unknown", "pause_state_unknown"], "reason": "hook_coverage_unknown",
                "sufficient": false,
            });
            check("neither", &of(&observes, &[]), &both);
        }
    }
}

#[test]
fn a_verdict_has_exactly_its_fields() {
    let names = |value: &Value| {
        let mut names: Vec<_> = value.as_object().expect("an object").keys().cloned().collect();
        names.sort();
        names
    };
    let with = verdict(&stalled(json!(["pause"]), &[300, 1100]), &Config::default());
    let fields = [
        "detail",
        "exceeds",
        "reason",
        "sufficient",
        "threshold",
        "threshold_overridden",
        "thresholds_version",
        "value",
    ];
    assert_eq!(names(&with), fields);
    let detail = [
        "attribution",
        "baseline",
        "baseline_ns",
        "covered",
        "end_wall_ns",
        "locus",
        "ongoing",
        "pause_capability",
        "reasons",
        "start_wall_ns",
        "steps",
    ];
    assert_eq!(names(&with["detail"]), detail);
    let without = verdict(&Log::new(), &Config::default());
    assert_eq!(names(&without), fields);
    assert_eq!(names(&without["detail"]), ["pause_capability", "reasons", "steps"]);
    let floor = verdict(&Log::of("0-1-5 a"), &Config::default());
    assert_eq!(floor["detail"].get("baseline_ns"), Some(&Value::Null));
}

fn hello() -> Log {
    Log::new().hello(0, json!(["pause"]))
}

/// Pauses are not observed.
fn silent() -> Log {
    Log::new().hello(0, json!([]))
}

#[test]
fn worked_verdicts() {
    let nothing = json!({"value": null, "threshold": null, "exceeds": null});
    let table: Vec<(&str, Log, Option<i64>, Value)> = vec![
        ("no records", Log::new(), None, json!({"reasons": ["requires_hook"], "steps": 0})),
        ("no records", Log::new(), None, nothing.clone()),
        ("never completed", Log::of("0-1-never a"), None, json!({"reasons": ["too_few_steps"]})),
        ("never completed", Log::of("0-1-never a"), None, nothing.clone()),
        (
            "only completed",
            Log::new().record("completed", json!({"iteration": "0", "mono_ns": 5, "wall_ns": 5})),
            None,
            json!({"reasons": ["requires_hook"], "steps": 0}),
        ),
        ("memberless", Log::of("0-1-5 none"), None, json!({"sufficient": true, "steps": 1})),
        ("memberless", Log::of("0-1-5 none"), None, nothing),
        (
            "one step",
            Log::of("0-1-5 a"),
            None,
            json!({"value": 4e6, "threshold": 500e6, "exceeds": false, "locus": "within_step", "baseline": "floor"}),
        ),
        (
            "at the limit",
            hello().steps("0-1-10 a; 510-511-520 a").heartbeat(600),
            None,
            json!({"value": 500e6, "threshold": 500e6, "exceeds": true}),
        ),
        (
            "going on",
            hello().steps("0-1-10 a").heartbeat(900),
            Some(3900),
            json!({"ongoing": true, "value": 3890e6, "exceeds": true, "covered": true}),
        ),
        (
            "past the grace",
            hello().steps("0-1-10 a").heartbeat(900),
            Some(3901),
            json!({"reasons": ["hook_coverage_unknown"], "value": 3891e6}),
        ),
        (
            "goodbye",
            hello().steps("0-1-10 a").heartbeat(900).goodbye(950),
            Some(3900),
            json!({"value": 9e6, "exceeds": false, "locus": "within_step"}),
        ),
        (
            "paused",
            hello()
                .steps("0-1-10 a")
                .pause("PAUSED_ALL", 20)
                .pause("UNPAUSED", 800)
                .step("1", "1000-1001-1010 a"),
            None,
            json!({
                "value": 200e6, "exceeds": false, "locus": "between_steps", "start_wall_ns": wall(800),
                "end_wall_ns": wall(1000),
            }),
        ),
        (
            "overlapped, pauses unknown",
            silent().steps("0-1-10 a; 2-3-900 a").heartbeat(1000),
            None,
            json!({"value": 890e6, "locus": "within_step", "reasons": ["pause_state_unknown"]}),
        ),
        (
            "within, pauses unknown",
            silent().steps("0-1-900 a").heartbeat(1000),
            None,
            json!({"value": 899e6, "exceeds": true}),
        ),
        (
            "in schedule, pauses unknown",
            silent().steps("0-1-10 a; 11-900-910 a").heartbeat(1000),
            None,
            json!({"value": 889e6, "locus": "in_schedule", "exceeds": true}),
        ),
    ];
    for rules in [Rules::Reference, Rules::Corrected] {
        for (name, log, now, expected) in &table {
            let config = Config { now_wall_ns: now.map(wall), rules, ..Config::default() };
            check(name, &verdict(log, &config), expected);
        }
    }
}

#[test]
fn all_reasons_of_the_records_in_order() {
    let beat = |dropped: i64, errors: i64| json!({"dropped": {"scheduled": dropped}, "errors": errors});
    let log = Log::new().hello(0, json!([])).beat(1, beat(0, 0)).hole().beat(2, beat(1, 1));
    let mut epoch = log.epoch();
    epoch.status = stepscope_epoch_log::Status::parse(br#"{"capped": true}"#).expect("JSON");
    let config = Config { with_status: true, mixed_epochs: true, ..Config::default() };
    let reasons = |config: &Config| {
        let reasons = crate::diagnose(&epoch, config).verdict.detail.reasons;
        reasons.iter().map(|reason| reason.name()).collect::<Vec<_>>()
    };
    assert_eq!(
        reasons(&config),
        ["epoch_changed", "hook_records_dropped", "hook_writer_errors", "hook_capped", "requires_hook"]
    );
    // Without the options the records alone speak.
    assert_eq!(reasons(&Config::default()), ["hook_records_dropped", "hook_writer_errors", "requires_hook"]);
}

#[test]
fn single_reasons_of_the_records() {
    let of = |log: Log| {
        let reasons = log.diagnose(&Config::default()).verdict.detail.reasons;
        reasons.iter().map(|reason| reason.name()).collect::<Vec<_>>()
    };
    let dropped = |count: i64| json!({"dropped": {"scheduled": count}});
    assert_eq!(of(hello().steps("0-1-5 a").hole().heartbeat(6)), ["hook_records_dropped"]);
    // The number of a hello is left out, wherever it stands.
    assert_eq!(of(hello().hole().steps("0-1-5 a")), [""; 0]);
    assert_eq!(of(Log::of("0-1-5 a").hello(6, json!([])).heartbeat(7)), ["hook_records_dropped"]);
    assert_eq!(
        of(hello().steps("0-1-5 a").beat(6, dropped(0)).beat(7, dropped(1))),
        ["hook_records_dropped"]
    );
    // R2: a constant loss, R1: a capped heartbeat.
    assert_eq!(of(hello().steps("0-1-5 a").beat(6, dropped(3)).beat(7, dropped(3))), [""; 0]);
    assert_eq!(of(hello().steps("0-1-5 a").beat(6, json!({"capped": true}))), [""; 0]);
    // A capped heartbeat counts for the totals.
    let capped = json!({"capped": true, "dropped": {"a": 1}});
    assert_eq!(of(hello().steps("0-1-5 a").beat(6, capped).heartbeat(7)), ["hook_records_dropped"]);
}

#[test]
fn options_change_the_verdict() {
    let log = stalled(json!(["pause"]), &[300, 1100]);
    let excluded = Config { exclude_wall: vec![(wall(240), wall(990))], ..Config::default() };
    check("excluded", &verdict(&log, &excluded), &json!({"exceeds": false, "threshold_overridden": false}));
    let given = [("host_stall.stall_factor".to_owned(), 100.0)];
    let thresholds = Thresholds::with_overrides(&given).expect("allowed");
    let lenient = Config { thresholds, ..Config::default() };
    let expected =
        json!({"value": 751e6, "threshold": 1000e6, "exceeds": false, "threshold_overridden": true});
    check("lenient", &verdict(&log, &lenient), &expected);
    // The hello and the first two steps are left out; as an option the hello still speaks of pauses.
    let tail = Config { tail_from: 5, with_hello: true, ..Config::default() };
    check("tail", &verdict(&log, &tail), &json!({"steps": 24, "pause_capability": true, "exceeds": null}));
}
