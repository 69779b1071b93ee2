//! `judge FOLDER`: what this crate says of every file in a folder, by name, one JSON object a line. The comparison
//! with the reference in `tests/artifact` runs it.

use std::io::Write;

use serde_json::{Value, json};
use stepscope_artifact::codec::{Encoder, decode};
use stepscope_artifact::read::{read_strict, read_tolerant};
use stepscope_artifact::report::execution_report;
use stepscope_artifact::row::Row;
use stepscope_artifact::{Artifact, consistency};
use stepscope_reduce::{RefBuf, Rules};

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

fn sorted(values: impl Iterator<Item = Value>) -> Value {
    let mut values: Vec<Value> = values.collect();
    values.sort_by_key(Value::to_string);
    Value::Array(values)
}

fn reference(reference: &RefBuf) -> Value {
    json!([shown(&reference.producer_id), shown(&reference.id)])
}

fn agreement(bytes: &[u8]) -> Value {
    match consistency(bytes) {
        Err(refusal) => refusal.to_string().into(),
        Ok(unresolved) => unresolved
            .iter()
            .map(|unresolved| {
                let kind = format!("{:?}", unresolved.kind).to_lowercase();
                json!([shown(&unresolved.event_id), kind, reference(&unresolved.reference)])
            })
            .collect(),
    }
}

/// Null where an analysis is refused.
fn report(bytes: &[u8]) -> Value {
    let report = execution_report(bytes).map(|report| report.to_value().to_json());
    // What JSON has no word for stands as null on both sides.
    report.ok().map_or(Value::Null, |report| {
        serde_json::from_str(&report.replace("NaN", "null").replace("Infinity", "null")).unwrap_or_default()
    })
}

/// Every row embedded, and every row encoded anew.
fn transported(bytes: &[u8]) -> (Vec<String>, Value) {
    let mut embedded = Vec::new();
    let mut encoder = Encoder::default();
    let mut encoded = Vec::new();
    let mut failed = None;
    let _ = read_strict(bytes, |placed| {
        let mut text = Vec::new();
        match placed.row {
            Row::Definition(_) => return,
            Row::Client(_) => text.extend_from_slice(placed.text),
            Row::Record(row) => decode(row, placed.contexts, &mut text),
        }
        if let Err(error) = encoder.encode(&text, &mut encoded) {
            failed.get_or_insert(error.to_string());
        }
        embedded.push(shown(&text));
    });
    (embedded, failed.map_or_else(|| shown(&encoded).lines().collect(), Value::from))
}

fn facts(artifact: &Artifact<'_>, server_stopped: bool) -> Value {
    let facts = artifact.facts(server_stopped);
    let text = |text: &Option<Vec<u8>>| text.as_ref().map(|text| shown(text));
    json!({
        "run_id": shown(&facts.run_id),
        "session_id": shown(&facts.session_id),
        "client_clock_domain": text(&facts.client_clock_domain),
        "requests": sorted(facts.requests.iter().map(|(key, r)| json!([
            shown(key), shown(&r.request_id), shown(&r.x_request_id), text(&r.case_id), text(&r.phase)
        ]))),
        "windows": facts.windows.iter().map(|w| json!([w.start_ns, w.end_ns])).collect::<Vec<_>>(),
        "referenced": sorted(facts.referenced_iterations.iter().map(reference)),
        "iterations": sorted(facts.existing_iterations.iter().map(reference)),
        "attempts": sorted(facts.existing_attempts.keys().map(reference)),
        "alignments": sorted(facts.existing_alignments.iter().map(|id| shown(id).into())),
        "stages": sorted(facts.existing_stages.iter().map(|id| shown(id).into())),
        "admissions": sorted(facts.existing_admissions.iter().map(|((epoch, seq), attempt)| {
            json!([shown(epoch), seq, reference(attempt)])
        })),
        "marks": sorted(artifact.marks.iter().map(|(epoch, mark)| json!([shown(epoch), mark]))),
        "schemes": sorted(artifact.recorded_schemes().map(|(epoch, scheme)| {
            json!([shown(epoch), shown(scheme)])
        })),
    })
}

fn judge(bytes: &[u8]) -> Value {
    let mut rows = 0;
    let strict = read_strict(bytes, |placed| rows += usize::from(!matches!(placed.row, Row::Definition(_))));
    let (_, problems) = read_tolerant(bytes, |_| {});
    let artifact = Artifact::read(bytes, Rules::Reference);
    let (embedded, encoded) = transported(bytes);
    json!({
        "rows": strict.as_ref().ok().map(|_| rows),
        "refused": strict.err().map(|problem| problem.to_string()),
        "problems": problems.iter().map(|problem| problem.line).collect::<Vec<_>>(),
        "agreement": agreement(bytes),
        "report": report(bytes),
        "embedded": embedded,
        "encoded": encoded,
        "facts": artifact.as_ref().ok().map(|artifact| [facts(artifact, false), facts(artifact, true)]),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("judge FOLDER")?;
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let mut out = std::io::stdout().lock();
    for path in paths {
        let mut answer = judge(&std::fs::read(&path)?);
        answer["file"] = path.file_name().map(|name| name.to_string_lossy().into_owned()).into();
        writeln!(out, "{answer}")?;
    }
    Ok(())
}
