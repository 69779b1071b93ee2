//! The script: what happens to the engine from outside.

use stepscope_recorder::OptionalKind;
use stepscope_recorder::engine::Named;

use super::{Arrival, Ending, Engine};
use crate::request::{Place, Request};
use crate::script::{Action, PauseState, When};

impl Engine<'_> {
    pub(super) fn act(&mut self) {
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

    pub(super) fn perform(&mut self, action: &Action) {
        match action {
            Action::Wait(ns) => self.wait(*ns),
            Action::Pause(state) => {
                let from = self.scheduler.pause;
                self.scheduler.pause = *state;
                let named = |state: PauseState| Named { name: Some(state.name()), text: "" };
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
