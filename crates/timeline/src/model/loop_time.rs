//! What the engine loop did at every moment, without overlap: in the scheduler call; else within a step that is in
//! flight; else in a gap, which is paused, unknown, idle or between steps.

use stepscope_epoch_log::Epoch;

use super::clock::Clock;
use super::peaks::BLOCK;
use super::spans::Spans;
use super::steps::Steps;

/// The time line from 0 to `end`, as sums that any range is the difference of.
#[derive(Clone, Debug, Default)]
pub struct LoopTime {
    /// Of each block of steps, what was spent in schedule and within steps before it.
    before: Vec<(i64, i64)>,
    paused: GapSet,
    unknown: GapSet,
    idle: GapSet,
    end: i64,
    /// The last step has no outcome and the log no goodbye: it is in flight until the end.
    open: bool,
}

/// Time by what the loop did, ns. The parts and what is not known add up to the length of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// In the scheduler call.
    pub in_schedule: i64,
    /// Outside it with a step in flight.
    pub within_step: i64,
    /// Between steps, with somebody live or waiting.
    pub between: i64,
    /// Paused.
    pub paused: i64,
    /// Nobody live or waiting.
    pub idle: i64,
}

/// A set of moments, of which only those in gaps count.
#[derive(Clone, Debug, Default)]
struct GapSet {
    spans: Spans,
    /// Of each span: gap time from the beginning of the epoch to its start and its end, and gap time in spans before.
    gaps: Vec<(i64, i64, i64)>,
}

impl GapSet {
    fn of(spans: Spans, gap_until: impl Fn(i64) -> i64) -> Self {
        let mut before = 0;
        let gaps = spans
            .as_slice()
            .iter()
            .map(|&(start, end)| {
                let span = (gap_until(start), gap_until(end), before);
                before += span.1 - span.0;
                span
            })
            .collect();
        Self { spans, gaps }
    }

    /// Gap time in the set until `t`, when all gap time until then is `gap`. `near` is the place of the last answer.
    fn until(&self, t: i64, gap: i64, near: &mut usize) -> i64 {
        let spans = self.spans.as_slice();
        if *near > spans.len() || *near > 0 && spans[*near - 1].0 > t {
            *near = 0;
        }
        // Ranges of ever later bins: a few spans on each time, or a search when it is many.
        let mut steps = 0;
        while *near < spans.len() && spans[*near].0 <= t {
            *near += 1;
            steps += 1;
            if steps > 8 {
                *near += spans[*near..].partition_point(|span| span.0 <= t);
                break;
            }
        }
        let Some(at) = near.checked_sub(1) else { return 0 };
        let (start, end, before) = self.gaps[at];
        before + if t < spans[at].1 { gap - start } else { end - start }
    }
}

/// Remembers where the last question was, so that questions in ascending order are cheap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Steps started at or before the last time.
    started: usize,
    /// The step `spent` stands before.
    step: usize,
    spent: (i64, i64),
    sets: [usize; 3],
}

/// What the sets of a [`LoopTime`] are made of.
pub(crate) struct Sets<'a> {
    /// Scheduler paused so that nothing runs.
    pub(crate) paused: &'a Spans,
    /// Records are missing.
    pub(crate) holes: &'a Spans,
    /// Somebody is live or waiting.
    pub(crate) busy: &'a Spans,
}

impl LoopTime {
    pub(crate) fn of(epoch: &Epoch, clock: Clock, steps: &Steps, sets: &Sets<'_>) -> Self {
        let open = epoch.goodbye.is_none();
        let mut time = Self { end: clock.end(), open, ..Self::default() };
        let mut spent = (0, 0);
        let mut lost = Vec::new();
        for step in 0..steps.len() {
            if step % BLOCK == 0 {
                time.before.push(spent);
            }
            let tile = time.tile(epoch, clock, steps, step);
            spent.0 += tile.scheduled - tile.start;
            spent.1 += tile.flown - tile.scheduled;
            if steps.outcome(step).is_none() && tile.next > tile.flown {
                lost.push((tile.flown, tile.next));
            }
        }
        // Never outcome, never end: the rest of the way to the next step is not known.
        let unknown = Spans::union(lost).or(sets.holes).without(sets.paused);
        let idle = sets.busy.complement(0, clock.end()).without(&unknown).without(sets.paused);
        let gap_until = |t: i64| time.gap_until(epoch, clock, steps, t, &mut Place::default()).0;
        let paused = GapSet::of(sets.paused.clone(), gap_until);
        let unknown = GapSet::of(unknown, gap_until);
        let idle = GapSet::of(idle, gap_until);
        Self { paused, unknown, idle, ..time }
    }

    fn tile(&self, epoch: &Epoch, clock: Clock, steps: &Steps, step: usize) -> Tile {
        let start = steps.at(step);
        let last = step + 1 == steps.len();
        let next = if last { self.end.max(start) } else { steps.at(step + 1) };
        let scheduled = steps.end(epoch, clock, step).clamp(start, next);
        let open = last && self.open && steps.outcome(step).is_none();
        let flown = if open { next } else { steps.latest_done(step).clamp(scheduled, next) };
        Tile { start, scheduled, flown, next }
    }

    /// Gap time until `t`, and what was spent in schedule and within steps until then.
    fn gap_until(
        &self,
        epoch: &Epoch,
        clock: Clock,
        steps: &Steps,
        t: i64,
        place: &mut Place,
    ) -> (i64, i64, i64) {
        let t = t.clamp(0, self.end);
        place.started = steps.started_until(t, place.started);
        let Some(step) = place.started.checked_sub(1) else { return (t, 0, 0) };
        if step < place.step || step / BLOCK > place.step / BLOCK || place.step == 0 {
            place.step = step / BLOCK * BLOCK;
            place.spent = self.before[step / BLOCK];
        }
        while place.step < step {
            let tile = self.tile(epoch, clock, steps, place.step);
            place.spent.0 += tile.scheduled - tile.start;
            place.spent.1 += tile.flown - tile.scheduled;
            place.step += 1;
        }
        let tile = self.tile(epoch, clock, steps, step);
        let in_schedule = place.spent.0 + t.min(tile.scheduled) - tile.start;
        let within = place.spent.1 + (t.min(tile.flown) - tile.scheduled).max(0);
        (t - in_schedule - within, in_schedule, within)
    }

    /// Time by what the loop did from the beginning until `t`.
    pub(crate) fn until(
        &self,
        epoch: &Epoch,
        clock: Clock,
        steps: &Steps,
        t: i64,
        place: &mut Place,
    ) -> Shares {
        let (gap, in_schedule, within_step) = self.gap_until(epoch, clock, steps, t, place);
        let t = t.clamp(0, self.end);
        let paused = self.paused.until(t, gap, &mut place.sets[0]);
        let unknown = self.unknown.until(t, gap, &mut place.sets[1]);
        let idle = self.idle.until(t, gap, &mut place.sets[2]);
        Shares { in_schedule, within_step, between: gap - paused - unknown - idle, paused, idle }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let sets = [&self.paused, &self.unknown, &self.idle];
        self.before.capacity() * 16
            + sets.iter().map(|set| set.spans.heap_bytes() + set.gaps.capacity() * 24).sum::<usize>()
    }
}

/// The stretch from one step's start to the next: in the scheduler call until `scheduled`, within steps until
/// `flown`, a gap until `next`.
struct Tile {
    start: i64,
    scheduled: i64,
    flown: i64,
    next: i64,
}

impl std::ops::Sub for Shares {
    type Output = Shares;

    fn sub(self, other: Shares) -> Shares {
        Shares {
            in_schedule: self.in_schedule - other.in_schedule,
            within_step: self.within_step - other.within_step,
            between: self.between - other.between,
            paused: self.paused - other.paused,
            idle: self.idle - other.idle,
        }
    }
}

impl Shares {
    /// All that is known.
    pub fn known(self) -> i64 {
        self.in_schedule + self.within_step + self.between + self.paused + self.idle
    }
}
