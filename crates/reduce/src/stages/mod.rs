//! Preemptions, cache resets and pauses (`reduce.md` §11).

mod anchors;
mod builder;
mod record;
mod unanchored;

use std::collections::BTreeMap;

use stepscope_epoch_log::TextId;
use stepscope_epoch_log::json::Value;

pub(crate) use builder::StageBuilder;
pub(crate) use record::{StageMaker, StageTexts};
pub(crate) use unanchored::value;

/// From which record a stage is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StageSource {
    /// Row in `log.scheduled`.
    Preempted(u32),
    /// Row in `log.cache_reset`.
    CacheReset(u32),
    /// Row in `log.cache_reset`.
    PreemptedByReset(u32),
    /// Row in `log.pause`.
    PauseTransition(u32),
}

/// The step a stage belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    None,
    /// The step it happened in: its name.
    Step(TextId),
    /// The step it happened after: its number.
    Number(i64),
}

/// A stage that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StageRow {
    pub(crate) source: StageSource,
    pub(crate) anchor: Anchor,
    /// Of the two kinds that happen to a request.
    pub(crate) execution: u32,
    pub(crate) source_seq_max: i64,
}

/// What came of the stages.
#[derive(Debug, Default)]
pub(crate) struct Stages {
    pub(crate) rows: Vec<StageRow>,
    /// By name or by why there is none (§11.5).
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// T10.
    pub(crate) unanchored: Vec<Value>,
    /// `seq`s that hold the mark (T6).
    pub(crate) holds: Vec<i64>,
}
