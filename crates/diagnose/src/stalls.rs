//! Candidate stalls (`diagnose.md` §4).

use serde::Serialize;
use stepscope_epoch_log::Kind;
use stepscope_epoch_log::order::sort_placed;

use crate::blocked::Blocked;
use crate::members::Terminated;
use crate::rules::{Correction, Corrections};
use crate::steps::Steps;
use crate::window::Window;

/// Where in the engine loop the time passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Locus {
    /// From a completion to the next scheduler call.
    BetweenSteps,
    /// Inside a scheduler call.
    InSchedule,
    /// From the scheduler's answer, or the completion before, to the step's own completion.
    WithinStep,
}

/// Whose the time was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Attribution {
    /// The engine process.
    Host,
    /// The engine process or the device: the log does not tell.
    HostOrGpu,
}

impl Locus {
    /// As the log's readers write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::BetweenSteps => "between_steps",
            Self::InSchedule => "in_schedule",
            Self::WithinStep => "within_step",
        }
    }

    /// Whose a stall there is (§4).
    pub fn attribution(self) -> Attribution {
        match self {
            Self::BetweenSteps | Self::InSchedule => Attribution::Host,
            Self::WithinStep => Attribution::HostOrGpu,
        }
    }
}

/// A stretch in which ready work did not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Where in the loop.
    pub locus: Locus,
    /// How long, ns. Monotonic, except for what remains of a stall around blocked intervals and for one still going
    /// on. May be zero or negative.
    pub duration_ns: i64,
    /// Where it begins on the monotonic clock, ns.
    pub start_mono_ns: i64,
    /// Where it begins on the wall clock, ns.
    pub start_wall_ns: i64,
    /// Where it ends on the wall clock, ns.
    pub end_wall_ns: i64,
    /// Work bucket it is measured against (S7).
    pub bucket: u8,
    /// Still going on at the evaluation time.
    pub ongoing: bool,
    /// Lies behind the completion of an earlier step.
    pub overlapped: bool,
    /// Index of the step it follows: whose completion it begins at, or which the scheduler call comes after. `None`
    /// within the first completed step.
    pub before: Option<u32>,
    /// Index of the step it leads to (`between_steps`) or lies in. `None` when it is still going on and no step is
    /// under way.
    pub step: Option<u32>,
}

impl Stall {
    /// Whose it is.
    pub fn attribution(&self) -> Attribution {
        self.locus.attribution()
    }
}

/// What a stall still going on is judged with (C4).
#[derive(Clone, Debug, Default)]
pub(crate) struct Now {
    /// Evaluation time, wall ns; `None` when no stall can be going on.
    pub(crate) wall_ns: Option<i64>,
    /// The step with the last completion.
    pub(crate) last: Option<usize>,
    pub(crate) terminated: Terminated,
}

impl Now {
    /// Evaluates at a time; a goodbye ends everything (C5).
    pub(crate) fn of(
        window: &Window<'_>,
        steps: &Steps,
        wall_ns: Option<i64>,
        with_terminals: bool,
        corrections: Corrections,
    ) -> Self {
        let wall_ns = wall_ns.filter(|_| window.rows(Kind::Goodbye).is_empty());
        let last = if wall_ns.is_none() { None } else { last_done(steps, corrections) };
        let Some(last) = last else {
            return Self { wall_ns, ..Self::default() };
        };
        let done = (steps.done_mono_ns[last], steps.done_wall_ns[last].unwrap_or_default());
        let after = corrections.has(Correction::EarlierTerminal).then_some(done);
        let skip_malformed = corrections.has(Correction::MalformedId);
        let terminated = if with_terminals {
            Terminated::of(window, after, skip_malformed)
        } else {
            Terminated::default()
        };
        Self { wall_ns, last: Some(last), terminated }
    }
}

/// The last step in start order with a wall stamp of its completion. One without members has nothing to go on with;
/// the reference takes it all the same, and so overlooks the stall.
fn last_done(steps: &Steps, corrections: Corrections) -> Option<usize> {
    let skip_memberless = corrections.has(Correction::MemberlessLast);
    (0..steps.len())
        .rev()
        .find(|&step| steps.done_wall_ns[step].is_some() && (!skip_memberless || steps.has_members(step)))
}

/// Calls `visit` with every candidate in the order of §5: per neighbouring pair `in_schedule` and `between_steps`,
/// then `within_step`, then the one still going on; each replaced by what remains of it around blocked intervals.
pub(crate) fn each_stall(steps: &Steps, blocked: &Blocked, now: &Now, mut visit: impl FnMut(Stall)) {
    let mut visit = |stall: Stall| blocked.split(stall, &mut visit);
    between_neighbours(steps, &mut visit);
    within_steps(steps, &mut visit);
    if let Some(stall) = going_on(steps, now) {
        visit(stall);
    }
}

/// The wall stamp of a completion where it bounds a stall; one of 0 counts as none there, as it does for the reference.
fn done_wall(steps: &Steps, step: usize) -> Option<i64> {
    steps.done_wall_ns[step].filter(|&wall| wall != 0)
}

/// C1 and C2.
fn between_neighbours(steps: &Steps, visit: &mut impl FnMut(Stall)) {
    let mut done: Vec<(i64, u32)> = steps
        .completed()
        .filter(|&(step, _)| steps.has_members(step))
        .map(|(step, done)| (done, step as u32))
        .collect();
    sort_placed(&mut done);
    let mut reached = 0;
    for q in 1..steps.len() {
        if steps.goes_on(q - 1, q) {
            visit(Stall {
                locus: Locus::InSchedule,
                duration_ns: steps.end_mono_ns[q].saturating_sub(steps.start_mono_ns[q]),
                start_mono_ns: steps.start_mono_ns[q],
                start_wall_ns: steps.start_wall_ns[q],
                end_wall_ns: steps.end_wall_ns[q],
                bucket: steps.bucket[q],
                ongoing: false,
                overlapped: false,
                before: Some(q as u32 - 1),
                step: Some(q as u32),
            });
        }
        // Starts ascend, so the latest completion before them does.
        while done.get(reached).is_some_and(|&(done, _)| done <= steps.start_mono_ns[q]) {
            reached += 1;
        }
        let Some(&(r_done, r)) = reached.checked_sub(1).and_then(|at| done.get(at)) else { continue };
        let r = r as usize;
        if steps.goes_on(r, q) {
            visit(Stall {
                locus: Locus::BetweenSteps,
                duration_ns: steps.start_mono_ns[q].saturating_sub(r_done),
                start_mono_ns: r_done,
                start_wall_ns: done_wall(steps, r).unwrap_or(steps.start_wall_ns[q]),
                end_wall_ns: steps.start_wall_ns[q],
                bucket: steps.bucket[q],
                ongoing: false,
                overlapped: false,
                before: Some(r as u32),
                step: Some(q as u32),
            });
        }
    }
}

/// C3.
fn within_steps(steps: &Steps, visit: &mut impl FnMut(Stall)) {
    let mut before: Option<usize> = None;
    for (step, done) in steps.completed() {
        if steps.has_members(step) {
            let (before_mono, before_wall) = before
                .map_or((0, 0), |o| (steps.done_mono_ns[o].unwrap_or(0), steps.done_wall_ns[o].unwrap_or(0)));
            let (end_mono, end_wall) = (steps.end_mono_ns[step], steps.end_wall_ns[step]);
            let start_mono_ns = before_mono.max(end_mono);
            visit(Stall {
                locus: Locus::WithinStep,
                duration_ns: done.saturating_sub(start_mono_ns),
                start_mono_ns,
                start_wall_ns: before_wall.max(end_wall),
                end_wall_ns: done_wall(steps, step).unwrap_or(end_wall),
                bucket: steps.bucket[step],
                ongoing: false,
                overlapped: start_mono_ns > end_mono,
                before: before.map(|o| o as u32),
                step: Some(step as u32),
            });
        }
        before = Some(step);
    }
}

/// C4.
fn going_on(steps: &Steps, now: &Now) -> Option<Stall> {
    let (now_wall, last) = (now.wall_ns?, now.last?);
    let done_wall = steps.done_wall_ns[last]?;
    let pending: Vec<usize> = (0..steps.len())
        .filter(|&step| {
            steps.done_wall_ns[step].is_none() && steps.start_wall_ns[step] >= steps.start_wall_ns[last]
        })
        .collect();
    let alive = |id| !now.terminated.has(id);
    let waits = pending
        .iter()
        .any(|&step| steps.members.shared(last, step).any(|(at, _)| alive(steps.members.id(at))))
        || steps.ready(last).any(alive);
    if !waits {
        return None;
    }
    let done_mono = steps.done_mono_ns[last].unwrap_or(0);
    let first_pending = pending.first().copied();
    Some(Stall {
        locus: if first_pending.is_some() { Locus::WithinStep } else { Locus::BetweenSteps },
        duration_ns: now_wall.saturating_sub(done_wall),
        start_mono_ns: done_mono,
        start_wall_ns: done_wall,
        end_wall_ns: now_wall,
        bucket: steps.bucket[first_pending.unwrap_or(last)],
        ongoing: true,
        overlapped: steps.done_mono_ns[last]
            .is_some_and(|done| pending.iter().any(|&step| steps.end_mono_ns[step] < done)),
        before: Some(last as u32),
        step: first_pending.map(|step| step as u32),
    })
}
