//! `diagnose.md` §2, with values of other types (S5).

use serde_json::{Value, json};

use super::log::{Log, MS, wall};
use crate::config::Config;
use crate::reasons::Reason;
use crate::rules::Rules;
use crate::steps::{Steps, work_bucket};

fn scheduled(otherwise: Value) -> Log {
    let mut fields = json!({
        "iteration": "0", "start_wall_ns": wall(0), "start_mono_ns": 0, "end_wall_ns": wall(1), "end_mono_ns": MS,
        "total_tokens": 1, "members": [{"internal": "a"}],
    });
    if let (Some(fields), Value::Object(otherwise)) = (fields.as_object_mut(), otherwise) {
        fields.extend(otherwise);
    }
    Log::new().record("scheduled", fields)
}

fn completed(log: Log, otherwise: Value) -> Log {
    let mut fields =
        json!({"iteration": "0", "wall_ns": wall(10), "mono_ns": 10 * MS, "members": [{"internal": "a"}]});
    if let (Some(fields), Value::Object(otherwise)) = (fields.as_object_mut(), otherwise) {
        fields.extend(otherwise);
    }
    log.record("completed", fields)
}

fn steps(log: &Log) -> Steps {
    Steps::of(&log.epoch(), &Config::default())
}

#[test]
fn buckets_are_binary_digits() {
    let expected = [(-7, 0), (0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (15, 4), (8192, 14)];
    for (tokens, bucket) in expected {
        assert_eq!(work_bucket(tokens), bucket, "{tokens}");
    }
    assert_eq!(work_bucket(i64::MAX), 63);
}

#[test]
fn odd_values_are_taken_as_python_takes_them() {
    let table: &[(&str, Value, Option<u8>)] = &[
        ("total_tokens", json!(1.9), Some(1)),
        ("total_tokens", json!("12"), Some(4)),
        ("total_tokens", json!(true), Some(1)),
        ("total_tokens", json!([]), Some(0)),
        ("total_tokens", json!(null), Some(0)),
        ("total_tokens", json!(""), Some(0)),
        ("total_tokens", json!(-3), Some(0)),
        ("total_tokens", json!("x"), None),
        ("total_tokens", json!([1]), None),
        ("start_mono_ns", json!(1.7), Some(1)),
        ("start_wall_ns", json!("12"), Some(1)),
        ("end_mono_ns", json!(true), Some(1)),
        ("end_wall_ns", json!(null), None),
        ("start_mono_ns", json!("x"), None),
        ("members", json!("ab"), Some(1)),
        ("members", json!({"internal": "a"}), Some(1)),
        ("members", json!(0), Some(1)),
        ("members", json!(false), Some(1)),
        ("members", json!(5), None),
        ("members", json!(1.5), None),
        ("members", json!(true), None),
    ];
    for (field, value, bucket) in table {
        let steps = steps(&scheduled(json!({(*field): value})));
        assert_eq!(steps.bucket.first().copied(), *bucket, "{field} {value}");
        assert_eq!(steps.dropped_records, usize::from(bucket.is_none()), "{field} {value}");
    }
    // Beyond 64 bits a count is as large as can be.
    for (value, bucket) in [("1e30", 63), ("99999999999999999999", 63), ("-99999999999999999999", 0)] {
        let log = scheduled(json!({"total_tokens": 4711})).replaced("4711", value);
        assert_eq!(steps(&log).bucket, [bucket], "{value}");
    }
}

#[test]
fn what_cannot_be_taken_is_a_reason() {
    let verdict = scheduled(json!({"start_mono_ns": null})).diagnose(&Config::default()).verdict;
    assert_eq!(verdict.detail.reasons, [Reason::HookRecordsDropped, Reason::RequiresHook]);
    let pause = Log::of("0-1-10 a").record("pause", json!({"to": "PAUSED_ALL"}));
    for rules in [Rules::Reference, Rules::Corrected] {
        let verdict = pause.diagnose(&Config { rules, ..Config::default() }).verdict;
        assert_eq!(verdict.detail.reasons, [Reason::HookRecordsDropped]);
    }
    // One that neither opens nor closes an interval needs no stamp.
    let idle = Log::of("0-1-10 a").record("pause", json!({"to": "UNPAUSED"}));
    assert_eq!(idle.diagnose(&Config::default()).verdict.detail.reasons, []);
}

#[test]
fn the_last_completion_counts_that_can_be_taken() {
    let twice = completed(completed(scheduled(json!({})), json!({})), json!({"mono_ns": 11 * MS}));
    assert_eq!(steps(&twice).done_mono_ns, [Some(11 * MS)]);
    let spoiled = completed(completed(scheduled(json!({})), json!({})), json!({"members": 5}));
    assert_eq!((steps(&spoiled).done_mono_ns, steps(&spoiled).dropped_records), (vec![Some(10 * MS)], 1));
    // One that does not count is not looked at.
    let passed = completed(completed(scheduled(json!({})), json!({"members": 5})), json!({}));
    assert_eq!((steps(&passed).done_mono_ns, steps(&passed).dropped_records), (vec![Some(10 * MS)], 0));
    let orphan = completed(scheduled(json!({})), json!({"iteration": "1", "members": 5}));
    assert_eq!((steps(&orphan).done_mono_ns, steps(&orphan).dropped_records), (vec![None], 0));
    for stamp in [json!(null), json!(true), json!(1.5), json!("7")] {
        assert_eq!(steps(&completed(scheduled(json!({})), json!({"mono_ns": stamp}))).done_mono_ns, [None]);
    }
}

#[test]
fn steps_are_joined_by_name_and_sorted_by_start() {
    let log = Log::new().step("1", "20-21-30 a").step("0", "0-1-never b").step("0", "5-6-9 c");
    let steps = steps(&log);
    assert_eq!(steps.start_mono_ns, [0, 5 * MS, 20 * MS]);
    assert_eq!(steps.done_mono_ns, [Some(9 * MS), Some(9 * MS), Some(30 * MS)]);
    assert_eq!(steps.rows.iter().map(|rows| rows.scheduled).collect::<Vec<_>>(), [1, 2, 0]);
}

#[test]
fn ids_are_known_by_their_text() {
    let members = json!([{"internal": 5}, {"internal": "5"}, {}, {"internal": "None"}, {"internal": null},
        {"internal": true}, {"internal": [1, "a"]}, 7]);
    let log = scheduled(json!({"members": members}));
    let texts = |rules| {
        let epoch = log.epoch();
        let steps = Steps::of(&epoch, &Config { rules, ..Config::default() });
        let mut texts: Vec<_> =
            steps.member_ids(0).iter().map(|&id| epoch.strings.display(id).into_owned()).collect();
        texts.sort();
        texts
    };
    assert_eq!(texts(Rules::Reference), ["5", "None", "True", "[1, 'a']"]);
    assert_eq!(texts(Rules::Corrected), ["5", "None"]);
}

#[test]
fn finished_and_ready() {
    let outcomes = json!([
        {"internal": "a", "finish_reason": "stop"}, {"internal": "b", "finish_reason": ""},
        {"internal": "c", "finish_reason": 0}, {"internal": "d", "outcome": "discarded_finished"},
        {"internal": "e", "finish_reason": null}, {"internal": "f", "outcome": "kept"},
    ]);
    let members: Vec<Value> = ["a", "b", "c", "d", "e", "f"].map(|id| json!({"internal": id})).into();
    let log = completed(scheduled(json!({"members": members})), json!({"members": outcomes}));
    let epoch = log.epoch();
    let steps = Steps::of(&epoch, &Config::default());
    let ready: Vec<_> = steps.ready(0).map(|id| epoch.strings.display(id).into_owned()).collect();
    assert_eq!(ready, ["e", "f"]);
}

#[test]
fn of_a_member_listed_twice_the_last_prompt_counts() {
    let twice = json!([{"internal": "a", "prompt_tokens": 9, "resumable": true},
        {"internal": "a", "prompt_tokens": 5}, {"internal": "a", "prompt_tokens": null}]);
    for (prompt, goes_on) in [(json!(5), true), (json!(6), false), (json!(true), true), (json!(5.0), false)] {
        let log = scheduled(json!({"members": twice})).record(
            "scheduled",
            json!({
                "iteration": "1", "start_wall_ns": wall(20), "start_mono_ns": 20 * MS, "end_wall_ns": wall(21),
                "end_mono_ns": 21 * MS, "members": [{"internal": "a", "prompt_tokens": prompt}],
            }),
        );
        let steps = steps(&log);
        assert_eq!(steps.member_ids(0).len(), 1);
        assert_eq!(steps.continuing(0, 1).count() == 1, goes_on, "{prompt}");
    }
}
