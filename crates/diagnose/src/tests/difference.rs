//! Where the rule sets part, in words.

use serde_json::json;

use super::log::{Log, wall};
use crate::config::Config;
use crate::difference::differences;
use crate::steps::Steps;

fn of(log: &Log, now: Option<i64>) -> Vec<String> {
    let epoch = log.epoch();
    let config = Config { now_wall_ns: now.map(wall), ..Config::corrected(None) };
    differences(&epoch, &Steps::of(&epoch, &config), &config)
}

#[test]
fn nothing_to_say_where_they_agree() {
    assert_eq!(of(&Log::new(), None), [""; 0]);
    assert_eq!(of(&Log::of("0-1-10 a; 12-13-20 a"), Some(5000)), [""; 0]);
    assert_eq!(of(&Log::of("0-1-10 a").pause("PAUSED_ALL", 20).pause("UNPAUSED", 30), None), [""; 0]);
}

#[test]
fn a_memberless_last_step() {
    let words = of(&Log::of("0-1-10 a; 12-13-14 none"), Some(5000));
    assert_eq!(words, ["the reference reports no ongoing stall here: its last step had no members"]);
}

#[test]
fn a_terminal_of_an_earlier_life() {
    let words = of(&Log::new().terminal("a", 0).steps("0-1-10 a"), Some(5000));
    assert_eq!(words.len(), 1);
    assert!(
        words[0].starts_with("the reference reports no ongoing stall here: a request that waits"),
        "{words:?}"
    );
}

#[test]
fn both_together() {
    let words = of(&Log::new().terminal("a", 0).steps("0-1-10 a; 12-13-14 none"), Some(5000));
    assert_eq!(words.len(), 2, "{words:?}");
}

#[test]
fn pauses_that_end_before_they_begin() {
    let log = Log::of("0-1-10 a; 900-901-910 a").pause("PAUSED_ALL", 600).pause("UNPAUSED", 300);
    let words = of(&log, None);
    assert_eq!(words.len(), 1);
    assert!(words[0].contains("1 pause that does not end after it begins"), "{words:?}");
}

#[test]
fn a_stall_without_wall_length() {
    let log = Log::of("0-1-10 a; 900-901-910 a")
        .pause("PAUSED_ALL", 1600)
        .pause("UNPAUSED", 1700)
        // The wall clock is set back by a second while the loop stands still.
        .replaced(&wall(900).to_string(), &wall(-100).to_string());
    let words = of(&log, None);
    assert_eq!(words.len(), 1);
    assert!(words[0].contains("no length on the wall clock"), "{words:?}");
}

#[test]
fn ids_that_are_none() {
    let step = |log: Log, at: i64, iteration: &str| {
        log.record(
            "scheduled",
            json!({
                "iteration": iteration, "start_wall_ns": wall(at), "start_mono_ns": at * 1_000_000,
                "end_wall_ns": wall(at + 1), "end_mono_ns": (at + 1) * 1_000_000,
                "members": [{"internal": [1]}],
            }),
        )
        .record(
            "completed",
            json!({"iteration": iteration, "wall_ns": wall(at + 9), "mono_ns": (at + 9) * 1_000_000}),
        )
    };
    let words = of(&step(step(Log::new(), 0, "0"), 900, "1"), None);
    assert_eq!(
        words,
        [
            "the reference counts requests whose ID is neither text nor an integer; 2 memberships and 0 terminals \
          with such IDs are left out here"
        ]
    );
}

#[test]
fn records_the_reference_stops_at() {
    let words = of(&Log::of("0-1-10 a").record("scheduled", json!({"iteration": "1"})), None);
    assert_eq!(words.len(), 1);
    assert!(words[0].starts_with("the reference gives no verdict here"), "{words:?}");
    assert!(words[0].ends_with("1 such record is left out here"), "{words:?}");
}
