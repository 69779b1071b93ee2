//! The worker recorder (`record.md` §12): emits no records, keeps three counters, and runs the model's calls inside
//! ranges named by the step, for a profiler to show.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::engine::StepIdentity;
use crate::record::Value;
use crate::writer::{SourceFailed, StatusSource, Writer};

/// A range could not be opened or closed. Counts one error and does not affect the call inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the range could not be opened or closed")]
pub struct RangeFailed;

/// A profiler's ranges.
pub trait Ranges {
    /// Opens a range inside those that are open.
    fn open(&mut self, name: &str) -> Result<(), RangeFailed>;
    /// Closes the innermost range.
    fn close(&mut self) -> Result<(), RangeFailed>;
}

/// No profiler: ranges are marked nowhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRanges;

impl Ranges for NoRanges {
    fn open(&mut self, _: &str) -> Result<(), RangeFailed> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), RangeFailed> {
        Ok(())
    }
}

/// The name of a step's range.
pub fn range_name(identity: StepIdentity<'_>) -> String {
    format!("stormlog.iteration/{}/{}", identity.producer, identity.iteration)
}

/// The counters in a worker's heartbeats.
#[derive(Debug, Default)]
struct WorkerCounters {
    range_misses: AtomicI64,
    startup_unranged: AtomicI64,
    pending_samples: AtomicI64,
}

impl StatusSource for WorkerCounters {
    fn fields(&self) -> Result<Vec<(String, Value)>, SourceFailed> {
        let read = |counter: &AtomicI64| Value::Int(counter.load(Ordering::Relaxed));
        Ok(vec![
            ("range_misses".to_owned(), read(&self.range_misses)),
            ("startup_unranged".to_owned(), read(&self.startup_unranged)),
            ("pending_samples".to_owned(), read(&self.pending_samples)),
        ])
    }
}

/// One per model runner.
#[derive(Debug)]
pub struct WorkerRecorder<R> {
    writer: Writer,
    ranges: R,
    serving: bool,
    /// Range names of the steps that ran and wait for their sampling call, oldest first.
    samples: VecDeque<String>,
    counters: Arc<WorkerCounters>,
}

impl<R: Ranges> WorkerRecorder<R> {
    /// A recorder whose counters go into `writer`'s heartbeats from now on.
    pub fn new(writer: Writer, ranges: R) -> Self {
        let counters = Arc::new(WorkerCounters::default());
        writer.set_status_source(Arc::clone(&counters) as Arc<dyn StatusSource>);
        Self { writer, ranges, serving: false, samples: VecDeque::new(), counters }
    }

    /// Runs a step flagged as a dummy run.
    pub fn run_dummy<T>(&mut self, call: impl FnOnce() -> T) -> T {
        if !self.serving {
            self.counters.startup_unranged.fetch_add(1, Ordering::Relaxed);
        }
        call()
    }

    /// Runs a step whose output carries `identity`. A call that gives `None` leaves the sampling to a later
    /// [`sample`](Self::sample).
    pub fn run<T>(
        &mut self,
        identity: Option<StepIdentity<'_>>,
        call: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let Some(identity) = identity else {
            self.miss();
            return call();
        };
        self.serving = true;
        let name = range_name(identity);
        let output = self.inside(&name, call);
        if output.is_none() {
            self.samples.push_back(name);
            self.count_samples();
        }
        output
    }

    /// Runs the sampling call of the oldest step that waits for it.
    pub fn sample<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let Some(name) = self.samples.pop_front() else {
            self.miss();
            return call();
        };
        self.count_samples();
        self.inside(&name, call)
    }

    fn miss(&self) {
        let counter =
            if self.serving { &self.counters.range_misses } else { &self.counters.startup_unranged };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    fn count_samples(&self) {
        let waiting = i64::try_from(self.samples.len()).unwrap_or(i64::MAX);
        self.counters.pending_samples.store(waiting, Ordering::Relaxed);
    }

    fn inside<T>(&mut self, name: &str, call: impl FnOnce() -> T) -> T {
        /// Closes the range also when the call unwinds.
        struct Open<'a, R: Ranges>(&'a mut R, &'a Writer);
        impl<R: Ranges> Drop for Open<'_, R> {
            fn drop(&mut self) {
                if self.0.close().is_err() {
                    self.1.count_error();
                }
            }
        }
        match self.ranges.open(name) {
            Ok(()) => {
                let _open = Open(&mut self.ranges, &self.writer);
                call()
            }
            Err(RangeFailed) => {
                self.writer.count_error();
                call()
            }
        }
    }
}
