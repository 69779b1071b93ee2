//! The engine recorder (`record.md` §3–10): one per scheduler, called at the places of `record.md` §4.
//!
//! | Engine call | Before it | After it returned | When it raised |
//! | --- | --- | --- | --- |
//! | admission | [`Admissions::admit`] | | |
//! | hand-over | [`EngineRecorder::before_hand_over`] | [`HandOver::returned`] | drop the [`HandOver`] |
//! | scheduler call | [`EngineRecorder::stamp`] | [`EngineRecorder::scheduled`] | |
//! | processing an output | [`EngineRecorder::before_update`] | [`EngineRecorder::updated`] | the same, with [`UpdateResult::Failed`] |
//! | free | [`EngineRecorder::freeing`] | | |
//! | pause | read the state | [`EngineRecorder::paused`] | |
//! | cache reset | [`EngineRecorder::before_cache_reset`] | [`EngineRecorder::cache_reset`] | the same, with `None` |
//!
//! The recorder has no lock of its own: all but admissions happen on the engine thread. It never fails: what goes
//! wrong inside counts one error on the writer, and what had been changed by then stays changed (`record.md` §13).

mod admission;
mod completed;
mod control;
mod facts;
mod known;
mod pending;
mod scheduled;

pub use admission::{Admissions, HandOver};
pub use control::CacheReset;
pub use facts::{
    FreedRequest, KnownEntry, LiveRequest, ModelOutput, Named, NewEntry, RequestOutput, Scheduler,
    StepIdentity, StepOutput, UpdateResult,
};

use crate::clock::Stamp;
use crate::record::Hello;
use crate::writer::Writer;
use known::KnownRequests;
use pending::PendingSteps;
use scheduled::Row;

/// Turns the events of one scheduler into records.
#[derive(Debug)]
pub struct EngineRecorder {
    writer: Writer,
    producer: String,
    next: u64,
    known: KnownRequests,
    pending: PendingSteps,
    /// The members of the step being recorded, and the ids it preempted, kept for their memory.
    rows: Vec<Row>,
    preempted: Vec<(usize, usize)>,
    preempted_text: String,
}

impl EngineRecorder {
    /// Emits the `hello` and gives the recorder to attach, or `None` for a refused instance, to which nothing is
    /// attached (`record.md` E3). Whether the `hello` could be queued makes no difference (§11.8).
    pub fn start(writer: &Writer, hello: &Hello) -> Option<Self> {
        writer.emit_hello(hello);
        hello.refused.is_none().then(|| Self::new(writer.clone(), writer.identity().producer()))
    }

    /// A recorder whose iterations carry this producer's name.
    pub fn new(writer: Writer, producer: String) -> Self {
        Self {
            writer,
            producer,
            next: 0,
            known: KnownRequests::default(),
            pending: PendingSteps::default(),
            rows: Vec::new(),
            preempted: Vec::new(),
            preempted_text: String::new(),
        }
    }

    /// The start stamp of a scheduler call.
    pub fn stamp(&self) -> Stamp {
        self.writer.stamp()
    }

    /// Records admissions, on any thread.
    pub fn admissions(&self) -> Admissions {
        Admissions::new(self.writer.clone())
    }

    /// The writer it emits to.
    pub fn writer(&self) -> &Writer {
        &self.writer
    }
}
