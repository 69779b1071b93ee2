//! An epoch as a whole.

use serde::Serialize;

use super::sentence::{Line, Parts};
use super::stall::StallRow;

/// One epoch of the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EpochEntry {
    /// The caller's number for it.
    pub index: u32,
    /// Directory name.
    pub epoch: String,
    /// Hostname.
    pub host: String,
    /// `engine` or `worker`.
    pub role: &'static str,
    /// Process.
    pub pid: String,
    /// Milliseconds since 1970 UTC of the first stamp.
    pub start_wall_ms: Option<f64>,
    /// From first to last stamp.
    pub span_ns: f64,
    /// `ended`, `gone`, `unknown` or `alive` (`reading.md` §13).
    pub state: &'static str,
    /// Why.
    pub state_reason: &'static str,
    /// Both in words.
    pub state_text: String,
    /// Records read.
    pub records: u32,
    /// Steps.
    pub steps: u32,
    /// Bytes of the segments.
    pub bytes: f64,
    /// Problems of the files.
    pub problems: u32,
    /// Stalls over their limit, warm-up set apart.
    pub stalls_over_limit: u32,
    /// The hello's own words when it refused to record.
    pub refused: Option<String>,
}

/// A span in which the scheduler was paused.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pause {
    /// Start.
    pub t0: f64,
    /// End; of an open one, the end of the log.
    pub t1: f64,
    /// The state's name.
    pub state: String,
}

/// A counter of a worker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counter {
    /// What it counts.
    pub label: String,
    /// Its latest value.
    pub value: String,
    /// What that means.
    pub note: String,
}

/// Why there is nothing to draw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Empty {
    /// In short.
    pub title: String,
    /// In sentences.
    pub parts: Parts,
}

/// What is said of an epoch before any picture, and what the pictures need.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// Its line of the list.
    pub entry: EpochEntry,
    /// The epoch's first stamp, monotonic clock, as decimal text.
    pub origin_mono_ns: String,
    /// Milliseconds since 1970 UTC of the same moment.
    pub origin_wall_ms: Option<f64>,
    /// Start of the range worth showing.
    pub t0: f64,
    /// Its end.
    pub t1: f64,
    /// Can the log be trusted.
    pub trust: Line,
    /// What happened.
    pub verdict: Line,
    /// Where the corrected rules say something else than the reference.
    pub differences: Vec<String>,
    /// Steps.
    pub steps: u32,
    /// Members of all steps.
    pub memberships: u32,
    /// Executions: stays of a request in the engine.
    pub requests: u32,
    /// Lanes when they are packed like seats.
    pub lanes: u32,
    /// Lanes when each request has its own.
    pub lanes_by_arrival: u32,
    /// `max_num_batched_tokens`.
    pub token_budget: Option<f64>,
    /// `max_num_seqs`.
    pub seats: Option<f64>,
    /// Tokens of the largest step.
    pub max_step_tokens: f64,
    /// Most requests live at once.
    pub max_live: f64,
    /// Most requests waiting at once; 0 also when hand-overs were not recorded.
    pub max_waiting: f64,
    /// Whether the log says who was waiting.
    pub waiting_recorded: bool,
    /// Stalls over their limit and late heartbeats: the worst first, warm-up after, late heartbeats last.
    pub stalls: Vec<StallRow>,
    /// Pauses.
    pub pauses: Vec<Pause>,
    /// Lines of the table of steps.
    pub step_rows: u32,
    /// Problems of the files.
    pub problems: u32,
    /// Counters of a worker.
    pub worker: Vec<Counter>,
    /// Why there is nothing to draw.
    pub empty: Option<Empty>,
}

/// Something wrong with the files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProblemRow {
    /// File and line.
    pub place: String,
    /// What was found.
    pub what: String,
    /// What was done instead.
    pub instead: String,
}

/// A setting of the engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfigRow {
    /// What it belongs to.
    pub group: &'static str,
    /// Its name.
    pub label: String,
    /// Its value; `None` is "not recorded".
    pub value: Option<String>,
}
