//! What to draw of an epoch for a range of time and a width, and what to say of it, of a stall and of a step.
//!
//! A [`Timeline`] is one epoch laid out in time: derived columns that are made once. Every answer is a pure function
//! of it, in the shapes of [`answers`].

pub mod answers;
mod draw;
mod model;
mod tables;
mod tell;

pub use draw::{Bins, LaneOrder};
pub use model::{
    Clock, Ended, Executions, Knowledge, Known, Listed, LoopTime, Occupancy, PauseSpan, Preemption,
};
pub use model::{Shares, Spans, Stalls, Steps, Timeline, Tokens, What};
pub use tell::{Ending, words};
