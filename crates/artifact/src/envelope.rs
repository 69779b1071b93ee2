//! The run envelope: which sessions and files belong to a run (`artifact.md` §13).

use stepscope_epoch_log::json::{Scalar, Value};

use crate::object::{Object, Whole, items, scalar, value};
use crate::refusal::Refusal;
use crate::schema::{self, FieldRule, Shape, check_exactly, defaulted, nullable, required};
use crate::write::json;

/// Name of the envelope's file, beside the artifact unless said otherwise.
pub const ENVELOPE_NAME: &str = "stormlog_run.json";

const ENVELOPE: &[FieldRule] = &[
    required("schema_version", Shape::Int),
    required("format", Shape::OneOf(&["stormlog.run_envelope"])),
    required("run_id", Shape::Text),
    defaulted("sessions", Shape::Array),
    defaulted("attachments", Shape::Array),
    required("metadata", Shape::Object),
    nullable("title", Shape::Text),
    nullable("description", Shape::Words),
    nullable("job_id", Shape::Text),
    nullable("started_at_ns", Shape::Count),
    nullable("ended_at_ns", Shape::Count),
    nullable("created_at_utc", Shape::Words),
    nullable("updated_at_utc", Shape::Words),
    nullable("source_namespace", Shape::Text),
    nullable("source_ref", Shape::Text),
    defaulted("tags", Shape::Texts),
];

const SESSION: &[FieldRule] = &[
    required("session_id", Shape::Text),
    nullable("job_id", Shape::Text),
    nullable("rank", Shape::Count),
    nullable("local_rank", Shape::Count),
    nullable("world_size", Shape::Size),
    nullable("role", Shape::Text),
    nullable("source_namespace", Shape::Text),
    nullable("source_ref", Shape::Text),
    required("metadata", Shape::Object),
];

const ATTACHMENT: &[FieldRule] = &[
    required("title", Shape::Text),
    required("kind", Shape::Text),
    required("storage", Shape::OneOf(&["reference", "copy"])),
    required("metadata", Shape::Object),
    nullable("attachment_id", Shape::Text),
    defaulted("url", Shape::Text),
    defaulted("path", Shape::Text),
    nullable("run_id", Shape::Text),
    nullable("session_id", Shape::Text),
    nullable("job_id", Shape::Text),
    nullable("rank", Shape::Count),
    nullable("local_rank", Shape::Count),
    nullable("world_size", Shape::Size),
    nullable("start_ns", Shape::Count),
    nullable("end_ns", Shape::Count),
    nullable("created_at_utc", Shape::Words),
    nullable("updated_at_utc", Shape::Words),
    nullable("source_namespace", Shape::Text),
    nullable("source_ref", Shape::Text),
];

/// What an import wants to stand in the envelope.
#[derive(Clone, Copy, Debug)]
pub struct EnvelopeEntry<'a> {
    /// The artifact's file name.
    pub artifact_name: &'a str,
    /// The artifact's path, relative to the envelope's folder.
    pub artifact_path: &'a str,
}

fn object(fields: Vec<(&str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)).collect())
}

fn session_row(session_id: &[u8]) -> Value {
    object(vec![
        ("session_id", Value::String(session_id.to_vec())),
        ("job_id", Value::Null),
        ("rank", 0.into()),
        ("local_rank", 0.into()),
        ("world_size", 1.into()),
        ("role", "inference_capture".into()),
        ("metadata", object(vec![])),
    ])
}

fn attachment_row(id: &[u8], session_id: &[u8], entry: &EnvelopeEntry<'_>) -> Value {
    object(vec![
        ("attachment_id", Value::String(id.to_vec())),
        ("title", "Inference JSONL".into()),
        ("kind", "inference_jsonl".into()),
        ("storage", "reference".into()),
        ("path", entry.artifact_path.into()),
        ("session_id", Value::String(session_id.to_vec())),
        ("metadata", object(vec![("format", "jsonl".into())])),
    ])
}

/// The whole new envelope of a run that lists a session and its artifact; `old` is the envelope as it is, if there
/// is one.
///
/// # Errors
/// [`Refusal::Envelope`]: the old one is invalid, of another run, or names the same attachment differently.
pub fn envelope(
    old: Option<&[u8]>,
    run_id: &[u8],
    session_id: &[u8],
    entry: &EnvelopeEntry<'_>,
) -> Result<Vec<u8>, Refusal> {
    let (mut fields, mut sessions, mut attachments) = match old {
        Some(old) => open(old, run_id)?,
        None => {
            let fresh = vec![
                ("schema_version", 1.into()),
                ("format", "stormlog.run_envelope".into()),
                ("run_id", Value::String(run_id.to_vec())),
                ("metadata", object(vec![])),
            ];
            let Value::Object(fields) = object(fresh) else { return Ok(Vec::new()) };
            (fields, Vec::new(), Vec::new())
        }
    };
    let names = |row: &Value, field: &str, name: &[u8]| matches!(row.get(field), Some(Value::String(text)) if text == name);
    if !sessions.iter().any(|row| names(row, "session_id", session_id)) {
        sessions.push(session_row(session_id));
    }
    let id = [b"infer-jsonl:", session_id, b":", entry.artifact_name.as_bytes()].concat();
    let wanted = attachment_row(&id, session_id, entry);
    match attachments.iter().find(|row| names(row, "attachment_id", &id)) {
        Some(known) if known.canonical() != wanted.canonical() => {
            let id = String::from_utf8_lossy(&id);
            return Err(Refusal::Envelope(format!("lists the attachment {id} with other content")));
        }
        Some(_) => {}
        None => attachments.push(wanted),
    }
    fields.retain(|(name, _)| name != b"sessions" && name != b"attachments");
    fields.push((b"sessions".to_vec(), Value::Array(sessions)));
    fields.push((b"attachments".to_vec(), Value::Array(attachments)));
    let mut out = Vec::new();
    json::indented(&Value::Object(fields), 0, &mut out);
    out.push(b'\n');
    Ok(out)
}

type Parts = (Vec<(Vec<u8>, Value)>, Vec<Value>, Vec<Value>);

/// Takes a valid envelope of this run apart: its fields, sessions and attachments.
fn open(old: &[u8], run_id: &[u8]) -> Result<Parts, Refusal> {
    let invalid = |why: String| Refusal::Envelope(format!("is invalid: {why}"));
    if std::str::from_utf8(old).is_err() {
        return Err(invalid("it is not UTF-8".to_owned()));
    }
    let parsed = Object::parse(old).map_err(|fault| invalid(fault.to_string()))?;
    let envelope = parsed.ok_or_else(|| invalid("it is no JSON object".to_owned()))?;
    check_exactly(ENVELOPE, &envelope).map_err(|what| invalid(what.to_string()))?;
    if envelope.get("schema_version").map(scalar) != Some(Scalar::Int(1)) {
        return Err(invalid("schema_version is not 1".to_owned()));
    }
    check_span(&envelope, "started_at_ns", "ended_at_ns").map_err(&invalid)?;
    for row in rows(&envelope, "sessions") {
        let row = row.ok_or_else(|| invalid("a session is no object".to_owned()))?;
        check_exactly(SESSION, &row).map_err(|what| invalid(format!("a session's {what}")))?;
    }
    for row in rows(&envelope, "attachments") {
        let row = row.ok_or_else(|| invalid("an attachment is no object".to_owned()))?;
        check_exactly(ATTACHMENT, &row).map_err(|what| invalid(format!("an attachment's {what}")))?;
        check_span(&row, "start_ns", "end_ns").map_err(&invalid)?;
        if row.get("path").is_none() && row.get("url").is_none() {
            return Err(invalid("an attachment has neither path nor url".to_owned()));
        }
    }
    if envelope.text("run_id").as_deref() != Some(run_id) {
        return Err(Refusal::Envelope("is that of another run".to_owned()));
    }
    let list = |name| match envelope.get(name).map(value) {
        Some(Value::Array(rows)) => rows,
        _ => Vec::new(),
    };
    let (sessions, attachments) = (list("sessions"), list("attachments"));
    match envelope.to_value() {
        Value::Object(fields) => Ok((fields, sessions, attachments)),
        _ => Err(invalid("it is no JSON object".to_owned())),
    }
}

fn rows<'a>(envelope: &Object<'a>, name: &str) -> Vec<Option<Object<'a>>> {
    let rows = envelope.get(name).and_then(items).unwrap_or_default();
    rows.into_iter().map(|row| Object::parse(row).ok().flatten()).collect()
}

fn check_span(row: &Object<'_>, start: &str, end: &str) -> Result<(), String> {
    let time = |name| schema::present(row, name).and_then(Whole::of);
    match (time(start), time(end)) {
        (Some(from), Some(to)) if to < from => Err(format!("{end} is before {start}")),
        _ => Ok(()),
    }
}
