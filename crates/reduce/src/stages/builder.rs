//! Which stages are written, and in which order (`reduce.md` §11.3–§11.5).

use rustc_hash::FxHashSet;
use stepscope_epoch_log::TextId;

use super::anchors::Anchors;
use super::record::{StageMaker, StageTexts};
use super::{Anchor, StageRow, StageSource, Stages, unanchored};
use crate::executions::{Executions, NONE};
use crate::facts::{RefBuf, RunFacts};
use crate::identity::Identity;
use crate::kept::Kept;
use crate::notes::{NoteKind, Notes};
use crate::record::Record;
use crate::refs::source_seq_max;
use crate::resets::Resets;
use crate::rows::{Rows, is_set};

/// What making stages needs.
pub(crate) struct StageBuilder<'s, 'a> {
    pub(crate) rows: &'s Rows<'a>,
    pub(crate) facts: &'s RunFacts,
    pub(crate) identity: &'s Identity,
    pub(crate) resets: &'s Resets,
    pub(crate) kept: &'s Kept,
    pub(crate) executions: &'s mut Executions<'a>,
    pub(crate) notes: &'s mut Notes,
    stages: Stages,
    texts: StageTexts,
    /// Attempts with memberships, once someone asked.
    written: Option<FxHashSet<RefBuf>>,
}

impl<'s, 'a> StageBuilder<'s, 'a> {
    pub(crate) fn new(
        rows: &'s Rows<'a>,
        facts: &'s RunFacts,
        identity: &'s Identity,
        resets: &'s Resets,
        kept: &'s Kept,
        executions: &'s mut Executions<'a>,
        notes: &'s mut Notes,
    ) -> Self {
        Self {
            rows,
            facts,
            identity,
            resets,
            kept,
            executions,
            notes,
            stages: Stages::default(),
            texts: StageTexts::default(),
            written: None,
        }
    }

    /// All stages, in the order of §11.5.
    pub(crate) fn build(mut self, existing_steps: &FxHashSet<&[u8]>) -> Stages {
        self.preempted();
        if !(self.rows.cache_reset.is_empty() && self.rows.pause.is_empty()) {
            let anchors = Anchors::of(self.rows, self.kept, existing_steps, self.identity.rules);
            self.resets_and_pauses(&anchors);
        }
        self.stages
    }

    /// Distinct IDs in ascending order.
    fn in_id_order(&self, ids: impl Iterator<Item = TextId>) -> Vec<TextId> {
        let strings = &self.rows.epoch.strings;
        let mut ids: Vec<TextId> = ids.collect();
        ids.sort_unstable_by(|&a, &b| strings.get(a).cmp(strings.get(b)));
        ids.dedup();
        ids
    }

    fn preempted(&mut self) {
        let scheduled = &self.rows.epoch.log.scheduled;
        for kept in &self.kept.steps {
            let row = kept.step.scheduled;
            let at = row as usize;
            let entries = scheduled.preempted.range(at);
            if entries.is_empty() {
                continue;
            }
            let ids = entries
                .filter(|&entry| self.rows.preempted.is_good(entry))
                .map(|entry| scheduled.preempted.rows.text[entry])
                .filter(|&id| !self.resets.made(row, id));
            for id in self.in_id_order(ids) {
                let stage = StageRow {
                    source: StageSource::Preempted(row),
                    anchor: Anchor::Step(scheduled.iteration.text[at]),
                    execution: NONE,
                    source_seq_max: kept.step.final_seq,
                };
                self.of_request(stage, id, scheduled.start.mono.int(at));
            }
        }
    }

    fn resets_and_pauses(&mut self, anchors: &Anchors) {
        let log = &self.rows.epoch.log;
        let (mut resets, mut pauses) = (self.rows.cache_reset.clone(), self.rows.pause.clone());
        while !(resets.is_empty() && pauses.is_empty()) {
            let is_reset = !resets.is_empty()
                && (pauses.is_empty() || log.cache_reset.seq[resets.start] < log.pause.seq[pauses.start]);
            if is_reset {
                let row = resets.start;
                resets.start += 1;
                self.reset(row, anchors);
            } else {
                let row = pauses.start;
                pauses.start += 1;
                let seq = log.pause.seq[row];
                self.of_engine(StageSource::PauseTransition(row as u32), seq, anchors.before(seq));
            }
        }
    }

    fn reset(&mut self, row: usize, anchors: &Anchors) {
        let table = &self.rows.epoch.log.cache_reset;
        let seq = table.seq[row];
        let anchor = anchors.before(seq);
        self.of_engine(StageSource::CacheReset(row as u32), seq, anchor);
        if !is_set(table.reset_running_requests.cell(row), &self.rows.epoch.strings) {
            return;
        }
        let running = table.running.range(row).filter(|&entry| self.rows.running.is_good(entry));
        for id in self.in_id_order(running.map(|entry| table.running.rows.text[entry])) {
            let stage = StageRow {
                source: StageSource::PreemptedByReset(row as u32),
                anchor: anchor.map_or(Anchor::None, Anchor::Number),
                execution: NONE,
                source_seq_max: seq,
            };
            self.of_request(stage, id, table.start.mono.int(row));
        }
    }

    fn count(&mut self, name: &'static str) {
        *self.stages.counts.entry(name).or_default() += 1;
    }

    fn maker(&self) -> StageMaker<'s> {
        StageMaker {
            epoch: self.rows.epoch,
            context: &self.identity.context,
            requests: None,
            reset_observed: self.identity.reset_observed,
        }
    }

    /// T7, T10: what happened to the engine as a whole.
    fn of_engine(&mut self, source: StageSource, seq: i64, anchor: Option<i64>) {
        let anchor = anchor.map_or(Anchor::None, Anchor::Number);
        let row = StageRow { source, anchor, execution: NONE, source_seq_max: seq };
        let mut texts = std::mem::take(&mut self.texts);
        let stage = self.maker().record(&row, None, &mut texts);
        let name = stage.facts.name();
        if anchor == Anchor::None {
            self.stages.unanchored.push(unanchored::object(&stage, self.maker().times(&row)));
            self.count("unanchored");
        } else {
            let is_existing = self.is_existing(Record::Stage(stage));
            self.write(row, name, is_existing);
        }
        self.texts = texts;
    }

    /// T4–T8: what happened to a request.
    fn of_request(&mut self, mut row: StageRow, id: TextId, start: Option<i64>) {
        row.execution = match self.executions.find(id, start) {
            Some(found) => found,
            None => {
                let execution = self.executions.continued(id);
                self.executions.insert_unlisted(execution)
            }
        };
        let execution = self.executions.get(row.execution);
        if self.executions.withholds(execution.ownership()) {
            return self.count("withheld");
        }
        if !self.is_written(row.execution) {
            let is_reset = matches!(row.source, StageSource::PreemptedByReset(_));
            let waits = is_reset && !self.rows.epoch.state.is_over();
            if waits && self.executions.is_in_pending(row.execution) {
                self.stages.holds.push(row.source_seq_max);
                return;
            }
            return self.count("unreferenced");
        }
        let execution = self.executions.get(row.execution);
        if execution.memberships > 0 {
            row.source_seq_max = row.source_seq_max.max(source_seq_max(execution, &self.rows.epoch.log));
        }
        let mut texts = std::mem::take(&mut self.texts);
        let (name, is_existing) = {
            let maker = self.maker();
            let execution = self.executions.get(row.execution);
            let stage = maker.record(&row, Some(execution), &mut texts);
            (stage.facts.name(), self.is_existing(Record::Stage(stage)))
        };
        self.texts = texts;
        self.write(row, name, is_existing);
    }

    /// T6: an existing attempt, or one that has memberships.
    fn is_written(&mut self, at: u32) -> bool {
        let execution = self.executions.get(at);
        if execution.memberships > 0 || self.executions.is_existing(execution) {
            return true;
        }
        let producer = self.identity.producer();
        let strings = &self.rows.epoch.strings;
        let Some(attempt) = execution.attempt_ref(producer, strings) else { return false };
        // Another execution may stand for the same attempt.
        let written = self.written.get_or_insert_with(|| {
            let with_memberships = self
                .executions
                .in_order()
                .map(|at| self.executions.get(at))
                .filter(|execution| execution.memberships > 0);
            let attempts = with_memberships.filter_map(|execution| execution.attempt_ref(producer, strings));
            attempts.map(RefBuf::from).collect()
        });
        written.contains(&RefBuf::from(attempt))
    }

    fn is_existing(&self, stage: Record<'_>) -> bool {
        if self.facts.existing_stages.is_empty() {
            return false;
        }
        self.facts.existing_stages.contains(&stage.event_id_parts().concat())
    }

    fn write(&mut self, row: StageRow, name: &'static str, is_existing: bool) {
        if is_existing {
            return self.count("already_imported");
        }
        let (start, end) = self.maker().times(&row);
        if start.is_some_and(|start| start < 0) || end.is_some_and(|end| end < 0) {
            self.notes.add(NoteKind::NegativeTime, Some(self.maker().seq(&row)));
        }
        self.count(name);
        self.stages.rows.push(row);
    }
}
