//! The two capability records an import always appends (`artifact.md` §14).

use sha2::{Digest, Sha256};
use stepscope_epoch_log::FORMAT;
use stepscope_epoch_log::json::Value;
use stepscope_reduce::Record;

use crate::context::Context;
use crate::write::json::{self, Form};

/// What an execution import can write, in the order it is listed.
pub(crate) const KINDS: [&str; 5] = ["iterations", "memberships", "requests", "clock_alignment", "stages"];

/// How many records of each kind were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordCounts {
    /// Steps.
    pub iterations: u64,
    /// Members of steps.
    pub memberships: u64,
    /// Stays of requests in the engine.
    pub requests: u64,
    /// Clock alignments.
    pub clock_alignment: u64,
    /// Stages.
    pub stages: u64,
}

impl RecordCounts {
    pub(crate) fn count(&mut self, record: &Record<'_>) {
        match record {
            Record::Iteration(_) => self.iterations += 1,
            Record::Membership(_) => self.memberships += 1,
            Record::Request(_) => self.requests += 1,
            Record::ClockAlignment(_) => self.clock_alignment += 1,
            Record::Stage(_) => self.stages += 1,
        }
    }

    fn in_order(&self) -> [u64; 5] {
        [self.iterations, self.memberships, self.requests, self.clock_alignment, self.stages]
    }

    /// The names of those of which there is at least one.
    fn collected(&self) -> Value {
        KINDS.into_iter().zip(self.in_order()).filter(|(_, count)| *count > 0).map(|(name, _)| name).collect()
    }

    fn to_value(self) -> Value {
        object(KINDS.into_iter().zip(self.in_order()).map(|(name, count)| (name, (count as i64).into())))
    }
}

/// Who imports, as the capability records name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportingProcess {
    /// Its machine's hostname.
    pub host: String,
    /// That machine's boot identifier.
    pub boot_id: Option<String>,
    /// Its process ID.
    pub pid: u32,
}

impl ImportingProcess {
    /// The domain of its wall clock (§7).
    fn wall_domain(&self) -> String {
        match &self.boot_id {
            Some(boot) => format!("{}/{boot}/unix_epoch_ns", self.host),
            None => format!("{}/unix_epoch_ns", self.host),
        }
    }
}

pub(crate) fn object<'n>(fields: impl IntoIterator<Item = (&'n str, Value)>) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.as_bytes().to_vec(), value)).collect())
}

/// What the context of both records is made of.
pub(crate) struct CapabilityContext<'a> {
    pub(crate) run_id: &'a [u8],
    pub(crate) session_id: &'a [u8],
    pub(crate) source_version: &'a [u8],
    /// Nobody, where the same records must come out on every machine.
    pub(crate) process: Option<&'a ImportingProcess>,
    /// The wall clock to name when there is no process.
    pub(crate) clock_domain: &'a [u8],
}

impl CapabilityContext<'_> {
    pub(crate) fn context(&self) -> Context {
        let text = |text: &[u8]| if text.is_empty() { Value::Null } else { Value::String(text.to_vec()) };
        let clock_domain = match self.process {
            Some(process) => text(process.wall_domain().as_bytes()),
            None => text(self.clock_domain),
        };
        Context::of_value(&object([
            ("run_id", text(self.run_id)),
            ("session_id", text(self.session_id)),
            ("producer_id", "stormlog.infer.capture".into()),
            ("source", "stormlog.infer.capture".into()),
            ("source_version", text(self.source_version)),
            ("host", self.process.map_or(Value::Null, |process| text(process.host.as_bytes()))),
            ("pid", self.process.map(|process| i64::from(process.pid)).into()),
            ("rank", 0.into()),
            ("local_rank", 0.into()),
            ("world_size", 1.into()),
            ("clock_domain", clock_domain),
            ("clock_kind", "wall".into()),
            ("collection_mode", "active".into()),
            ("provenance", "observed".into()),
        ]))
    }
}

/// What the engine record tells of an import: `metadata.summary.execution`.
pub(crate) struct Execution<'a> {
    pub(crate) directory: &'a str,
    pub(crate) counts: RecordCounts,
    pub(crate) high_water: &'a [(String, i64)],
    pub(crate) epochs: Value,
    pub(crate) pseudonyms: &'a str,
    pub(crate) notes: &'a [String],
}

impl Execution<'_> {
    pub(crate) fn to_value(&self) -> Value {
        object([
            ("directory", self.directory.into()),
            ("format", FORMAT.into()),
            ("records", self.counts.to_value()),
            ("high_water", object(self.high_water.iter().map(|(epoch, mark)| (&epoch[..], (*mark).into())))),
            ("epochs", self.epochs.clone()),
            ("pseudonyms", self.pseudonyms.into()),
            ("notes", self.notes.iter().map(String::as_str).collect()),
        ])
    }
}

/// What a failed import may leave in place of [`Execution`].
pub(crate) fn failed(directory: &str, message: &str) -> Value {
    object([("directory", directory.into()), ("failed", message.into())])
}

/// The row of the engine record, without its line's end.
pub(crate) fn engine_row(
    event_id: &str,
    context_id: &[u8],
    execution: Value,
    counts: RecordCounts,
) -> Vec<u8> {
    let metadata = object([("summary", object([("execution", execution)]))]);
    let all = || KINDS.into_iter().collect::<Value>();
    row(event_id, "engine_adapter", context_id, true, [all(), all(), counts.collected()], metadata)
}

/// The row of the trace record, without its line's end.
pub(crate) fn trace_row(event_id: &str, context_id: &[u8]) -> Vec<u8> {
    let none = || Value::Array(Vec::new());
    row(event_id, "trace_collector", context_id, false, [none(), none(), none()], object([]))
}

fn row(
    event_id: &str,
    component: &str,
    context_id: &[u8],
    available: bool,
    [supported, enabled, collected]: [Value; 3],
    metadata: Value,
) -> Vec<u8> {
    let row = object([
        ("schema_version", 4.into()),
        ("event_type", "infer.capabilities".into()),
        ("event_id", event_id.into()),
        ("context_id", Value::String(context_id.to_vec())),
        ("component", component.into()),
        ("available", available.into()),
        ("supported", supported),
        ("enabled", enabled),
        ("collected", collected),
        ("metadata", metadata),
    ]);
    let mut out = Vec::new();
    json::value(&row, Form::Spaced, &mut out);
    out
}

/// An event id no other import into the same artifact gets: the same one on every machine, so that the same input
/// gives the same bytes. An artifact only grows, so its length tells its imports apart.
pub(crate) fn event_id(component: &str, run_id: &[u8], session_id: &[u8], artifact_bytes: usize) -> String {
    let mut hash = Sha256::new();
    for part in [component.as_bytes(), run_id, session_id, artifact_bytes.to_string().as_bytes()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let mut bytes: Vec<u8> = hash.finalize()[..16].to_vec();
    // A UUID whose bits are the maker's own (RFC 9562, version 8).
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let mut id = format!("{component}:");
    for (at, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&at) {
            id.push('-');
        }
        id += &format!("{byte:02x}");
    }
    id
}
