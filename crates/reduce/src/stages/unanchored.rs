//! Resets and pauses without a step before them: what the summary says of them (`reduce.md` T10).

use stepscope_epoch_log::json::Value;

use crate::record::{Fields, Raw, Ref, Stage, StageFacts};

/// Gathers a stage's metadata as a JSON object, without the fields that only a record has.
struct Metadata(Vec<(Vec<u8>, Value)>);

pub(crate) fn value(raw: Raw<'_>) -> Value {
    match raw {
        Raw::Null => Value::Null,
        Raw::Bool(value) => value.into(),
        Raw::Int(value) => value.into(),
        Raw::Text(text) => Value::String(text.to_vec()),
        Raw::Json(json) => Value::parse(json).unwrap_or(Value::Null),
    }
}

impl Fields for Metadata {
    fn value(&mut self, name: &'static str, raw: Raw<'_>) {
        if !matches!(name, "epoch" | "seq" | "source_seq_max") {
            self.0.push((name.as_bytes().to_vec(), value(raw)));
        }
    }
    fn joined(&mut self, _name: &'static str, _parts: &[&[u8]]) {}
    fn reference(&mut self, _name: &'static str, _reference: Option<Ref<'_>>) {}
    fn context(&mut self) {}
    fn schema_version(&mut self) {}
    fn open(&mut self, _name: &'static str) {}
    fn close(&mut self) {}
}

/// The object of a stage without an anchor. `times` are the record's monotonic start and end, ns, as they stand in
/// the log.
pub(crate) fn object(stage: &Stage<'_>, times: (Option<i64>, Option<i64>)) -> Value {
    debug_assert!(matches!(stage.facts, StageFacts::CacheReset { .. } | StageFacts::PauseTransition { .. }));
    let mut fields = Metadata(Vec::new());
    fields.value("name", stage.facts.name().into());
    fields.0.push((b"seq".to_vec(), stage.seq.into()));
    fields.value("start_mono_ns", times.0.into());
    fields.value("end_mono_ns", times.1.into());
    stage.metadata(&mut fields);
    Value::Object(fields.0)
}
