//! Plays a written history of an engine and gives the records the recorder makes of it, without their numbers and
//! stamps: the form in which recorders are compared.

mod history;
mod play;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::files::MemoryFiles;
use crate::{EngineRecorder, FixedProcess, Limits, ManualClock, Role, Writer};
use history::Case;

/// Why a history could not be played.
#[derive(Debug, thiserror::Error)]
pub enum ConformError {
    /// It is not a case: where and why.
    #[error("not a recorder case: {0}")]
    NotACase(#[from] serde_json::Error),
    /// An event names an output that no earlier event made.
    #[error("event {event} names step {step}, which no earlier event made")]
    NoSuchStep {
        /// Place in the list of events, from 0.
        event: usize,
        /// The step it names.
        step: usize,
    },
    /// The records could not be written in memory.
    #[error("the records could not be written: {0}")]
    NotWritten(#[from] std::io::Error),
}

/// Plays the history of a case (a JSON object with `producer` and `events`) and gives the list of records as JSON, one
/// a line: `kind` and the kind's own fields in the order of `raw-log.md` §6, without the common fields and without every
/// field whose name ends in `wall_ns`, `mono_ns` or `wall_after_ns`.
pub fn conform(case_json: &str) -> Result<String, ConformError> {
    let case: Case = serde_json::from_str(case_json)?;
    let unlimited = Limits {
        epoch_bytes: i64::MAX,
        segment_bytes: u64::MAX,
        queue_records: usize::MAX,
        queue_bytes: usize::MAX,
        record_bytes: usize::MAX,
        ..Limits::default()
    };
    let process = FixedProcess { pid: 1, host: String::new(), boot_id: None, key: [0; 32] };
    let (writer, mut epoch) = Writer::create(
        MemoryFiles::new(),
        Path::new("case"),
        Role::Engine,
        unlimited,
        Arc::new(ManualClock::default()),
        Arc::new(process),
    )?;
    play::play(&case, &mut EngineRecorder::new(writer, case.producer.clone()))?;
    epoch.drain();
    let segment = epoch.directory().join("000000.jsonl.part");
    let lines = epoch.files().read(&segment).unwrap_or_default();
    let records: Result<Vec<String>, _> =
        lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(own_fields).collect();
    Ok(format!("[{}]\n", records?.join(",\n")))
}

/// A record without its common fields and stamps, in the order it was written.
fn own_fields(line: &[u8]) -> Result<String, serde_json::Error> {
    let record: OrderedObject<'_> = serde_json::from_slice(line)?;
    let is_left_out = |name: &str| {
        matches!(name, "format" | "epoch" | "seq")
            || ["wall_ns", "mono_ns", "wall_after_ns"].iter().any(|end| name.ends_with(end))
    };
    let kept = record.0.iter().filter(|(name, _)| !is_left_out(name));
    let fields: Vec<String> = kept.map(|(name, value)| format!("\"{name}\":{value}")).collect();
    Ok(format!("{{{}}}", fields.join(",")))
}

/// An object's fields in order, their values as text.
struct OrderedObject<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for OrderedObject<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = OrderedObject<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(OrderedObject(fields))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// Objects by id, in no order that matters.
type ById<T> = BTreeMap<String, T>;
