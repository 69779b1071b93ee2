//! What goes into the log: the kinds of records and how one describes its own fields.

mod hello;
mod value;

use crate::json::Encoder;

pub(crate) use hello::HelloFields;
pub use hello::{CONFIG_FIELDS, Hello, OptionalKind, WorkerPlace, producer_name};
pub use value::Value;

/// The kinds of this format (`raw-log.md` §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What and who is recorded.
    Hello,
    /// A request was admitted.
    Alias,
    /// A new request was handed to the scheduler.
    Enqueued,
    /// A scheduler call returned.
    Scheduled,
    /// A step's output was processed, or its processing failed.
    Completed,
    /// A request is about to be freed.
    Terminal,
    /// The scheduler's pause state was changed.
    Pause,
    /// A prefix-cache reset ended.
    CacheReset,
    /// The writer's counters, about once a second. Written by the writer itself.
    Heartbeat,
    /// Orderly close. Written by the writer itself.
    Goodbye,
}

impl Kind {
    /// The kind's name in the log, also the name under which its drops are counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::Alias => "alias",
            Self::Enqueued => "enqueued",
            Self::Scheduled => "scheduled",
            Self::Completed => "completed",
            Self::Terminal => "terminal",
            Self::Pause => "pause",
            Self::CacheReset => "cache_reset",
            Self::Heartbeat => "heartbeat",
            Self::Goodbye => "goodbye",
        }
    }

    /// The name under which drops of records over the size limit are counted (`record.md` §11.3).
    pub(crate) fn oversized_name(self) -> &'static str {
        match self {
            Self::Hello => "hello_oversized",
            Self::Alias => "alias_oversized",
            Self::Enqueued => "enqueued_oversized",
            Self::Scheduled => "scheduled_oversized",
            Self::Completed => "completed_oversized",
            Self::Terminal => "terminal_oversized",
            Self::Pause => "pause_oversized",
            Self::CacheReset => "cache_reset_oversized",
            Self::Heartbeat => "heartbeat_oversized",
            Self::Goodbye => "goodbye_oversized",
        }
    }
}

/// The fields cannot be written as a JSON object. Counts one error and no drop (`record.md` Q5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the fields cannot be written as JSON")]
pub struct NotEncodable;

/// A record's own fields, as one JSON object.
pub trait Fields {
    /// Appends the object, braces included, to the record's place in the queue. Called without any lock held.
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable>;

    /// Whether the encoded text surely exceeds `limit` bytes, found without encoding (`record.md` Q2). Called under
    /// the queue's lock, so it must be cheap.
    fn surely_exceeds(&self, limit: usize) -> bool {
        let _ = limit;
        false
    }

    /// About how many bytes the object takes: only chooses the buffer, a wrong guess costs an allocation.
    fn size_hint(&self) -> usize {
        256
    }
}

/// Whether these strings have more than `limit` characters in all: the lower bound of `record.md` Q2.
pub(crate) fn characters_exceed<'s>(strings: impl Iterator<Item = &'s str> + Clone, limit: usize) -> bool {
    // A string never has more characters than bytes: the lengths alone decide for all but huge records.
    let bytes: usize = strings.clone().map(str::len).sum();
    bytes > limit && strings.map(|text| text.chars().count()).sum::<usize>() > limit
}
