//! Preemptions made by a cache reset, which the engine lists again in the next step (`reduce.md` §11.2).

use rustc_hash::FxHashMap;
use stepscope_epoch_log::TextId;

use crate::rows::{Rows, is_set};

/// What the resets before a step made.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByReset {
    /// IDs, by their number.
    ids: Vec<TextId>,
    /// `seq` of the first reset that preempted anyone.
    pub(crate) first_seq: Option<i64>,
}

/// Resets by the step that lists their preemptions.
#[derive(Debug, Default)]
pub(crate) struct Resets {
    /// By row in `log.scheduled`.
    by_step: FxHashMap<u32, ByReset>,
    /// A reset that no step followed (T3).
    pub(crate) unlisted: Option<i64>,
}

impl Resets {
    pub(crate) fn of(rows: &Rows<'_>) -> Self {
        let log = &rows.epoch.log;
        let reset = &log.cache_reset;
        let mut resets = Self::default();
        let mut open = ByReset::default();
        let mut close = |open: &mut ByReset, step: usize| {
            if open.ids.is_empty() && open.first_seq.is_none() {
                return;
            }
            open.ids.sort_unstable();
            open.ids.dedup();
            resets.by_step.insert(step as u32, std::mem::take(open));
        };
        let mut next_step = rows.scheduled.start;
        for row in rows.cache_reset.clone() {
            let seq = reset.seq[row];
            let before = log.scheduled.seq[next_step..].partition_point(|&step| step < seq);
            if before > 0 {
                close(&mut open, next_step);
                next_step += before;
            }
            if !is_set(reset.reset_running_requests.cell(row), &rows.epoch.strings) {
                continue;
            }
            let running = reset.running.range(row).filter(|&entry| rows.running.is_good(entry));
            let start = open.ids.len();
            open.ids.extend(running.map(|entry| reset.running.rows.text[entry]));
            if open.ids.len() > start && open.first_seq.is_none() {
                open.first_seq = Some(seq);
            }
        }
        if next_step < rows.scheduled.end {
            close(&mut open, next_step);
        }
        resets.unlisted = open.first_seq;
        resets
    }

    /// What resets made of a step's preemptions (row in `log.scheduled`).
    pub(crate) fn before(&self, scheduled: u32) -> Option<&ByReset> {
        // Logs without resets are the rule.
        if self.by_step.is_empty() { None } else { self.by_step.get(&scheduled) }
    }

    /// Whether a step's preemption of an ID was a reset's.
    pub(crate) fn made(&self, scheduled: u32, id: TextId) -> bool {
        self.before(scheduled).is_some_and(|by_reset| by_reset.ids.binary_search(&id).is_ok())
    }
}
