//! On which membership a request's finish stands (`reduce.md` §9).

use crate::executions::{Executions, NONE};
use crate::identity::Identity;
use crate::kept::Kept;
use crate::notes::{NoteKind, Notes};
use crate::rows::Rows;

/// What came of the finishes.
#[derive(Debug, Default)]
pub(crate) struct Finishes {
    /// `seq`s of the terminals that stand nowhere, ascending (F1.4).
    pub(crate) unattached: Vec<i64>,
    /// `seq`s that hold the mark, by the corrected rules (F4).
    pub(crate) held: Vec<i64>,
}

/// Places every execution's finish (F1). What a membership's step is, `step_of` says.
pub(crate) fn place(
    executions: &mut Executions<'_>,
    kept: &Kept,
    rows: &Rows<'_>,
    identity: &Identity,
    notes: &mut Notes,
) -> Finishes {
    let log = &rows.epoch.log;
    let last_seq = rows.epoch.sequence.last.unwrap_or(i64::MAX);
    let mut finishes = Finishes::default();
    let order: Vec<u32> = executions.in_order().collect();
    // Steps of memberships, so that none has to be searched.
    let mut step_of = Vec::with_capacity(kept.members.len());
    for (at, step) in kept.steps.iter().enumerate() {
        step_of.resize(step.memberships_end as usize, at as u32);
    }
    for at in order {
        let execution = executions.get(at);
        if execution.terminal == NONE {
            continue;
        }
        let seq = log.terminal.seq[execution.terminal as usize];
        let in_step = |&membership: &u32| {
            let step = &kept.steps[step_of[membership as usize] as usize].step;
            let upper = match step.completed {
                NONE => last_seq,
                completed => log.completed.seq[completed as usize],
            };
            log.scheduled.seq[step.scheduled as usize] < seq && seq <= upper
        };
        let memberships = std::iter::successors(Some(execution.first_membership), |&membership| {
            kept.next_of_execution.get(membership as usize).copied()
        });
        let found = memberships.take_while(|&membership| membership != NONE).find(in_step);
        let finish = match found {
            Some(membership) => Some((membership, true)),
            None if execution.in_pending => {
                if identity.corrected() {
                    notes.add(NoteKind::FinishHeld, Some(seq));
                    finishes.held.push(seq);
                }
                None
            }
            None if execution.last_membership != NONE => Some((execution.last_membership, false)),
            None if identity.corrected() && execution.in_imported && executions.is_existing(execution) => {
                notes.add(NoteKind::FinishAlreadyAttached, Some(seq));
                None
            }
            None => {
                finishes.unattached.push(seq);
                None
            }
        };
        executions.get_mut(at).finish = finish;
    }
    finishes.unattached.sort_unstable();
    finishes
}
