//! The engine's loop in a time of its own, driving the recorder as a real engine does, and the writing loop with it.

mod acts;
mod clients;
mod hello;
mod steps;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use stepscope_recorder::{
    Clock, EngineRecorder, FileSystem, FixedProcess, Limits, ManualClock, Role, Writer, WriterLoop,
};

use crate::config::EngineConfig;
use crate::dying::Dying;
use crate::random::Random;
use crate::request::{Request, RequestSpec};
use crate::scheduler::Scheduler;
use crate::script::Event;
use crate::step::{IdentitySlot, Step};
use crate::workload::Workload;
use crate::{SimulateError, Summary};

/// Wall clock at the start of every simulated epoch, ns: 2026-11-01 12:00:00 UTC.
pub(crate) const START_WALL_NS: i64 = 1_793_534_400_000_000_000;
/// Monotonic clock at that time, ns.
const START_MONO_NS: i64 = 86_400_000_000_000;

/// All that a preset fixes.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) config: EngineConfig,
    pub(crate) limits: Limits,
    /// Requests that a script admits or that arrive at fixed times.
    pub(crate) scripted: Vec<RequestSpec>,
    /// When scripted requests arrive by themselves: time, ns, and place among them.
    pub(crate) arrivals: Vec<(i64, usize)>,
    pub(crate) workload: Option<Workload>,
    pub(crate) events: Vec<Event>,
    /// The writer is closed at this time, ns; otherwise when all is done.
    pub(crate) end_ns: Option<i64>,
    /// The writer is closed once the epoch has so many bytes.
    pub(crate) end_bytes: Option<i64>,
}

/// What waits to happen on the clients' side, by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Arrival {
    /// A scripted request.
    Scripted(usize),
    /// The workload's next.
    Drawn,
    /// The hand-over of a request admitted before.
    HandOver(usize),
    /// The next input of a streaming request.
    Input(usize),
}

/// A step between its scheduling and the end of its processing.
struct InFlight {
    step: Step,
    identity: IdentitySlot,
    done_ns: i64,
}

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Close,
    Kill { torn: bool },
}

pub(crate) struct Engine<'f> {
    plan: Plan,
    clock: Arc<ManualClock>,
    writer: Writer,
    epoch: WriterLoop<Dying<&'f mut dyn FileSystem>>,
    recorder: EngineRecorder,
    scheduler: Scheduler,
    random: Random,
    arrivals: BTreeMap<(i64, u64), Arrival>,
    arrival_count: u64,
    /// Requests admitted and not handed over yet.
    admitted: Vec<Option<Request>>,
    in_flight: std::collections::VecDeque<InFlight>,
    device_free_ns: i64,
    steps_completed: u64,
    last_each_ns: i64,
    slow_schedule_ns: i64,
    slow_step_ns: i64,
    fail_update: bool,
    hung: bool,
    writer_stalled_until_ns: i64,
    ending: Option<Ending>,
    requests: u64,
}

impl<'f> Engine<'f> {
    /// An engine on a host named after the preset, so that two of them lie side by side.
    pub(crate) fn new(
        preset: &str,
        plan: Plan,
        seed: u64,
        root: &Path,
        files: &'f mut dyn FileSystem,
    ) -> Result<Self, SimulateError> {
        let clock = Arc::new(ManualClock::new(START_WALL_NS, START_MONO_NS));
        let mut random = Random::new(seed);
        let mut key = [0; 32];
        for word in key.chunks_exact_mut(8) {
            word.copy_from_slice(&random.next().to_le_bytes());
        }
        let process = FixedProcess {
            pid: 4242,
            host: format!("simulated-{preset}"),
            boot_id: Some("00000000-0000-4000-8000-000000000000".to_owned()),
            key,
        };
        let (writer, epoch) = Writer::create(
            Dying::new(files),
            root,
            Role::Engine,
            plan.limits,
            Arc::clone(&clock) as Arc<dyn Clock>,
            Arc::new(process),
        )?;
        let recorder = EngineRecorder::start(&writer, &hello::hello(&plan.config));
        let recorder =
            recorder.ok_or_else(|| std::io::Error::other("a simulated engine is never refused"))?;
        let mut engine = Self {
            scheduler: Scheduler::new(plan.config.clone()),
            plan,
            clock,
            writer,
            epoch,
            recorder,
            random,
            arrivals: BTreeMap::new(),
            arrival_count: 0,
            admitted: Vec::new(),
            in_flight: std::collections::VecDeque::new(),
            device_free_ns: 0,
            steps_completed: 0,
            last_each_ns: 0,
            slow_schedule_ns: 0,
            slow_step_ns: 0,
            fail_update: false,
            hung: false,
            writer_stalled_until_ns: 0,
            ending: None,
            requests: 0,
        };
        for (at_ns, place) in engine.plan.arrivals.clone() {
            engine.arrive(at_ns, Arrival::Scripted(place));
        }
        if let Some(workload) = &mut engine.plan.workload {
            for at_ns in workload.first_arrivals(&mut engine.random) {
                engine.arrive(at_ns, Arrival::Drawn);
            }
        }
        Ok(engine)
    }

    /// Runs to the end.
    pub(crate) fn run(mut self) -> Result<Summary, SimulateError> {
        self.pump();
        while self.ending.is_none() {
            self.turn();
        }
        if self.ending == Some(Ending::Close) {
            self.writer.close();
            self.epoch.drain();
        } else if self.ending == Some(Ending::Kill { torn: true }) {
            // A process that dies while a line is being written leaves its beginning.
            self.epoch.files_mut().die_within_the_next_write();
            let id = format!("cmpl-{}", self.random.hex(16));
            self.recorder.admissions().admit(&id, None);
            self.epoch.drain();
        }
        let counters = self.writer.counters();
        Ok(Summary {
            directory: self.epoch.directory().to_owned(),
            requests: self.requests,
            steps: self.steps_completed,
            records: counters.last_seq + 1,
            bytes: counters.bytes,
            dropped: counters.dropped.iter().map(|(_, count)| count).sum(),
            duration_ns: self.now(),
        })
    }

    /// Time since the writer's creation, ns.
    fn now(&self) -> i64 {
        self.clock.mono_ns() - START_MONO_NS
    }

    fn arrive(&mut self, at_ns: i64, arrival: Arrival) {
        self.arrival_count += 1;
        self.arrivals.insert((at_ns, self.arrival_count), arrival);
    }

    /// Lets the writing loop write, unless its disk stands still.
    fn pump(&mut self) {
        if self.now() >= self.writer_stalled_until_ns {
            self.epoch.drain();
        }
    }

    /// Moves the time on, past arrivals and heartbeats; not beyond the end.
    fn advance_to(&mut self, at_ns: i64) {
        let at_ns = self.plan.end_ns.map_or(at_ns, |end| at_ns.min(end));
        loop {
            let beat = (self.epoch.next_beat_mono_ns() - START_MONO_NS).max(self.writer_stalled_until_ns);
            let arrival = self.arrivals.first_key_value().map(|(&(at, _), _)| at);
            let next = arrival.unwrap_or(i64::MAX).min(beat).min(at_ns).max(self.now());
            self.clock.advance(next - self.now());
            if arrival.is_some_and(|arrival| arrival <= next) {
                if let Some((_, arrival)) = self.arrivals.pop_first() {
                    self.take_in(arrival);
                }
            } else if beat <= next {
                self.pump();
            } else {
                break;
            }
        }
        if self.plan.end_ns.is_some_and(|end| self.now() >= end) && self.ending.is_none() {
            self.ending = Some(Ending::Close);
        }
    }

    fn wait(&mut self, ns: i64) {
        self.advance_to(self.now() + ns);
    }
}
