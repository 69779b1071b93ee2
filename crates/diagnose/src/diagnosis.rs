//! Everything judged about one epoch in one pass.

use stepscope_epoch_log::Epoch;

use crate::blocked::{Blocked, Intervals, pause_intervals};
use crate::cadence::cadence_entries;
use crate::config::Config;
use crate::coverage::{Coverage, Span, losses};
use crate::late_heartbeat::{LateHeartbeat, late_heartbeats};
use crate::limits::{Baselines, Limit};
use crate::reasons::{observes_pauses, record_reasons};
use crate::rules::Corrections;
use crate::stalls::{Now, Stall, each_stall};
use crate::steps::Steps;
use crate::thresholds::reaches;
use crate::verdict::{Verdict, reported, verdict};
use crate::warm_up::WarmUp;
use crate::window::Window;

/// A stall with its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedStall {
    /// Its place among all candidates of the epoch, in the order of `diagnose.md` §5.
    pub index: usize,
    /// The stall.
    pub stall: Stall,
    /// Its limit, and how that was set.
    pub limit: Limit,
    /// The span of whole records it lies in (§8); `None`: records may be missing in it.
    pub covered_by: Option<Span>,
    /// One of the first calls of a recorder, see [`is_warm_up`](crate::is_warm_up).
    pub warm_up: bool,
}

impl JudgedStall {
    /// Whether it is over its limit (M2).
    pub fn is_over_limit(&self) -> bool {
        self.limit.is_reached_by(self.stall.duration_ns)
    }

    /// Duration over limit.
    pub fn ratio(&self) -> f64 {
        self.stall.duration_ns as f64 / self.limit.limit_ns
    }
}

/// What is found in an epoch.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The verdict.
    pub verdict: Verdict,
    /// The stall the verdict is about.
    pub reported: Option<JudgedStall>,
    /// The stalls that could be over a limit (duration at least the lowest floor), in the order of §5.
    pub stalls: Vec<JudgedStall>,
    /// How many candidates there were.
    pub candidates: usize,
    /// Pause intervals (B2), wall ns; an open one ends at [`OPEN_END_NS`](crate::OPEN_END_NS).
    pub pauses: Intervals,
    /// Where records are known to be whole (§8 V3), in record order.
    pub covered: Vec<Span>,
    /// Records that could not be taken (S5); the reference stops at the first.
    pub dropped_records: usize,
    /// Heartbeats late while no step was running.
    pub late_heartbeats: Vec<LateHeartbeat>,
}

impl Diagnosis {
    /// The stalls over their limit, in the order of §5: those that the verdict weighs.
    pub fn over_limit(&self) -> impl Iterator<Item = &JudgedStall> {
        self.stalls.iter().filter(|judged| judged.is_over_limit())
    }

    /// The stalls over their limit for a person: furthest over the limit first, those of the warm-up at the end.
    pub fn ranked(&self) -> Vec<&JudgedStall> {
        let mut ranked: Vec<&JudgedStall> = self.over_limit().collect();
        ranked.sort_by(|a, b| a.warm_up.cmp(&b.warm_up).then(b.ratio().total_cmp(&a.ratio())));
        ranked
    }
}

/// Judges an epoch (`diagnose.md` part 1).
pub fn diagnose(epoch: &Epoch, config: &Config) -> Diagnosis {
    judge(epoch, &Steps::of(epoch, config), config)
}

/// Judges an epoch whose steps are known: those of [`Steps::of`] for the same configuration.
pub fn judge(epoch: &Epoch, steps: &Steps, config: &Config) -> Diagnosis {
    judge_with(epoch, steps, config, config.rules.into())
}

pub(crate) fn judge_with(
    epoch: &Epoch,
    steps: &Steps,
    config: &Config,
    corrections: Corrections,
) -> Diagnosis {
    let window = Window::of(epoch, config.tail_from);
    let losses = losses(&window);
    let coverage = Coverage::of(&window, &losses);
    let (pauses, unstamped_pauses) = pause_intervals(&window);
    let blocked = Blocked::new(&pauses, &config.exclude_wall, corrections);
    let now = Now::of(&window, steps, config.now_wall_ns, true, corrections);

    let found = Found::of(steps, &blocked, &now, config.thresholds.lowest_ns());
    let entries = cadence_entries(steps);
    let baselines = Baselines::of(&entries);
    let warm_up = WarmUp::of(&window, steps);
    let judge = |index: usize, stall: Stall, limit: Limit| JudgedStall {
        index,
        stall,
        limit,
        covered_by: coverage.of_stall(&stall, now.wall_ns, config.thresholds.heartbeat_grace_ns),
        warm_up: warm_up.has(&stall, &limit),
    };
    let limits = baselines.limits(&found.stalls, &config.thresholds);
    let stalls: Vec<JudgedStall> = found
        .indices
        .iter()
        .zip(&found.stalls)
        .zip(limits)
        .map(|((&at, &stall), limit)| judge(at, stall, limit))
        .collect();
    let longest = found
        .longest
        .filter(|_| stalls.is_empty())
        .map(|(at, stall)| judge(at, stall, baselines.limits(&[stall], &config.thresholds)[0]));

    let capped = config.with_status && epoch.status.as_ref().is_some_and(|status| status.capped);
    let dropped_records = steps.dropped_records + unstamped_pauses;
    let reasons = record_reasons(&window, config.mixed_epochs, capped, &losses, steps, dropped_records);
    let reported = reported(&stalls, longest);
    let verdict = verdict(
        reported.as_ref(),
        reasons,
        steps.len(),
        observes_pauses(&window, config.with_hello),
        config.thresholds.overridden,
    );
    let late_heartbeats = late_heartbeats(&window, steps, &stalls);
    Diagnosis {
        verdict,
        reported,
        stalls,
        candidates: found.candidates,
        pauses,
        covered: coverage.spans,
        dropped_records,
        late_heartbeats,
    }
}

/// The candidates that are kept: all that could be over a limit, and the longest.
#[derive(Default)]
pub(crate) struct Found {
    candidates: usize,
    pub(crate) indices: Vec<usize>,
    pub(crate) stalls: Vec<Stall>,
    pub(crate) longest: Option<(usize, Stall)>,
}

impl Found {
    fn of(steps: &Steps, blocked: &Blocked, now: &Now, lowest_ns: f64) -> Self {
        let mut found = Self::default();
        each_stall(steps, blocked, now, |stall| found.add(stall, lowest_ns));
        found
    }

    pub(crate) fn add(&mut self, stall: Stall, lowest_ns: f64) {
        if reaches(stall.duration_ns, lowest_ns) {
            self.indices.push(self.candidates);
            self.stalls.push(stall);
        }
        if self.longest.is_none_or(|(_, longest)| stall.duration_ns > longest.duration_ns) {
            self.longest = Some((self.candidates, stall));
        }
        self.candidates += 1;
    }
}

/// The plain list (§13): stalls over their limit as no verdict weighs them, with no terminated IDs and no excluded
/// intervals, in the order of §5.
pub fn plain_over_limit(epoch: &Epoch, config: &Config) -> Vec<(Stall, Limit)> {
    let corrections = config.rules.into();
    let window = Window::of(epoch, config.tail_from);
    let steps = Steps::of_window(&window, corrections);
    let (pauses, _) = pause_intervals(&window);
    let blocked = Blocked::new(&pauses, &[], corrections);
    let now = Now::of(&window, &steps, config.now_wall_ns, false, corrections);
    let found = Found::of(&steps, &blocked, &now, config.thresholds.lowest_ns());
    let entries = cadence_entries(&steps);
    let limits = Baselines::of(&entries).limits(&found.stalls, &config.thresholds);
    let over = |(stall, limit): &(Stall, Limit)| limit.is_reached_by(stall.duration_ns);
    found.stalls.into_iter().zip(limits).filter(over).collect()
}
