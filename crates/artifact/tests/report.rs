//! The execution block (`artifact.md` §16).

mod common;

use common::{
    CONTEXT, DISPATCH, EPOCH, IDENTITY, ITERATION, PLAIN, SESSION, WINDOW, file, imported, worked_log,
};
use serde_json::{Value, json};
use stepscope_artifact::report::execution_report;
use stepscope_artifact::{Accepted, Refusal, accepted_by};

fn report(text: &str) -> Value {
    let report = execution_report(text.as_bytes()).expect("an analysis takes it");
    serde_json::from_str(&report.to_value().to_json()).expect("JSON")
}

#[test]
fn nothing_imported_is_nothing_to_report() {
    assert_eq!(report(""), json!({"available": false}));
    assert_eq!(report(&file(&[SESSION, IDENTITY, DISPATCH])), json!({"available": false}));
    // Steps under another source are not imported ones.
    let other = ITERATION.replace("stormlog.infer.import_execution", "other");
    assert_eq!(report(&file(&[IDENTITY, &other])), json!({"available": false}));
    let own = report(&file(&[IDENTITY, ITERATION]));
    assert_eq!((&own["available"], &own["iterations"]["ownership"]), (&json!(true), &json!({"none": 1})));
}

#[test]
fn the_worked_example_is_counted() {
    let log = worked_log();
    let client = file(&[SESSION, IDENTITY, DISPATCH, WINDOW]);
    let whole = report(&imported(&client, &log, PLAIN).expect("accepted"));
    assert_eq!(
        whole["iterations"],
        json!({"total": 3, "complete": 3, "incomplete": 0, "ownership": {"mixed": 2, "foreign": 1}})
    );
    assert_eq!(whole["memberships"], json!({"run": 2, "foreign": 3}));
    let requests =
        json!({"executions": {"run": 1, "foreign": 1}, "run_requests_bound": 1, "run_requests_total": 1});
    assert_eq!(whole["requests"], requests);
    assert_eq!(
        whole["imports"][0]["collected"],
        json!(["iterations", "memberships", "requests", "clock_alignment"])
    );
    assert_eq!(whole["capture_loss"]["epochs"], 1);
    assert_eq!(whole["capture_loss"]["pending_iterations"], 0);
    // Of a cut log the step that waits is a loss for the time being.
    let cut = report(&imported(&client, &log[..9], PLAIN).expect("accepted"));
    assert_eq!(cut["capture_loss"]["pending_iterations"], 1);
}

#[test]
fn contradictions_are_told_also_without_an_import() {
    let text = file(&[ITERATION, &ITERATION.replace("140", "141")]);
    let found = execution_report(text.as_bytes()).expect("an analysis takes it");
    assert!(matches!(found.error, Some(Refusal::ConflictingEvents { .. })));
    assert_eq!(report(&text)["available"], false);
    assert!(report(&text)["error"].as_str().is_some_and(|error| error.contains("iteration:P:0")));
}

/// §17, the table, as far as §11 decides it.
#[test]
fn commands_that_take_a_file() {
    let accepted = |lines: &[&str]| {
        let Accepted { analyze, diagnose, import } = accepted_by(file(lines).as_bytes());
        (analyze, diagnose, import)
    };
    let request =
        ITERATION.replace("infer.iteration", "infer.request").replace("iteration_ref", "request_ref");
    assert_eq!(accepted(&[SESSION]), (true, true, false));
    assert_eq!(accepted(&[IDENTITY]), (false, true, true));
    assert_eq!(accepted(&[SESSION, IDENTITY]), (true, true, true));
    assert_eq!(accepted(&[IDENTITY, ITERATION]), (false, true, true));
    assert_eq!(accepted(&[IDENTITY, &request]), (true, true, true));
    assert_eq!(accepted(&[SESSION, ITERATION]), (true, true, false));
    assert_eq!(accepted(&[r#"{"event_type":"infer.artifact"}"#]), (false, true, false));
    assert_eq!(accepted(&[r#"{"format":"stormlog.vllm_hook/1","seq":0}"#, "{"]), (false, false, false));
}

/// §11: what an analysis passes over, and what it stops at.
#[test]
fn rows_that_are_no_records() {
    let invalid = ITERATION.replace("\"end_ns\":140", "\"end_ns\":-1").replace("P:0", "P:1");
    let text = file(&[
        ITERATION,
        &invalid,
        r#"{"event_type":"foo"}"#,
        r#"{"schema_version":9,"event_type":"infer.x"}"#,
    ]);
    assert_eq!(report(&text)["skipped_records"], 2);
    for wrong in ["5", "{", r#"{"schema_version":4,"event_type":"infer.iteration","context_id":"a"}"#] {
        let problem = execution_report(file(&[ITERATION, wrong]).as_bytes()).expect_err("refused");
        assert_eq!(problem.line, 1, "{wrong}");
    }
}

/// What is lost is that of the last import that names an epoch; odd counts say nothing.
#[test]
fn losses() {
    let capability = |id: &str, epochs: Value| {
        format!(
            r#"{{"schema_version":2,"event_type":"infer.capabilities","event_id":"{id}","context":{CONTEXT},"component":"engine_adapter","available":true,"metadata":{{"summary":{{"execution":{{"epochs":{epochs}}}}}}}}}"#
        )
    };
    let first = json!({EPOCH: {"gaps": 2, "finish_unattached_seqs": [1, 2]}, "engine-1-1": {"gaps": 5, "truncated": true}});
    let second = json!({EPOCH: {"gaps": 3, "finish_unattached_seqs": [2, 3], "errors": ["a", "b"],
        "dropped": {"scheduled": 4, "odd": null}}});
    let loss = report(&file(&[
        &capability("a", first),
        &capability("b", second),
        &capability("c", json!(5)),
    ]))["capture_loss"]
        .clone();
    assert_eq!((&loss["epochs"], &loss["missing_sequences"]), (&json!(2), &json!(8)));
    assert_eq!(loss["dropped"], json!({"scheduled": 4}));
    assert_eq!(
        (&loss["finish_unattached"], &loss["truncated_epochs"], &loss["read_errors"]),
        (&json!(3), &json!(1), &json!(2))
    );
}
