//! The engine's thread: schedule, run, process, wait.

use stepscope_recorder::engine::UpdateResult;

use super::{Arrival, Ending, Engine, InFlight};
use crate::request::Place;
use crate::script::{PauseState, When};
use crate::step::{Sampled, Step, StepView};

impl Engine<'_> {
    pub(super) fn turn(&mut self) {
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
    pub(super) fn idle(&mut self) {
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

    pub(super) fn schedule(&mut self) {
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

    pub(super) fn step_time(&mut self, step: &Step) -> i64 {
        let config = &self.plan.config;
        let time = config.step_time.of(step.total, step.entries.len());
        let jitter = self.random.between((-config.jitter_permille, config.jitter_permille));
        time + time / 1000 * jitter + std::mem::take(&mut self.slow_step_ns)
    }

    pub(super) fn process(&mut self) {
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
    pub(super) fn sample(&mut self, step: &Step) -> Vec<i64> {
        let acceptance = self.plan.config.speculation.map_or(&[][..], |speculation| speculation.acceptance);
        let now = self.now();
        let share = acceptance.iter().rev().find(|&&(from, _)| from <= now).map_or(0, |&(_, share)| share);
        let random = &mut self.random;
        let mut sample = |drafts: i64| 1 + (0..drafts).take_while(|_| random.permille(share)).count() as i64;
        step.entries.iter().map(|entry| if entry.samples { sample(entry.drafts) } else { 0 }).collect()
    }

    pub(super) fn abort(&mut self, place: usize) {
        if self.scheduler.requests[place].place != Place::Gone {
            self.scheduler.free(place, "FINISHED_ABORTED", "abort", &mut self.recorder);
            self.left();
        }
    }
}
