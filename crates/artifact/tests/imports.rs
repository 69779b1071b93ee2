//! Importing (`artifact.md` §10, §12, §14, §15, §17).

mod common;

use common::{
    CONTEXT, DISPATCH, EPOCH, How, IDENTITY, ITERATION, PLAIN, SESSION, WINDOW, epoch, file, imported,
    imported_in_full, options, record_lines, whole, worked_log,
};
use serde_json::Value;
use stepscope_artifact::read::read_strict;
use stepscope_artifact::row::Row;
use stepscope_artifact::{
    Artifact, EnvelopeEntry, ImportingProcess, ReduceSpread, Refusal, Target, append_failure, consistency,
    import, import_to,
};
use stepscope_reduce::Rules;

/// The client's artifact of the worked example; no window keeps the last step, in which no request of its own is.
fn client() -> String {
    file(&[SESSION, IDENTITY, DISPATCH])
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

fn event_ids(file: &str) -> Vec<String> {
    file.lines()
        .filter_map(|line| Some(json(line)["event_id"].as_str()?.to_owned()))
        .filter(|id| !id.starts_with("engine_adapter:") && !id.starts_with("trace_collector:"))
        .collect()
}

/// `reduce.md` §16, as it stands in the file.
#[test]
fn the_worked_example() {
    let log = worked_log();
    let (file, import) = imported_in_full(&client(), &log[..10], PLAIN).expect("accepted");
    assert_eq!(
        event_ids(&file)[1..],
        [
            "alignment:engine-7-100",
            "iteration:P:0",
            "membership:P:0:chatcmpl-x1-0a1b2c3d:prefill",
            "membership:P:0:6c025ba40599d53e:prefill",
            "iteration:P:1",
            "membership:P:1:chatcmpl-x1-0a1b2c3d:decode",
            "membership:P:1:6c025ba40599d53e:spec_decode",
            "request:P:chatcmpl-x1-0a1b2c3d",
            "request:P:6c025ba40599d53e",
        ]
    );
    assert_eq!(import.high_water, [(EPOCH.to_owned(), 7)]);
    let iteration = file.lines().find(|line| line.contains("\"iteration:P:0\"")).expect("the first step");
    let expected = concat!(
        r#"{"batch_ref": null, "context_id": "CTX", "end_ns": 140, "event_id": "iteration:P:0", "#,
        r#""event_type": "infer.iteration", "iteration_ref": {"id": "0", "producer_id": "P"}, "metadata": "#,
        r#"{"completed_wall_after_ns": 1041, "completed_wall_ns": 1040, "epoch": "engine-7-100", "#,
        r#""foreign_members": 1, "incomplete_reason": null, "members": 2, "preempted": 0, "run_members": 1, "#,
        r#""schedule_end_mono_ns": 125, "schedule_end_wall_after_ns": 1026, "schedule_end_wall_ns": 1025, "#,
        r#""scheduler_residence_ns": 20, "source_seq_max": 4, "start_wall_after_ns": 1021, "start_wall_ns": 1020, "#,
        r#""state": "complete", "total_tokens": 12, "unresolved_members": 0, "update_failed": false, "#,
        r#""withheld_members": 0, "zero_token": false}, "schema_version": 4, "start_ns": 120}"#
    );
    let id = json(iteration)["context_id"].as_str().expect("an id").to_owned();
    assert_eq!(iteration.replace(&id, "CTX"), expected);
    assert_eq!(consistency(file.as_bytes()), Ok(Vec::new()));
}

/// §14.
#[test]
fn capability_records_end_an_import() {
    let (file, _) = imported_in_full(&client(), &worked_log(), PLAIN).expect("accepted");
    let lines: Vec<Value> = file.lines().map(json).collect();
    let [definition, engine, trace] = &lines[lines.len() - 3..] else { panic!("three rows") };
    assert_eq!(definition["event_type"], "infer.context");
    let context = &definition["context"];
    for name in ["producer_id", "source"] {
        assert_eq!(context[name], "stormlog.infer.capture");
    }
    assert_eq!(context["clock_domain"], "h/b/unix_epoch_ns");
    assert_eq!((&context["host"], &context["pid"]), (&Value::Null, &Value::Null));
    let all = ["iterations", "memberships", "requests", "clock_alignment", "stages"];
    assert_eq!(engine["supported"], Value::from(all.to_vec()));
    assert_eq!(engine["enabled"], engine["supported"]);
    assert_eq!(engine["collected"], Value::from(all[..4].to_vec()));
    let execution = &engine["metadata"]["summary"]["execution"];
    assert_eq!(execution["directory"], "log");
    assert_eq!(execution["format"], "stormlog.vllm_hook/1");
    let records = r#"{"iterations":2,"memberships":4,"requests":2,"clock_alignment":1,"stages":0}"#;
    assert_eq!(execution["records"], json(records));
    assert_eq!(execution["high_water"][EPOCH], 10);
    assert_eq!(execution["epochs"][EPOCH]["foreign_ids"], "pseudonym");
    assert_eq!(execution["pseudonyms"], "hmac-sha256-keyed");
    assert_eq!(execution["notes"], json("[]"));
    assert_eq!((&trace["available"], &trace["supported"]), (&Value::from(false), &json("[]")));
    assert_eq!(trace["metadata"], json("{}"));
    let id = engine["event_id"].as_str().expect("an id").strip_prefix("engine_adapter:").expect("named");
    let parts: Vec<usize> = id.split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);

    let process = ImportingProcess { host: "me".into(), boot_id: None, pid: 5 };
    let options = stepscope_artifact::ImportOptions { process: Some(&process), ..options() };
    let content = client();
    let old = Artifact::read(content.as_bytes(), Rules::Reference).expect("an artifact");
    let plan = import(&old, &[epoch(EPOCH, &worked_log(), true, None)], &options).expect("accepted");
    let file = whole(&plan);
    let definition = json(file.lines().rev().nth(2).expect("a definition"));
    assert_eq!(definition["context"]["clock_domain"], "me/unix_epoch_ns");
    assert_eq!(definition["context"]["pid"], 5);
}

/// N1: again, unchanged, only the capability records come.
#[test]
fn importing_twice_adds_nothing() {
    let log = worked_log();
    let once = imported(&client(), &log, PLAIN).expect("accepted");
    let (twice, import) = imported_in_full(&once, &log, PLAIN).expect("accepted");
    assert!(twice.starts_with(&once));
    assert_eq!(twice[once.len()..].lines().count(), 2);
    assert_eq!(record_lines(&twice), record_lines(&once));
    assert_eq!(import.counts, stepscope_artifact::RecordCounts::default());
    assert_eq!(consistency(twice.as_bytes()), Ok(Vec::new()));
    let ids: Vec<String> = twice
        .lines()
        .filter_map(|line| json(line)["event_id"].as_str().map(str::to_owned))
        .filter(|id| id.starts_with("engine_adapter:"))
        .collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}

/// N3: without its capability record nothing is written twice, but every step counts as already imported.
#[test]
fn importing_again_without_the_mark() {
    let log = worked_log();
    let once = imported(&client(), &log, PLAIN).expect("accepted");
    let unmarked: String = once
        .lines()
        .filter(|line| !line.contains("infer.capabilities"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let (again, import) = imported_in_full(&unmarked, &log, PLAIN).expect("accepted");
    assert_eq!(record_lines(&again), record_lines(&once));
    let summary = json(&import.epochs.to_json());
    assert_eq!(summary[EPOCH]["iterations_already_imported"], 2);
    assert_eq!(summary[EPOCH]["finish_unattached"], 1);
}

/// N2, N4 and the rules of a growing log: cut anywhere, the parts add up to the whole.
#[test]
fn a_growing_log_adds_up() {
    let log = worked_log();
    let whole = imported(&client(), &log, PLAIN).expect("accepted");
    let ids = |file: &str| {
        let mut ids = event_ids(file);
        ids.sort();
        ids
    };
    for cut in 1..log.len() {
        let first = imported(&client(), &log[..cut], PLAIN).expect("accepted");
        let second = imported(&first, &log, PLAIN).expect("accepted");
        assert!(second.starts_with(&first), "{cut}");
        assert_eq!(ids(&second), ids(&whole), "{cut}");
        assert_eq!(consistency(second.as_bytes()), Ok(Vec::new()), "{cut}");
    }
}

/// Epochs may be read before the artifact is there, and reduced in any order.
#[test]
fn marks_put_on_later_and_epochs_side_by_side() {
    let log = worked_log();
    let first = imported(&client(), &log[..8], PLAIN).expect("accepted");
    let old = Artifact::read(first.as_bytes(), Rules::Reference).expect("an artifact");
    let mut epochs = [epoch(EPOCH, &log, true, None)];
    old.mark(&mut epochs);
    let backwards: ReduceSpread<'_> = &|count, one| {
        let mut reduced: Vec<_> = (0..count).rev().map(one).collect();
        reduced.reverse();
        reduced
    };
    let options = stepscope_artifact::ImportOptions { spread: Some(backwards), ..options() };
    let plan = import(&old, &epochs, &options).expect("accepted");
    assert_eq!(Ok(whole(&plan)), imported(&first, &log, PLAIN));
}

/// L1, §10 step 8: a last line without its end gets one; a file's own definitions are used.
#[test]
fn old_bytes_stay_as_they_are() {
    let log = worked_log();
    let bare = client().trim_end().to_owned();
    let file = imported(&bare, &log, PLAIN).expect("accepted");
    assert!(file.starts_with(&format!("{bare}\n{{\"context\": ")));
    let id =
        json(file.lines().nth(3).expect("a definition"))["context_id"].as_str().expect("an id").to_owned();
    let definition = file.lines().nth(3).expect("a definition").replace(&id, "mine");
    let content = client() + &definition + "\n";
    let file = imported(&content, &log, PLAIN).expect("accepted");
    assert_eq!(file.matches("\"infer.context\"").count(), 2);
    assert!(file.contains("\"context_id\": \"mine\", \"event_id\": \"alignment:"));
    // The chosen id is another context's: nothing can be written.
    let taken =
        file_of(&[&client(), &definition.replace("mine", &id).replace("\"pid\": 7", "\"pid\": 8"), "\n"]);
    assert!(matches!(imported(&taken, &log, PLAIN), Err(Refusal::ContextId(_))));
}

fn file_of(pieces: &[&str]) -> String {
    pieces.concat()
}

/// §10 step 4, and what the corrected rules add.
#[test]
fn schemes_of_foreign_ids() {
    let content = file(&[SESSION, IDENTITY, WINDOW]);
    let log = worked_log();
    let raw = How { raw: true, ..PLAIN };
    let withheld = How { key: false, ..PLAIN };
    let name = |how: How| {
        if how.raw {
            "raw"
        } else if how.key {
            "pseudonym"
        } else {
            "withheld"
        }
    };
    for first in [raw, PLAIN, withheld] {
        for second in [raw, PLAIN, withheld] {
            let artifact = imported(&content, &log[..5], first).expect("accepted");
            let result = imported(&artifact, &log, second);
            let names = (name(first), name(second));
            let refused = matches!(names, ("raw", "pseudonym") | ("pseudonym", "raw"));
            assert_eq!(matches!(result, Err(Refusal::Scheme { .. })), refused, "{names:?}");
            assert_eq!(result.is_ok(), !refused, "{names:?}");
        }
    }
    // raw, withheld, pseudonym slips through where only the last scheme counts.
    let artifact = imported(&content, &log[..5], raw).expect("accepted");
    let artifact = imported(&artifact, &log[..8], withheld).expect("accepted");
    assert!(imported(&artifact, &log, PLAIN).is_ok());
    let refused = imported(&artifact, &log, How { rules: Rules::Corrected, ..PLAIN });
    let text = refused.expect_err("refused").to_string();
    assert!(text.contains(EPOCH) && text.contains("raw") && text.contains("pseudonym"), "{text}");
}

/// §10 step 6, §12.
#[test]
fn rows_of_another_run_are_refused() {
    let log = worked_log();
    let with = |row: &str| imported(&(client() + row + "\n"), &log, PLAIN);
    let refused = with(r#"{"event_type":"infer.foo","session_id":"sess2"}"#).expect_err("another session");
    assert_eq!(refused, Refusal::OtherSession { line: 3, session: "sess2".into() });
    assert_eq!(refused.exit_code(), 5);
    assert!(with(r#"{"event_type":"infer.foo","session_id":null}"#).is_ok());
    assert!(with(r#"{"event_type":"infer.foo"}"#).is_ok());
    let other_run = ITERATION.replace("\"run1\"", "\"run2\"");
    assert_eq!(with(&other_run), Err(Refusal::OtherRun { line: 3, run: "run2".into() }));
    let other_session = ITERATION.replace("\"sess1\"", "\"sess2\"");
    assert_eq!(with(&other_session), Err(Refusal::OtherSession { line: 3, session: "sess2".into() }));
    assert!(matches!(with("{"), Err(Refusal::Line(_))));
    assert!(matches!(imported(&file(&[SESSION]), &log, PLAIN), Err(Refusal::NoIdentity)));
    let content = client();
    let old = Artifact::read(content.as_bytes(), Rules::Reference).expect("an artifact");
    assert_eq!(import(&old, &[], &options()).expect_err("nothing to import"), Refusal::NoEpoch);
}

/// §6 G2, G3, and the conflicts of §12.
#[test]
fn records_that_contradict_each_other_are_refused() {
    let log = worked_log();
    // The artifact holds the same event with other content, under the identity the import gives it.
    let conflicting = ITERATION.replace("iteration:P:0", "alignment:engine-7-100");
    let refused =
        imported(&(client() + &conflicting + "\n"), &log, PLAIN).expect_err("one event, two contents");
    assert!(
        refused.to_string().starts_with("conflicting event identity: alignment:engine-7-100"),
        "{refused}"
    );

    // A membership of another source, under another event id.
    let alien = format!(
        concat!(
            r#"{{"schema_version":2,"event_type":"infer.membership","event_id":"other","context":{},"role":"prefill","#,
            r#""request_ref":{{"producer_id":"stormlog","id":"r1"}},"iteration_ref":{{"producer_id":"P","id":"0"}},"#,
            r#""attempt_ref":{{"producer_id":"P","id":"chatcmpl-x1-0a1b2c3d"}}}}"#
        ),
        CONTEXT
    );
    let refused = imported(&(client() + &alien + "\n"), &log, PLAIN).expect_err("one entity, two contents");
    assert!(
        refused.to_string().starts_with("conflicting entity identity: other and membership:P:0:"),
        "{refused}"
    );

    // Two rows of the old file contradict each other, whatever is imported.
    let twice = file(&[&client(), ITERATION, &ITERATION.replace("\"end_ns\":140", "\"end_ns\":141")]);
    assert!(matches!(imported(&twice, &log, PLAIN), Err(Refusal::ConflictingEvents { .. })));
    // Equal ones count once, by value.
    let equal = ITERATION.replace("\"complete\"}", "\"complete\",\"x\":1.0}");
    let twice = file(&[&client(), &equal, &equal.replace("1.0", "1"), &equal.replace("1.0", "true")]);
    assert!(imported(&twice, &log, PLAIN).is_ok());

    // A member listed twice in one step with other values; with the same ones it is written twice.
    let listed = |second: &str| {
        let mut log = worked_log();
        let member = r#"{"internal":"cmpl-zz-0-deadbeef","sighting":"first","phase":"context","scheduled":4,"computed_before":0,"prompt_tokens":4,"drafts_scheduled":0}"#;
        assert!(log[3].contains(member));
        log[3] = log[3].replace(member, &format!("{member},{}", member.replace("\"scheduled\":4", second)));
        imported(&client(), &log, PLAIN)
    };
    assert!(matches!(listed("\"scheduled\":5"), Err(Refusal::ConflictingEvents { .. })));
    let doubled = listed("\"scheduled\":4").expect("accepted");
    assert_eq!(doubled.matches("\"membership:P:0:6c025ba40599d53e:prefill\"").count(), 2);

    // Two epochs of one producer.
    let content = client();
    let old = Artifact::read(content.as_bytes(), Rules::Reference).expect("an artifact");
    let epochs = [epoch(EPOCH, &log, true, None), epoch("engine-7-200", &log, true, None)];
    let refused = import(&old, &epochs, &options()).expect_err("one producer");
    assert!(
        matches!(refused, Refusal::ConflictingEvents { .. } | Refusal::ConflictingEntities { .. }),
        "{refused}"
    );
}

/// A refusal writes nothing; an accepted import names its files in the order they are to be replaced.
#[test]
fn files_to_replace() {
    let content = client();
    let old = Artifact::read(content.as_bytes(), Rules::Reference).expect("an artifact");
    let epochs = [epoch(EPOCH, &worked_log(), true, None)];
    let entry = EnvelopeEntry { artifact_name: "run.jsonl", artifact_path: "run.jsonl" };
    let options = stepscope_artifact::ImportOptions { envelope: Some((entry, None)), ..options() };
    let plan = import(&old, &epochs, &options).expect("accepted");
    let files = plan.files();
    assert_eq!(
        files.iter().map(|(target, _)| *target).collect::<Vec<_>>(),
        [Target::Envelope, Target::Artifact]
    );
    assert!(files[1].1.concat().starts_with(content.as_bytes()));
    assert_eq!(files[1].1.concat().len(), content.len() + plan.imported.appended as usize);
    let again = stepscope_artifact::ImportOptions { envelope: Some((entry, Some(b"{}"))), ..options };
    let mut written = 0;
    let refused = import_to(&old, &epochs, &again, &mut |piece| written += piece.len());
    assert!(matches!(refused, Err(Refusal::Envelope(_))));
    assert_eq!(written, 0);
}

/// §14, the last paragraph.
#[test]
fn a_failure_may_be_recorded_instead() {
    let content = client();
    let old = Artifact::read(content.as_bytes(), Rules::Reference).expect("an artifact");
    let plan = append_failure(&old, "the folder is gone", &options()).expect("accepted");
    let file = whole(&plan);
    let engine = json(file.lines().find(|line| line.contains("\"engine_adapter\"")).expect("a record"));
    assert_eq!(engine["collected"], json("[]"));
    let execution = &engine["metadata"]["summary"]["execution"];
    assert_eq!(*execution, json(r#"{"directory":"log","failed":"the folder is gone"}"#));
    let after = imported(&file, &worked_log(), PLAIN).expect("a later import goes on");
    assert!(after.contains("\"iteration:P:0\""));
}

/// §17: what an import takes.
#[test]
fn smallest_artifacts() {
    let log = worked_log();
    let takes = |lines: &[&str]| imported(&file(lines), &log, PLAIN).is_ok();
    assert!(!takes(&[SESSION]));
    assert!(takes(&[IDENTITY]));
    assert!(takes(&[SESSION, IDENTITY]));
    assert!(!takes(&[SESSION, ITERATION]));
    let other = ITERATION.replace("\"source\":\"stormlog.infer.import_execution\"", "\"source\":\"other\"");
    assert!(takes(&[
        SESSION,
        IDENTITY,
        &other.replace("P:0", "P:9").replace("\"id\":\"0\"", "\"id\":\"9\"")
    ]));
    // A step that is there is recognised, whoever wrote it.
    let held = imported(&file(&[SESSION, IDENTITY, DISPATCH, &other]), &log, PLAIN).expect("accepted");
    assert_eq!(held.matches("\"iteration:P:0\"").count(), 1);
    // The smallest capability record that carries a mark.
    let mark = format!(
        r#"{{"schema_version":2,"event_type":"infer.capabilities","event_id":"c","context":{CONTEXT},"component":"engine_adapter","available":true,"metadata":{{"summary":{{"execution":{{"high_water":{{"{EPOCH}":7}}}}}}}}}}"#
    );
    let marked =
        imported(&file(&[SESSION, IDENTITY, DISPATCH, WINDOW, &mark]), &log, PLAIN).expect("accepted");
    let kept: Vec<String> =
        event_ids(&marked).into_iter().filter(|id| id.starts_with("iteration:")).collect();
    assert_eq!(kept, ["iteration:P:2"]);
}

/// Everything an import writes is read strictly, in the writer's own form.
#[test]
fn what_is_written_is_read() {
    let mut log = worked_log();
    // Odd values of every kind in fields that are copied as they are.
    log[3] =
        log[3].replace("\"total_tokens\":12", "\"total_tokens\":[NaN,{\"b\":1.50,\"a\":\"\\ud800é\"},-0]");
    let file = imported(&client(), &log, PLAIN).expect("accepted");
    assert!(file.is_ascii());
    assert!(file.contains(r#""total_tokens": [NaN, {"a": "\ud800\u00e9", "b": 1.5}, 0]"#));
    let mut records = 0;
    read_strict(file.as_bytes(), |placed| records += usize::from(matches!(placed.row, Row::Record(_))))
        .expect("strictly readable");
    assert_eq!(records, 1 + 1 + 2 + 4 + 2 + 2);
}
