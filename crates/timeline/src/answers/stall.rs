//! Stalls as the page lists and explains them.

use serde::Serialize;
use stepscope_diagnose::{Attribution, BaselineKind, Locus};

use super::sentence::{Fact, Parts};

/// One line of the list of stalls.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools)]
pub struct StallRow {
    /// Place in the list.
    pub index: u32,
    /// Start.
    pub t0: f64,
    /// End.
    pub t1: f64,
    /// Where the loop stood.
    pub locus: Locus,
    /// Whose it is.
    pub attribution: Attribution,
    /// Length.
    pub duration_ns: f64,
    /// Its limit (`diagnose.md` §7).
    pub limit_ns: f64,
    /// Length over limit.
    pub ratio: f64,
    /// How the limit was set.
    pub baseline: BaselineKind,
    /// The cadence the limit is a multiple of.
    pub baseline_ns: Option<f64>,
    /// The work bucket in words.
    pub bucket: String,
    /// The records are known whole around it.
    pub covered: bool,
    /// It lies in the time of the step before (asynchronous scheduling) and is listed there, too.
    pub overlapped: bool,
    /// Not over at the end of the log.
    pub ongoing: bool,
    /// First-call warm-up, ranked apart.
    pub warm_up: bool,
    /// Requests that were ready all that time.
    pub ready: u32,
    /// A heartbeat that came late outside every stall; no stall by the rules.
    pub late_heartbeat: bool,
}

/// A stall explained.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Its line of the list.
    pub row: StallRow,
    /// Its length and place.
    pub title: String,
    /// Whose it is, in words.
    pub whose: String,
    /// What happened.
    pub text: Parts,
    /// Limit, records, who was ready, what ran around it, what it cost.
    pub facts: Vec<Fact>,
}
