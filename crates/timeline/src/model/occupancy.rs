//! How many requests are live and how many wait, as step functions of time (`insight.md` §2).

use stepscope_epoch_log::Epoch;
use stepscope_epoch_log::order::sort_by_key;

use super::clock::Clock;
use super::executions::Executions;
use super::peaks::Peaks;
use super::spans::Spans;
use super::steps::Steps;

/// The two numbers from each change on.
#[derive(Clone, Debug, Default)]
pub struct Occupancy {
    /// Times of change, ascending.
    at: Vec<i64>,
    live: Vec<u32>,
    waiting: Vec<u32>,
    live_peaks: Peaks<u32>,
    waiting_peaks: Peaks<u32>,
    /// Whether hand-overs to the scheduler were recorded; if not, nobody knows who waited.
    pub waiting_recorded: bool,
    /// Somebody is live or waiting. Without hand-overs a request counts from its admission on.
    pub busy: Spans,
    /// Somebody is live.
    pub occupied: Spans,
}

impl Occupancy {
    pub(crate) fn of(epoch: &Epoch, clock: Clock, steps: &Steps, executions: &Executions) -> Self {
        let recorded = epoch.hello.as_ref().and_then(|hello| hello.observes("enqueued"));
        let waiting_recorded = recorded.unwrap_or(!epoch.log.enqueued.seq.is_empty());
        let mut changes = Changes::default();
        let mut busy = Vec::with_capacity(executions.len());
        for execution in 0..executions.len() {
            let end = executions.end(execution);
            let in_steps = executions.steps(execution);
            let first = in_steps.first().map(|&step| steps.start(epoch, clock, step as usize));
            let enqueued = executions.enqueued(epoch, clock, execution);
            let waits_from =
                enqueued.or(if waiting_recorded { None } else { Some(executions.begin(execution)) });
            if let Some(from) = waits_from.or(first) {
                busy.push((from, end));
            }
            if let Some(from) = enqueued {
                changes.waits(from, first.unwrap_or(end).min(end));
            }
            let Some(first) = first else { continue };
            let mut live_from = first;
            for preemption in executions.preemptions_of(execution) {
                let at = steps.start(epoch, clock, preemption.step as usize);
                let resumed = in_steps[in_steps.partition_point(|&step| step < preemption.step)..]
                    .first()
                    .map_or(end, |&step| steps.start(epoch, clock, step as usize));
                changes.lives(live_from, at.clamp(live_from, end.max(live_from)));
                changes.waits(at, resumed.min(end));
                live_from = resumed.max(live_from);
            }
            changes.lives(live_from, end);
        }
        let (at, live, waiting) = changes.sum();
        let live_peaks = Peaks::of(live.len(), |change| live[change]);
        let waiting_peaks = Peaks::of(waiting.len(), |change| waiting[change]);
        let occupied = Spans::union(
            (0..at.len())
                .filter(|&change| live[change] > 0)
                .map(|change| (at[change], at.get(change + 1).copied().unwrap_or(i64::MAX)))
                .collect(),
        );
        Self {
            at,
            live,
            waiting,
            live_peaks,
            waiting_peaks,
            waiting_recorded,
            busy: Spans::union(busy),
            occupied,
        }
    }

    /// How many changes happened at or before a time; `near` is a guess from below.
    pub(crate) fn changes_until(&self, t: i64, near: usize) -> usize {
        let mut low = near.min(self.at.len());
        if low > 0 && self.at[low - 1] > t {
            low = 0;
        }
        let (mut stride, mut high) = (1, low);
        while high < self.at.len() && self.at[high] <= t {
            low = high + 1;
            high = (high + stride).min(self.at.len());
            stride *= 2;
        }
        low + self.at[low..high].partition_point(|&at| at <= t)
    }

    /// Live and waiting at a time.
    pub fn at(&self, t: i64) -> (u32, u32) {
        match self.changes_until(t, 0).checked_sub(1) {
            None => (0, 0),
            Some(change) => (self.live[change], self.waiting[change]),
        }
    }

    /// Most live and most waiting over a stretch of changes: `changes` counts those until its start and its end.
    pub(crate) fn most(&self, start: usize, end: usize) -> (u32, u32) {
        let first = start.saturating_sub(1);
        (
            self.live_peaks.greatest(first, end, &|change| self.live[change]).unwrap_or(0),
            self.waiting_peaks.greatest(first, end, &|change| self.waiting[change]).unwrap_or(0),
        )
    }

    /// Most live and most waiting ever.
    pub fn peaks(&self) -> (u32, u32) {
        self.most(0, self.at.len())
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.at.capacity() * 8
            + (self.live.capacity() + self.waiting.capacity()) * 4
            + self.live_peaks.heap_bytes()
            + self.waiting_peaks.heap_bytes()
            + self.busy.heap_bytes()
            + self.occupied.heap_bytes()
    }
}

/// Comings and goings: time, and 1 or −1 in one of the two numbers.
#[derive(Default)]
struct Changes(Vec<(i64, i8, i8)>);

impl Changes {
    fn lives(&mut self, from: i64, to: i64) {
        if to > from {
            self.0.extend([(from, 1, 0), (to, -1, 0)]);
        }
    }

    fn waits(&mut self, from: i64, to: i64) {
        if to > from {
            self.0.extend([(from, 0, 1), (to, 0, -1)]);
        }
    }

    fn sum(mut self) -> (Vec<i64>, Vec<u32>, Vec<u32>) {
        sort_by_key(&mut self.0, |change| change.0);
        let (mut at, mut live, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
        let (mut lives, mut waits) = (0i64, 0i64);
        for (place, &(t, live_change, waiting_change)) in self.0.iter().enumerate() {
            lives += i64::from(live_change);
            waits += i64::from(waiting_change);
            if self.0.get(place + 1).is_none_or(|next| next.0 != t) {
                at.push(t);
                live.push(u32::try_from(lives).unwrap_or(0));
                waiting.push(u32::try_from(waits).unwrap_or(0));
            }
        }
        at.shrink_to_fit();
        live.shrink_to_fit();
        waiting.shrink_to_fit();
        (at, live, waiting)
    }
}
