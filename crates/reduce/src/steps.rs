//! Steps: which `scheduled` and `completed` belong together, and which are final (`reduce.md` §4).

use stepscope_epoch_log::{Epoch, TextId};

use crate::digits;
use crate::executions::NONE;
use crate::facts::Rules;
use crate::record::{IncompleteReason, StepState};
use crate::rows::Rows;

/// A final step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FinalStep {
    /// Row in `log.scheduled`.
    pub(crate) scheduled: u32,
    /// Row in `log.completed`, or [`NONE`].
    pub(crate) completed: u32,
    pub(crate) state: StepState,
    pub(crate) final_seq: i64,
}

/// All steps of the records above the mark, by the `seq` of their `scheduled`.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    pub(crate) final_steps: Vec<FinalStep>,
    /// Rows in `log.scheduled`.
    pub(crate) pending: Vec<u32>,
    /// S2.
    pub(crate) completed_without_scheduled: u64,
}

/// The number of a step's name (`reduce.md` §1). Of a name that is a JSON integer it is that integer.
pub(crate) fn number_of(epoch: &Epoch, name: TextId, rules: Rules) -> Option<i64> {
    digits::number(epoch.strings.get(name), rules)
}

impl Steps {
    pub(crate) fn of(rows: &Rows<'_>, rules: Rules) -> Self {
        let epoch = rows.epoch;
        let (scheduled, completed) = (&epoch.log.scheduled, &epoch.log.completed);
        // S1: the last `scheduled` of a name counts; S2: the first `completed`.
        let mut last_scheduled = vec![NONE; epoch.strings.len()];
        for row in rows.scheduled.clone() {
            last_scheduled[scheduled.iteration.text[row] as usize] = row as u32;
        }
        let mut first_completed = vec![NONE; epoch.strings.len()];
        let mut steps = Self::default();
        let mut rises: Vec<(i64, i64)> = Vec::new();
        for row in rows.completed.clone() {
            let name = completed.iteration.text[row];
            if last_scheduled[name as usize] == NONE {
                steps.completed_without_scheduled += 1;
            } else if first_completed[name as usize] == NONE {
                first_completed[name as usize] = row as u32;
            }
            if let Some(number) = number_of(epoch, name, rules)
                && rises.last().is_none_or(|&(highest, _)| number > highest)
            {
                rises.push((number, completed.seq[row]));
            }
        }
        let is_over = epoch.state.is_over();
        for row in rows.scheduled.clone() {
            let name = scheduled.iteration.text[row];
            if last_scheduled[name as usize] != row as u32 {
                continue;
            }
            let completed_row = first_completed[name as usize];
            // S4.
            let superseded = || {
                let number = number_of(epoch, name, rules)?;
                rises.get(rises.partition_point(|&(highest, _)| highest <= number)).map(|rise| rise.1)
            };
            let (state, final_seq) = if completed_row != NONE {
                (StepState::Complete, completed.seq[completed_row as usize])
            } else if is_over {
                let last = epoch.sequence.last.unwrap_or(scheduled.seq[row]);
                (StepState::Incomplete(IncompleteReason::EpochEnded), superseded().unwrap_or(last))
            } else if let Some(seq) = superseded() {
                (StepState::Incomplete(IncompleteReason::CompletedMissing), seq)
            } else {
                steps.pending.push(row as u32);
                continue;
            };
            steps.final_steps.push(FinalStep {
                scheduled: row as u32,
                completed: completed_row,
                state,
                final_seq,
            });
        }
        steps
    }
}
