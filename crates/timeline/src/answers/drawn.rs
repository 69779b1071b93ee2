//! What is drawn: columns a bin, runs in lanes, marks.

use serde::Serialize;

use super::sentence::Link;

/// The tracks of a window, one value a bin; the first bin begins at `t0`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracks {
    /// Start of the first bin.
    pub t0: f64,
    /// Width of a bin: a power of two.
    pub bin_ns: f64,
    /// How many bins.
    pub bins: u32,
    /// Share of the bin's time inside the scheduler call. The five shares add up to at most 1; what is left is
    /// outside the log or unknown.
    pub in_schedule: Vec<f32>,
    /// Share with a step in flight, outside the scheduler call.
    pub within_step: Vec<f32>,
    /// Share between steps with a request live or waiting.
    pub between: Vec<f32>,
    /// Share paused.
    pub paused: Vec<f32>,
    /// Share with nobody live or waiting.
    pub idle: Vec<f32>,
    /// 0 none, 1 between steps, 2 in schedule, 3 within step, 4 warm-up: the longest that touches the bin.
    pub stall: Vec<u8>,
    /// Longest step time of the steps that start in the bin, ns.
    pub step_time: Vec<f32>,
    /// Steps that start in the bin.
    pub steps: Vec<u32>,
    /// Tokens inside prompts of the largest step that touches the bin, recomputed ones left out.
    pub prefill: Vec<f32>,
    /// Its tokens past prompts, recomputed ones left out.
    pub decode: Vec<f32>,
    /// Its recomputed tokens.
    pub recompute: Vec<f32>,
    /// Most requests live at once.
    pub live: Vec<f32>,
    /// Most requests waiting at once; NaN when hand-overs were not recorded.
    pub waiting: Vec<f32>,
    /// Bits: 1 preemption, 2 cache reset, 4 pause change, 8 update failed, 16 step without outcome.
    pub marks: Vec<u8>,
    /// 0 outside the log, 1 known whole, 2 not known, 3 writer silent, 4 after the end: the worst in the bin.
    pub coverage: Vec<u8>,
}

/// Requests in lanes, as parallel columns. Runs begin and end on bins and do not overlap within a lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lanes {
    /// Start of the first bin.
    pub t0: f64,
    /// Width of a bin: a power of two.
    pub bin_ns: f64,
    /// How many bins.
    pub bins: u32,
    /// 0 queue, 1 prefill, 2 decode, 3 recompute, 4 wait in prefill, 5 wait in decode, 6 preempted, 7 paused.
    pub run_kind: Vec<u8>,
    /// Lane of the run.
    pub run_lane: Vec<u32>,
    /// Its start.
    pub run_t0: Vec<f64>,
    /// Its end.
    pub run_t1: Vec<f64>,
    /// The execution it belongs to.
    pub run_execution: Vec<u32>,
    /// Lane of a token completion at least three bins after the one before.
    pub tick_lane: Vec<u32>,
    /// Its time.
    pub tick_t: Vec<f64>,
    /// How an execution ended: 0 stop, 1 length, 2 abort, 3 other or unknown.
    pub end_kind: Vec<u8>,
    /// Its lane.
    pub end_lane: Vec<u32>,
    /// When.
    pub end_t: Vec<f64>,
    /// Lane of a name that has room.
    pub label_lane: Vec<u32>,
    /// Start of the room.
    pub label_t0: Vec<f64>,
    /// Its end.
    pub label_t1: Vec<f64>,
    /// The names.
    pub labels: Vec<String>,
}

/// The canvas a mark stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Track {
    /// The strip over the whole epoch.
    Overview,
    /// What the loop did.
    Loop,
    /// Tokens of the steps.
    Tokens,
    /// Requests live and waiting.
    Requests,
    /// Requests in lanes.
    Members,
    /// What is known.
    Coverage,
}

/// Something worth going to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    /// Start.
    pub t0: f64,
    /// End; equal to the start for a moment.
    pub t1: f64,
    /// The canvas it stands on.
    pub track: Track,
    /// What it is, in words.
    pub text: String,
    /// Where it leads.
    pub link: Option<Link>,
}

/// A stretch of the table behind a canvas.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Marks {
    /// Marks in the window.
    pub total: u32,
    /// Those asked for.
    pub rows: Vec<Mark>,
}

/// What is under the cursor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CursorCard {
    /// The step in flight, or the last before.
    pub step: Option<u32>,
    /// Time and step.
    pub title: String,
    /// What it was.
    pub lines: Vec<String>,
}
