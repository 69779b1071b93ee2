//! The fields of a line that is known to be good, put into the table of its kind (`raw-log.md` §6).

use super::cells::Row;
use super::fields::{MEMBER_LEN, Of, Top};
use super::line::LineParts;
use super::slots::Slot;
use crate::column::{Grouped, Names};
use crate::tables::{Kind, Members, Outcomes, Stamps, Tables};

impl Row<'_> {
    /// Adds the record to its table and to the order of records.
    pub(super) fn add(&mut self, seq: i64, kind: Kind, parts: &LineParts, tables: &mut Tables) {
        let at = |field: Top| parts.top[field as usize];
        tables.seq.push(seq);
        tables.kind.push(kind as u8);
        let stamp = |row: &mut Row<'_>, stamps: &mut Stamps, wall, mono, after| {
            stamps.push(row.int(at(wall)), row.int(at(mono)), row.int(at(after)));
        };
        match kind {
            Kind::Hello => {
                tables.hello.seq.push(seq);
                tables.hello.json.push(self.whole());
            }
            Kind::Alias => {
                let table = &mut tables.alias;
                table.seq.push(seq);
                table.internal.push(self.name(at(Top::INTERNAL)));
                table.external.push(self.text(at(Top::EXTERNAL)));
                stamp(self, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
            }
            Kind::Enqueued => {
                let table = &mut tables.enqueued;
                table.seq.push(seq);
                table.internal.push(self.name(at(Top::INTERNAL)));
                table.structured_output.push(self.flag(at(Top::STRUCTURED_OUTPUT)));
                table.resumable.push(self.flag(at(Top::RESUMABLE)));
                stamp(self, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
            }
            Kind::Scheduled => {
                let table = &mut tables.scheduled;
                table.seq.push(seq);
                table.iteration.push(self.name(at(Top::ITERATION)));
                stamp(self, &mut table.start, Top::START_WALL, Top::START_MONO, Top::START_AFTER);
                stamp(self, &mut table.end, Top::END_WALL, Top::END_MONO, Top::END_AFTER);
                table.total_tokens.push(self.int(at(Top::TOTAL_TOKENS)));
                table.zero_token.push(self.flag(at(Top::ZERO_TOKEN)));
                self.ids(&parts.preempted, at(Top::PREEMPTED), "preempted", &mut table.preempted);
                table.pause_state.push(self.text(at(Top::PAUSE_STATE)));
                let members = &mut table.members;
                let mut seat = members.last_start();
                for slots in &parts.members {
                    self.member(slots, &mut members.rows, &mut seat);
                }
                self.skipped(parts.members_skipped);
                members.close(members.rows.internal.text.len(), self.no_array(at(Top::MEMBERS), "members"));
            }
            Kind::Completed => {
                let table = &mut tables.completed;
                table.seq.push(seq);
                table.iteration.push(self.name(at(Top::ITERATION)));
                stamp(self, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
                table.update_failed.push(self.flag(at(Top::UPDATE_FAILED)));
                let outcomes = &mut table.members;
                let mut seat = outcomes.last_start();
                for slots in &parts.members {
                    self.outcome(slots, &mut outcomes.rows, &mut seat);
                }
                self.skipped(parts.members_skipped);
                outcomes.close(outcomes.rows.internal.text.len(), self.no_array(at(Top::MEMBERS), "members"));
            }
            Kind::Terminal => {
                let table = &mut tables.terminal;
                table.seq.push(seq);
                table.internal.push(self.name(at(Top::INTERNAL)));
                table.status.push(self.text(at(Top::STATUS)));
                table.finish_reason.push(self.text(at(Top::FINISH_REASON)));
                table.output_tokens.push(self.int(at(Top::OUTPUT_TOKENS)));
                stamp(self, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
            }
            Kind::Pause => {
                let table = &mut tables.pause;
                table.seq.push(seq);
                table.from.push(self.text(at(Top::FROM)));
                table.to.push(self.text(at(Top::TO)));
                stamp(self, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
            }
            Kind::CacheReset => {
                let table = &mut tables.cache_reset;
                table.seq.push(seq);
                table.reset_running_requests.push(self.flag(at(Top::RESET_RUNNING)));
                table.reset_connector.push(self.flag(at(Top::RESET_CONNECTOR)));
                self.ids(&parts.running, at(Top::RUNNING), "running", &mut table.running);
                stamp(self, &mut table.start, Top::START_WALL, Top::START_MONO, Top::START_AFTER);
                table.succeeded.push(self.flag(at(Top::SUCCEEDED)));
                table.raised.push(self.flag(at(Top::RAISED)));
                stamp(self, &mut table.end, Top::END_WALL, Top::END_MONO, Top::END_AFTER);
            }
            Kind::Heartbeat => {
                let table = &mut tables.heartbeat;
                table.seq.push(seq);
                stamp(self, &mut table.at, Top::WALL, Top::MONO, Top::AFTER);
                table.last_seq.push(self.int(at(Top::LAST_SEQ)));
                table.dropped.push(self.json(at(Top::DROPPED)));
                table.errors.push(self.int(at(Top::ERRORS)));
                table.bytes.push(self.int(at(Top::BYTES)));
                table.capped.push(self.flag(at(Top::CAPPED)));
                table.queued.push(self.int(at(Top::QUEUED)));
                table.pending.push(self.int(at(Top::PENDING)));
                table.reserved.push(self.int(at(Top::RESERVED)));
                table.range_misses.push(self.int(at(Top::RANGE_MISSES)));
                table.startup_unranged.push(self.int(at(Top::STARTUP_UNRANGED)));
                table.pending_samples.push(self.int(at(Top::PENDING_SAMPLES)));
            }
            Kind::Goodbye => {
                tables.goodbye.seq.push(seq);
                stamp(self, &mut tables.goodbye.at, Top::WALL, Top::MONO, Top::AFTER);
                tables.goodbye.last_seq.push(self.int(at(Top::LAST_SEQ)));
            }
            Kind::Unknown => {
                tables.unknown.seq.push(seq);
                tables.unknown.kind.push(self.name(at(Top::KIND)));
                tables.unknown.json.push(self.whole());
            }
        }
    }

    #[inline]
    fn member(&mut self, slots: &[Slot; MEMBER_LEN], members: &mut Members, seat: &mut usize) {
        let at = |field: Of| slots[field as usize];
        members.internal.push(self.name_near(at(Of::INTERNAL), &members.internal, seat));
        members.sighting.push(self.text_like(at(Of::SIGHTING), &members.sighting));
        members.phase.push(self.text_like(at(Of::PHASE), &members.phase));
        members.scheduled.push(self.int(at(Of::SCHEDULED)));
        members.computed_before.push(self.int(at(Of::COMPUTED_BEFORE)));
        members.prompt_tokens.push(self.int(at(Of::PROMPT_TOKENS)));
        members.prefill_scheduled.push(self.int(at(Of::PREFILL_SCHEDULED)));
        members.past_prompt_scheduled.push(self.int(at(Of::PAST_PROMPT_SCHEDULED)));
        members.drafts_scheduled.push(self.int(at(Of::DRAFTS_SCHEDULED)));
        members.cached_at_admission.push(self.int(at(Of::CACHED_AT_ADMISSION)));
        members.recompute.push(self.flag(at(Of::RECOMPUTE)));
        members.output_before.push(self.int(at(Of::OUTPUT_BEFORE)));
        members.resumable.push(self.flag(at(Of::RESUMABLE)));
    }

    #[inline]
    fn outcome(&mut self, slots: &[Slot; MEMBER_LEN], outcomes: &mut Outcomes, seat: &mut usize) {
        let at = |field: Of| slots[field as usize];
        outcomes.internal.push(self.name_near(at(Of::INTERNAL), &outcomes.internal, seat));
        outcomes.outcome.push(self.text_like(at(Of::OUTCOME), &outcomes.outcome));
        outcomes.stale.push(self.flag(at(Of::STALE)));
        outcomes.sampled.push(self.int(at(Of::SAMPLED)));
        outcomes.accepted_drafts.push(self.int(at(Of::ACCEPTED_DRAFTS)));
        outcomes.retained.push(self.int(at(Of::RETAINED)));
        outcomes.finish_reason.push(self.text(at(Of::FINISH_REASON)));
        outcomes.computed_after.push(self.int(at(Of::COMPUTED_AFTER)));
    }

    fn ids(&mut self, slots: &[Slot], outer: Slot, field: &str, ids: &mut Grouped<Names>) {
        for &id in slots {
            ids.rows.push(self.name(id));
        }
        ids.close(ids.rows.text.len(), self.no_array(outer, field));
    }
}
