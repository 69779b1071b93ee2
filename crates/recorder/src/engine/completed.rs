//! A step's output is processed (`record.md` §7).

use super::pending::{ListedOutput, PendingMember, PendingStep, Snapshot};
use super::{EngineRecorder, ModelOutput, RequestOutput, Scheduler, StepOutput, UpdateResult};
use crate::clock::Stamp;
use crate::json::Encoder;
use crate::record::{Fields, Kind, NotEncodable, characters_exceed};

impl EngineRecorder {
    /// The snapshot before the engine processes an output, which trims the sampled tokens and frees requests (§7.1).
    pub fn before_update<O: StepOutput>(
        &mut self,
        output: &O,
        model: &impl ModelOutput,
        scheduler: &impl Scheduler,
    ) {
        let writer = self.writer.clone();
        writer.isolate(|| {
            let Some(step) = output.identity().and_then(|identity| self.pending.get(identity.iteration))
            else {
                return;
            };
            for member in &mut step.members {
                member.snapshot = None;
                member.output = None;
            }
            for (id, _) in output.scheduled() {
                let Some(member) = step.member(id) else { continue };
                let live = scheduler.live(id);
                let sampled = model.row(id).and_then(|row| model.sampled_in_row(row)).unwrap_or(0);
                member.snapshot = Some(Snapshot {
                    exists: live.is_some(),
                    finished: live.is_some_and(|live| live.finished),
                    stale: live.is_some_and(|live| live.stale_outputs > 0),
                    drop_stale: live.is_some_and(|live| live.drop_stale),
                    sampled: i64::try_from(sampled).unwrap_or(i64::MAX),
                });
            }
        });
    }

    /// The processing of an output has ended; `scheduler` is as it is now (§7.2). An output without identity gives
    /// nothing.
    pub fn updated<'r, O: StepOutput, I: IntoIterator<Item = RequestOutput<'r>>>(
        &mut self,
        output: &O,
        result: UpdateResult<I>,
        scheduler: &impl Scheduler,
    ) {
        let writer = self.writer.clone();
        writer.isolate(|| {
            let Some(identity) = output.identity() else { return };
            // A step that was forgotten or has completed before gives a record without members.
            let step = self.pending.take(identity.iteration);
            let mut step = step.unwrap_or_else(|| self.pending.blank(0));
            let sampled_per_step = scheduler.sampled_per_step();
            let processed = match result {
                UpdateResult::Failed => None,
                UpdateResult::Unrecognized => Some(Processed { sampled_per_step, recognized: false }),
                UpdateResult::Returned(outputs) => {
                    take_outputs(&mut step, outputs);
                    Some(Processed { sampled_per_step, recognized: true })
                }
            };
            if let Some(processed) = processed {
                self.commit(&step, processed, scheduler);
            }
            let ticket = self.writer.reserve();
            let stamp = self.writer.stamp();
            let fields = CompletedFields { iteration: identity.iteration, stamp, processed, step: &step };
            ticket.emit(Kind::Completed, &fields);
            self.pending.recycle(step);
        });
    }

    /// Remembers the context that kept members of still live requests have reached (C3).
    fn commit(&mut self, step: &PendingStep, processed: Processed, scheduler: &impl Scheduler) {
        for member in &step.members {
            let id = &step.text()[member.id.clone()];
            if let Some(computed_after) = processed.figures(member).computed_after
                && scheduler.live(id).is_some()
            {
                self.known.set_committed(member.hash, id, computed_after);
            }
        }
    }
}

/// Notes what the result lists for each member: of several entries the last counts, whole (C1).
fn take_outputs<'r>(step: &mut PendingStep, outputs: impl IntoIterator<Item = RequestOutput<'r>>) {
    for RequestOutput { id, new_tokens, finish_reason } in outputs {
        let finish_reason = finish_reason.map(|text| step.keep(text));
        if let Some(member) = step.member(id) {
            member.output = Some(ListedOutput { new_tokens, finish_reason });
        }
    }
}

/// A processing that did not fail.
#[derive(Debug, Clone, Copy)]
struct Processed {
    /// As the scheduler says after the processing, never as it was when the step was scheduled.
    sampled_per_step: i64,
    recognized: bool,
}

/// The figures of §7.3 and §7.4.
struct Figures {
    outcome: &'static str,
    stale: bool,
    sampled: i64,
    accepted: i64,
    computed_after: Option<i64>,
}

impl Processed {
    #[inline]
    fn figures(self, member: &PendingMember) -> Figures {
        let nothing =
            Snapshot { exists: false, finished: false, stale: false, drop_stale: false, sampled: 0 };
        let Snapshot { exists, finished, stale, drop_stale, sampled } = member.snapshot.unwrap_or(nothing);
        // Not bounded by the drafts (`record.md` S1).
        let accepted = match member.drafts {
            0 => 0,
            _ => sampled.saturating_sub(self.sampled_per_step).max(0),
        };
        let outcome = match member.snapshot {
            None => "unknown",
            Some(_) if !exists || finished => "discarded_finished",
            Some(_) if stale && drop_stale => "dropped_stale",
            Some(_) => "kept",
        };
        let computed_after = (outcome == "kept").then(|| {
            let rejected = if stale { 0 } else { member.drafts.saturating_sub(accepted) };
            member.computed_before.saturating_add(member.scheduled).saturating_sub(rejected)
        });
        Figures { outcome, stale, sampled, accepted, computed_after }
    }
}

struct CompletedFields<'a> {
    iteration: &'a str,
    stamp: Stamp,
    /// `None` when processing failed.
    processed: Option<Processed>,
    step: &'a PendingStep,
}

impl Fields for CompletedFields<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        out.raw("{\"iteration\":").string(self.iteration).raw(",").stamp("", self.stamp);
        if self.processed.is_none() {
            out.raw(",\"update_failed\":true");
        }
        out.raw(",\"members\":[");
        for (index, member) in self.step.members.iter().enumerate() {
            out.raw(if index > 0 { ",{\"internal\":" } else { "{\"internal\":" });
            out.string(&self.step.text()[member.id.clone()]);
            match self.processed {
                Some(processed) => self.encode_figures(member, processed, out),
                None => {
                    out.raw(FAILED);
                }
            }
        }
        out.raw("]}");
        Ok(())
    }

    fn surely_exceeds(&self, limit: usize) -> bool {
        let members = self.step.members.iter().map(|member| &self.step.text()[member.id.clone()]);
        characters_exceed([self.iteration].into_iter().chain(members), limit)
    }

    fn size_hint(&self) -> usize {
        224 + self.step.members.len() * 192 + self.step.text().len()
    }
}

const FAILED: &str = ",\"outcome\":\"unknown\",\"stale\":null,\"sampled\":null,\"accepted_drafts\":null,\
                      \"retained\":null,\"finish_reason\":null,\"computed_after\":null}";

impl CompletedFields<'_> {
    fn encode_figures(&self, member: &PendingMember, processed: Processed, out: &mut Encoder<'_>) {
        let Figures { outcome, stale, sampled, accepted, computed_after } = processed.figures(member);
        out.raw(",\"outcome\":\"").raw(outcome);
        out.raw(if stale { "\",\"stale\":true,\"sampled\":" } else { "\",\"stale\":false,\"sampled\":" });
        out.int(sampled).raw(",\"accepted_drafts\":").int(accepted);
        let is_known = outcome == "kept" && processed.recognized;
        let retained = is_known.then(|| member.output.as_ref().map_or(0, |output| output.new_tokens));
        let finish_reason = member.output.as_ref().filter(|_| is_known).and_then(|o| o.finish_reason.clone());
        out.raw(",\"retained\":").opt_int(retained);
        out.raw(",\"finish_reason\":").opt_string(finish_reason.map(|place| &self.step.text()[place]));
        out.raw(",\"computed_after\":").opt_int(computed_after).raw("}");
    }
}
