//! How far an import moves its mark (`reduce.md` §12).

use crate::executions::{Executions, NONE};
use crate::identity::Identity;
use crate::notes::{NoteKind, Notes};
use crate::resets::Resets;
use crate::rows::Rows;
use crate::steps::Steps;

/// The high-water mark; `holds` are the `seq`s of T6 and F4.
pub(crate) fn mark(
    rows: &Rows<'_>,
    identity: &Identity,
    steps: &Steps,
    resets: &Resets,
    executions: &Executions<'_>,
    holds: &[i64],
    notes: &mut Notes,
) -> Option<i64> {
    let epoch = rows.epoch;
    let consumed = epoch.sequence.consumed()?;
    if epoch.state.is_over() {
        return Some(consumed);
    }
    let log = &epoch.log;
    let mut waiting: Option<i64> = None;
    let mut wait = |seq: i64| waiting = Some(waiting.map_or(seq, |least| least.min(seq)));
    for &row in &steps.pending {
        wait(log.scheduled.seq[row as usize]);
        if let Some(first) = resets.before(row).and_then(|by_reset| by_reset.first_seq) {
            wait(first);
        }
    }
    resets.unlisted.into_iter().for_each(&mut wait);
    holds.iter().copied().for_each(&mut wait);
    for at in executions.in_order() {
        let execution = executions.get(at);
        if execution.alias == NONE || execution.seen_final {
            continue;
        }
        let seq = log.alias.seq[execution.alias as usize];
        if identity.corrected() && !execution.in_pending {
            if execution.in_imported {
                notes.add(NoteKind::StepsAlreadyImported, Some(seq));
                continue;
            }
            if execution.terminal != NONE {
                notes.add(NoteKind::EndedWithoutStep, Some(seq));
                continue;
            }
        }
        wait(seq);
    }
    let mark = match waiting {
        None => consumed,
        Some(seq) => consumed.min(seq.saturating_sub(1)),
    };
    Some(epoch.sequence.mark.map_or(mark, |before| mark.max(before)))
}
