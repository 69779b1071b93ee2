//! `judge FOLDER`: what this crate says of every file in a folder, by name, one JSON object a line. The comparison
//! with the reference in `tests/reference` runs it.

use std::io::Write;

use serde_json::{Value, json};
use stepscope_artifact::read::{read_strict, read_tolerant};
use stepscope_artifact::row::Row;
use stepscope_artifact::{Artifact, Identities, Refusal};
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

fn consistency(bytes: &[u8]) -> Result<(), Refusal> {
    let mut identities = Identities::default();
    read_strict(bytes, |placed| {
        if let Row::Record(row) = placed.row {
            identities.add_row(placed.contexts.get(row.context), row);
        }
    })?;
    let Some(mut agreement) = identities.doubtful() else { return Ok(()) };
    let mut first = Ok(());
    read_strict(bytes, |placed| {
        if let (Row::Record(row), Ok(())) = (placed.row, &first) {
            first = agreement.row(placed.contexts, row);
        }
    })?;
    first
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
    json!({
        "rows": strict.as_ref().ok().map(|_| rows),
        "refused": strict.err().map(|problem| problem.to_string()),
        "problems": problems.iter().map(|problem| problem.line).collect::<Vec<_>>(),
        "consistent": consistency(bytes).map_err(|refusal| refusal.to_string()).err(),
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
