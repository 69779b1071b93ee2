//! Steps in start order, joined to their outcomes (`diagnose.md` §2), with what every picture of them needs.

use stepscope_epoch_log::{Epoch, Ints, TextId, loose_int};

use super::clock::Clock;
use super::peaks::Peaks;

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// What is true of a step, as bits.
pub(crate) mod flag {
    /// It preempted requests.
    pub(crate) const PREEMPTED: u8 = 1;
    /// Members compute again what they had computed before.
    pub(crate) const RECOMPUTE: u8 = 2;
    /// It has no members.
    pub(crate) const EMPTY: u8 = 4;
    /// Its update failed.
    pub(crate) const FAILED: u8 = 8;
    /// It has no outcome.
    pub(crate) const NO_OUTCOME: u8 = 16;
    /// Tokens inside prompts.
    pub(crate) const PREFILL: u8 = 32;
    /// Tokens past prompts.
    pub(crate) const DECODE: u8 = 64;
}

/// The steps of an epoch. All times are offsets of the [`Clock`], ns; counts are tokens.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Row in `log.scheduled`.
    row: Vec<u32>,
    /// Row in `log.completed`; [`NONE`] without an outcome that has a stamp.
    completed: Vec<u32>,
    /// From when on the step is the last that was started: its start, or the latest end of a step before it when
    /// that is later (two schedulers in one process).
    at: Vec<i64>,
    /// The latest completion of this step and all before it; −1 when there is none.
    latest_done: Vec<i64>,
    prefill: Vec<u32>,
    decode: Vec<u32>,
    recompute: Vec<u32>,
    flags: Vec<u8>,
    time_peaks: Peaks<i64>,
    token_peaks: Peaks<u64>,
    flag_blocks: Vec<u8>,
}

/// Tokens of a step by what they are for; the three do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Inside prompts, for the first time.
    pub prefill: u32,
    /// Past prompts, for the first time.
    pub decode: u32,
    /// Computed before (`insight.md` §1, recomputed tokens).
    pub recompute: u32,
}

impl Tokens {
    /// All of them.
    pub fn total(self) -> u64 {
        u64::from(self.prefill) + u64::from(self.decode) + u64::from(self.recompute)
    }
}

impl Steps {
    /// Takes the steps in start order: rows in `log.scheduled`, each with the row in `log.completed` that counts.
    pub(crate) fn of(epoch: &Epoch, clock: Clock, rows: impl Iterator<Item = (u32, Option<u32>)>) -> Self {
        let stamped = |done: &u32| epoch.log.completed.at.mono.int(*done as usize).is_some();
        let (row, completed): (Vec<u32>, Vec<u32>) =
            rows.map(|(row, done)| (row, done.filter(stamped).unwrap_or(NONE))).unzip();
        let (mut latest_end, mut latest_done) = (0, -1);
        let mut steps = Self {
            at: Vec::with_capacity(row.len()),
            latest_done: Vec::with_capacity(row.len()),
            prefill: vec![0; row.len()],
            decode: vec![0; row.len()],
            recompute: vec![0; row.len()],
            flags: vec![0; row.len()],
            row,
            completed,
            ..Self::default()
        };
        for step in 0..steps.len() {
            steps.at.push(steps.start(epoch, clock, step).max(latest_end));
            latest_end = latest_end.max(steps.end(epoch, clock, step));
            if let Some(done) = steps.done(epoch, clock, step) {
                latest_done = latest_done.max(done);
            }
            steps.latest_done.push(latest_done);
        }
        steps
    }

    /// Notes what the members of a step add up to.
    pub(crate) fn set(&mut self, step: usize, tokens: Tokens, flags: u8) {
        self.prefill[step] = tokens.prefill;
        self.decode[step] = tokens.decode;
        self.recompute[step] = tokens.recompute;
        self.flags[step] = flags;
    }

    /// To be called when every step is set.
    pub(crate) fn finish(&mut self, epoch: &Epoch, clock: Clock) {
        let times = Peaks::of(self.len(), |step| self.step_time(epoch, clock, step).unwrap_or(-1));
        let tokens = Peaks::of(self.len(), |step| self.token_key(step));
        self.flag_blocks = self
            .flags
            .chunks(super::peaks::BLOCK)
            .map(|block| block.iter().fold(0, |bits, flags| bits | flags))
            .collect();
        self.time_peaks = times;
        self.token_peaks = tokens;
    }

    /// How many steps.
    pub fn len(&self) -> usize {
        self.row.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.row.is_empty()
    }

    /// Row in `log.scheduled`.
    #[inline]
    pub fn row(&self, step: usize) -> usize {
        self.row[step] as usize
    }

    /// Row in `log.completed`; `None` when the step has no outcome.
    #[inline]
    pub fn outcome(&self, step: usize) -> Option<usize> {
        let row = self.completed[step];
        (row != NONE).then_some(row as usize)
    }

    /// Name of the step.
    pub fn iteration(&self, epoch: &Epoch, step: usize) -> TextId {
        epoch.log.scheduled.iteration.text[self.row(step)]
    }

    /// Start of the scheduler call.
    #[inline]
    pub fn start(&self, epoch: &Epoch, clock: Clock, step: usize) -> i64 {
        self.stamp(epoch, clock, &epoch.log.scheduled.start.mono, step)
    }

    /// Its end.
    #[inline]
    pub fn end(&self, epoch: &Epoch, clock: Clock, step: usize) -> i64 {
        self.stamp(epoch, clock, &epoch.log.scheduled.end.mono, step)
    }

    /// Stamps of steps are read as loosely as the rules of stalls read them (`diagnose.md` S5).
    #[inline]
    fn stamp(&self, epoch: &Epoch, clock: Clock, mono: &Ints<i64>, step: usize) -> i64 {
        let row = self.row(step);
        let stamp = mono.int(row).or_else(|| loose_int(mono.cell(row), &epoch.strings));
        stamp.map_or(0, |mono| clock.at(mono))
    }

    /// When its output was processed.
    #[inline]
    pub fn done(&self, epoch: &Epoch, clock: Clock, step: usize) -> Option<i64> {
        clock.of_row(&epoch.log.completed.at.mono, self.outcome(step)?)
    }

    /// From when on it is the last started step: for binary searches.
    #[inline]
    pub fn at(&self, step: usize) -> i64 {
        self.at[step]
    }

    /// The last step started at or before a time.
    pub fn last_started(&self, t: i64) -> Option<usize> {
        self.started_until(t, 0).checked_sub(1)
    }

    /// How many steps were started at or before a time; `near` is a guess from below.
    pub(crate) fn started_until(&self, t: i64, near: usize) -> usize {
        // Doubling steps from the guess: neighbouring questions cost a few comparisons.
        let mut low = near.min(self.len());
        if low > 0 && self.at[low - 1] > t {
            low = 0;
        }
        let mut stride = 1;
        let mut high = low;
        while high < self.len() && self.at[high] <= t {
            low = high + 1;
            high = (high + stride).min(self.len());
            stride *= 2;
        }
        low + self.at[low..high].partition_point(|&at| at <= t)
    }

    /// The latest completion of a step and all before it; −1 when there is none.
    #[inline]
    pub fn latest_done(&self, step: usize) -> i64 {
        self.latest_done[step]
    }

    /// Completion − the later of the latest completion before and the own end, at least 0 (`insight.md` §2): sums
    /// without counting a moment twice. `None` without an outcome.
    pub fn step_time(&self, epoch: &Epoch, clock: Clock, step: usize) -> Option<i64> {
        let done = self.done(epoch, clock, step)?;
        let before = if step == 0 { -1 } else { self.latest_done[step - 1] };
        Some((done - before.max(self.end(epoch, clock, step))).max(0))
    }

    /// Tokens by what they are for.
    pub fn tokens(&self, step: usize) -> Tokens {
        Tokens { prefill: self.prefill[step], decode: self.decode[step], recompute: self.recompute[step] }
    }

    /// The [`flag`] bits.
    #[inline]
    pub fn flags(&self, step: usize) -> u8 {
        self.flags[step]
    }

    /// `empty`, `prefill`, `decode` or `mixed` (`insight.md` §2).
    pub fn kind(&self, step: usize) -> &'static str {
        let flags = self.flags[step];
        match (flags & flag::EMPTY != 0, flags & flag::PREFILL != 0, flags & flag::DECODE != 0) {
            (true, ..) => "empty",
            (false, true, true) => "mixed",
            (false, true, false) => "prefill",
            (false, false, _) => "decode",
        }
    }

    /// The longest step time of a stretch of steps.
    pub(crate) fn longest(&self, epoch: &Epoch, clock: Clock, start: usize, end: usize) -> Option<i64> {
        self.time_peaks
            .greatest(start, end, &|step| self.step_time(epoch, clock, step).unwrap_or(-1))
            .filter(|&time| time >= 0)
    }

    fn token_key(&self, step: usize) -> u64 {
        self.tokens(step).total().min(u64::from(u32::MAX)) << 32 | step as u64
    }

    /// The step with most tokens of a stretch.
    pub(crate) fn largest(&self, start: usize, end: usize) -> Option<usize> {
        self.token_peaks.greatest(start, end, &|step| self.token_key(step)).map(|key| key as u32 as usize)
    }

    /// All [`flag`] bits of a stretch together.
    pub(crate) fn flags_of(&self, start: usize, end: usize) -> u8 {
        let block = super::peaks::BLOCK;
        let (first, last) = (start.div_ceil(block), end / block);
        let or = |flags: &[u8]| flags.iter().fold(0, |bits, flags| bits | flags);
        if first >= last {
            return or(&self.flags[start..end]);
        }
        or(&self.flags[start..first * block])
            | or(&self.flag_blocks[first..last])
            | or(&self.flags[last * block..end])
    }

    /// The next step from `from` on, in a direction, with any of some flags.
    pub(crate) fn next_with(&self, from: usize, forward: bool, flags: u8) -> Option<usize> {
        let block = super::peaks::BLOCK;
        let mut step = from;
        loop {
            if step >= self.len() {
                return None;
            }
            if self.flag_blocks[step / block] & flags == 0 {
                step = if forward {
                    (step / block + 1) * block
                } else {
                    (step / block * block).checked_sub(1)?
                };
            } else if self.flags[step] & flags != 0 {
                return Some(step);
            } else {
                step = if forward { step + 1 } else { step.checked_sub(1)? };
            }
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        (self.row.capacity() + self.completed.capacity()) * 4
            + (self.at.capacity() + self.latest_done.capacity()) * 8
            + (self.prefill.capacity() + self.decode.capacity() + self.recompute.capacity()) * 4
            + self.flags.capacity()
            + self.flag_blocks.capacity()
            + self.time_peaks.heap_bytes()
            + self.token_peaks.heap_bytes()
    }
}
