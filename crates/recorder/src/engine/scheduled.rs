//! A scheduler call has returned (`record.md` §6).

use std::ops::Range;

use super::known::hash;
use super::pending::{PendingMember, PendingStep};
use super::{EngineRecorder, KnownEntry, NewEntry, Scheduler, StepIdentity, StepOutput};
use crate::clock::Stamp;
use crate::json::Encoder;
use crate::record::{Fields, Kind, NotEncodable, characters_exceed};

/// A member of the step being recorded; its id is a place in the pending step's text.
#[derive(Debug)]
pub(super) struct Row {
    id: Range<usize>,
    is_first: bool,
    in_context: Option<bool>,
    scheduled: i64,
    computed_before: i64,
    prompt_tokens: Option<i64>,
    prefill: i64,
    drafts: i64,
    recompute: bool,
    output_before: Option<i64>,
    resumable: bool,
}

impl EngineRecorder {
    /// Records a scheduler call that returned `output`; `start` was stamped before it, `scheduler` is as it is now.
    /// Not to be called for a call that raised.
    pub fn scheduled<O: StepOutput>(&mut self, start: Stamp, output: &mut O, scheduler: &impl Scheduler) {
        let writer = self.writer.clone();
        writer.isolate(|| self.record_scheduled(start, output, scheduler));
    }

    fn record_scheduled<O: StepOutput>(&mut self, start: Stamp, output: &mut O, scheduler: &impl Scheduler) {
        let number = self.next;
        self.next += 1;
        let mut digits = itoa::Buffer::new();
        let iteration = digits.format(number);
        output.set_identity(StepIdentity { producer: &self.producer, iteration });

        let mut step = self.pending.blank(number);
        self.rows.clear();
        for NewEntry { id, prompt_tokens, computed_tokens } in output.new_entries() {
            let entry = KnownEntry { id, computed_tokens, in_context: Some(true) };
            self.add_member(&mut step, entry, Some(prompt_tokens), output, scheduler);
        }
        for entry in output.known_entries() {
            self.add_member(&mut step, entry, None, output, scheduler);
        }
        self.keep_preempted(output);

        let step = self.pending.add(step);
        let ticket = self.writer.reserve();
        let fields = ScheduledFields {
            iteration,
            start,
            end: self.writer.stamp(),
            total_tokens: output.total_tokens(),
            preempted: &self.preempted,
            preempted_text: &self.preempted_text,
            pause_state: scheduler.pause_state().map(super::Named::state_name),
            rows: &self.rows,
            text: step.text(),
        };
        ticket.emit(Kind::Scheduled, &fields);
    }

    /// The steps of §6.1 for one entry; `announced` is a new entry's own prompt length.
    fn add_member(
        &mut self,
        step: &mut PendingStep,
        entry: KnownEntry<'_>,
        announced: Option<i64>,
        output: &impl StepOutput,
        scheduler: &impl Scheduler,
    ) {
        let KnownEntry { id, computed_tokens: computed_before, in_context } = entry;
        let hash = hash(id);
        let (mut prompt_tokens, committed) = self.known.get(hash, id);
        let is_first = prompt_tokens.is_none();
        let live = scheduler.live(id);
        let newest = live.map(|live| live.prompt_tokens).or(announced.filter(|_| is_first));
        if newest.is_some() && newest != prompt_tokens {
            prompt_tokens = newest;
            self.known.set_prompt(hash, id, newest.unwrap_or_default());
        }
        let scheduled = output.scheduled_tokens(id);
        let drafts = output.draft_tokens(id);
        let prefill = match prompt_tokens {
            None | Some(0) => 0,
            Some(prompt) => scheduled.min(prompt.saturating_sub(computed_before)).max(0),
        };
        let place = step.keep(id);
        self.rows.push(Row {
            id: place.clone(),
            is_first,
            in_context,
            scheduled,
            computed_before,
            prompt_tokens,
            prefill,
            drafts,
            recompute: !is_first && committed.is_some_and(|committed| computed_before < committed),
            output_before: live.map(|live| live.output_tokens),
            resumable: live.and_then(|live| live.resumable).unwrap_or(false),
        });
        step.insert(PendingMember {
            hash,
            id: place,
            scheduled,
            computed_before,
            drafts,
            snapshot: None,
            output: None,
        });
    }

    /// Copies the preempted ids in ascending order of code points.
    fn keep_preempted(&mut self, output: &impl StepOutput) {
        self.preempted.clear();
        self.preempted_text.clear();
        for id in output.preempted() {
            let start = self.preempted_text.len();
            self.preempted_text.push_str(id);
            self.preempted.push((start, self.preempted_text.len()));
        }
        let text = &self.preempted_text;
        self.preempted.sort_unstable_by(|a, b| text[a.0..a.1].cmp(&text[b.0..b.1]));
    }
}

struct ScheduledFields<'a> {
    iteration: &'a str,
    start: Stamp,
    end: Stamp,
    total_tokens: i64,
    preempted: &'a [(usize, usize)],
    preempted_text: &'a str,
    pause_state: Option<&'a str>,
    rows: &'a [Row],
    text: &'a str,
}

impl Fields for ScheduledFields<'_> {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        out.raw("{\"iteration\":").string(self.iteration);
        out.raw(",").stamp("start_", self.start).raw(",").stamp("end_", self.end);
        out.raw(",\"total_tokens\":").int(self.total_tokens);
        out.raw(",\"zero_token\":").bool(self.total_tokens == 0);
        out.raw(",\"preempted\":").strings(self.preempted_ids());
        out.raw(",\"pause_state\":").opt_string(self.pause_state);
        out.raw(",\"members\":[");
        for (index, row) in self.rows.iter().enumerate() {
            out.raw(if index > 0 { ",{\"internal\":" } else { "{\"internal\":" });
            row.encode(self.text, out);
        }
        out.raw("]}");
        Ok(())
    }

    fn surely_exceeds(&self, limit: usize) -> bool {
        let members = self.rows.iter().map(|row| &self.text[row.id.clone()]);
        let texts = [self.iteration].into_iter().chain(self.pause_state);
        characters_exceed(texts.chain(self.preempted_ids()).chain(members), limit)
    }

    fn size_hint(&self) -> usize {
        384 + self.rows.len() * 320 + self.text.len() + self.preempted.len() * 3 + self.preempted_text.len()
    }
}

impl<'a> ScheduledFields<'a> {
    fn preempted_ids(&self) -> impl Iterator<Item = &'a str> + Clone {
        let text = self.preempted_text;
        self.preempted.iter().map(move |&(start, end)| &text[start..end])
    }
}

impl Row {
    /// Everything after the name of the first field.
    fn encode(&self, text: &str, out: &mut Encoder<'_>) {
        out.string(&text[self.id.clone()]);
        out.raw(match (self.is_first, self.in_context) {
            (true, Some(true)) => ",\"sighting\":\"first\",\"phase\":\"context\",\"scheduled\":",
            (true, Some(false)) => ",\"sighting\":\"first\",\"phase\":\"generation\",\"scheduled\":",
            (true, None) => ",\"sighting\":\"first\",\"phase\":null,\"scheduled\":",
            (false, Some(true)) => ",\"sighting\":\"repeat\",\"phase\":\"context\",\"scheduled\":",
            (false, Some(false)) => ",\"sighting\":\"repeat\",\"phase\":\"generation\",\"scheduled\":",
            (false, None) => ",\"sighting\":\"repeat\",\"phase\":null,\"scheduled\":",
        });
        out.int(self.scheduled);
        out.raw(",\"computed_before\":").int(self.computed_before);
        out.raw(",\"prompt_tokens\":").opt_int(self.prompt_tokens);
        out.raw(",\"prefill_scheduled\":").int(self.prefill);
        out.raw(",\"past_prompt_scheduled\":").int(self.scheduled.saturating_sub(self.prefill));
        out.raw(",\"drafts_scheduled\":").int(self.drafts);
        out.raw(",\"cached_at_admission\":").opt_int(self.is_first.then_some(self.computed_before));
        out.raw(if self.recompute {
            ",\"recompute\":true,\"output_before\":"
        } else {
            ",\"recompute\":false,\"output_before\":"
        });
        out.opt_int(self.output_before);
        out.raw(if self.resumable { ",\"resumable\":true}" } else { ",\"resumable\":false}" });
    }
}
