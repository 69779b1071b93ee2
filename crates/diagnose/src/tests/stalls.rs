//! The tables of `diagnose.md` §4.

use serde_json::json;

use super::log::Log;
use crate::rules::Rules;

/// Log, then the stalls in order.
const TABLE: &[(&str, &[&str])] = &[
    (
        "0-2-10 a; 15-17-30 a",
        &["in_schedule 2 @15", "between_steps 5 @10", "within_step 8 @2", "within_step 13 @17"],
    ),
    ("0-2-10 a!; 15-17-30 a", &["within_step 8 @2", "within_step 13 @17"]),
    ("0-2-10 a; 15-17-30 b", &["within_step 8 @2", "within_step 13 @17"]),
    (
        "0-1-10 a; 12-13-14 none; 100-101-110 a",
        &["between_steps 90 @10", "within_step 9 @1", "within_step 9 @101"],
    ),
    (
        "0-2-10 a; 5-7-20 a; 11-12-30 a",
        &[
            "in_schedule 2 @5",
            "in_schedule 1 @11",
            "between_steps 1 @10",
            "within_step 8 @2",
            "within_step 10 @10 overlapped",
            "within_step 10 @20 overlapped",
        ],
    ),
    (
        "0-1-10 a; 12-13-never a; 50-51-60 a",
        &[
            "in_schedule 1 @12",
            "between_steps 2 @10",
            "in_schedule 1 @50",
            "between_steps 40 @10",
            "within_step 9 @1",
            "within_step 9 @51",
        ],
    ),
    ("0-2-20 a; 5-7-8 a", &["in_schedule 2 @5", "within_step 18 @2", "within_step -12 @20 overlapped"]),
    (
        "0-2-10 a; 50-52-40 a",
        &["in_schedule 2 @50", "between_steps 10 @40", "within_step 8 @2", "within_step -12 @52"],
    ),
    (
        "0-1-10 a; 2-3-10 b; 20-21-30 a",
        &["within_step 9 @1", "within_step 0 @10 overlapped", "within_step 9 @21"],
    ),
    (
        "0-2-10 a~5; 15-17-30 a~5",
        &["in_schedule 2 @15", "between_steps 5 @10", "within_step 8 @2", "within_step 13 @17"],
    ),
    ("0-2-10 a~5; 15-17-30 a~6", &["within_step 8 @2", "within_step 13 @17"]),
    ("0-2-10 a~; 15-17-30 a~5", &["within_step 8 @2", "within_step 13 @17"]),
    ("0-2-10 a~5; 15-17-30 a~", &["within_step 8 @2", "within_step 13 @17"]),
    // A prompt that shrank is no new turn, and the later step need not call it streaming.
    (
        "0-2-10 a~5; 15-17-30 a~4",
        &["in_schedule 2 @15", "between_steps 5 @10", "within_step 8 @2", "within_step 13 @17"],
    ),
    ("0-2-10 a~5; 15-17-30 a", &["within_step 8 @2", "within_step 13 @17"]),
];

#[test]
fn candidates() {
    for rules in [Rules::Reference, Rules::Corrected] {
        for (log, expected) in TABLE {
            assert_eq!(&Log::of(log).stalls(rules, None), expected, "{log} by {rules:?}");
        }
    }
}

/// Now (ms), log, the stall that is going on by the reference and by the corrected rules.
const GOING_ON: &[(i64, &str, Option<&str>, Option<&str>)] = &{
    const BETWEEN: Option<&str> = Some("between_steps 490 @10 ongoing");
    [
        (500, "0-1-10 a", BETWEEN, BETWEEN),
        (
            500,
            "0-1-10 a; 12-13-never a x100",
            Some("within_step 490 @10 ongoing bucket 7"),
            Some("within_step 490 @10 ongoing bucket 7"),
        ),
        (
            500,
            "0-1-10 a!; 12-13-never a",
            Some("within_step 490 @10 ongoing"),
            Some("within_step 490 @10 ongoing"),
        ),
        (500, "0-1-10 a~5", None, None),
        (500, "0-1-10 a; 12-13-14 none", None, BETWEEN),
        (5, "0-1-10 a", Some("between_steps -5 @10 ongoing"), Some("between_steps -5 @10 ongoing")),
        // Scheduled under the completion of the step before.
        (
            500,
            "0-1-10 a; 2-3-never a",
            Some("within_step 490 @10 ongoing overlapped"),
            Some("within_step 490 @10 ongoing overlapped"),
        ),
    ]
};

fn going_on(log: &Log, rules: Rules, now: i64) -> Option<String> {
    log.stalls(rules, Some(now)).into_iter().find(|stall| stall.contains("ongoing"))
}

#[test]
fn still_going_on() {
    for (now, log, reference, corrected) in GOING_ON {
        let of = |rules| going_on(&Log::of(log), rules, *now);
        assert_eq!(of(Rules::Reference).as_deref(), *reference, "{log} at {now}");
        assert_eq!(of(Rules::Corrected).as_deref(), *corrected, "{log} at {now}, corrected");
    }
}

#[test]
fn a_terminal_ends_an_id_from_then_on() {
    let between = Some("between_steps 490 @10 ongoing".to_owned());
    let before = Log::new().terminal("a", 0).steps("0-1-10 a");
    assert_eq!(going_on(&before, Rules::Reference, 500), None);
    assert_eq!(going_on(&before, Rules::Corrected, 500), between);
    let after = Log::of("0-1-10 a").terminal("a", 11);
    assert_eq!(going_on(&after, Rules::Reference, 500), None);
    assert_eq!(going_on(&after, Rules::Corrected, 500), None);
    // The monotonic stamp decides, the wall stamp stands in, and one without stamps may end it.
    for (fields, expected) in [
        (json!({"internal": "a", "mono_ns": 9_000_000, "wall_ns": super::log::wall(11)}), &between),
        (json!({"internal": "a", "wall_ns": super::log::wall(9)}), &between),
        (json!({"internal": "a", "wall_ns": super::log::wall(11)}), &None),
        (json!({"internal": "a"}), &None),
    ] {
        let log = Log::of("0-1-10 a").record("terminal", fields.clone());
        assert_eq!(&going_on(&log, Rules::Corrected, 500), expected, "{fields}");
    }
}

#[test]
fn a_goodbye_ends_what_was_going_on() {
    assert_eq!(going_on(&Log::of("0-1-10 a").goodbye(20), Rules::Corrected, 500), None);
}

#[test]
fn a_completion_without_wall_stamp_takes_the_schedulers() {
    let completed = |wall: serde_json::Value| {
        let log = Log::of("0-1-never a").record(
            "completed",
            json!({"iteration": "0", "wall_ns": wall, "mono_ns": 10_000_000, "members": []}),
        );
        let found = log.diagnose(&crate::Config::default()).reported.expect("a stall").stall;
        (found.start_wall_ns, found.end_wall_ns)
    };
    let scheduled = super::log::wall(1);
    assert_eq!(completed(serde_json::Value::Null), (scheduled, scheduled));
    assert_eq!(completed(json!(0)), (scheduled, scheduled));
    assert_eq!(completed(json!(super::log::wall(10))), (scheduled, super::log::wall(10)));
}
