//! The epoch laid out in time: derived columns, made once, that every question is answered from.

mod clock;
mod empty_runs;
pub(crate) mod executions;
mod holes;
mod known;
mod loop_time;
mod occupancy;
mod pauses;
pub(crate) mod peaks;
mod seats;
mod spans;
mod stalls;
mod stays;
pub(crate) mod steps;
mod work;

use std::sync::OnceLock;

use stepscope_diagnose::{Config, Steps as JudgedSteps, Verdict, differences, judge};
use stepscope_epoch_log::{Epoch, word};

pub use clock::Clock;
pub(crate) use clock::LAST;

use empty_runs::EmptyRuns;
pub use executions::{Ended, Executions, Preemption};
pub use known::{Knowledge, Known};
pub(crate) use loop_time::Place;
pub use loop_time::{LoopTime, Shares};
pub use occupancy::Occupancy;
pub use pauses::PauseSpan;
pub use spans::Spans;
pub use stalls::{Listed, Stalls, What};
pub use steps::{Steps, Tokens};
pub(crate) use work::outcome_of;

/// One epoch and its layout in time.
#[derive(Debug)]
pub struct Timeline {
    pub(crate) epoch: Epoch,
    pub(crate) clock: Clock,
    pub(crate) steps: Steps,
    pub(crate) executions: Executions,
    pub(crate) recomputed: work::Recomputed,
    pub(crate) occupancy: Occupancy,
    pub(crate) loop_time: LoopTime,
    pub(crate) known: Known,
    pub(crate) pauses: Vec<PauseSpan>,
    /// The scheduler was paused and nothing ran.
    pub(crate) paused: Spans,
    /// When the pause state changed, ascending.
    pub(crate) pause_changes: Vec<i64>,
    /// When cache resets began, ascending.
    pub(crate) reset_times: Vec<i64>,
    pub(crate) stalls: Stalls,
    pub(crate) empty_runs: EmptyRuns,
    /// Lines of the table of steps by step time, made when first asked for.
    pub(crate) longest_first: OnceLock<Vec<u32>>,
    pub(crate) verdict: Verdict,
    pub(crate) differences: Vec<String>,
}

impl Timeline {
    /// Judges an epoch by the corrected rules, as of the last sign of life of its writer (a goodbye ends everything),
    /// and lays it out.
    pub fn new(epoch: Epoch) -> Self {
        let config = Config::corrected(evaluation_time(&epoch));
        let judged_steps = JudgedSteps::of(&epoch, &config);
        let diagnosis = judge(&epoch, &judged_steps, &config);
        let clock = Clock::of(&epoch);
        // An ongoing stall goes on until the last sign of life, which may be in the status file.
        let going_on = diagnosis.over_limit().filter(|judged| judged.stall.ongoing);
        let until = going_on.map(|j| clock.later(clock.at(j.stall.start_mono_ns), j.stall.duration_ns)).max();
        let clock = clock.ending_at(until.unwrap_or(0));

        let rows = judged_steps.rows.iter().map(|step| (step.scheduled, step.completed));
        let mut steps = Steps::of(&epoch, clock, rows);
        let holes = holes::of(&epoch, clock);
        let found = stays::find(&epoch, clock);
        let (mut executions, recomputed) = work::fill(&epoch, clock, &mut steps, found, &holes);
        let (lane, lanes) = seats::take(&executions.begin, &executions.end);
        executions.take_lanes(lane, lanes);
        let stalls = Stalls::of(&epoch, clock, &judged_steps, &executions, &config, &diagnosis);
        let differences = differences(&epoch, &judged_steps, &config);
        drop(judged_steps);
        let occupancy = Occupancy::of(&epoch, clock, &steps, &executions);
        let pauses = pauses::of(&epoch, clock);
        let paused = paused(&pauses, &occupancy, clock);
        let sets = loop_time::Sets { paused: &paused, holes: &holes, busy: &occupancy.busy };
        let loop_time = LoopTime::of(&epoch, clock, &steps, &sets);
        let known = Known::of(&epoch, clock);
        let empty_runs = EmptyRuns::of(steps.len(), |step| steps.flags(step) & steps::flag::EMPTY != 0);
        let log = &epoch.log;
        let ascending = |mut times: Vec<i64>| {
            times.sort_unstable();
            times
        };
        let changes = (0..log.pause.seq.len()).filter_map(|row| clock.of_row(&log.pause.at.mono, row));
        let resets =
            (0..log.cache_reset.seq.len()).filter_map(|row| clock.of_row(&log.cache_reset.start.mono, row));
        Self {
            pause_changes: ascending(changes.collect()),
            reset_times: ascending(resets.collect()),
            epoch,
            clock,
            steps,
            executions,
            recomputed,
            occupancy,
            loop_time,
            known,
            pauses,
            paused,
            stalls,
            empty_runs,
            longest_first: OnceLock::new(),
            verdict: diagnosis.verdict,
            differences,
        }
    }

    /// The epoch.
    pub fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    /// Its time.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Its steps.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// Its requests.
    pub fn executions(&self) -> &Executions {
        &self.executions
    }

    /// Start of a step's scheduler call.
    pub(crate) fn start(&self, step: usize) -> i64 {
        self.steps.start(&self.epoch, self.clock, step)
    }

    /// End of a step's scheduler call.
    pub(crate) fn end(&self, step: usize) -> i64 {
        self.steps.end(&self.epoch, self.clock, step)
    }

    /// When a step's output was processed.
    pub(crate) fn done(&self, step: usize) -> Option<i64> {
        self.steps.done(&self.epoch, self.clock, step)
    }

    /// Until when a step is drawn: its completion; without one, the next step's start, or the end of a log that has
    /// no goodbye.
    pub(crate) fn flies_until(&self, step: usize) -> i64 {
        if let Some(done) = self.done(step) {
            return done;
        }
        let end = self.end(step);
        if step + 1 < self.steps.len() {
            end.max(self.steps.at(step + 1))
        } else if self.epoch.goodbye.is_none() {
            end.max(self.clock.end())
        } else {
            end
        }
    }

    pub(crate) fn loop_until(&self, t: i64, place: &mut Place) -> Shares {
        self.loop_time.until(&self.epoch, self.clock, &self.steps, t, place)
    }

    /// Time by what the loop did in a range (`insight.md` §3, time share).
    pub fn loop_shares(&self, start: i64, end: i64) -> Shares {
        let mut place = Place::default();
        let before = self.loop_until(start, &mut place);
        self.loop_until(end, &mut place) - before
    }

    /// The stalls over their limit, warm-up set apart: how many, and how long all of them together held the loop, ns; a
    /// moment that two of them share counts once.
    pub fn stalls_over_limit(&self) -> (usize, i64) {
        self.stalls.over_limit()
    }

    /// Bytes of the derived columns on the heap, the epoch left out.
    pub fn heap_bytes(&self) -> usize {
        self.steps.heap_bytes()
            + self.executions.heap_bytes()
            + self.recomputed.capacity() * 8
            + self.occupancy.heap_bytes()
            + self.loop_time.heap_bytes()
            + self.known.heap_bytes()
            + self.paused.heap_bytes()
            + self.stalls.heap_bytes()
            + self.empty_runs.heap_bytes()
            + self.longest_first.get().map_or(0, |lines| lines.capacity() * 4)
            + (self.pause_changes.capacity() + self.reset_times.capacity()) * 8
            + self.pauses.capacity() * size_of::<PauseSpan>()
    }
}

/// The wall clock a stall still going on is judged at: the writer's last sign of life. A capped writer lives on in its
/// status file without writing anything, so that what it saw last is its last heartbeat.
fn evaluation_time(epoch: &Epoch) -> Option<i64> {
    if epoch.status.as_ref().is_some_and(|status| status.capped) {
        let beats = &epoch.log.heartbeat.at.wall;
        (0..beats.len()).filter_map(|row| beats.int(row)).max()
    } else {
        epoch.last_seen_wall_ns
    }
}

/// When nothing could run: all of `PAUSED_ALL`, and of other pauses what had nobody live.
fn paused(pauses: &[PauseSpan], occupancy: &Occupancy, clock: Clock) -> Spans {
    let spans = |all: bool| {
        let of_kind = pauses.iter().filter(|pause| (pause.state == word::PAUSED_ALL) == all);
        Spans::union(of_kind.map(|pause| (pause.start, pause.end)).collect())
    };
    let nobody_live = occupancy.occupied.complement(0, clock.end());
    spans(true).or(&spans(false).intersect(&nobody_live))
}
