//! Stalls of the engine loop and the verdict on them, from the raw records of one epoch (`diagnose.md` part 1)
//! or from what an artifact kept of it (part 2).
//!
//! [`diagnose`] judges an epoch: it takes its [`Steps`], finds the stretches in which ready work did not go on, sets a
//! limit for each from the cadence before it, and says which is the worst, whether records may be missing in it, and
//! whether the verdict suffices. [`Rules`] says whether the answer is the reference's, value for value, or what a
//! person should be told; [`differences`] puts into words where the two part. [`judge_kept`] does as much as can be done
//! with the steps that an artifact kept (part 2).
//!
//! Stamps and durations are nanoseconds. Everything is a pure function of the epoch and the [`Config`].

mod blocked;
mod cadence;
mod config;
mod conform;
mod coverage;
mod diagnosis;
mod difference;
mod explanation;
mod kept;
mod late_heartbeat;
mod limits;
mod members;
mod reasons;
mod rules;
mod sliding;
mod stalls;
mod steps;
mod thresholds;
mod verdict;
mod warm_up;
mod window;

#[cfg(test)]
mod tests;

pub use blocked::OPEN_END_NS;
pub use cadence::CadenceEntry;
pub use config::Config;
pub use conform::{Answer, Conformance, StallRow, conformance};
pub use coverage::Span;
pub use diagnosis::{Diagnosis, JudgedStall, diagnose, judge, plain_over_limit};
pub use difference::differences;
pub use explanation::{Explanation, Held, bucket_in_words, explain, limit_in_words};
pub use kept::{KeptDiagnosis, KeptLoop, KeptMember, KeptStall, KeptStep, Missing, WholeSpan, judge_kept};
pub use late_heartbeat::{HEARTBEAT_CADENCE_NS, LATE_NS, LateHeartbeat};
pub use limits::{BaselineKind, Limit};
pub use reasons::Reason;
pub use rules::Rules;
pub use sliding::Median;
pub use stalls::{Attribution, Locus, Stall};
pub use steps::{StepRows, Steps, work_bucket};
pub use thresholds::{LOOP_PREFIX, THRESHOLD_DEFAULTS, THRESHOLDS_VERSION, ThresholdError, Thresholds};
pub use verdict::{Detail, Verdict};
pub use warm_up::{WARM_UP_FACTOR, WARM_UP_STEPS, is_warm_up};
