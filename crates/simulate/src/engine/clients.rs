//! The clients' side: requests arrive, are handed over, get more input, and are asked again.

use super::{Arrival, Engine};
use crate::request::{Place, Request, RequestSpec};
use stepscope_recorder::OptionalKind;

impl Engine<'_> {
    pub(super) fn take_in(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Scripted(place) => {
                let spec = self.plan.scripted[place].clone();
                let id = format!("{}-{}", spec.name, self.random.hex(8));
                self.admit(id, spec);
            }
            Arrival::Drawn => {
                let now = self.now();
                let Some(workload) = &mut self.plan.workload else { return };
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

    pub(super) fn admit(&mut self, id: String, spec: RequestSpec) {
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

    pub(super) fn hand_over(&mut self, request: Request) {
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
    pub(super) fn observes(&self, kind: OptionalKind) -> bool {
        self.plan.config.observes.contains(&kind)
    }

    /// A request has left the engine; in a closed loop its client asks again.
    pub(super) fn left(&mut self) {
        let now = self.now();
        if let Some(workload) = &mut self.plan.workload
            && let Some(next) = workload.after_an_end(now, &mut self.random)
        {
            self.arrive(next, Arrival::Drawn);
        }
    }
}
