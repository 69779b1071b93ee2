//! What an engine is like.

use stepscope_recorder::OptionalKind;

use crate::step_time::StepTime;

/// Speculative decoding: how many tokens are proposed a step, and how often each is accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speculation {
    /// Draft tokens per step.
    pub(crate) drafts: i64,
    /// From which time on, ns, a draft is accepted in how many of a thousand cases; ends the run of accepted ones
    /// otherwise.
    pub(crate) acceptance: &'static [(i64, i64)],
}

/// An engine's settings. Times are ns.
#[derive(Debug, Clone)]
pub(crate) struct EngineConfig {
    pub(crate) max_num_batched_tokens: i64,
    pub(crate) max_num_seqs: usize,
    pub(crate) num_gpu_blocks: i64,
    pub(crate) block_size: i64,
    /// The next step is scheduled while one runs.
    pub(crate) async_scheduling: bool,
    pub(crate) speculation: Option<Speculation>,
    /// A waiting request starts with no fewer tokens than this, unless its prompt ends.
    pub(crate) smallest_chunk: i64,
    pub(crate) observes: Vec<OptionalKind>,
    /// A scheduler call.
    pub(crate) schedule_ns: i64,
    /// From the end of an output's processing to the next scheduler call.
    pub(crate) gap_ns: i64,
    /// The same after a step without members.
    pub(crate) empty_gap_ns: i64,
    /// From an arrival at an idle engine to its scheduler call.
    pub(crate) wake_ns: i64,
    /// From the admission of a request to its hand-over to the scheduler.
    pub(crate) ingress_ns: i64,
    /// In the synchronous loop from the start of the scheduler call to the end of the output's processing; under
    /// async scheduling the time on the device alone.
    pub(crate) step_time: StepTime,
    /// Random part of a step's time, thousandths either way.
    pub(crate) jitter_permille: i64,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            max_num_batched_tokens: 8192,
            max_num_seqs: 256,
            num_gpu_blocks: 20_000,
            block_size: 16,
            async_scheduling: false,
            speculation: None,
            smallest_chunk: 1,
            observes: vec![OptionalKind::CacheReset, OptionalKind::Enqueued, OptionalKind::Pause],
            schedule_ns: 200_000,
            gap_ns: 200_000,
            empty_gap_ns: 1_000_000,
            wake_ns: 0,
            ingress_ns: 0,
            step_time: StepTime { points: &[(1, 10_000_000)], per_member_ns: 0 },
            jitter_permille: 0,
        }
    }
}
