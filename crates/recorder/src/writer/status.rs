//! The text of heartbeats and `status.json` (`raw-log.md` §6.9, §7.1).

use super::Counters;
use crate::json::Encoder;
use crate::record::{NotEncodable, Value};

/// The status source could not tell its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the status source failed")]
pub struct SourceFailed;

/// Adds fields to the heartbeats and `status.json`, as a worker's recorder does. Asked by the writing thread, outside
/// the queue's lock.
pub trait StatusSource: Send + Sync {
    /// The fields; they replace equal names of the writer's own.
    fn fields(&self) -> Result<Vec<(String, Value)>, SourceFailed>;
}

impl Counters {
    /// The fields of a heartbeat as one object, `extra` ones replacing equal names and else appended.
    pub(super) fn to_json(&self, extra: Vec<(String, Value)>) -> Result<Vec<u8>, NotEncodable> {
        let mut fields = self.fields();
        for (name, value) in extra {
            match fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, replaced)) => *replaced = value,
                None => fields.push((name, value)),
            }
        }
        let mut text = Vec::with_capacity(512);
        Value::Object(fields).encode(&mut Encoder::new(&mut text))?;
        Ok(text)
    }

    fn fields(&self) -> Vec<(String, Value)> {
        let dropped =
            self.dropped.iter().map(|&(name, count)| (name.to_owned(), Value::count(count))).collect();
        let fields = [
            ("wall_ns", self.stamp.wall_ns.into()),
            ("mono_ns", self.stamp.mono_ns.into()),
            ("wall_after_ns", self.stamp.wall_after_ns.into()),
            ("last_seq", self.last_seq.into()),
            ("dropped", Value::Object(dropped)),
            ("errors", Value::count(self.errors)),
            ("bytes", self.bytes.into()),
            ("capped", self.capped.into()),
            ("queued", Value::count(self.queued as u64)),
            ("pending", Value::count(self.pending as u64)),
            ("reserved", Value::count(self.reserved as u64)),
        ];
        fields.map(|(name, value)| (name.to_owned(), value)).into()
    }
}
