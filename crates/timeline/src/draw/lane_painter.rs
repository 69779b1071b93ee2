//! One lane painted: each stay as runs of what it did, at the resolution of the window. Long quiet or uniform stretches
//! of a stay are passed over a block of entries at a time.

use super::bins::Bins;
use crate::answers::Lanes;
use crate::model::Timeline;
use crate::model::executions::{BLOCK, Ended, Executions, Work, entry};
use crate::tell::short_name;

/// Kinds of runs; the numbers are those of [`Lanes::run_kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Run {
    Queue = 0,
    Prefill = 1,
    Decode = 2,
    Recompute = 3,
    PrefillWait = 4,
    DecodeWait = 5,
    Preempted = 6,
    Paused = 7,
}

impl Run {
    /// Who gets a bin that several touch: what is rare and short must not vanish.
    fn rank(self) -> u8 {
        match self {
            Self::Queue => 0,
            Self::PrefillWait | Self::DecodeWait => 1,
            Self::Paused => 2,
            Self::Decode => 3,
            Self::Prefill => 4,
            Self::Recompute => 5,
            Self::Preempted => 6,
        }
    }

    fn of(work: Work) -> Self {
        match work {
            Work::Prefill => Self::Prefill,
            Work::Decode => Self::Decode,
            Work::Recompute => Self::Recompute,
        }
    }

    fn wait_before(work: Work) -> Self {
        if work == Work::Prefill { Self::PrefillWait } else { Self::DecodeWait }
    }
}

/// So many stays within one bin are a crowd.
const CROWD: usize = 16;

/// A name needs so many bins, about as many pixels or half as many.
const LABEL_BINS: i64 = 40;

/// Paints one lane into the answer.
pub(super) struct Painter<'a> {
    timeline: &'a Timeline,
    executions: &'a Executions,
    bins: Bins,
    lane: u32,
    out: &'a mut Lanes,
    /// The last bin reached: its number, the best run in it and whose it is.
    last: Option<(usize, Run, u32)>,
    /// Where the run being written began, its kind and stay; it ends before `last`.
    open: Option<(usize, Run, u32)>,
}

impl<'a> Painter<'a> {
    pub(super) fn new(timeline: &'a Timeline, bins: Bins, lane: u32, out: &'a mut Lanes) -> Self {
        Self { timeline, executions: &timeline.executions, bins, lane, out, last: None, open: None }
    }

    /// Paints the stays of the lane, which come by time.
    pub(super) fn lane(&mut self, stays: &[u32]) {
        let end_of = |stay: u32| self.executions.end(stay as usize);
        let mut at = stays.partition_point(|&stay| end_of(stay) < self.bins.start);
        let mut ticked = None;
        while let Some(&stay) = stays.get(at) {
            if self.executions.begin(stay as usize) >= self.bins.end() {
                break;
            }
            self.stay(stay as usize);
            self.end(stay as usize, &mut ticked);
            self.label(stay as usize);
            at += 1;
            // A crowd of stays within one bin: the first of them stands for all.
            if end_of(stay) - self.executions.begin(stay as usize) < self.bins.width {
                let edge = self.bins.edge(self.bins.bin(end_of(stay)) + 1);
                let crowd = &stays[at..];
                if crowd.get(CROWD).is_some_and(|&stay| end_of(stay) < edge) {
                    at += self.pass_crowd(crowd, edge, &mut ticked);
                }
            }
        }
        self.flush();
    }

    /// Passes over stays that end before `edge`; an abort among the first of them is still shown.
    fn pass_crowd(&mut self, crowd: &[u32], edge: i64, ticked: &mut Option<(usize, usize)>) -> usize {
        let end_of = |stay: u32| self.executions.end(stay as usize);
        let passed = crowd.partition_point(|&stay| end_of(stay) < edge);
        for &stay in crowd[..passed].iter().take(CROWD) {
            self.end(stay as usize, ticked);
        }
        passed
    }

    fn stay(&mut self, stay: usize) {
        let (begin, end) = (self.executions.begin(stay), self.executions.end(stay));
        let entries = self.executions.entries(stay);
        if entries.is_empty() {
            self.run(stay, begin, end, Run::Queue);
            return;
        }
        let steps = &self.executions.entry_step[entries.clone()];
        // The first entry that is not over before the window; the one before it starts the wait.
        let skip = steps.partition_point(|&step| {
            self.timeline.steps.latest_done(step as usize) < self.bins.start
                && self.timeline.flies_until(step as usize) < self.bins.start
        });
        let mut from = if skip == 0 {
            let start = self.timeline.start(steps[0] as usize);
            match self.preempted_before(stay, entries.start) {
                None => self.run(stay, begin, start, Run::Queue),
                // It ran before, in steps that are not in the log.
                Some(since) => {
                    self.run(stay, begin, since.min(start), Run::Queue);
                    self.run(stay, since, start.max(since), Run::Preempted);
                }
            }
            begin
        } else {
            self.timeline.flies_until(steps[skip - 1] as usize)
        };
        let mut at = entries.start + skip;
        let mut token = self.token_before(stay, at);
        let width = self.bins.width as f32;
        // The run that entries are added to while nothing is to be seen between them.
        let mut open: Option<(i64, Work)> = None;
        let mut work = skip.checked_sub(1).map(|_| Work::of(self.executions.entry_bits[at - 1]));
        while at < entries.end && from < self.bins.end() {
            if let Some(does) = work
                && let Some(past) = self.past_plain(at, entries.end, does)
            {
                open = open.or(Some((from, does)));
                from = from.max(self.flies_until(past - 1).min(end));
                at = past;
                token = self.token_before(stay, at);
                continue;
            }
            let step = self.executions.entry_step[at] as usize;
            let bits = self.executions.entry_bits[at];
            let does = Work::of(bits);
            let same = work == Some(does) && bits & entry::RESUMED == 0 && open.is_some();
            // In a block without a wait of a bin nobody needs to know when each step began.
            let quiet = same
                && self.executions.wait_peaks[at / BLOCK] < width
                && self.timeline.steps.at(step) < self.bins.end();
            let start = if quiet { from } else { self.timeline.start(step) };
            if start >= self.bins.end() {
                break;
            }
            if !same || start - from >= self.bins.width {
                let preempted = self.preempted_before(stay, at);
                // A step in flight does not hide that its member was preempted meanwhile.
                from = from.min(preempted.unwrap_or(from));
                if let Some((since, does)) = open.take() {
                    self.run(stay, since, from, Run::of(does));
                }
                if at > entries.start {
                    self.wait(stay, from, start.min(end), preempted, does);
                }
                open = Some((start, does));
            }
            let until = self.flies_until(at).min(end);
            if bits & entry::TOKEN != 0 {
                self.tick(until, &mut token);
            }
            from = if at > entries.start { from.max(until) } else { until };
            work = Some(does);
            at += 1;
        }
        let preempted =
            if at < entries.end { self.preempted_before(stay, at) } else { self.preempted_last(stay) };
        from = from.min(preempted.unwrap_or(from));
        if let Some((since, does)) = open {
            self.run(stay, since, from, Run::of(does));
        }
        if at == entries.end {
            let next = if token.is_some() { Work::Decode } else { work.unwrap_or(Work::Prefill) };
            self.wait(stay, from, end, preempted, next);
        } else if at > entries.start {
            // The next entry lies behind the window.
            let next = Work::of(self.executions.entry_bits[at]);
            self.wait(stay, from, self.bins.end().min(end), preempted, next);
        }
    }

    /// When the stay was preempted since the entry before this one.
    fn preempted_before(&self, stay: usize, at: usize) -> Option<i64> {
        if self.executions.entry_bits[at] & entry::RESUMED == 0 {
            return None;
        }
        let preemptions = self.executions.preemptions_of(stay);
        let until =
            preemptions.partition_point(|preemption| preemption.step <= self.executions.entry_step[at]);
        self.preempted_at(stay, preemptions[until.checked_sub(1)?].step)
    }

    /// When the stay was preempted after its last entry.
    fn preempted_last(&self, stay: usize) -> Option<i64> {
        let last = self.executions.steps(stay).last();
        let preemption = self.executions.preemptions_of(stay).last()?;
        if last.is_some_and(|&last| preemption.step <= last) {
            return None;
        }
        self.preempted_at(stay, preemption.step)
    }

    /// Start of the step that preempted the stay; `None` when that was after its end.
    fn preempted_at(&self, stay: usize, step: u32) -> Option<i64> {
        Some(self.timeline.start(step as usize)).filter(|&since| since <= self.executions.end(stay))
    }

    fn flies_until(&self, at: usize) -> i64 {
        self.timeline.flies_until(self.executions.entry_step[at] as usize)
    }

    /// Where the blocks of entries end that begin at `at` and hold nothing but `work`, no wait of a bin and no tick;
    /// `None` when there is no such block.
    fn past_plain(&self, at: usize, end: usize, work: Work) -> Option<usize> {
        if !at.is_multiple_of(BLOCK) {
            return None;
        }
        let width = self.bins.width as f32;
        let plain = |block: &usize| {
            self.executions.block_bits[*block] == 1 << work as u8
                && self.executions.wait_peaks[*block] < width
                && self.executions.token_peaks[*block] < 3.0 * width
                // Not further than the window shows.
                && self.timeline.steps.at(self.executions.entry_step[*block * BLOCK] as usize) < self.bins.end()
        };
        let past = (at / BLOCK..end / BLOCK).take_while(plain).count() * BLOCK + at;
        (past > at).then_some(past)
    }

    /// The token completion before an entry.
    fn token_before(&self, stay: usize, at: usize) -> Option<i64> {
        let first = self.executions.entries(stay).start;
        // Nearly every entry of a decode has one; what lies further back is at least some bins away.
        let near = (first..at)
            .rev()
            .take(4 * BLOCK)
            .find(|&at| self.executions.entry_bits[at] & entry::TOKEN != 0)?;
        self.timeline.done(self.executions.entry_step[near] as usize)
    }

    /// What lies between two entries: waiting, and from `preempted` on preempted.
    fn wait(&mut self, stay: usize, from: i64, to: i64, preempted: Option<i64>, next: Work) {
        match preempted {
            None => self.waits(stay, from, to, Run::wait_before(next)),
            Some(since) => {
                self.waits(stay, from, since.min(to), Run::DecodeWait);
                self.run(stay, since, to.max(since), Run::Preempted);
            }
        }
    }

    /// A wait, hatched where the scheduler was paused.
    fn waits(&mut self, stay: usize, from: i64, to: i64, kind: Run) {
        if to <= from {
            return;
        }
        let mut at = from;
        for &(start, end) in self.timeline.paused.touching(from, to) {
            let (start, end) = (start.max(from), end.min(to));
            self.run(stay, at, start, kind);
            self.run(stay, start, end, Run::Paused);
            at = end;
        }
        self.run(stay, at, to, kind);
    }

    /// Adds a run; runs of a lane come by start.
    fn run(&mut self, stay: usize, from: i64, to: i64, kind: Run) {
        let waits = matches!(kind, Run::Queue | Run::PrefillWait | Run::DecodeWait | Run::Paused);
        if to < from || waits && to == from {
            return;
        }
        let Some((first, last)) = self.bins.touched(from, to) else { return };
        let stay = stay as u32;
        let first = match self.last {
            Some((bin, best, whose)) if first <= bin => {
                let wins = kind.rank() > best.rank();
                self.last = Some(if wins { (bin, kind, stay) } else { (bin, best, whose) });
                if last <= bin {
                    return;
                }
                bin + 1
            }
            _ => first,
        };
        self.close_last();
        // All bins but the last are nobody else's.
        if last > first {
            self.write(first, kind, stay);
            self.write_until(last);
        }
        self.last = Some((last, kind, stay));
    }

    /// Gives the last bin to the best run in it.
    fn close_last(&mut self) {
        if let Some((bin, kind, stay)) = self.last.take() {
            self.write(bin, kind, stay);
            self.write_until(bin + 1);
        }
    }

    /// Begins a run at a bin, unless the one that ends there goes on.
    fn write(&mut self, bin: usize, kind: Run, stay: u32) {
        let goes_on = self.open == Some((bin, kind, stay));
        if !goes_on {
            self.out.run_kind.push(kind as u8);
            self.out.run_lane.push(self.lane);
            self.out.run_t0.push(self.bins.edge(bin) as f64);
            self.out.run_t1.push(self.bins.edge(bin + 1) as f64);
            self.out.run_execution.push(stay);
        }
        self.open = Some((bin, kind, stay));
    }

    fn write_until(&mut self, bin: usize) {
        if let (Some((_, kind, stay)), Some(end)) = (self.open, self.out.run_t1.last_mut()) {
            *end = self.bins.edge(bin) as f64;
            self.open = Some((bin, kind, stay));
        }
    }

    fn flush(&mut self) {
        self.close_last();
        self.open = None;
    }

    fn tick(&mut self, t: i64, token: &mut Option<i64>) {
        let far = token.is_none_or(|token| t - token >= 3 * self.bins.width);
        if far && t >= self.bins.start && t < self.bins.end() {
            self.out.tick_lane.push(self.lane);
            self.out.tick_t.push(t as f64);
        }
        *token = Some(t);
    }

    /// The end of a stay; of several in one bin one is shown, an abort before others. `ticked` is the bin of the
    /// last end shown and its place.
    fn end(&mut self, stay: usize, ticked: &mut Option<(usize, usize)>) {
        let t = self.executions.end(stay);
        let kind = match self.executions.ended(stay) {
            Ended::Stop => 0,
            Ended::Length => 1,
            Ended::Abort => 2,
            Ended::Other => 3,
            Ended::Not | Ended::Lost => return,
        };
        if t < self.bins.start || t >= self.bins.end() {
            return;
        }
        let bin = self.bins.bin(t);
        match *ticked {
            Some((last, place)) if last == bin => {
                if kind == 2 {
                    self.out.end_kind[place] = kind;
                    self.out.end_t[place] = t as f64;
                }
            }
            _ => {
                *ticked = Some((bin, self.out.end_t.len()));
                self.out.end_kind.push(kind);
                self.out.end_lane.push(self.lane);
                self.out.end_t.push(t as f64);
            }
        }
    }

    fn label(&mut self, stay: usize) {
        let from = self.executions.begin(stay).max(self.bins.start);
        let to = self.executions.end(stay).min(self.bins.end());
        if (to - from) / self.bins.width >= LABEL_BINS {
            self.out.label_lane.push(self.lane);
            self.out.label_t0.push(from as f64);
            self.out.label_t1.push(to as f64);
            self.out.labels.push(short_name(&self.executions.name(&self.timeline.epoch, stay)));
        }
    }
}
