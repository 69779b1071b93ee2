//! What an import takes from an artifact (`artifact.md` §9).

mod common;

use common::{CONTEXT, IDENTITY, ITERATION, SESSION, file};
use stepscope_artifact::{Artifact, Refusal};
use stepscope_reduce::{Rules, RunFacts, Window};

fn facts_of(lines: &[&str], server_stopped: bool, rules: Rules) -> RunFacts {
    let text = file(&[&[IDENTITY], lines].concat());
    Artifact::read(text.as_bytes(), rules).expect("an artifact").facts(server_stopped)
}

fn windows(lines: &[&str], server_stopped: bool) -> Vec<(i64, i64)> {
    let facts = facts_of(lines, server_stopped, Rules::Reference);
    facts.windows.iter().map(|&Window { start_ns, end_ns }| (start_ns, end_ns)).collect()
}

fn start(at: i64) -> String {
    format!(r#"{{"event_type":"infer.phase_start","case_id":"c","phase":"p","started_at_ns":{at}}}"#)
}

fn session(status: &str, at: &str) -> String {
    format!(r#"{{"event_type":"infer.session","status":"{status}"{at}}}"#)
}

/// §9, the table.
#[test]
fn windows_of_client_rows() {
    let never = i64::MAX;
    let (start_7, start_17, start_107) = (start(7), start(17), start(107));
    let completed = session("completed", ",\"timestamp_ns\":99");
    let running = session("running", ",\"timestamp_ns\":99");
    let interrupted = session("interrupted", "");
    let window = r#"{"event_type":"infer.phase_window","case_id":"c","phase":"p","started_at_ns":7,"drained_at_ns":9}"#;
    let broken = r#"{"event_type":"infer.phase_window","case_id":"c","phase":"p","started_at_ns":null,"drained_at_ns":9}"#;
    let later = r#"{"event_type":"infer.foo","timestamp_ns":50}"#;
    assert_eq!(windows(&[&start_7], false), [(7, never)]);
    assert_eq!(windows(&[&start_7, &completed], false), [(7, 99)]);
    assert_eq!(windows(&[&start_7, &running], false), [(7, never)]);
    assert_eq!(windows(&[&start_107, &completed], false), []);
    assert_eq!(windows(&[&start_7, later], true), [(7, 50)]);
    assert_eq!(windows(&[&start_7, later], false), [(7, never)]);
    assert_eq!(windows(&[&start_7, &completed, &interrupted], false), [(7, never)]);
    assert_eq!(windows(&[&start_7, window, &start_17], false), [(7, 9), (17, never)]);
    assert_eq!(windows(&[&start_7, broken], false), []);
    assert_eq!(windows(&[&start_7, &start_17], false), [(17, never)]);
}

/// R2.
#[test]
fn windows_of_traces_and_incidents() {
    let trace = |start: &str, end: &str| {
        format!(r#"{{"event_type":"infer.trace_window","started_at_ns":{start},"stopped_at_ns":{end}}}"#)
    };
    assert_eq!(windows(&[&trace("5", "5")], false), [(5, 5)]);
    for (start, end) in [("5", "4"), ("5.0", "6"), ("true", "6"), ("null", "6"), ("\"5\"", "6")] {
        assert_eq!(windows(&[&trace(start, end)], false), [], "{start} {end}");
    }
    let incident = |window: &str| {
        format!(r#"{{"event_type":"infer.incident_window","window":"{window}","start_ns":1,"end_ns":2}}"#)
    };
    assert_eq!(windows(&[&incident("pre"), &incident("post")], false), [(1, 2), (1, 2)]);
    // V3: the same fields in a row of version 2 would be another matter; in version 1 the name alone counts.
    let canonical =
        r#"{"schema_version":1,"event_type":"infer.request","x_request_id":"x","request_id":"r"}"#;
    assert_eq!(facts_of(&[canonical], false, Rules::Reference).requests.len(), 1);
}

/// R1.
#[test]
fn requests_of_client_rows() {
    let dispatch = |x: &str, r: &str, rest: &str| {
        format!(r#"{{"event_type":"infer.dispatch","x_request_id":{x},"request_id":{r}{rest}}}"#)
    };
    let rows = [
        dispatch("\"a\"", "\"r1\"", ",\"case_id\":\"c\",\"phase\":5"),
        dispatch("\"b\"", "5", ""),
        dispatch("\"c\"", "null", ""),
        dispatch("\"d\"", "\"\"", ""),
        dispatch("5", "\"r5\"", ""),
        dispatch("\"\"", "\"r6\"", ""),
        dispatch("\"e\"", "\"r7\"", ""),
        dispatch("\"e\"", "\"r8\"", ""),
    ];
    let lines: Vec<&str> = rows.iter().map(String::as_str).collect();
    let ids = |rules| {
        let mut ids: Vec<(String, String)> = facts_of(&lines, false, rules)
            .requests
            .into_iter()
            .map(|(x, r)| (text(&x), text(&r.request_id)))
            .collect();
        ids.sort();
        ids
    };
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(x, r)| ((*x).to_owned(), (*r).to_owned())).collect()
    };
    assert_eq!(ids(Rules::Reference), pairs(&[("a", "r1"), ("b", "5"), ("c", "None"), ("e", "r8")]));
    assert_eq!(ids(Rules::Corrected), pairs(&[("a", "r1"), ("e", "r8")]));
    let facts = facts_of(&lines, false, Rules::Reference);
    let first = &facts.requests[&b"a".to_vec()];
    assert_eq!((first.case_id.as_deref(), first.phase.as_deref()), (Some(&b"c"[..]), None));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn record(kind: &str, id: &str, context: &str, fields: &str) -> String {
    format!(
        r#"{{"schema_version":2,"event_type":"infer.{kind}","event_id":"{id}","context":{context},{fields}}}"#
    )
}

fn reference(id: &str) -> String {
    format!(r#"{{"producer_id":"P","id":"{id}"}}"#)
}

/// R4–R7.
#[test]
fn facts_of_canonical_records() {
    let other = CONTEXT.replace("stormlog.infer.import_execution", "other");
    let request = |context: &str, attempt: &str, metadata: &str| {
        let fields = format!(
            r#""request_ref":{},"attempt_ref":{},"metadata":{metadata}"#,
            reference("q"),
            reference(attempt)
        );
        record("request", attempt, context, &fields)
    };
    let stage = |context: &str, id: &str| {
        let fields =
            format!(r#""stage_ref":{},"name":"n","iteration_ref":{}"#, reference(id), reference("0"));
        record("stage", id, context, &fields)
    };
    let capability = |id: &str, component: &str, execution: &str| {
        let fields = format!(
            r#""component":"{component}","available":true,"metadata":{{"summary":{{"execution":{execution}}}}}"#
        );
        record("capabilities", id, CONTEXT, &fields)
    };
    let activity = format!(
        r#""activity_ref":{},"activity_kind":"k","attribution_status":"linked","iteration_ref":{}"#,
        reference("k"),
        reference("9")
    );
    let alignment = r#""from_clock_domain":"a","to_clock_domain":"b","offset_ns":1,"uncertainty_ns":0"#;
    let lines = [
        ITERATION.to_owned(),
        request(CONTEXT, "a1", r#"{"epoch":"engine-1-2","admission_seq":4,"ownership":"foreign"}"#),
        request(&other, "a2", r#"{"epoch":"engine-1-2","admission_seq":5}"#),
        request(CONTEXT, "a3", r#"{"epoch":"engine-1-2","admission_seq":true}"#),
        stage(CONTEXT, "s1"),
        stage(&other, "s2"),
        record("activity_ref", "k", CONTEXT, &activity),
        record("clock_alignment", "alignment:x", &other, alignment),
        capability(
            "c1",
            "engine_adapter",
            r#"{"high_water":{"e":7,"f":true},"epochs":{"e":{"foreign_ids":"raw"}}}"#,
        ),
        capability(
            "c2",
            "engine_adapter",
            r#"{"high_water":{"e":3,"g":-1},"epochs":{"e":{"foreign_ids":"withheld"},"f":5}}"#,
        ),
        capability("c3", "trace_collector", r#"{"high_water":{"e":99}}"#),
        IDENTITY.replace("h/b/unix_epoch_ns", "h2/unix_epoch_ns"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    // The identity record again, with another clock: it counts for R4. (That the two disagree is another matter.)
    let content = file(&[&[IDENTITY, SESSION], &lines[..]].concat());
    let artifact = Artifact::read(content.as_bytes(), Rules::Reference).expect("an artifact");
    let facts = artifact.facts(false);
    assert_eq!((artifact.run_id(), artifact.session_id()), (&b"run1"[..], &b"sess1"[..]));
    assert_eq!(facts.client_clock_domain.as_deref(), Some(&b"h2/unix_epoch_ns"[..]));
    let ids = |refs: Vec<&[u8]>| {
        let mut ids: Vec<String> = refs.into_iter().map(text).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(facts.existing_iterations.iter().map(|r| &r.id[..]).collect()), ["0"]);
    assert_eq!(ids(facts.referenced_iterations.iter().map(|r| &r.id[..]).collect()), ["9"]);
    assert_eq!(ids(facts.existing_attempts.keys().map(|r| &r.id[..]).collect()), ["a1", "a2", "a3"]);
    assert_eq!(ids(facts.existing_stages.iter().map(|id| &id[..]).collect()), ["s1"]);
    assert_eq!(ids(facts.existing_alignments.iter().map(|id| &id[..]).collect()), ["alignment:x"]);
    let admissions: Vec<_> = facts.existing_admissions.iter().collect();
    assert_eq!(admissions.len(), 1);
    assert_eq!(
        (&admissions[0].0.0[..], admissions[0].0.1, &admissions[0].1.id[..]),
        (&b"engine-1-2"[..], 4, &b"a1"[..])
    );
    let mut marks: Vec<(String, i64)> = artifact.marks.iter().map(|(e, m)| (text(e), *m)).collect();
    marks.sort();
    assert_eq!(marks, [("e".to_owned(), 7), ("g".to_owned(), -1)]);
    let schemes: Vec<_> = artifact.recorded_schemes().map(|(e, s)| (text(e), text(s))).collect();
    assert_eq!(schemes, [("e".to_owned(), "withheld".to_owned())]);
}

/// §11: identity is needed, and must be of version 2 or 4.
#[test]
fn an_artifact_without_identity_is_refused() {
    for lines in
        [&[SESSION][..], &[], &[r#"{"schema_version":1,"event_type":"infer.artifact","session_id":"s"}"#]]
    {
        let refused = Artifact::read(file(lines).as_bytes(), Rules::Reference).err();
        assert_eq!(refused, Some(Refusal::NoIdentity));
    }
}
