//! The queue between engine threads and the writing loop, its counters, and the tickets that announce records.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
#[cfg(not(target_arch = "wasm32"))]
use std::time::Duration;
use std::time::Instant;

use super::buffers::Buffers;
use super::status::{SourceFailed, StatusSource};
use super::{Identity, Limits};
use crate::clock::{Clock, Stamp};
use crate::json::Encoder;
use crate::process::Process;
use crate::record::{Fields, Kind, NotEncodable, Value};

/// The counters of a heartbeat (`raw-log.md` §6.9), read in one hold of the lock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counters {
    /// Read in the same hold as the rest.
    pub stamp: Stamp,
    /// Number of the last record written, −1 when none was.
    pub last_seq: i64,
    /// Dropped records by name, in the order the names first occurred.
    pub dropped: Vec<(&'static str, u64)>,
    /// Failures of any sort (`raw-log.md` §8.6).
    pub errors: u64,
    /// Record bytes written.
    pub bytes: i64,
    /// Whether the cap was reached.
    pub capped: bool,
    /// Records in the queue, not counting the batch being written.
    pub queued: usize,
    /// Queue, rest of the batch being written, and reserved.
    pub pending: usize,
    /// Records announced but neither queued nor dropped so far.
    pub reserved: usize,
}

/// A record in the queue. A `goodbye` has no text yet.
#[derive(Debug)]
pub(super) struct Queued {
    pub(super) kind: Kind,
    pub(super) text: Vec<u8>,
}

/// What the writing loop did with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its line is in the segment; the line's length in bytes.
    Written(i64),
    /// Dropped since the epoch is full.
    Capped,
    /// Opening or writing failed.
    Failed,
}

#[derive(Debug)]
struct State {
    queue: VecDeque<Queued>,
    queued_bytes: usize,
    in_flight: usize,
    reserved: usize,
    dropped: Vec<(&'static str, u64)>,
    errors: u64,
    last_seq: i64,
    bytes: i64,
    capped: bool,
    closing: bool,
    /// Whether a thread turns the loop, whether it sleeps, and whether it has ended.
    threaded: bool,
    asleep: bool,
    ended: bool,
    buffers: Buffers,
}

impl State {
    fn count_drop(&mut self, name: &'static str) {
        match self.dropped.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => self.dropped.push((name, 1)),
        }
    }
}

/// What the handle, its tickets and the writing loop share.
pub(super) struct Shared {
    identity: Identity,
    limits: Limits,
    clock: Arc<dyn Clock>,
    process: Arc<dyn Process>,
    state: Mutex<State>,
    wake: Condvar,
    ended: Condvar,
    source: Mutex<Option<Arc<dyn StatusSource>>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("identity", &self.identity).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here is left half changed by a panic: the counters are changed by single statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(
        identity: Identity,
        limits: Limits,
        clock: Arc<dyn Clock>,
        process: Arc<dyn Process>,
    ) -> Self {
        let state = State {
            queue: VecDeque::new(),
            queued_bytes: 0,
            in_flight: 0,
            reserved: 0,
            dropped: Vec::new(),
            errors: 0,
            last_seq: -1,
            bytes: 0,
            capped: false,
            closing: false,
            threaded: false,
            asleep: false,
            ended: false,
            buffers: Buffers::new(),
        };
        Self {
            identity,
            limits,
            clock,
            process,
            state: Mutex::new(state),
            wake: Condvar::new(),
            ended: Condvar::new(),
            source: Mutex::new(None),
        }
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn process(&self) -> &dyn Process {
        &*self.process
    }

    pub(super) fn mono_ns(&self) -> i64 {
        self.clock.mono_ns()
    }

    pub(super) fn stamp(&self) -> Stamp {
        Stamp::read(&*self.clock)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(super) fn count_error(&self) {
        self.state().errors += 1;
    }

    pub(super) fn counters(&self) -> Counters {
        let state = self.state();
        Counters {
            stamp: self.stamp(),
            last_seq: state.last_seq,
            dropped: state.dropped.clone(),
            errors: state.errors,
            bytes: state.bytes,
            capped: state.capped,
            queued: state.queue.len(),
            pending: state.queue.len() + state.in_flight + state.reserved,
            reserved: state.reserved,
        }
    }

    pub(super) fn set_status_source(&self, source: Arc<dyn StatusSource>) {
        *lock(&self.source) = Some(source);
    }

    /// The status source's fields; a failure counts one error and adds nothing (W1).
    pub(super) fn extra_status(&self) -> Vec<(String, Value)> {
        let source = lock(&self.source).clone();
        let Some(source) = source else { return Vec::new() };
        let fields = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| source.fields()));
        fields.unwrap_or(Err(SourceFailed)).unwrap_or_else(|SourceFailed| {
            self.count_error();
            Vec::new()
        })
    }

    pub(super) fn close(&self) {
        if self.process.pid() != self.identity.pid {
            return;
        }
        let mut state = self.state();
        if state.closing {
            return;
        }
        state.queue.push_back(Queued { kind: Kind::Goodbye, text: Vec::new() });
        state.closing = true;
        self.wake.notify_all();
        if !state.threaded {
            return;
        }
        let deadline = Instant::now() + self.limits.close_wait;
        while !state.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    // The writing loop's side.

    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn set_threaded(&self) {
        self.state().threaded = true;
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn set_ended(&self) {
        self.state().ended = true;
        self.ended.notify_all();
    }

    #[cfg(not(target_arch = "wasm32"))]
    /// Waits until there is something to write, the writer is closing, or `next_beat` is due.
    pub(super) fn wait(&self, next_beat: i64) {
        let mut state = self.state();
        while state.queue.is_empty() && !state.closing {
            let left = next_beat.saturating_sub(self.clock.mono_ns());
            let Some(left) = u64::try_from(left).ok().filter(|left| *left > 0) else { break };
            state.asleep = true;
            let left = Duration::from_nanos(left);
            state = self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            state.asleep = false;
        }
    }

    /// Takes up to a batch of records into `batch`; whether this is the last pass.
    pub(super) fn take(&self, batch: &mut VecDeque<Queued>) -> bool {
        let mut state = self.state();
        let count = state.queue.len().min(self.limits.batch);
        batch.extend(state.queue.drain(..count));
        state.in_flight = count;
        state.closing && state.queue.is_empty()
    }

    /// Counts what became of a record: one from the queue, whose buffer comes back, or one of the loop's own.
    pub(super) fn settle(&self, kind: Kind, outcome: Outcome, from_queue: Option<Vec<u8>>) {
        let mut state = self.state();
        match outcome {
            Outcome::Written(bytes) => {
                state.last_seq += 1;
                state.bytes += bytes;
            }
            Outcome::Capped => {
                state.capped = true;
                state.count_drop(kind.name());
            }
            Outcome::Failed => {
                state.errors += 1;
                state.count_drop(kind.name());
            }
        }
        if let Some(text) = from_queue {
            state.queued_bytes -= text.len();
            state.in_flight -= 1;
            let too_many = state.buffers.give(text);
            drop(state);
            drop(too_many);
        }
    }

    pub(super) fn queue_is_empty(&self) -> bool {
        self.state().queue.is_empty()
    }
}

/// The announcement of one record (`record.md` §11.2). Emitting consumes it; dropping it abandons the record, so
/// a reservation ends whatever happens in between (Q6).
#[derive(Debug)]
pub struct Ticket {
    shared: Arc<Shared>,
    open: bool,
}

impl Ticket {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        shared.state().reserved += 1;
        Self { shared, open: true }
    }

    /// Abandons the record.
    pub fn close(self) {}

    /// Queues the record, or counts why not (`record.md` §11.3). Only the encoding is done on the caller's time.
    pub fn emit(mut self, kind: Kind, fields: &(impl Fields + ?Sized)) {
        let Some(mut text) = self.admit(kind, fields) else { return };
        let encoded = fields.encode(&mut Encoder::new(&mut text));
        let is_object = text.first() == Some(&b'{') && text.last() == Some(&b'}');
        if encoded == Err(NotEncodable) || !is_object {
            let mut state = self.shared.state();
            state.errors += 1;
            state.buffers.give(text);
            return;
        }
        self.queue(kind, text);
    }

    /// Step A: refuses what surely cannot be queued, else gives a buffer.
    fn admit(&self, kind: Kind, fields: &(impl Fields + ?Sized)) -> Option<Vec<u8>> {
        let limits = &self.shared.limits;
        let oversized = fields.surely_exceeds(limits.record_bytes);
        let size = fields.size_hint();
        let mut state = self.shared.state();
        if oversized {
            state.count_drop(kind.oversized_name());
            return None;
        }
        if state.closing || state.capped || state.queue.len() >= limits.queue_records {
            state.count_drop(kind.name());
            return None;
        }
        let buffer = state.buffers.take(size);
        drop(state);
        Some(buffer.unwrap_or_else(|| Buffers::allocate(size)))
    }

    /// Step C: the reservation ends and the record is queued or dropped, in one hold.
    fn queue(&mut self, kind: Kind, text: Vec<u8>) {
        let limits = &self.shared.limits;
        let size = text.len();
        let mut state = self.shared.state();
        state.reserved -= 1;
        self.open = false;
        let full =
            state.queue.len() >= limits.queue_records || state.queued_bytes + size > limits.queue_bytes;
        if size > limits.record_bytes {
            state.count_drop(kind.oversized_name());
        } else if full || state.closing {
            state.count_drop(kind.name());
        } else {
            state.queue.push_back(Queued { kind, text });
            state.queued_bytes += size;
            let asleep = state.asleep;
            drop(state);
            if asleep {
                self.shared.wake.notify_one();
            }
            return;
        }
        let too_many = state.buffers.give(text);
        drop(state);
        drop(too_many);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.open {
            self.shared.state().reserved -= 1;
        }
    }
}
