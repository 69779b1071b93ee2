//! Judging the steps that an artifact kept (`diagnose.md` part 2, §16): no records, so what is known beside the steps
//! is told by the caller.
//!
//! An import may leave steps out in which only other clients' requests ran. A request that runs on across such a hole
//! looks as if it had waited (L4), so every stall says how many steps are missing in it.

use stepscope_epoch_log::TextId;

use crate::blocked::Blocked;
use crate::cadence::cadence_entries_where;
use crate::config::Config;
use crate::coverage::Span;
use crate::diagnosis::{Found, JudgedStall};
use crate::limits::Baselines;
use crate::members::Members;
use crate::reasons::Reason;
use crate::rules::{Corrections, Rules};
use crate::stalls::{Locus, Now, Stall};
use crate::steps::{StepRows, Steps, work_bucket};
use crate::verdict::{Verdict, reported, verdict};
use crate::warm_up::WarmUp;

/// A step as an artifact keeps it (L1). Stamps are ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptStep {
    /// Its name where that is a number.
    pub number: Option<i64>,
    /// Monotonic clock before the scheduler call.
    pub start_mono_ns: i64,
    /// Wall clock before the scheduler call.
    pub start_wall_ns: i64,
    /// Monotonic clock after the scheduler call.
    pub end_mono_ns: i64,
    /// Wall clock after the scheduler call.
    pub end_wall_ns: i64,
    /// Monotonic clock after the output was processed.
    pub done_mono_ns: Option<i64>,
    /// Wall clock after the output was processed.
    pub done_wall_ns: Option<i64>,
    /// Tokens scheduled.
    pub tokens: i64,
}

/// A request in a kept step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptMember {
    /// Index of the step.
    pub step: u32,
    /// Its stay in the engine: equal numbers are the same.
    pub attempt: TextId,
    /// It ended in this step.
    pub finished: bool,
    /// Streaming-input request.
    pub streaming: bool,
    /// Prompt length, tokens.
    pub prompt_tokens: Option<i64>,
}

/// A stretch in which no record was lost, by both clocks, ns (`reading.md` §14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeSpan {
    /// Monotonic start.
    pub start_mono_ns: i64,
    /// Monotonic end.
    pub end_mono_ns: i64,
    /// The same by the wall clock.
    pub wall: Span,
}

/// What an artifact tells of one engine's loop.
#[derive(Clone, Debug, Default)]
pub struct KeptLoop {
    /// The steps, in the order of their rows.
    pub steps: Vec<KeptStep>,
    /// Their members, in any order.
    pub members: Vec<KeptMember>,
    /// No step with members was left out, and no record of one lost.
    pub is_whole: bool,
    /// Pauses of everything, wall ns. The reference's rules do not look at them (Q2).
    pub pauses: Vec<(i64, i64)>,
    /// Where nothing was lost (`diagnose.md` P4).
    pub covered: Vec<WholeSpan>,
    /// The log is known to record pauses.
    pub observes_pauses: bool,
    /// Records are missing in the log itself.
    pub records_dropped: bool,
    /// Its writer reached the disk cap.
    pub capped: bool,
}

/// Steps that are missing in a stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// So many numbers between the steps the stall lies between have no step; 0: none.
    Steps(u64),
    /// The steps are not named by numbers, so nobody knows.
    Unknown,
}

impl Missing {
    /// Whether none is.
    pub fn is_none(self) -> bool {
        self == Self::Steps(0)
    }
}

/// A stall between kept steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptStall {
    /// The stall and its limit. It counts as covered only where no step is missing in it.
    pub judged: JudgedStall,
    /// What is missing in it.
    pub missing: Missing,
}

/// What is found in the kept steps of an engine.
#[derive(Clone, Debug)]
pub struct KeptDiagnosis {
    /// The verdict, as far as kept steps carry one.
    pub verdict: Verdict,
    /// The stalls over their limit, in the order of §5.
    pub over_limit: Vec<KeptStall>,
    /// Those that the corrected rules leave out because steps are missing in them.
    pub left_out: Vec<KeptStall>,
    /// Numbers between the first and the last step that have no step; `None`: not all are named by numbers.
    pub missing: Option<u64>,
}

/// Judges an engine's kept steps. By the reference's rules: §13 over all steps, nothing blocked (Q2). By the
/// corrected ones pauses block, and neither a stall nor a cadence is taken where steps are missing in it (L4).
pub fn judge_kept(kept: &KeptLoop, config: &Config) -> KeptDiagnosis {
    let corrections: Corrections = config.rules.into();
    let corrected = config.rules == Rules::Corrected;
    let (steps, order) = ordered(kept);
    let numbers = Numbers::of(kept, &order);
    let pauses = if corrected { &kept.pauses[..] } else { &[] };
    let blocked = Blocked::new(pauses, &config.exclude_wall, corrections);

    let (mut left_out, mut candidates) = (Vec::new(), Found::default());
    let lowest_ns = config.thresholds.lowest_ns();
    crate::stalls::each_stall(&steps, &blocked, &Now::default(), |stall| {
        if corrected && !numbers.missing_in(&stall).is_none() {
            left_out.push(stall);
        } else {
            candidates.add(stall, lowest_ns);
        }
    });
    let entries = cadence_entries_where(&steps, |p, q| !corrected || numbers.between(p, q).is_none());
    let baselines = Baselines::of(&entries);
    let warm_up = WarmUp::of_beginning(&steps, numbers.beginning());
    let judge_all = |indices: &[usize], stalls: &[Stall]| -> Vec<KeptStall> {
        let limits = baselines.limits(stalls, &config.thresholds);
        let each = indices.iter().zip(stalls).zip(limits);
        each.map(|((&index, &stall), limit)| {
            let missing = numbers.missing_in(&stall);
            let covered_by = covering(&kept.covered, &stall).filter(|_| missing.is_none());
            let warm_up = warm_up.has(&stall, &limit);
            KeptStall { judged: JudgedStall { index, stall, limit, covered_by, warm_up }, missing }
        })
        .collect()
    };
    let stalls = judge_all(&candidates.indices, &candidates.stalls);
    let longest = candidates
        .longest
        .filter(|_| stalls.is_empty())
        .map(|(index, stall)| judge_all(&[index], &[stall])[0].judged);
    let weighed: Vec<JudgedStall> = stalls.iter().map(|stall| stall.judged).collect();
    let places: Vec<usize> = (0..left_out.len()).collect();
    let over = |stall: &KeptStall| stall.judged.is_over_limit();
    KeptDiagnosis {
        verdict: verdict(
            reported(&weighed, longest).as_ref(),
            reasons(kept, &steps),
            steps.len(),
            kept.observes_pauses,
            config.thresholds.overridden,
        ),
        over_limit: stalls.into_iter().filter(over).collect(),
        left_out: judge_all(&places, &left_out).into_iter().filter(over).collect(),
        missing: numbers.missing(),
    }
}

/// The steps by start (L2), and the place of each among the kept ones.
fn ordered(kept: &KeptLoop) -> (Steps, Vec<u32>) {
    let mut order: Vec<u32> = (0..kept.steps.len() as u32).collect();
    order.sort_by_key(|&at| kept.steps[at as usize].start_mono_ns);
    let mut place = vec![0; order.len()];
    for (to, &from) in order.iter().enumerate() {
        place[from as usize] = to as u32;
    }
    let ids = kept.members.iter().map(|member| KeptMember { step: place[member.step as usize], ..*member });
    let column = |of: fn(&KeptStep) -> i64| order.iter().map(|&at| of(&kept.steps[at as usize])).collect();
    let stamp =
        |of: fn(&KeptStep) -> Option<i64>| order.iter().map(|&at| of(&kept.steps[at as usize])).collect();
    let steps = Steps {
        rows: order.iter().map(|&scheduled| StepRows { scheduled, completed: None }).collect(),
        start_mono_ns: column(|step| step.start_mono_ns),
        start_wall_ns: column(|step| step.start_wall_ns),
        end_mono_ns: column(|step| step.end_mono_ns),
        end_wall_ns: column(|step| step.end_wall_ns),
        done_mono_ns: stamp(|step| step.done_mono_ns),
        done_wall_ns: stamp(|step| step.done_wall_ns),
        bucket: order.iter().map(|&at| work_bucket(kept.steps[at as usize].tokens)).collect(),
        members: Members::of_kept(ids.collect(), order.len()),
        dropped_records: 0,
    };
    (steps, order)
}

fn covering(spans: &[WholeSpan], stall: &Stall) -> Option<Span> {
    let end = stall.start_mono_ns.checked_add(stall.duration_ns)?;
    let covers = |span: &&WholeSpan| span.start_mono_ns <= stall.start_mono_ns && end <= span.end_mono_ns;
    spans.iter().find(covers).map(|span| span.wall)
}

fn reasons(kept: &KeptLoop, steps: &Steps) -> Vec<Reason> {
    let none_completed = !steps.is_empty() && steps.completed().next().is_none();
    [
        (kept.records_dropped, Reason::HookRecordsDropped),
        (kept.capped, Reason::HookCapped),
        (none_completed, Reason::TooFewSteps),
        (steps.is_empty(), Reason::RequiresHook),
    ]
    .into_iter()
    .filter_map(|(holds, reason)| holds.then_some(reason))
    .collect()
}

/// The numbers of the steps, to tell where one is missing.
struct Numbers {
    /// Of each step, in start order; empty when no step can be missing.
    of_step: Vec<Option<i64>>,
    /// Ascending, each once.
    present: Vec<i64>,
    is_whole: bool,
}

impl Numbers {
    fn of(kept: &KeptLoop, order: &[u32]) -> Self {
        let of_step: Vec<Option<i64>> = order.iter().map(|&at| kept.steps[at as usize].number).collect();
        let mut present: Vec<i64> = of_step.iter().copied().flatten().collect();
        present.sort_unstable();
        present.dedup();
        Self { of_step, present, is_whole: kept.is_whole }
    }

    /// Numbers without a step between two steps.
    fn between(&self, p: usize, q: usize) -> Missing {
        if self.is_whole {
            return Missing::Steps(0);
        }
        let (Some(a), Some(b)) = (self.of_step[p], self.of_step[q]) else { return Missing::Unknown };
        let (a, b) = (a.min(b), a.max(b));
        let place = |number: i64| self.present.partition_point(|&other| other < number);
        Missing::Steps(b.abs_diff(a).saturating_sub(place(b).saturating_sub(place(a)) as u64))
    }

    fn missing_in(&self, stall: &Stall) -> Missing {
        match (stall.locus, stall.before, stall.step) {
            // One scheduler call: who waited in it was there before and after, whatever ran between.
            (Locus::InSchedule, _, _) => Missing::Steps(0),
            (_, Some(before), Some(step)) => self.between(before as usize, step as usize),
            _ => Missing::Steps(0),
        }
    }

    /// How many steps at the front are the whole loop from its first on: engines count from 0.
    fn beginning(&self) -> usize {
        if self.is_whole && self.present.first() == Some(&0) {
            return self.of_step.len();
        }
        self.of_step.iter().zip(0..).take_while(|&(&number, at)| number == Some(at)).count()
    }

    fn missing(&self) -> Option<u64> {
        if self.of_step.iter().any(Option::is_none) {
            return None;
        }
        let (Some(first), Some(last)) = (self.present.first(), self.present.last()) else { return Some(0) };
        Some((last.abs_diff(*first)).saturating_sub(self.present.len() as u64 - 1))
    }
}
