//! Executions: stays of a request in the engine. A stay begins at its admission, its hand-over or its first step,
//! whichever is first, and ends when the engine frees it; an ID that comes back has several.

use stepscope_epoch_log::{Epoch, TextId};

use super::clock::Clock;
use super::steps::NONE;
use crate::answers::OwnRequest;

/// Before the names of own requests.
pub(crate) const OWN_MARK: &str = "◆ ";

/// How a stay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ended {
    /// By a stop condition.
    Stop,
    /// By its length.
    Length,
    /// Aborted.
    Abort,
    /// In another way.
    Other,
    /// Still in the engine at the end of the log.
    Not,
    /// Its end is not in the log, but it was not seen any more.
    Lost,
}

/// Entries a block: so few that a wait or a token to be shown costs little to find, so many that the summaries of
/// blocks stay small.
pub(crate) const BLOCK: usize = 8;

/// What a stay did in one step, as bits; the lowest two are its [`Work`].
pub(crate) mod entry {
    pub(crate) const WORK: u8 = 3;
    /// A token for the client came of it.
    pub(crate) const TOKEN: u8 = 4;
    /// It had been preempted since the entry before.
    pub(crate) const RESUMED: u8 = 8;
}

/// What a member did in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Work {
    /// Inside its prompt, for the first time.
    Prefill = 1,
    /// Past it.
    Decode = 2,
    /// What it had computed before.
    Recompute = 3,
}

impl Work {
    pub(crate) fn of(bits: u8) -> Self {
        match bits & entry::WORK {
            1 => Self::Prefill,
            3 => Self::Recompute,
            _ => Self::Decode,
        }
    }
}

/// A step that preempted a stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Preemption {
    /// The stay.
    pub execution: u32,
    /// The step that lists it.
    pub step: u32,
    /// A cache reset made it, not a want of memory (`reduce.md` §11.2).
    pub by_reset: bool,
}

/// The stays of an epoch by arrival. Times are offsets of the [`Clock`], ns.
#[derive(Clone, Debug, Default)]
pub struct Executions {
    pub(crate) internal: Vec<TextId>,
    pub(crate) alias: Vec<u32>,
    pub(crate) enqueued: Vec<u32>,
    pub(crate) terminal: Vec<u32>,
    pub(crate) begin: Vec<i64>,
    pub(crate) end: Vec<i64>,
    pub(crate) ended: Vec<Ended>,
    /// Where each stay's entries begin; one more than there are stays.
    pub(crate) first_entry: Vec<u32>,
    /// Step of each entry, ascending within a stay.
    pub(crate) entry_step: Vec<u32>,
    /// [`entry`] bits of each entry.
    pub(crate) entry_bits: Vec<u8>,
    /// Of each block of entries, the longest time from one's completion to the start of the next, ns.
    pub(crate) wait_peaks: Vec<f32>,
    /// Of each block of entries, the longest time from one token to the next, ns.
    pub(crate) token_peaks: Vec<f32>,
    /// Of each block of entries, one bit for each [`Work`] in it, and [`entry::RESUMED`] in bit 0.
    pub(crate) block_bits: Vec<u8>,
    pub(crate) preemptions: Vec<Preemption>,
    pub(crate) by_internal: Vec<(TextId, u32)>,
    pub(crate) lane: Vec<u32>,
    /// Where each lane's stays begin in `in_lane`.
    pub(crate) first_in_lane: Vec<u32>,
    pub(crate) in_lane: Vec<u32>,
    /// Of each stay the request of a client's run that it is, once that was told; else empty.
    pub(crate) own: Vec<Option<OwnRequest>>,
}

impl Executions {
    /// How many stays.
    pub fn len(&self) -> usize {
        self.internal.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.internal.is_empty()
    }

    /// The engine's request ID.
    pub fn internal(&self, execution: usize) -> TextId {
        self.internal[execution]
    }

    /// The client's request ID; `None` when the log has no admission of it or the admission has none.
    pub fn external(&self, epoch: &Epoch, execution: usize) -> Option<TextId> {
        let row = self.alias[execution];
        if row == NONE { None } else { epoch.log.alias.external.text(row as usize) }
    }

    /// The request of a client's run that a stay is; `None`: another client's, or nobody has said.
    pub fn own(&self, execution: usize) -> Option<&OwnRequest> {
        self.own.get(execution)?.as_ref()
    }

    /// The ID to show: the client's own name for its requests, marked; else the client's ID, else the engine's.
    pub fn name(&self, epoch: &Epoch, execution: usize) -> String {
        if let Some(own) = self.own(execution) {
            return format!("{OWN_MARK}{}", own.request_id);
        }
        let id = self.external(epoch, execution).filter(|&id| !epoch.strings.get(id).is_empty());
        epoch.strings.display(id.unwrap_or(self.internal[execution])).into_owned()
    }

    /// When it was first heard of.
    pub fn begin(&self, execution: usize) -> i64 {
        self.begin[execution]
    }

    /// When it was freed; of one that was not, the end of what the log says of it.
    pub fn end(&self, execution: usize) -> i64 {
        self.end[execution]
    }

    /// How it ended.
    pub fn ended(&self, execution: usize) -> Ended {
        self.ended[execution]
    }

    /// When it was handed to the scheduler, when that was recorded.
    pub fn enqueued(&self, epoch: &Epoch, clock: Clock, execution: usize) -> Option<i64> {
        let row = self.enqueued[execution];
        if row == NONE { None } else { clock.of_row(&epoch.log.enqueued.at.mono, row as usize) }
    }

    /// Its entries: one a step it was a member of.
    pub(crate) fn entries(&self, execution: usize) -> std::ops::Range<usize> {
        self.first_entry[execution] as usize..self.first_entry[execution + 1] as usize
    }

    /// Its steps, ascending.
    pub fn steps(&self, execution: usize) -> &[u32] {
        &self.entry_step[self.entries(execution)]
    }

    /// The preemptions of a stay.
    pub(crate) fn preemptions_of(&self, execution: usize) -> &[Preemption] {
        let execution = execution as u32;
        let first = self.preemptions.partition_point(|p| p.execution < execution);
        let end = self.preemptions.partition_point(|p| p.execution <= execution);
        &self.preemptions[first..end]
    }

    /// The stay of an ID that was a member of a step; else the last that began at or before `t`, else the first.
    pub fn find(&self, internal: TextId, step: usize, t: i64) -> Option<usize> {
        let first = self.by_internal.partition_point(|entry| entry.0 < internal);
        let stays = &self.by_internal[first..];
        let stays = &stays[..stays.partition_point(|entry| entry.0 == internal)];
        let member = |stay: u32| self.steps(stay as usize).binary_search(&(step as u32)).is_ok();
        let found = stays
            .iter()
            .find(|entry| member(entry.1))
            .or_else(|| stays.iter().rev().find(|entry| self.begin[entry.1 as usize] <= t).or(stays.first()));
        found.map(|entry| entry.1 as usize)
    }

    /// How many lanes hold all stays, one after the other.
    pub fn lanes(&self) -> usize {
        self.first_in_lane.len().saturating_sub(1)
    }

    /// The lane of a stay.
    pub fn lane(&self, execution: usize) -> u32 {
        self.lane[execution]
    }

    /// The stays of a lane by time.
    pub(crate) fn in_lane(&self, lane: usize) -> &[u32] {
        &self.in_lane[self.first_in_lane[lane] as usize..self.first_in_lane[lane + 1] as usize]
    }

    /// Takes the seats: a stay takes the first lane that is free when it begins.
    pub(crate) fn take_lanes(&mut self, lane: Vec<u32>, lanes: usize) {
        let mut first = vec![0u32; lanes + 1];
        for &lane in &lane {
            first[lane as usize + 1] += 1;
        }
        for at in 0..lanes {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut in_lane = vec![0u32; lane.len()];
        for (execution, &lane) in lane.iter().enumerate() {
            let at = &mut next[lane as usize];
            in_lane[*at as usize] = execution as u32;
            *at += 1;
        }
        self.lane = lane;
        self.first_in_lane = first;
        self.in_lane = in_lane;
    }

    pub(crate) fn index_names(&mut self) {
        self.by_internal = self.internal.iter().copied().zip(0u32..).collect();
        self.by_internal.sort_unstable();
    }

    /// Makes the summaries of blocks of entries. `start` and `done` are of a step.
    pub(crate) fn summarise(&mut self, start: impl Fn(u32) -> i64, done: impl Fn(u32) -> Option<i64>) {
        let blocks = self.entry_step.len().div_ceil(BLOCK);
        self.wait_peaks = vec![0.0; blocks];
        self.token_peaks = vec![0.0; blocks];
        self.block_bits = vec![0; blocks];
        for execution in 0..self.len() {
            let (mut completed, mut token) = (None, None);
            for at in self.entries(execution) {
                let (step, bits, block) = (self.entry_step[at], self.entry_bits[at], at / BLOCK);
                let done = done(step);
                if let Some(completed) = completed {
                    let wait = (start(step) - completed) as f32;
                    self.wait_peaks[block] = self.wait_peaks[block].max(wait);
                }
                self.block_bits[block] |= 1 << (bits & entry::WORK) | u8::from(bits & entry::RESUMED != 0);
                match done {
                    Some(done) => completed = completed.max(Some(done)),
                    // How long it lasted is not known: the entry must be looked at.
                    None => self.wait_peaks[block] = f32::INFINITY,
                }
                if bits & entry::TOKEN != 0
                    && let Some(done) = done
                {
                    let since = token.map_or(f32::INFINITY, |token| (done - token) as f32);
                    self.token_peaks[block] = self.token_peaks[block].max(since);
                    token = Some(done);
                }
            }
        }
    }

    /// Bytes held on the heap.
    pub fn heap_bytes(&self) -> usize {
        let narrow = [
            &self.internal,
            &self.alias,
            &self.enqueued,
            &self.terminal,
            &self.first_entry,
            &self.entry_step,
            &self.lane,
            &self.first_in_lane,
            &self.in_lane,
        ];
        narrow.iter().map(|column| column.capacity() * 4).sum::<usize>()
            + (self.begin.capacity() + self.end.capacity() + self.by_internal.capacity()) * 8
            + self.ended.capacity()
            + self.entry_bits.capacity()
            + (self.wait_peaks.capacity() + self.token_peaks.capacity()) * 4
            + self.block_bits.capacity()
            + self.preemptions.capacity() * size_of::<Preemption>()
    }
}
