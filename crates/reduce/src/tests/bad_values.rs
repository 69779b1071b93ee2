//! `reduce.md` §15: no record makes an epoch be lost.

use serde_json::json;

use super::log::{Log, Reduced, corrected, facts, raw, reduced};
use crate::NoteKind::{
    self, ConfigNotObject, EmptyRequestId, EmptyStepName, GoodbyeBeforeHello, NegativeCount, NegativeTime,
};
use crate::facts::Options;

fn of(make: impl Fn(&mut Log), requests: &[&str], options: &Options) -> Reduced {
    let mut log = Log::new("");
    make(&mut log);
    reduced(&log, &facts(requests), options)
}

/// In both rule sets; the notes must be exactly these.
fn both(make: impl Fn(&mut Log), requests: &[&str], notes: &[NoteKind]) -> Reduced {
    let reference = of(&make, requests, &Options::default());
    assert_eq!(reference.notes(), notes);
    assert_eq!(of(&make, requests, &corrected()).records(), reference.records());
    reference
}

#[test]
fn negative_times() {
    let reduced = both(
        |log| {
            log.add("hello | alias A chatcmpl-x1 @-40 | sched 0 A @-30 | compl 0 | pause @-20 | sched 1 A @150 | compl 1");
        },
        &["x1"],
        &[NegativeTime],
    );
    let records = reduced.records();
    let step = &records[1];
    assert_eq!((&step["start_ns"], &step["end_ns"]), (&json!(null), &json!(null)));
    let request = records.iter().find(|record| record["event_type"] == "infer.request").expect("a request");
    assert_eq!(request["start_ns"], json!(null));
    let stage = records.last().expect("a stage");
    assert_eq!((&stage["event_type"], &stage["start_ns"]), (&json!("infer.stage"), &json!(null)));
    assert_eq!(reduced.reduction.notes[0].count, 3);
    assert_eq!(reduced.reduction.notes[0].first_seq, Some(1));
}

#[test]
fn a_negative_hello_gives_no_alignment() {
    let make = |log: &mut Log| {
        log.raw("hello", r#""producer":"P","clock":{"wall_ns":1000,"mono_ns":-100,"wall_after_ns":1003}"#);
        log.add("sched 0 A | compl 0");
    };
    let ids = both(make, &[], &[NegativeTime]).event_ids();
    assert_eq!(ids.len(), 0, "no hello.host: the clock is another one");
}

#[test]
fn negative_counts() {
    let make = |log: &mut Log| {
        log.add("hello");
        let member = r#"{"internal":"A","sighting":"first","scheduled":-1,"prompt_tokens":-5,"cached_at_admission":2}"#;
        log.raw(
            "scheduled",
            &format!(r#""iteration":"0","start_mono_ns":110,"start_wall_ns":1,"members":[{member}]"#),
        );
        log.raw("completed", r#""iteration":"0","wall_ns":2,"members":[{"internal":"A","retained":-1}]"#);
    };
    let records = both(make, &[], &[NegativeCount]).records();
    assert_eq!((&records[2]["input_tokens"], &records[2]["output_tokens"]), (&json!(null), &json!(null)));
    assert_eq!(records[2]["metadata"]["prompt_tokens"], -5);
    assert_eq!(
        (&records[3]["input_tokens"], &records[3]["metadata"]["cached_at_admission"]),
        (&json!(null), &json!(2))
    );
}

#[test]
fn a_goodbye_before_the_hello() {
    let make = |log: &mut Log| {
        log.add("hello | bye @99");
    };
    let records = both(make, &[], &[GoodbyeBeforeHello]).records();
    assert_eq!(
        (&records[0]["valid_to_ns"], &records[0]["metadata"]["valid_to_source_seq"]),
        (&json!(null), &json!(1))
    );
}

#[test]
fn names_that_are_empty() {
    let make = |log: &mut Log| {
        log.add("hello");
        log.raw("scheduled", r#""iteration":"","start_wall_ns":1,"members":[{"internal":"A"}]"#);
        log.raw("completed", r#""iteration":"","wall_ns":2,"members":[]"#);
    };
    assert_eq!(both(make, &[], &[EmptyStepName]).event_ids(), ["alignment:engine-7-100"]);
    let make = |log: &mut Log| {
        log.add("hello");
        log.raw("alias", r#""internal":"","external":"chatcmpl-x1","mono_ns":105"#);
        log.raw("scheduled", r#""iteration":"0","start_mono_ns":110,"members":[{"internal":""}]"#);
        log.add("compl 0");
    };
    assert_eq!(
        both(make, &["x1"], &[EmptyRequestId]).event_ids(),
        ["alignment:engine-7-100", "iteration:P:0"]
    );
}

#[test]
fn a_configuration_that_is_none() {
    for config in ["\"abc\"", "5", "true", "1.5", "[5]", "[\"abc\"]", "[[\"a\",1,2]]", "[[[],1]]"] {
        let make = |log: &mut Log| {
            log.raw("hello", &format!("\"config\":{config}"));
        };
        assert_eq!(both(make, &[], &[ConfigNotObject]).summary()["config"], json!({}), "{config}");
    }
    // What the reference reads as pairs.
    for (config, read) in [
        (r#"[["a",1],["b",2],["a",3]]"#, json!({"a": 3, "b": 2})),
        (r#"["ab"]"#, json!({"a": "b"})),
        (r#"[{"x":1,"y":2}]"#, json!({"x": "y"})),
        (r#"[[1,2]]"#, json!({"1": 2})),
    ] {
        let make = |log: &mut Log| {
            log.raw("hello", &format!("\"config\":{config}"));
        };
        assert_eq!(of(make, &[], &raw()).summary()["config"], read, "{config}");
        assert_eq!(of(make, &[], &corrected()).summary()["config"], json!({}), "{config}");
    }
}

#[test]
fn lists_of_preempted_requests_that_are_none() {
    for (preempted, reference) in [
        ("5", 0),
        ("true", 0),
        ("\"ab\\ud83d\\ude00\\ud800\"", 4),
        ("{\"a\":1,\"b\":2}", 2),
        ("[\"A\",null,5]", 3),
        ("null", 0),
        ("\"\"", 0),
    ] {
        let make = |log: &mut Log| {
            log.add("hello");
            log.raw(
                "scheduled",
                &format!(r#""iteration":"0","start_wall_ns":1,"preempted":{preempted},"members":[{{"internal":"A"}}]"#),
            );
            log.add("compl 0 @120");
        };
        let count = |options| of(make, &[], &options).records()[1]["metadata"]["preempted"].as_i64();
        assert_eq!(count(raw()), Some(reference), "{preempted}");
        assert_eq!(count(corrected()), Some(if preempted.starts_with('[') { 3 } else { 0 }), "{preempted}");
    }
}
