//! Rows and logs the tests share.
#![allow(dead_code, unreachable_pub, reason = "every test program uses its own part")]

use std::fmt::Write;

use stepscope_artifact::{Artifact, ImportOptions, Imported, Plan, Refusal, import};
use stepscope_epoch_log::{Epoch, EpochParts, ReadOptions, SegmentParser, SideFile, assemble};
use stepscope_reduce::{Options, Rules};

/// A context with every required field.
pub const CONTEXT: &str = r#"{"run_id":"run1","session_id":"sess1","producer_id":"P","source":"stormlog.infer.import_execution","clock_domain":"h/b/monotonic_ns","clock_kind":"monotonic","collection_mode":"imported","provenance":"observed"}"#;

/// `artifact.md` §17, S.
pub const SESSION: &str = r#"{"schema_version":1,"event_type":"infer.session","session_id":"sess1","timestamp_ns":1,"status":"completed"}"#;

/// `artifact.md` §17, I.
pub const IDENTITY: &str = r#"{"schema_version":2,"event_type":"infer.artifact","event_id":"artifact","artifact_kind":"inference_jsonl","created_at_ns":1,"context":{"run_id":"run1","session_id":"sess1","producer_id":"viewer","source":"viewer","clock_domain":"h/b/unix_epoch_ns","clock_kind":"wall","collection_mode":"active","provenance":"observed"}}"#;

/// `artifact.md` §5, the example.
pub const ITERATION: &str = r#"{"schema_version":2,"event_type":"infer.iteration","event_id":"iteration:P:0","context":{"run_id":"run1","session_id":"sess1","producer_id":"P","source":"stormlog.infer.import_execution","clock_domain":"h/b/monotonic_ns","clock_kind":"monotonic","collection_mode":"imported","provenance":"observed"},"iteration_ref":{"producer_id":"P","id":"0"},"start_ns":120,"end_ns":140,"metadata":{"state":"complete"}}"#;

/// Lines, each with its end.
pub fn file(lines: &[&str]) -> String {
    lines.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    })
}

/// A client row that binds `x1` to `r1`.
pub const DISPATCH: &str = r#"{"event_type":"infer.dispatch","session_id":"sess1","x_request_id":"x1","request_id":"r1","case_id":"c1","phase":"measured"}"#;

/// A window over everything.
pub const WINDOW: &str = r#"{"event_type":"infer.incident_window","session_id":"sess1","window":"post","start_ns":0,"end_ns":9223372036854775807}"#;

/// The log of `reduce.md` §16, with wall stamps that are the monotonic ones + 900.
pub fn worked_log() -> Vec<String> {
    let stamp =
        |mono: i64| format!(r#""wall_ns":{},"mono_ns":{mono},"wall_after_ns":{}"#, mono + 900, mono + 901);
    let step = |name: u32, mono: i64, members: &str| {
        let end = mono + 5;
        format!(
            r#""kind":"scheduled","iteration":"{name}","start_wall_ns":{},"start_mono_ns":{mono},"start_wall_after_ns":{},"end_wall_ns":{},"end_mono_ns":{end},"end_wall_after_ns":{},"total_tokens":12,"zero_token":false,"preempted":[],"members":[{members}]"#,
            mono + 900,
            mono + 901,
            end + 900,
            end + 901,
        )
    };
    let done = |name: u32, mono: i64, members: &str| {
        format!(r#""kind":"completed","iteration":"{name}",{},"members":[{members}]"#, stamp(mono))
    };
    let member = |id: &str, sighting: &str, phase: &str, scheduled: u32, drafts: u32| {
        format!(
            r#"{{"internal":"{id}","sighting":"{sighting}","phase":"{phase}","scheduled":{scheduled},"computed_before":0,"prompt_tokens":{scheduled},"drafts_scheduled":{drafts}}}"#
        )
    };
    let kept = |id: &str, reason: &str| {
        format!(r#"{{"internal":"{id}","outcome":"kept","retained":1,"finish_reason":{reason}}}"#)
    };
    let (a, f) = ("chatcmpl-x1-0a1b2c3d", "cmpl-zz-0-deadbeef");
    let records = [
        r#""kind":"hello","producer":"P","host":"h","boot_id":"b","clock":{"wall_ns":1000,"mono_ns":100,"wall_after_ns":1003},"config":{"request_id_randomization":true}"#.to_owned(),
        format!(r#""kind":"alias","internal":"{a}","external":"chatcmpl-x1",{}"#, stamp(110)),
        format!(r#""kind":"enqueued","internal":"{a}",{}"#, stamp(111)),
        step(0, 120, &[member(a, "first", "context", 8, 0), member(f, "first", "context", 4, 0)].join(",")),
        done(0, 140, &[kept(a, "null"), kept(f, "null")].join(",")),
        step(1, 150, &[member(a, "repeat", "generation", 1, 0), member(f, "repeat", "generation", 4, 3)].join(",")),
        format!(r#""kind":"terminal","internal":"{a}","status":"FINISHED_STOPPED","finish_reason":"stop","output_tokens":2,{}"#, stamp(160)),
        done(1, 170, &[kept(a, "\"stop\""), kept(f, "null")].join(",")),
        step(2, 180, &member(f, "repeat", "generation", 1, 0)),
        format!(r#""kind":"heartbeat",{},"last_seq":8,"dropped":{{}},"errors":0"#, stamp(190)),
        done(2, 195, &kept(f, "null")),
    ];
    let line = |(seq, record): (usize, &String)| {
        format!(r#"{{"format":"stormlog.vllm_hook/1","epoch":"{EPOCH}","seq":{seq},{record}}}"#)
    };
    records.iter().enumerate().map(line).collect()
}

/// Name of the worked log's epoch.
pub const EPOCH: &str = "engine-7-100";

/// Reads the first lines of an epoch.
pub fn epoch(name: &str, lines: &[String], key: bool, mark: Option<i64>) -> Epoch {
    let mut parser = SegmentParser::new("000000.jsonl", name);
    let text = lines.iter().fold(String::new(), |text, line| text + &line.replace(EPOCH, name) + "\n");
    parser.push(text.as_bytes());
    let parts = EpochParts {
        host_boot: "h-b".to_owned(),
        epoch: name.to_owned(),
        blocks: vec![parser.finish().into()],
        key: if key { SideFile::Bytes(vec![0x6b; 32]) } else { SideFile::Missing },
        ..EpochParts::default()
    };
    assemble(parts, &ReadOptions { mark, ..ReadOptions::default() })
}

/// Options of a plain import.
pub fn options() -> ImportOptions<'static> {
    ImportOptions {
        reduce: Options { source_version: b"1".to_vec(), ..Options::default() },
        directory: "log",
        ..ImportOptions::default()
    }
}

/// How a log is read and imported.
#[derive(Clone, Copy)]
pub struct How {
    pub key: bool,
    pub raw: bool,
    pub rules: Rules,
}

pub const PLAIN: How = How { key: true, raw: false, rules: Rules::Reference };

/// Imports the first lines of one epoch into an artifact; the whole new file.
pub fn imported(artifact: &str, lines: &[String], how: How) -> Result<String, Refusal> {
    imported_in_full(artifact, lines, how).map(|(file, _)| file)
}

/// As [`imported`], with what the import came to.
pub fn imported_in_full(artifact: &str, lines: &[String], how: How) -> Result<(String, Imported), Refusal> {
    let mut options = options();
    options.reduce.raw_foreign_ids = how.raw;
    options.reduce.rules = how.rules;
    let old = Artifact::read(artifact.as_bytes(), how.rules)?;
    let mark = old.marks.get(EPOCH.as_bytes()).copied();
    let plan = import(&old, &[epoch(EPOCH, lines, how.key, mark)], &options)?;
    Ok((whole(&plan), plan.imported))
}

/// The new artifact of a plan.
pub fn whole(plan: &Plan<'_>) -> String {
    String::from_utf8([plan.old, &plan.appended].concat()).expect("ASCII")
}

/// Rows of a file that are no definitions and no capability records, without what differs by writer.
pub fn record_lines(file: &str) -> Vec<&str> {
    file.lines()
        .filter(|line| !line.contains("\"infer.context\"") && !line.contains("\"infer.capabilities\""))
        .collect()
}
