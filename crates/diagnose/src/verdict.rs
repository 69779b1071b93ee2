//! The stall reported and the verdict on an epoch (`diagnose.md` §9, §11).

use serde::Serialize;

use crate::diagnosis::JudgedStall;
use crate::limits::{BaselineKind, Limit};
use crate::reasons::Reason;
use crate::sliding::Median;
use crate::stalls::{Attribution, Locus};
use crate::thresholds::THRESHOLDS_VERSION;

/// The verdict, field for field as the reference gives it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Duration of the stall reported, ns.
    pub value: Option<f64>,
    /// Whether there is no reason against it.
    pub sufficient: bool,
    /// The first reason.
    pub reason: Option<Reason>,
    /// Whether the stall is over its limit; `None` when not sufficient or nothing is reported.
    pub exceeds: Option<bool>,
    /// Its limit, ns.
    pub threshold: Option<f64>,
    /// Name of the table of thresholds.
    pub thresholds_version: &'static str,
    /// Whether a key of the loop rules was overridden.
    pub threshold_overridden: bool,
    /// More about it.
    pub detail: Detail,
}

/// `detail` of a verdict. What concerns a stall is absent without one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detail {
    /// Number of steps.
    pub steps: usize,
    /// Whether the hook is known to record pauses (R3).
    pub pause_capability: bool,
    /// All reasons.
    pub reasons: Vec<Reason>,
    /// Where in the loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locus: Option<Locus>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Attribution>,
    /// Still going on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ongoing: Option<bool>,
    /// Its start, wall ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_wall_ns: Option<i64>,
    /// Its end, wall ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_wall_ns: Option<i64>,
    /// The baseline, ns; null without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_ns: Option<Option<Median>>,
    /// What the limit was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineKind>,
    /// Whether the records are known to be whole in it; true when no stall hid behind another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered: Option<bool>,
}

/// The one of the stalls that is furthest over its limit, of equals the first (J1). All are of at least the lowest
/// floor.
fn worst<'a>(stalls: impl Iterator<Item = &'a JudgedStall>) -> Option<&'a JudgedStall> {
    let mut worst: Option<(&JudgedStall, f64)> = None;
    for judged in stalls {
        let ratio = judged.ratio();
        if worst.is_none_or(|(_, most)| ratio > most) {
            worst = Some((judged, ratio));
        }
    }
    worst.map(|(judged, _)| judged)
}

/// The stall to report (J2). `stalls`: all of at least the lowest floor; `longest`: the first of the longest, which
/// is reported when there are none of those.
pub(crate) fn reported(stalls: &[JudgedStall], longest: Option<JudgedStall>) -> Option<JudgedStall> {
    // A covered stall below the lowest floor is below its limit, so it cannot take precedence.
    worst(stalls.iter().filter(|judged| judged.covered_by.is_some()))
        .filter(|judged| judged.is_over_limit())
        .or_else(|| worst(stalls.iter()))
        .copied()
        .or(longest)
}

/// The verdict on what is reported; `reasons` so far are those of the records.
pub(crate) fn verdict(
    reported: Option<&JudgedStall>,
    mut reasons: Vec<Reason>,
    steps: usize,
    pause_capability: bool,
    threshold_overridden: bool,
) -> Verdict {
    if let Some(judged) = reported.filter(|judged| judged.is_over_limit()) {
        if judged.covered_by.is_none() {
            reasons.push(Reason::HookCoverageUnknown);
        }
        let may_be_a_pause = judged.stall.locus == Locus::BetweenSteps || judged.stall.overlapped;
        if may_be_a_pause && !pause_capability {
            reasons.push(Reason::PauseStateUnknown);
        }
    }
    let sufficient = reasons.is_empty();
    let stall = reported.map(|judged| judged.stall);
    let limit: Option<&Limit> = reported.map(|judged| &judged.limit);
    Verdict {
        value: stall.map(|stall| stall.duration_ns as f64),
        sufficient,
        reason: reasons.first().copied(),
        exceeds: reported.filter(|_| sufficient).map(JudgedStall::is_over_limit),
        threshold: limit.map(|limit| limit.limit_ns),
        thresholds_version: THRESHOLDS_VERSION,
        threshold_overridden,
        detail: Detail {
            steps,
            pause_capability,
            reasons,
            locus: stall.map(|stall| stall.locus),
            attribution: stall.map(|stall| stall.attribution()),
            ongoing: stall.map(|stall| stall.ongoing),
            start_wall_ns: stall.map(|stall| stall.start_wall_ns),
            end_wall_ns: stall.map(|stall| stall.end_wall_ns),
            baseline_ns: limit.map(|limit| limit.baseline),
            baseline: limit.map(|limit| limit.kind),
            covered: reported.map(|judged| judged.covered_by.is_some()),
        },
    }
}
