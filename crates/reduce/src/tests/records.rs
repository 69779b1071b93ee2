//! `reduce.md` §10, §13, §14 and the worked example of §16.

use serde_json::{Value, json};

use super::log::{End, Log, facts, reduced};
use crate::facts::Options;

const A: &str = "chatcmpl-x1-0a1b2c3d";
const F: &str = "cmpl-zz-0-deadbeef";

fn example() -> Log {
    let mut log = Log::new("hello");
    log.add(&format!("alias {A} chatcmpl-x1 @110 | enq {A} @111"));
    let start = "\"start_wall_ns\":1120,\"start_mono_ns\":120,\"end_wall_ns\":1125,\"end_mono_ns\":125";
    let member = |id: &str, tokens: i64, phase: &str, drafts: i64| {
        format!(
            "{{\"internal\":\"{id}\",\"sighting\":\"first\",\"phase\":\"{phase}\",\"scheduled\":{tokens},\"prompt_tokens\":{tokens},\"drafts_scheduled\":{drafts}}}"
        )
    };
    log.raw(
        "scheduled",
        &format!(
            "\"iteration\":\"0\",{start},\"members\":[{},{}]",
            member(A, 8, "context", 0),
            member(F, 4, "context", 0)
        ),
    );
    log.add(&format!("compl 0 {A},{F} @140"));
    log.raw(
        "scheduled",
        &format!(
            "\"iteration\":\"1\",\"start_mono_ns\":150,\"start_wall_ns\":1150,\"members\":[{},{}]",
            member(A, 1, "generation", 0),
            member(F, 4, "generation", 3)
        ),
    );
    log.add(&format!("term {A} @160 | compl 1 {A},{F} @170 | sched 2 {F} @180 | hb"));
    log
}

#[test]
fn the_worked_example() {
    let mut facts = facts(&["x1"]);
    facts.windows.clear();
    facts.requests.get_mut(&b"x1"[..]).expect("x1").phase = Some(b"measured".to_vec());
    let reduced = reduced(&example(), &facts, &Options::default());
    let pseudonym = "6c025ba40599d53e";
    assert_eq!(
        reduced.event_ids(),
        [
            "alignment:engine-7-100".to_owned(),
            "iteration:P:0".to_owned(),
            format!("membership:P:0:{A}:prefill"),
            format!("membership:P:0:{pseudonym}:prefill"),
            "iteration:P:1".to_owned(),
            format!("membership:P:1:{A}:decode"),
            format!("membership:P:1:{pseudonym}:spec_decode"),
            format!("request:P:{A}"),
            format!("request:P:{pseudonym}"),
        ]
    );
    let records = reduced.records();
    let of = |at: usize, fields: &[&str]| -> Vec<Value> {
        let field = |name: &&str| name.split('.').fold(&records[at], |value, part| &value[part]).clone();
        fields.iter().map(field).collect()
    };
    assert_eq!(of(0, &["offset_ns", "uncertainty_ns", "valid_from_ns"]), [json!(901), json!(2), json!(100)]);
    assert_eq!(
        of(1, &["start_ns", "end_ns", "metadata.source_seq_max", "metadata.members", "metadata.run_members"]),
        [120, 140, 4, 2, 1].map(Value::from)
    );
    assert_eq!(
        of(1, &["metadata.foreign_members", "metadata.scheduler_residence_ns"]),
        [1, 20].map(Value::from)
    );
    assert_eq!(
        of(2, &["request_ref", "input_tokens", "output_tokens"]),
        [json!({"producer_id": "stormlog", "id": "r-x1"}), json!(8), json!(1)]
    );
    assert_eq!(of(3, &["request_ref"]), [json!({"producer_id": "foreign", "id": pseudonym})]);
    assert_eq!(of(4, &["start_ns", "end_ns", "metadata.source_seq_max"]), [150, 170, 7].map(Value::from));
    assert_eq!(
        of(5, &["metadata.finish.in_step", "metadata.finish.finish_reason", "metadata.source_seq_max"]),
        [json!(true), json!("stop"), json!(7)]
    );
    assert_eq!(
        of(
            7,
            &["metadata.admission_seq", "start_ns", "metadata.enqueued_mono_ns", "metadata.source_seq_max"]
        ),
        [1, 110, 111, 4].map(Value::from)
    );
    assert_eq!(
        of(7, &["metadata.case_id", "metadata.phase", "backend_request_ref.id", "input_tokens"]),
        [json!("c1"), json!("measured"), json!(A), json!(8)]
    );
    assert_eq!(
        of(8, &["metadata.bound_via", "metadata.admission_seen", "metadata.source_seq_max"]),
        [json!("internal"), json!(false), json!(4)]
    );
    assert!(!records[8]["metadata"].as_object().expect("an object").contains_key("external"));
    let summary = reduced.summary();
    assert_eq!(summary["executions"], json!({"run": 1, "foreign": 1}));
    assert_eq!((&summary["high_water_seq"], &summary["iterations_pending"]), (&json!(7), &json!(1)));
}

/// K3–K7: which steps are kept, and what becomes of the others.
#[test]
fn steps_that_are_kept() {
    let log = "hello | alias A chatcmpl-x1 @- | sched 0 A | sched 1 | sched 2 B @200 | sched 3 B @300 | sched 4 B !A | sched 5 B | \
               compl 0 | compl 1 | compl 2 @210 | compl 3 @310 | compl 4 | compl 5";
    let mut facts = facts(&["x1"]);
    facts.windows = vec![crate::Window { start_ns: 1200, end_ns: 1210 }];
    facts.referenced_iterations.insert(crate::RefBuf { producer_id: b"P".to_vec(), id: b"5".to_vec() });
    let steps = |log: &Log, facts: &crate::RunFacts| {
        let reduced = reduced(log, facts, &Options::default());
        let names: Vec<String> = reduced
            .steps()
            .iter()
            .map(|step| step.split(' ').next().unwrap_or_default().to_owned())
            .collect();
        (names.join(" "), reduced.reduction.counts)
    };
    let mut log = Log::new(log);
    let (kept, counts) = steps(&log, &facts);
    assert_eq!(kept, "0 2 4 5");
    assert_eq!((counts.empty, counts.foreign_only_placed, counts.foreign_only_counted), (1, 1, 1));
    // Another clock places nothing.
    let elsewhere =
        crate::RunFacts { client_clock_domain: Some(b"q/unix_epoch_ns".to_vec()), ..facts.clone() };
    assert_eq!(steps(&log, &elsewhere).0, "0 4 5");
    // Without a key nothing foreign is written.
    log.has_key = false;
    let (kept, counts) = steps(&log, &facts);
    assert_eq!(kept, "0 4 5");
    assert_eq!(
        (counts.foreign_only_withheld, counts.withheld_memberships, counts.withheld_executions),
        (2, 2, 1)
    );
}

/// A2 of §10.2.
#[test]
fn the_table_of_clock_brackets() {
    for (clock, expected) in [
        (r#"{"wall_ns":1000,"mono_ns":100,"wall_after_ns":1000}"#, Some((900, 0))),
        (r#"{"wall_ns":1000,"mono_ns":100,"wall_after_ns":1001}"#, Some((900, 1))),
        (r#"{"wall_ns":1000,"mono_ns":100,"wall_after_ns":1002}"#, Some((901, 1))),
        (r#"{"wall_ns":1000,"mono_ns":100,"wall_after_ns":1003}"#, Some((901, 2))),
        (r#"{"wall_ns":1000,"mono_ns":100,"gap_ns":3}"#, Some((901, 2))),
        (r#"{"wall_ns":1000,"mono_ns":100,"wall_after_ns":1003,"gap_ns":9}"#, Some((901, 2))),
        (r#"{"wall_ns":5,"mono_ns":100,"wall_after_ns":6}"#, Some((-95, 1))),
        (r#"{"wall_ns":1000,"mono_ns":100,"wall_after_ns":999}"#, None),
        (r#"{"wall_ns":1000,"mono_ns":100}"#, None),
        (r#"{"wall_ns":1000,"mono_ns":"100","wall_after_ns":1003}"#, None),
        (r#"{"wall_ns":9223372036854775000,"mono_ns":-9,"wall_after_ns":9223372036854775807}"#, None),
        ("[]", None),
    ] {
        let mut log = Log::new("");
        log.raw("hello", &format!("\"producer\":\"P\",\"clock\":{clock}"));
        let records = reduced(&log, &facts(&[]), &Options::default()).records();
        let found = records.first().map(|record| {
            (record["offset_ns"].as_i64().expect("ns"), record["uncertainty_ns"].as_i64().expect("ns"))
        });
        assert_eq!(found, expected, "{clock}");
    }
}

#[test]
fn an_alignment_ends_with_the_goodbye_and_is_written_once() {
    let log = Log::new("hello | bye @170");
    let mut held = facts(&[]);
    let first = reduced(&log, &held, &Options::default());
    let record = &first.records()[0];
    assert_eq!(
        (&record["valid_to_ns"], &record["metadata"]["valid_to_source_seq"]),
        (&json!(170), &json!(1))
    );
    first.reduction.each_record(&first.epoch, &mut |record| held.add_written(record));
    assert_eq!(reduced(&log, &held, &Options::default()).records(), [json!(null); 0]);
}

/// §3.
#[test]
fn identity_of_an_epoch() {
    for (hello, producer, domain) in [
        (r#""host":"q","boot_id":"z","producer":"P""#, "P", "q/z/monotonic_ns"),
        (r#""producer":5"#, "5", "h-b/unknown-boot/monotonic_ns"),
        (r#""host":"","boot_id":7,"producer":"""#, "vllm:engine-7-100", "h-b/unknown-boot/monotonic_ns"),
    ] {
        let mut log = Log::new("");
        log.raw("hello", hello);
        let context = reduced(&log, &facts(&[]), &Options::default()).reduction.context;
        assert_eq!(String::from_utf8_lossy(&context.producer_id), producer, "{hello}");
        assert_eq!(String::from_utf8_lossy(&context.clock_domain), domain, "{hello}");
    }
}

/// §10.4.
#[test]
fn roles_of_members() {
    for (phase, drafts, role) in [
        ("\"context\"", "3", "prefill"),
        ("\"generation\"", "3", "spec_decode"),
        ("\"generation\"", "0", "decode"),
        ("\"generation\"", "-1", "decode"),
        ("\"generation\"", "\"3\"", "decode"),
        ("\"other\"", "3", "unknown"),
        ("5", "3", "unknown"),
        ("null", "3", "unknown"),
    ] {
        let mut log = Log::new("hello");
        let member = format!("{{\"internal\":\"A\",\"phase\":{phase},\"drafts_scheduled\":{drafts}}}");
        log.raw("scheduled", &format!("\"iteration\":\"0\",\"start_wall_ns\":5,\"members\":[{member}]"));
        log.add("compl 0");
        let records = reduced(&log, &facts(&[]), &Options::default()).records();
        assert_eq!(records[2]["role"], role, "{phase} {drafts}");
        assert_eq!(records[2]["metadata"]["outcome"], "unknown");
    }
}

#[test]
fn workers_are_not_reduced() {
    let mut worker = Log::new("hello | hb").epoch();
    worker.name.role = stepscope_epoch_log::Role::Worker;
    worker.name.text = "worker-9-100".to_owned();
    let mut log = Log::new("hello | sched 0 A | compl 0");
    log.end = End::Alive;
    let epochs = [worker, log.epoch()];
    let read = crate::ReadReduction::of(&epochs, &facts(&[]), &Options::default());
    assert_eq!(read.high_water(&epochs), [("engine-7-100".to_owned(), 2), ("worker-9-100".to_owned(), 1)]);
    let summaries: Value = serde_json::from_str(&read.epoch_summaries(&epochs).to_json()).expect("JSON");
    assert_eq!(summaries["worker-9-100"]["reduced"], false);
    assert_eq!(summaries["engine-7-100"]["reduced"], true);
    assert_eq!(read.pseudonyms(), "hmac-sha256-keyed");
}
