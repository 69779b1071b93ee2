//! The stalls that are listed: those over their limit, worst first, then first-call warm-up, then late heartbeats.

use stepscope_diagnose::{
    Config, Diagnosis, HEARTBEAT_CADENCE_NS, Held, JudgedStall, LateHeartbeat, Locus, Steps as JudgedSteps,
    explain,
};
use stepscope_epoch_log::Epoch;
use stepscope_epoch_log::order::{places_by, sort_indices};

use super::clock::Clock;
use super::executions::Executions;
use super::spans::Spans;

/// A line of the list. Times are offsets, ns.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Start.
    pub t0: i64,
    /// End.
    pub t1: i64,
    /// Length as the rules measure it.
    pub duration: i64,
    /// What it is.
    pub what: What,
}

/// What a line of the list is.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A stall over its limit.
    Stall {
        /// The stall and its limit.
        judged: JudgedStall,
        /// The step that starts next after it.
        next: Option<u32>,
        /// Why the requests count as held up.
        held: Held,
        /// The stays held up.
        ready: Vec<u32>,
        /// It lies in the time of another listed stall, seen from the step in flight: never to be added to that.
        twin: bool,
    },
    /// A heartbeat that came late while no step was running: no stall by the rules.
    LateHeartbeat(LateHeartbeat),
}

/// The list, and its order in time.
#[derive(Clone, Debug, Default)]
pub struct Stalls {
    /// Worst first.
    pub list: Vec<Listed>,
    /// Places of the stalls in the list by start; late heartbeats are left out.
    by_start: Vec<u32>,
    /// The latest end of the stalls of `by_start` up to each.
    reach: Vec<i64>,
}

impl Listed {
    /// The stall; `None` for a late heartbeat.
    pub fn judged(&self) -> Option<&JudgedStall> {
        match &self.what {
            What::Stall { judged, .. } => Some(judged),
            What::LateHeartbeat(_) => None,
        }
    }

    /// Whether it counts among the stalls over their limit: no warm-up, no late heartbeat, nothing listed twice.
    pub fn counts(&self) -> bool {
        matches!(&self.what, What::Stall { judged, twin: false, .. } if !judged.warm_up)
    }

    /// Whether it is first-call warm-up.
    pub fn is_warm_up(&self) -> bool {
        self.judged().is_some_and(|judged| judged.warm_up)
    }
}

impl Stalls {
    pub(crate) fn of(
        epoch: &Epoch,
        clock: Clock,
        judged_steps: &JudgedSteps,
        executions: &Executions,
        config: &Config,
        diagnosis: &Diagnosis,
    ) -> Self {
        let ranked = diagnosis.ranked();
        let span = |judged: &JudgedStall| {
            let start = clock.at(judged.stall.start_mono_ns);
            (start, clock.later(start, judged.stall.duration_ns))
        };
        let host = Spans::union(
            ranked
                .iter()
                .filter(|judged| judged.stall.locus != Locus::WithinStep)
                .map(|judged| span(judged))
                .collect(),
        );
        let mut list: Vec<Listed> = ranked
            .into_iter()
            .map(|judged| {
                let (t0, t1) = span(judged);
                let told = explain(epoch, judged_steps, config, &judged.stall);
                let near = judged.stall.step.or(judged.stall.before).unwrap_or(0) as usize;
                let mut ready: Vec<u32> = told
                    .ids
                    .iter()
                    .filter_map(|&id| executions.find(id, near, t0))
                    .map(|execution| execution as u32)
                    .collect();
                sort_indices(&mut ready);
                let shared = Spans::union(vec![(t0, t1)]).intersect(&host).length();
                let twin = judged.stall.locus == Locus::WithinStep
                    && judged.stall.overlapped
                    && shared * 2 > t1 - t0;
                let what = What::Stall { judged: *judged, next: told.next, held: told.held, ready, twin };
                Listed { t0, t1, duration: judged.stall.duration_ns, what }
            })
            .collect();
        list.extend(diagnosis.late_heartbeats.iter().map(|late| {
            let t1 = clock.at(late.quiet_end_mono_ns);
            let due = clock.of_row(&epoch.log.heartbeat.at.mono, late.row - 1).unwrap_or(t1);
            let t0 = clock.later(due, HEARTBEAT_CADENCE_NS).min(t1);
            Listed { t0, t1, duration: late.late_ns, what: What::LateHeartbeat(*late) }
        }));
        Self::new(list)
    }

    pub(crate) fn new(list: Vec<Listed>) -> Self {
        let mut by_start = places_by(list.len(), |at| list[at].t0);
        by_start.retain(|&at| list[at as usize].judged().is_some());
        let reach = by_start
            .iter()
            .scan(i64::MIN, |reach, &at| {
                *reach = list[at as usize].t1.max(*reach);
                Some(*reach)
            })
            .collect();
        Self { list, by_start, reach }
    }

    /// The stalls, late heartbeats left out, that may touch a range; some that do not are among them.
    pub(crate) fn touching(&self, start: i64, end: i64) -> impl Iterator<Item = &Listed> {
        self.places(start, end).iter().map(|&at| &self.list[at as usize])
    }

    /// The same as places in the list, by start.
    pub(crate) fn places(&self, start: i64, end: i64) -> &[u32] {
        let first = self.reach.partition_point(|&reach| reach < start);
        let last = self.by_start.partition_point(|&at| self.list[at as usize].t0 < end);
        &self.by_start[first..last.max(first)]
    }

    /// The stalls that count: how many, and how long all of them together held the loop, no moment counted twice.
    pub fn over_limit(&self) -> (usize, i64) {
        let counted = || self.list.iter().filter(|listed| listed.counts());
        (counted().count(), Spans::union(counted().map(|listed| (listed.t0, listed.t1)).collect()).length())
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let ready = |listed: &Listed| match &listed.what {
            What::Stall { ready, .. } => ready.capacity() * 4,
            What::LateHeartbeat(_) => 0,
        };
        self.list.capacity() * size_of::<Listed>()
            + self.list.iter().map(ready).sum::<usize>()
            + self.by_start.capacity() * 4
            + self.reach.capacity() * 8
    }
}
