//! The answers to a conformance case: the object `diagnose` of one epoch in `expected.json`.

use std::collections::BTreeMap;

use serde::Serialize;
use stepscope_epoch_log::Epoch;

use crate::blocked::{Blocked, Intervals, pause_intervals};
use crate::cadence::cadence_entries;
use crate::config::Config;
use crate::diagnosis::diagnose;
use crate::limits::Baselines;
use crate::rules::Rules;
use crate::stalls::{Attribution, Locus, Now, Stall, each_stall};
use crate::steps::Steps;
use crate::thresholds::{ThresholdError, Thresholds};
use crate::verdict::Verdict;
use crate::window::Window;

/// What is compared with the reference about one engine epoch.
#[derive(Clone, Debug, Serialize)]
pub struct Conformance {
    /// The verdict of each configuration, by its name.
    pub verdicts: BTreeMap<String, Answer>,
    /// Number of steps.
    pub steps: usize,
    /// Pause intervals, wall ns.
    pub pauses: Intervals,
    /// Completion (monotonic ns), bucket and cadence (ns), sorted.
    pub cadence: Vec<(i64, u8, i64)>,
    /// All candidates, blocked by the pauses only.
    pub stalls: Vec<StallRow>,
    /// Of those over their limit by the default thresholds, the index in `stalls` and the limit, ns.
    pub over_limit: Vec<(usize, f64)>,
}

/// A verdict, or why its thresholds are refused.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The verdict.
    Verdict(Box<Verdict>),
    /// The overrides do not pass their checks.
    Refused {
        /// The text of the first check that fails.
        error: String,
    },
}

/// Locus, attribution, duration (ns), start (monotonic ns), start and end (wall ns), bucket, ongoing, overlapped.
pub type StallRow = (Locus, Attribution, i64, i64, i64, i64, u8, bool, bool);

fn row(stall: &Stall) -> StallRow {
    (
        stall.locus,
        stall.attribution(),
        stall.duration_ns,
        stall.start_mono_ns,
        stall.start_wall_ns,
        stall.end_wall_ns,
        stall.bucket,
        stall.ongoing,
        stall.overlapped,
    )
}

/// Answers for an epoch; of every configuration its name, and the configuration or why its thresholds are refused.
/// What does not depend on a configuration is answered by the rules of the reference.
pub fn conformance(epoch: &Epoch, configs: &[(String, Result<Config, ThresholdError>)]) -> Conformance {
    let verdicts = configs
        .iter()
        .map(|(name, config)| {
            let answer = match config {
                Ok(config) => Answer::Verdict(Box::new(diagnose(epoch, config).verdict)),
                Err(error) => Answer::Refused { error: error.to_string() },
            };
            (name.clone(), answer)
        })
        .collect();
    let corrections = Rules::Reference.into();
    let window = Window::of(epoch, 0);
    let steps = Steps::of_window(&window, corrections);
    let (pauses, _) = pause_intervals(&window);
    let blocked = Blocked::new(&pauses, &[], corrections);
    let mut stalls = Vec::new();
    each_stall(&steps, &blocked, &Now::default(), |stall| stalls.push(stall));
    let entries = cadence_entries(&steps);
    let limits = Baselines::of(&entries).limits(&stalls, &Thresholds::default());
    let over = |(at, limit): (usize, &crate::Limit)| {
        limit.is_reached_by(stalls[at].duration_ns).then_some((at, limit.limit_ns))
    };
    Conformance {
        verdicts,
        steps: steps.len(),
        over_limit: limits.iter().enumerate().filter_map(over).collect(),
        cadence: entries.iter().map(|entry| (entry.done_mono_ns, entry.bucket, entry.cadence_ns)).collect(),
        stalls: stalls.iter().map(row).collect(),
        pauses,
    }
}
