//! The engine's loop in a time of its own, driving the recorder as a real engine does, and the writing loop with it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use stepscope_recorder::engine::UpdateResult;
use stepscope_recorder::{
    Clock, EngineRecorder, FileSystem, FixedProcess, Hello, Limits, ManualClock, OptionalKind, Role, Value,
    Writer, WriterLoop,
};

use crate::config::EngineConfig;
use crate::dying::Dying;
use crate::random::Random;
use crate::request::{Place, Request, RequestSpec};
use crate::scheduler::Scheduler;
use crate::script::{Action, Event, PauseState, When};
use crate::step::{IdentitySlot, Sampled, Step, StepView};
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
    pub(crate) fn new(
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
            host: "simulated".to_owned(),
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
        let recorder = EngineRecorder::start(&writer, &hello(&plan.config));
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

    // The clients' side.

    fn take_in(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Scripted(place) => {
                let spec = self.plan.scripted[place].clone();
                let id = format!("{}-{}", spec.name, self.random.hex(8));
                self.admit(id, spec);
            }
            Arrival::Drawn => {
                let Some(workload) = &mut self.plan.workload else { return };
                let now = self.clock.mono_ns() - START_MONO_NS;
                let spec = workload.draw(&mut self.random);
                if let Some(next) = workload.next_arrival(now, &mut self.random) {
                    self.arrive(next, Arrival::Drawn);
                }
                let id = format!("{}-{}", spec.name, self.random.hex(8));
                self.admit(id, spec);
            }
            Arrival::HandOver(place) => {
                if let Some(request) = self.admitted[place].take() {
                    self.hand_over(request);
                }
            }
            Arrival::Input(place) => {
                let request = &self.scheduler.requests[place];
                if request.place == Place::Gone {
                    return;
                }
                let (id, external) = (request.id.clone(), request.spec.name.clone());
                self.recorder.admissions().admit(&id, Some(&external));
                let hand_over = self.recorder.before_hand_over(Some(true));
                self.scheduler.add_input(place);
                let is_resumable = self.scheduler.requests[place].is_resumable();
                hand_over.returned(&id, Some(false), Some(is_resumable));
            }
        }
    }

    fn admit(&mut self, id: String, spec: RequestSpec) {
        self.requests += 1;
        self.recorder.admissions().admit(&id, Some(&spec.name));
        let request = Request {
            id,
            place: Place::Waiting,
            prompt_tokens: spec.prompt_tokens,
            output_tokens: 0,
            computed: 0,
            placeholders: 0,
            drafts: 0,
            is_known: false,
            grammar_ready_ns: self.now().saturating_add(spec.grammar_ns.unwrap_or(0)),
            in_flight: 0,
            stale: 0,
            generation: 0,
            next_input: 0,
            held: crate::blocks::Held::default(),
            has_run: false,
            spec,
        };
        let ingress_ns = self.plan.config.ingress_ns;
        if ingress_ns == 0 {
            self.hand_over(request);
        } else {
            self.admitted.push(Some(request));
            let place = self.admitted.len() - 1;
            self.arrive(self.now() + ingress_ns, Arrival::HandOver(place));
        }
    }

    fn hand_over(&mut self, request: Request) {
        let is_live = self.scheduler.live(&request.id).is_some();
        let is_observed = self.observes(OptionalKind::Enqueued);
        let hand_over = is_observed.then(|| self.recorder.before_hand_over(Some(is_live)));
        let structured = request.spec.grammar_ns.is_some();
        let resumable = request.is_resumable();
        let place = self.scheduler.add(request);
        if let Some(hand_over) = hand_over {
            hand_over.returned(&self.scheduler.requests[place].id, Some(structured), Some(resumable));
        }
    }

    /// Whether the recorder is attached to an engine's call that not every engine has.
    fn observes(&self, kind: OptionalKind) -> bool {
        self.plan.config.observes.contains(&kind)
    }

    /// A request has left the engine; in a closed loop its client asks again.
    fn left(&mut self) {
        let now = self.now();
        if let Some(workload) = &mut self.plan.workload
            && let Some(next) = workload.after_an_end(now, &mut self.random)
        {
            self.arrive(next, Arrival::Drawn);
        }
    }

    // The engine's thread.

    fn turn(&mut self) {
        self.act();
        self.pump();
        if self.plan.end_bytes.is_some_and(|bytes| self.writer.counters().bytes >= bytes) {
            self.ending = self.ending.or(Some(Ending::Close));
        }
        if self.ending.is_some() {
            return;
        }
        if self.hung {
            self.idle();
            return;
        }
        let may_schedule = self.scheduler.has_live()
            && !self.scheduler.only_between_inputs()
            && self.scheduler.pause != PauseState::PausedAll;
        let depth = if self.plan.config.async_scheduling { 2 } else { 1 };
        if may_schedule && self.in_flight.len() < depth {
            self.schedule();
        } else if self.in_flight.is_empty() {
            self.idle();
            return;
        }
        if self.ending.is_none() && (self.in_flight.len() == depth || !may_schedule) {
            self.process();
        }
    }

    /// Waits for whatever comes next.
    fn idle(&mut self) {
        let arrival = self.arrivals.first_key_value().map(|(&(at, _), _)| at);
        let event = self.plan.events.iter().filter_map(|event| match event.when {
            When::At(at_ns) => Some(at_ns),
            When::AfterStep(_) | When::Each(_) => None,
        });
        let next = event.chain(arrival).chain(self.plan.end_ns).min();
        match next {
            None => self.ending = Some(Ending::Close),
            Some(next) => {
                self.advance_to(next.max(self.now()));
                if arrival == Some(next) {
                    self.wait(self.plan.config.wake_ns);
                }
            }
        }
    }

    fn schedule(&mut self) {
        let start = self.recorder.stamp();
        let start_ns = self.now();
        // Who comes during the call is not seen by it.
        let step = self.scheduler.schedule(start_ns);
        let late_ns = std::mem::take(&mut self.slow_schedule_ns);
        self.wait(self.plan.config.schedule_ns + late_ns);
        if self.ending.is_some() {
            return;
        }
        let mut identity = None;
        let mut view = StepView { step: &step, identity: &mut identity, scheduler: &self.scheduler };
        self.recorder.scheduled(start, &mut view, &self.scheduler);
        let time = self.step_time(&step);
        let done_ns = match (step.entries.is_empty(), self.plan.config.async_scheduling) {
            (true, _) => self.now(),
            (false, true) => self.device_free_ns.max(self.now()) + time,
            (false, false) => (start_ns + time).max(self.now()),
        };
        if !step.entries.is_empty() {
            self.device_free_ns = done_ns;
        }
        self.in_flight.push_back(InFlight { step, identity, done_ns });
        self.pump();
    }

    fn step_time(&mut self, step: &Step) -> i64 {
        let config = &self.plan.config;
        let time = config.step_time.of(step.total, step.entries.len());
        let jitter = self.random.between((-config.jitter_permille, config.jitter_permille));
        time + time / 1000 * jitter + std::mem::take(&mut self.slow_step_ns)
    }

    fn process(&mut self) {
        let Some(InFlight { step, mut identity, done_ns }) = self.in_flight.pop_front() else { return };
        self.advance_to(done_ns.max(self.now()));
        if self.ending.is_some() {
            return;
        }
        let counts = self.sample(&step);
        let is_empty = step.entries.is_empty();
        let view = StepView { step: &step, identity: &mut identity, scheduler: &self.scheduler };
        let sampled = Sampled::new(&step, &self.scheduler, &counts);
        self.recorder.before_update(&view, &sampled, &self.scheduler);
        if std::mem::take(&mut self.fail_update) {
            let failed = UpdateResult::<std::iter::Empty<_>>::Failed;
            self.recorder.updated(&view, failed, &self.scheduler);
            self.ending = Some(Ending::Close);
            return;
        }
        let processed = self.scheduler.process(&step, &counts, &mut self.recorder);
        let view = StepView { step: &step, identity: &mut identity, scheduler: &self.scheduler };
        let outputs = processed.outputs.iter().map(|output| output.listed(&self.scheduler));
        self.recorder.updated(&view, UpdateResult::Returned(outputs), &self.scheduler);
        self.steps_completed += 1;
        for place in processed.turns {
            let request = &self.scheduler.requests[place];
            let delay = request.spec.inputs.get(request.next_input).map_or(0, |&(_, delay)| delay);
            self.arrive(self.now() + delay, Arrival::Input(place));
        }
        for _ in processed.ended {
            self.left();
        }
        for place in processed.leaving {
            self.abort(place);
        }
        self.pump();
        self.wait(if is_empty { self.plan.config.empty_gap_ns } else { self.plan.config.gap_ns });
    }

    /// What the model samples for each entry: a token, and as many drafts before it as are accepted in a row.
    fn sample(&mut self, step: &Step) -> Vec<i64> {
        let acceptance = self.plan.config.speculation.map_or(&[][..], |speculation| speculation.acceptance);
        let now = self.now();
        let share = acceptance.iter().rev().find(|&&(from, _)| from <= now).map_or(0, |&(_, share)| share);
        let random = &mut self.random;
        let mut sample = |drafts: i64| 1 + (0..drafts).take_while(|_| random.permille(share)).count() as i64;
        step.entries.iter().map(|entry| if entry.samples { sample(entry.drafts) } else { 0 }).collect()
    }

    fn abort(&mut self, place: usize) {
        if self.scheduler.requests[place].place != Place::Gone {
            self.scheduler.free(place, "FINISHED_ABORTED", "abort", &mut self.recorder);
            self.left();
        }
    }

    // The script.

    fn act(&mut self) {
        let mut next = 0;
        while next < self.plan.events.len() && self.ending.is_none() {
            let due = match self.plan.events[next].when {
                When::At(at_ns) => self.now() >= at_ns,
                When::AfterStep(step) => self.steps_completed >= step,
                When::Each(ns) => self.now() - self.last_each_ns >= ns,
            };
            if !due {
                next += 1;
                continue;
            }
            let event = self.plan.events[next].clone();
            for action in &event.actions {
                self.perform(action);
            }
            if matches!(event.when, When::Each(_)) {
                self.last_each_ns = self.now();
                next += 1;
            } else {
                self.plan.events.remove(next);
            }
        }
    }

    fn perform(&mut self, action: &Action) {
        match action {
            Action::Wait(ns) => self.wait(*ns),
            Action::Pause(state) => {
                let from = self.scheduler.pause;
                self.scheduler.pause = *state;
                let named = |state: PauseState| stepscope_recorder::engine::Named {
                    name: Some(state.name()),
                    text: "",
                };
                if self.observes(OptionalKind::Pause) {
                    self.recorder.paused(Some(named(from)), Some(named(*state)));
                }
            }
            Action::ResetCache { running, takes_ns } => {
                let ids = self.scheduler.running.iter().map(|&place| &*self.scheduler.requests[place].id);
                let reset = self.recorder.before_cache_reset(*running, false, ids);
                let succeeded = self.scheduler.reset_cache(*running);
                self.wait(*takes_ns);
                if self.observes(OptionalKind::CacheReset) {
                    self.recorder.cache_reset(reset, Some(succeeded));
                }
            }
            Action::Admit(place) => self.take_in(Arrival::Scripted(*place)),
            Action::Abort(name) => {
                let of_name = |request: &Request| request.spec.name == *name && request.place != Place::Gone;
                if let Some(place) = self.scheduler.requests.iter().position(of_name) {
                    self.abort(place);
                }
            }
            Action::TakeBlocks(blocks) => self.scheduler.blocks.take_away(*blocks),
            Action::SlowSchedule(ns) => self.slow_schedule_ns = *ns,
            Action::SlowStep(ns) => self.slow_step_ns = *ns,
            Action::FailUpdate => self.fail_update = true,
            Action::StallWriter(ns) => self.writer_stalled_until_ns = self.now() + ns,
            Action::Hang { in_step } => {
                if *in_step {
                    self.schedule();
                }
                self.hung = true;
            }
            Action::Kill { torn } => self.ending = Some(Ending::Kill { torn: *torn }),
        }
    }
}

fn hello(config: &EngineConfig) -> Hello {
    let int = |value: usize| Value::Int(i64::try_from(value).unwrap_or(i64::MAX));
    let scheduler = if config.async_scheduling {
        "vllm.v1.core.sched.async_scheduler.AsyncScheduler"
    } else {
        "vllm.v1.core.sched.scheduler.Scheduler"
    };
    Hello {
        vllm_version: Some("0.30.0".to_owned()),
        refused: None,
        observes: config.observes.clone(),
        config: vec![
            ("vllm_version", "0.30.0".into()),
            ("executor", "uni".into()),
            ("tp", Value::Int(1)),
            ("pp", Value::Int(1)),
            ("dp", Value::Int(1)),
            ("async_scheduling", config.async_scheduling.into()),
            ("max_num_batched_tokens", config.max_num_batched_tokens.into()),
            ("speculative", config.speculation.map_or(Value::Null, |_| "ngram".into())),
            ("request_id_randomization", true.into()),
            ("scheduler", scheduler.into()),
            ("max_num_seqs", int(config.max_num_seqs)),
            ("num_gpu_blocks", config.num_gpu_blocks.into()),
            ("kv_cache_groups", Value::Int(1)),
            ("block_size", config.block_size.into()),
        ],
        process: Default::default(),
        worker: None,
    }
}
