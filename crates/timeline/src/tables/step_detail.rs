//! One step with its members, every field as it stands in the log.

use stepscope_epoch_log::{Cell, Flags, Ints, Texts, Width};

use crate::answers::{MemberRow, StepDetail};
use crate::model::Timeline;
use crate::model::outcome_of;
use crate::tell::words::{capital, duration, safe};

/// The members' columns: the request's name, then the fields of `scheduled` and of `completed` under their own names,
/// with what is worked out from them last.
const COLUMNS: [&str; 21] = [
    "request",
    "internal",
    "sighting",
    "phase",
    "scheduled",
    "computed_before",
    "prompt_tokens",
    "prefill_scheduled",
    "past_prompt_scheduled",
    "drafts_scheduled",
    "cached_at_admission",
    "recompute",
    "output_before",
    "resumable",
    "outcome",
    "stale",
    "sampled",
    "accepted_drafts",
    "retained",
    "finish_reason",
    "computed_after",
];

/// Worked out, after the log's own.
const RECOMPUTED: &str = "recomputed tokens";

impl Timeline {
    /// A step explained, with its members; `None` when there is none of that index.
    pub fn step(&self, index: u32) -> Option<StepDetail> {
        let step = index as usize;
        if step >= self.steps.len() {
            return None;
        }
        let name = self.step_name(step);
        let length = match self.steps.step_time(&self.epoch, self.clock, step) {
            Some(time) => duration(time),
            None => "no outcome".to_owned(),
        };
        let mut columns = COLUMNS.to_vec();
        columns.push(RECOMPUTED);
        Some(StepDetail {
            row: self.step_row(step),
            title: format!("{} · {length}", capital(&name)),
            text: self.explain_step(step),
            facts: self.step_facts(step),
            member_columns: columns,
            members: self.members(step),
            previous: index.checked_sub(1),
            next: (step + 1 < self.steps.len()).then_some(index + 1),
        })
    }

    fn members(&self, step: usize) -> Vec<MemberRow> {
        let rows = &self.epoch.log.scheduled.members.rows;
        let outcomes = &self.epoch.log.completed.members.rows;
        let completed = self.steps.outcome(step);
        let start = self.start(step);
        let range = self.epoch.log.scheduled.members.range(self.steps.row(step));
        let member = |(place, at): (usize, usize)| {
            let internal = rows.internal.text[at];
            let execution = self.executions.find(internal, step, start);
            let outcome = completed.and_then(|done| outcome_of(&self.epoch, done, place, internal));
            let mut cells = vec![
                execution.map(|execution| safe(&self.executions.name(&self.epoch, execution))),
                Some(match rows.internal.other(at) {
                    Some(json) => self.display(json),
                    None => self.display(internal),
                }),
                self.text(&rows.sighting, at),
                self.text(&rows.phase, at),
                self.int(&rows.scheduled, at),
                self.int(&rows.computed_before, at),
                self.int(&rows.prompt_tokens, at),
                self.int(&rows.prefill_scheduled, at),
                self.int(&rows.past_prompt_scheduled, at),
                self.int(&rows.drafts_scheduled, at),
                self.int(&rows.cached_at_admission, at),
                self.flag(&rows.recompute, at),
                self.int(&rows.output_before, at),
                self.flag(&rows.resumable, at),
            ];
            cells.extend(match outcome {
                None => [const { None }; 7],
                Some(row) => [
                    self.text(&outcomes.outcome, row),
                    self.flag(&outcomes.stale, row),
                    self.int(&outcomes.sampled, row),
                    self.int(&outcomes.accepted_drafts, row),
                    self.int(&outcomes.retained, row),
                    self.text(&outcomes.finish_reason, row),
                    self.int(&outcomes.computed_after, row),
                ],
            });
            cells.push(Some(self.recomputed(at).to_string()));
            MemberRow { execution: execution.unwrap_or(0) as u32, cells }
        };
        range.enumerate().map(member).collect()
    }

    fn display(&self, text: u32) -> String {
        safe(&self.epoch.strings.display(text))
    }

    fn cell<T>(&self, cell: Cell<T>, show: impl FnOnce(T) -> String) -> Option<String> {
        match cell {
            Cell::Absent | Cell::Null => None,
            Cell::Is(value) => Some(show(value)),
            Cell::Other(json) => Some(self.display(json)),
        }
    }

    fn int<W: Width>(&self, column: &Ints<W>, row: usize) -> Option<String> {
        self.cell(column.cell(row), |value| value.to_string())
    }

    fn flag(&self, column: &Flags, row: usize) -> Option<String> {
        self.cell(column.cell(row), |value| value.to_string())
    }

    fn text<W: Width>(&self, column: &Texts<W>, row: usize) -> Option<String> {
        self.cell(column.cell(row), |value| self.display(value))
    }
}
