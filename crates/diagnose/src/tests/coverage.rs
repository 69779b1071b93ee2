//! The table of `diagnose.md` §8, and R3.

use serde_json::{Value, json};

use super::log::{Log, wall};
use crate::config::Config;
use crate::coverage::{Coverage, losses};
use crate::rules::Rules;
use crate::window::Window;

fn coverage(log: &Log, tail_from: usize) -> Coverage {
    let epoch = log.epoch();
    let window = Window::of(&epoch, tail_from);
    Coverage::of(&window, &losses(&window))
}

fn spans(log: &Log) -> Vec<(i64, i64)> {
    let ms = |ns: i64| (ns - wall(0)) / super::log::MS;
    coverage(log, 0).spans.iter().map(|span| (ms(span.start_wall_ns), ms(span.end_wall_ns))).collect()
}

fn hello(ms: i64) -> Log {
    Log::new().hello(ms, json!(["pause"]))
}

#[test]
fn spans_of_whole_records() {
    assert_eq!(spans(&hello(0).heartbeat(10).heartbeat(20)), [(0, 20)]);
    assert_eq!(spans(&hello(0).hole().heartbeat(20)), []);
    let dropped = |count: i64| json!({"dropped": {"scheduled": count}});
    let log = hello(0).heartbeat(10).beat(20, dropped(1)).beat(30, dropped(1));
    assert_eq!(spans(&log), [(0, 10), (20, 30)]);
    assert_eq!(spans(&hello(0).beat(10, dropped(2)).beat(20, dropped(2))), [(10, 20)]);
    let capped = json!({"capped": true});
    assert_eq!(
        spans(&hello(0).heartbeat(10).beat(20, capped).heartbeat(30).heartbeat(40)),
        [(0, 10), (30, 40)]
    );
    assert_eq!(spans(&hello(0).beat(10, json!({"errors": null})).heartbeat(20)), [(0, 20)]);
    assert_eq!(spans(&hello(0).heartbeat(30).heartbeat(20).heartbeat(40)), [(0, 40)]);
    // A hello as the last record bounds, and so does one among heartbeats.
    assert_eq!(spans(&Log::new().heartbeat(10).hello(20, json!([]))), [(10, 20)]);
}

#[test]
fn losses_of_odd_types() {
    let lost = |fields: Value| spans(&hello(0).beat(10, fields)).is_empty();
    let table = [
        (json!({"dropped": null}), false),
        (json!({"dropped": 0}), false),
        (json!({"dropped": [1]}), false),
        (json!({"dropped": "s"}), false),
        (json!({"dropped": {"a": true}}), true),
        (json!({"dropped": {"a": false, "b": "x", "c": 1.5}}), false),
        (json!({"dropped": {"a": 2, "b": -2}}), false),
        (json!({"errors": true}), false),
        (json!({"errors": 1.5}), false),
        (json!({"errors": 1}), true),
        (json!({"capped": 0}), false),
        (json!({"capped": 1}), true),
        (json!({"capped": "x"}), true),
        (json!({"wall_ns": 10.0}), true),
    ];
    for (fields, expected) in table {
        assert_eq!(lost(fields.clone()), expected, "{fields}");
    }
    let clock = |clock: Value| {
        let log = Log::new().record("hello", json!({"clock": clock})).heartbeat(10);
        coverage(&log, 0).spans.first().map(|span| span.start_wall_ns)
    };
    assert_eq!(clock(json!({"wall_ns": wall(0)})), Some(wall(0)));
    assert_eq!(clock(json!({"wall_ns": true})), Some(1));
    for odd in [json!("s"), json!(null), json!(5), json!({}), json!({"wall_ns": 1.0})] {
        assert_eq!(clock(odd.clone()), None, "{odd}");
    }
}

#[test]
fn a_stall_is_covered_by_one_span() {
    let covered = |beats: &[i64], steps: &str, now: Option<i64>| {
        let log = beats.iter().fold(hello(0).steps(steps), |log, &ms| log.heartbeat(ms));
        let config = Config { now_wall_ns: now.map(wall), ..Config::default() };
        log.diagnose(&config).reported.expect("a stall").covered_by.is_some()
    };
    assert!(covered(&[600], "0-1-600 a", None));
    assert!(!covered(&[599], "0-1-600 a", None));
    // One still going on is covered up to the last beat, while that is no older than the grace of 3 s.
    assert!(covered(&[900], "0-1-10 a", Some(3900)));
    assert!(!covered(&[900], "0-1-10 a", Some(3901)));
    assert!(!covered(&[], "0-1-10 a", Some(900)));
    assert!(!covered(&[5], "0-1-10 a", Some(900)));
    // One that ends before it begins, on the wall clock, is not.
    let log =
        hello(0).steps("0-1-600 a").replaced(&wall(600).to_string(), &wall(-5).to_string()).heartbeat(900);
    assert!(log.diagnose(&Config::default()).reported.expect("a stall").covered_by.is_none());
}

#[test]
fn a_hello_in_front_of_a_later_window_bounds_nothing() {
    let log = hello(0).heartbeat(10).steps("11-12-600 a").heartbeat(700);
    assert_eq!(coverage(&log, 0).spans.len(), 1);
    assert_eq!(coverage(&log, 0).spans[0].start_wall_ns, wall(0));
    assert_eq!(coverage(&log, 1).spans[0].start_wall_ns, wall(10));
    assert_eq!(coverage(&log, 2).spans.len(), 0);
}

#[test]
fn what_the_hook_says_about_pauses() {
    let table = [
        (json!(["pause"]), true),
        (json!(["enqueued", "pause"]), true),
        (json!([["pause"], 5]), false),
        (json!([]), false),
        (json!(null), false),
        (json!(5), false),
        // As the reference asks.
        (json!("xpausex"), true),
        (json!({"pause": 0}), true),
    ];
    for rules in [Rules::Reference, Rules::Corrected] {
        for (observes, expected) in &table {
            let log = Log::new().hello(0, observes.clone()).steps("0-1-10 a");
            let known = |with_hello, tail_from| {
                let config = Config { with_hello, tail_from, rules, ..Config::default() };
                log.diagnose(&config).verdict.detail.pause_capability
            };
            assert_eq!(known(false, 0), *expected, "{observes}");
            assert_eq!(known(true, 1), *expected, "{observes}, as an option");
            assert!(!known(false, 1), "{observes}, left out");
        }
    }
}
