//! The object `reduce` of an import in a conformance case's `expected.json`.

use std::fmt::Write;

use stepscope_epoch_log::Epoch;
use stepscope_epoch_log::json::Value;

use crate::read::ReadReduction;
use crate::record::{Context, Fields, Raw, Record, Ref};
use crate::stages::value;

/// Writes fields as members of a JSON object; `context` is what stands in its place.
struct Json<'o> {
    out: &'o mut String,
    context: Option<usize>,
    is_first: bool,
}

impl<'o> Json<'o> {
    fn new(out: &'o mut String, context: Option<usize>) -> Self {
        out.push('{');
        Self { out, context, is_first: true }
    }

    fn name(&mut self, name: &str) {
        if !std::mem::replace(&mut self.is_first, false) {
            self.out.push(',');
        }
        let _ = write!(self.out, "\"{name}\":");
    }
}

impl Fields for Json<'_> {
    fn value(&mut self, name: &'static str, raw: Raw<'_>) {
        self.name(name);
        value(raw).write(self.out);
    }

    fn joined(&mut self, name: &'static str, parts: &[&[u8]]) {
        self.name(name);
        Value::String(parts.concat()).write(self.out);
    }

    fn reference(&mut self, name: &'static str, reference: Option<Ref<'_>>) {
        let Some(reference) = reference else { return self.value(name, Raw::Null) };
        self.open(name);
        self.value("producer_id", reference.producer_id.into());
        self.value("id", reference.id.into());
        self.close();
    }

    fn context(&mut self) {
        if let Some(context) = self.context {
            self.value("ctx", Raw::Int(context as i64));
        }
    }

    fn schema_version(&mut self) {
        self.value("schema_version", Raw::Int(2));
    }

    fn open(&mut self, name: &'static str) {
        self.name(name);
        self.out.push('{');
        self.is_first = true;
    }

    fn close(&mut self) {
        self.out.push('}');
        self.is_first = false;
    }
}

fn write_record(record: &Record<'_>, context: usize, out: &mut String) {
    let mut json = Json::new(out, Some(context));
    record.fields(&mut json);
    json.close();
}

/// One record as JSON text.
#[cfg(test)]
pub(crate) fn record_json(record: &Record<'_>) -> String {
    let mut out = String::new();
    write_record(record, 0, &mut out);
    out
}

/// `records`, `contexts`, `summary` and `high_water` of an import as JSON text. `errors` in the summaries are cut down
/// to their places.
pub fn conform(epochs: &[Epoch], reduction: &ReadReduction) -> String {
    let mut contexts: Vec<&Context> = Vec::new();
    let mut records = String::new();
    for (epoch, reduction) in epochs.iter().zip(&reduction.epochs) {
        let Some(reduction) = reduction else { continue };
        let context = reduction.context();
        reduction.each_record(epoch, &mut |record| {
            let at = contexts.iter().position(|&known| known == context).unwrap_or_else(|| {
                contexts.push(context);
                contexts.len() - 1
            });
            if !records.is_empty() {
                records.push(',');
            }
            write_record(record, at, &mut records);
        });
    }
    let mut described = String::new();
    for context in contexts {
        if !described.is_empty() {
            described.push(',');
        }
        let mut json = Json::new(&mut described, None);
        context.fields(&mut json);
        json.close();
    }
    let mut summaries = reduction.epoch_summaries(epochs);
    for epoch in epochs {
        cut_errors(&mut summaries, epoch);
    }
    let marks = reduction.high_water(epochs);
    let marks = marks.into_iter().map(|(name, mark)| (name.into_bytes(), mark.into())).collect();
    format!(
        "{{\"records\":[{records}],\"contexts\":[{described}],\"summary\":{{\"epochs\":{},\"pseudonyms\":\"{}\"}},\"high_water\":{}}}",
        summaries.to_json(),
        reduction.pseudonyms(),
        Value::Object(marks).to_json(),
    )
}

fn cut_errors(summaries: &mut Value, epoch: &Epoch) {
    let Value::Object(summaries) = summaries else { return };
    let Some((_, Value::Object(summary))) =
        summaries.iter_mut().find(|(name, _)| name == epoch.name.text.as_bytes())
    else {
        return;
    };
    if let Some(errors) = summary.iter_mut().find(|field| field.0 == b"errors") {
        errors.1 = epoch.reader_errors().map(|problem| Value::from(problem.place().as_str())).collect();
    }
}
