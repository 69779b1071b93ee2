//! The records of a reduced epoch, one after the other, in the order of `reduce.md` §14.

use stepscope_epoch_log::{Cell, Epoch, Stamps, word};

use crate::executions::{Execution, NONE};
use crate::kept::{KeptStep, Member};
use crate::notes::{NoteKind, Notes};
use crate::record::{
    ClockAlignment, Context, Finish, Iteration, Membership, Ownership, Raw, Record, Ref, Request, Role,
    RunIdentity,
};
use crate::reduction::Reduction;
use crate::refs::{plain, request_ref, source_seq_max};
use crate::stages::{StageMaker, StageTexts};

impl Reduction {
    /// The context of all records.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        usize::from(self.alignment.is_some())
            + self.steps.len()
            + self.members.len()
            + self.written_requests.len()
            + self.stages.len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `f` with every record, in order. `epoch` is the one that was reduced.
    pub fn each_record(&self, epoch: &Epoch, f: &mut dyn FnMut(&Record<'_>)) {
        if let Some(alignment) = self.clock_alignment(epoch) {
            f(&Record::ClockAlignment(alignment));
        }
        let mut start = 0;
        for step in &self.steps {
            f(&Record::Iteration(self.iteration(epoch, step)));
            for at in start..step.memberships_end {
                f(&Record::Membership(self.membership(epoch, step, at)));
            }
            start = step.memberships_end;
        }
        for &at in &self.written_requests {
            f(&Record::Request(self.request(epoch, &self.executions[at as usize])));
        }
        let maker = StageMaker {
            epoch,
            context: &self.context,
            requests: Some(&self.requests),
            reset_observed: self.reset_observed,
        };
        let mut texts = StageTexts::default();
        for stage in &self.stages {
            let execution = self.executions.get(stage.execution as usize);
            f(&Record::Stage(maker.record(stage, execution, &mut texts)));
        }
    }

    fn clock_alignment<'r>(&'r self, epoch: &'r Epoch) -> Option<ClockAlignment<'r>> {
        self.alignment.map(|alignment| ClockAlignment {
            epoch: &epoch.name.text,
            from_clock_domain: &self.context.clock_domain,
            to_clock_domain: &self.wall_domain,
            offset_ns: alignment.offset_ns,
            uncertainty_ns: alignment.uncertainty_ns,
            valid_from_ns: alignment.bracket.mono_ns,
            valid_to_ns: alignment.valid_to_ns,
            source_seq_max: alignment.source_seq,
            valid_to_source_seq: alignment.valid_to_source_seq,
            gap_ns: alignment.gap_ns,
            ended: epoch.goodbye.is_some(),
            bracket: alignment.bracket,
        })
    }

    fn iteration_ref<'r>(&'r self, epoch: &'r Epoch, step: &KeptStep) -> Ref<'r> {
        let name = epoch.log.scheduled.iteration.text[step.step.scheduled as usize];
        Ref { producer_id: &self.context.producer_id, id: epoch.strings.get(name) }
    }

    fn iteration<'r>(&'r self, epoch: &'r Epoch, kept: &KeptStep) -> Iteration<'r> {
        let (scheduled, completed, strings) = (&epoch.log.scheduled, &epoch.log.completed, &epoch.strings);
        let row = kept.step.scheduled as usize;
        let wall = |stamps: &'r Stamps, row: usize| {
            (Raw::ints(stamps.wall.cell(row), strings), Raw::ints(stamps.wall_after(row), strings))
        };
        let (start_wall_ns, start_wall_after_ns) = wall(&scheduled.start, row);
        let (schedule_end_wall_ns, schedule_end_wall_after_ns) = wall(&scheduled.end, row);
        let (mut end, mut completed_wall) = (None, (Raw::Null, Raw::Null));
        if kept.step.completed != NONE {
            let row = kept.step.completed as usize;
            end = completed.at.mono.int(row);
            completed_wall = wall(&completed.at, row);
        }
        let start_ns = plain(scheduled.start.mono.int(row));
        Iteration {
            epoch: &epoch.name.text,
            iteration_ref: self.iteration_ref(epoch, kept),
            start_ns,
            end_ns: end.filter(|&end| start_ns.is_some_and(|start| start <= end)),
            state: kept.step.state,
            source_seq_max: kept.step.final_seq,
            start_wall_ns,
            start_wall_after_ns,
            schedule_end_wall_ns,
            schedule_end_wall_after_ns,
            schedule_end_mono_ns: Raw::ints(scheduled.end.mono.cell(row), strings),
            completed_wall_ns: completed_wall.0,
            completed_wall_after_ns: completed_wall.1,
            update_failed: kept.update_failed,
            total_tokens: Raw::ints(scheduled.total_tokens.cell(row), strings),
            zero_token: Raw::flags(scheduled.zero_token.cell(row), strings),
            preempted: kept.preempted,
            members: kept.owned.iter().sum(),
            run_members: kept.owned[Ownership::Run as usize],
            foreign_members: kept.owned[Ownership::Foreign as usize],
            unresolved_members: kept.owned[Ownership::Unresolved as usize],
            withheld_members: kept.withheld,
        }
    }

    /// The refs of the request and of the attempt of an execution that is written.
    fn refs<'r>(&'r self, epoch: &'r Epoch, execution: &'r Execution) -> (Ref<'r>, Ref<'r>) {
        let producer_id = &self.context.producer_id[..];
        let attempt = execution.attempt_ref(producer_id, &epoch.strings);
        // What is never written has no records.
        let attempt = attempt.unwrap_or(Ref { producer_id, id: b"" });
        (request_ref(execution, attempt, &self.requests), attempt)
    }

    fn membership<'r>(&'r self, epoch: &'r Epoch, kept: &KeptStep, at: u32) -> Membership<'r> {
        let Member { member, outcome, execution } = self.members[at as usize];
        let strings = &epoch.strings;
        let execution = &self.executions[execution as usize];
        let (request_ref, attempt_ref) = self.refs(epoch, execution);
        let table = &epoch.log.scheduled.members.rows;
        let outcomes = &epoch.log.completed.members.rows;
        let row = member as usize;
        let came = outcome != NONE;
        let came_row = outcome as usize;
        let finish = execution.finish.filter(|&(membership, _)| membership == at);
        let finish = finish.map(|(_, in_step)| self.finish(epoch, execution, in_step));
        let finish_seq = finish.and(Some(execution.terminal)).map(|row| epoch.log.terminal.seq[row as usize]);
        let phase = table.phase.text(row);
        let role = match phase {
            Some(word::CONTEXT) => Role::Prefill,
            Some(word::GENERATION) if table.drafts_scheduled.int(row).unwrap_or(0) > 0 => Role::SpecDecode,
            Some(word::GENERATION) => Role::Decode,
            _ => Role::Unknown,
        };
        let prefill_scheduled = Raw::ints(table.prefill_scheduled.cell(row), strings);
        let is_kept = came && outcomes.outcome.text(came_row) == Some(word::KEPT);
        Membership {
            epoch: &epoch.name.text,
            request_ref,
            iteration_ref: self.iteration_ref(epoch, kept),
            attempt_ref,
            role,
            input_tokens: plain(table.scheduled.int(row)),
            output_tokens: if came { plain(outcomes.retained.int(came_row)) } else { None },
            source_seq_max: finish_seq.map_or(kept.step.final_seq, |seq| seq.max(kept.step.final_seq)),
            ownership: execution.ownership(),
            state: kept.step.state,
            sighting: Raw::texts(table.sighting.cell(row), strings),
            phase: Raw::texts(table.phase.cell(row), strings),
            computed_before: Raw::ints(table.computed_before.cell(row), strings),
            prompt_tokens: Raw::ints(table.prompt_tokens.cell(row), strings),
            prefill_scheduled,
            past_prompt_scheduled: Raw::ints(table.past_prompt_scheduled.cell(row), strings),
            drafts_scheduled: Raw::ints(table.drafts_scheduled.cell(row), strings),
            cached_at_admission: Raw::ints(table.cached_at_admission.cell(row), strings),
            recompute: Raw::flags(table.recompute.cell(row), strings),
            output_before: Raw::ints(table.output_before.cell(row), strings),
            resumable: Raw::flags(table.resumable.cell(row), strings),
            processed_prefill: if is_kept { prefill_scheduled } else { Raw::Int(0) },
            outcome: match came.then(|| outcomes.outcome.cell(came_row)) {
                None | Some(Cell::Absent) => Raw::from("unknown"),
                Some(cell) => Raw::texts(cell, strings),
            },
            stale: if came { Raw::flags(outcomes.stale.cell(came_row), strings) } else { Raw::Null },
            sampled: if came { Raw::ints(outcomes.sampled.cell(came_row), strings) } else { Raw::Null },
            accepted_drafts: if came {
                Raw::ints(outcomes.accepted_drafts.cell(came_row), strings)
            } else {
                Raw::Null
            },
            finish_reason: if came {
                Raw::texts(outcomes.finish_reason.cell(came_row), strings)
            } else {
                Raw::Null
            },
            computed_after: if came {
                Raw::ints(outcomes.computed_after.cell(came_row), strings)
            } else {
                Raw::Null
            },
            update_failed: kept.update_failed,
            finish,
        }
    }

    fn finish<'r>(&self, epoch: &'r Epoch, execution: &Execution, in_step: bool) -> Finish<'r> {
        let (table, strings) = (&epoch.log.terminal, &epoch.strings);
        let row = execution.terminal as usize;
        Finish {
            status: Raw::texts(table.status.cell(row), strings),
            finish_reason: Raw::texts(table.finish_reason.cell(row), strings),
            output_tokens: Raw::ints(table.output_tokens.cell(row), strings),
            mono_ns: Raw::ints(table.at.mono.cell(row), strings),
            wall_ns: Raw::ints(table.at.wall.cell(row), strings),
            wall_after_ns: Raw::ints(table.at.wall_after(row), strings),
            in_step,
        }
    }

    fn request<'r>(&'r self, epoch: &'r Epoch, execution: &'r Execution) -> Request<'r> {
        let (alias, enqueued) = (&epoch.log.alias, &epoch.log.enqueued);
        let admitted = (execution.alias != NONE).then_some(execution.alias as usize);
        let queued = (execution.enqueued != NONE).then_some(execution.enqueued as usize);
        let (request_ref, attempt_ref) = self.refs(epoch, execution);
        let run = execution.binding.run.as_ref().filter(|_| execution.ownership() == Ownership::Run);
        Request {
            epoch: &epoch.name.text,
            producer_id: &self.context.producer_id,
            request_ref,
            attempt_ref,
            backend_request_ref: run
                .map(|_| Ref { producer_id: b"vllm", id: epoch.strings.get(execution.internal) }),
            start_ns: plain(admitted.and_then(|row| alias.at.mono.int(row))),
            input_tokens: execution.prompt,
            ownership: execution.ownership(),
            bound_via: execution.binding.via,
            child_index: execution.binding.child_index,
            completion_index: execution.binding.completion_index,
            reused_internal_id: execution.reused,
            source_seq_max: source_seq_max(execution, &epoch.log),
            admission_seq: admitted.map(|row| alias.seq[row]),
            admitted_wall_ns: admitted.and_then(|row| alias.at.wall.int(row)),
            admitted_wall_after_ns: admitted.and_then(|row| alias.at.wall_after(row).is()),
            enqueued_mono_ns: queued.and_then(|row| enqueued.at.mono.int(row)),
            enqueued_wall_ns: queued.and_then(|row| enqueued.at.wall.int(row)),
            enqueued_wall_after_ns: queued.and_then(|row| enqueued.at.wall_after(row).is()),
            structured_output: queued.and_then(|row| enqueued.structured_output.flag(row)),
            cached_at_admission: execution.cached,
            resumable: execution.resumable,
            run: run.map(|(request, external)| {
                let request = &self.requests[*request as usize];
                RunIdentity {
                    x_request_id: &request.x_request_id,
                    request_id: &request.request_id,
                    case_id: request.case_id.as_deref(),
                    phase: request.phase.as_deref(),
                    external,
                }
            }),
        }
    }

    /// Notes what §15 lets count as not known in the records of steps and requests.
    pub(crate) fn note_negatives(&self, epoch: &Epoch, notes: &mut Notes) {
        let log = &epoch.log;
        let is_negative = |value: Option<i64>| value.is_some_and(|value| value < 0);
        let mut start = 0;
        for kept in &self.steps {
            let row = kept.step.scheduled as usize;
            if is_negative(log.scheduled.start.mono.int(row)) {
                notes.add(NoteKind::NegativeTime, Some(log.scheduled.seq[row]));
            }
            for member in &self.members[start as usize..kept.memberships_end as usize] {
                if is_negative(log.scheduled.members.rows.scheduled.int(member.member as usize)) {
                    notes.add(NoteKind::NegativeCount, Some(log.scheduled.seq[row]));
                }
                if member.outcome != NONE
                    && is_negative(log.completed.members.rows.retained.int(member.outcome as usize))
                {
                    notes.add(NoteKind::NegativeCount, Some(kept.step.final_seq));
                }
            }
            start = kept.memberships_end;
        }
        for &at in &self.written_requests {
            let alias = self.executions[at as usize].alias;
            if alias != NONE && is_negative(log.alias.at.mono.int(alias as usize)) {
                notes.add(NoteKind::NegativeTime, Some(log.alias.seq[alias as usize]));
            }
        }
    }
}
