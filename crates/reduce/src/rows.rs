//! The records above the mark (`reduce.md` §2.1), as rows of the epoch's tables, and which of their IDs count (V1).

use std::ops::Range;

use stepscope_epoch_log::json::{Number, Value};
use stepscope_epoch_log::{Cell, Epoch, Names, Strings};

use crate::facts::Rules;
use crate::notes::{NoteKind, Notes};

/// Rows of a column of IDs that are left out: those that are neither text nor integer nor missing. The reference
/// leaves out none.
#[derive(Default)]
pub(crate) struct Malformed(Vec<u32>);

impl Malformed {
    fn of(names: &Names, strings: &Strings, rules: Rules, rows: &Range<usize>) -> Self {
        if rules == Rules::Reference {
            return Self::default();
        }
        let is_bad = |json: &[u8]| {
            !json.is_empty()
                && !matches!(
                    Value::parse(json),
                    Ok(Value::Null | Value::Number(Number::Int(_) | Number::Big(_)))
                )
        };
        let bad = names
            .other
            .iter()
            .filter(|(row, json)| rows.contains(&(*row as usize)) && is_bad(strings.get(*json)));
        Self(bad.map(|(row, _)| *row).collect())
    }

    #[inline]
    pub(crate) fn is_good(&self, row: usize) -> bool {
        self.0.is_empty() || self.0.binary_search(&(row as u32)).is_err()
    }
}

/// The rows of every kind above the mark.
pub(crate) struct Rows<'a> {
    pub(crate) epoch: &'a Epoch,
    pub(crate) alias: Range<usize>,
    pub(crate) enqueued: Range<usize>,
    pub(crate) scheduled: Range<usize>,
    pub(crate) completed: Range<usize>,
    pub(crate) terminal: Range<usize>,
    pub(crate) pause: Range<usize>,
    pub(crate) cache_reset: Range<usize>,
    pub(crate) alias_ids: Malformed,
    pub(crate) enqueued_ids: Malformed,
    pub(crate) terminal_ids: Malformed,
    /// Of `log.scheduled.members.rows`.
    pub(crate) members: Malformed,
    /// Of `log.scheduled.preempted.rows`.
    pub(crate) preempted: Malformed,
    /// Of `log.cache_reset.running.rows`.
    pub(crate) running: Malformed,
}

impl<'a> Rows<'a> {
    pub(crate) fn of(epoch: &'a Epoch, rules: Rules, notes: &mut Notes) -> Self {
        let log = &epoch.log;
        let first = log.seq.get(epoch.first_new).copied();
        let above = |seqs: &[i64]| {
            first.map_or(seqs.len(), |first| seqs.partition_point(|&seq| seq < first))..seqs.len()
        };
        let (alias, enqueued, terminal) =
            (above(&log.alias.seq), above(&log.enqueued.seq), above(&log.terminal.seq));
        let (scheduled, cache_reset) = (above(&log.scheduled.seq), above(&log.cache_reset.seq));
        let listed = |range: fn(&Epoch, usize) -> usize, rows: &Range<usize>| {
            if rows.is_empty() { 0..0 } else { range(epoch, rows.start)..usize::MAX }
        };
        let members = listed(|epoch, row| epoch.log.scheduled.members.range(row).start, &scheduled);
        let preempted = listed(|epoch, row| epoch.log.scheduled.preempted.range(row).start, &scheduled);
        let running = listed(|epoch, row| epoch.log.cache_reset.running.range(row).start, &cache_reset);
        let strings = &epoch.strings;
        let rows = Self {
            epoch,
            completed: above(&log.completed.seq),
            pause: above(&log.pause.seq),
            alias_ids: Malformed::of(&log.alias.internal, strings, rules, &alias),
            enqueued_ids: Malformed::of(&log.enqueued.internal, strings, rules, &enqueued),
            terminal_ids: Malformed::of(&log.terminal.internal, strings, rules, &terminal),
            members: Malformed::of(&log.scheduled.members.rows.internal, strings, rules, &members),
            preempted: Malformed::of(&log.scheduled.preempted.rows, strings, rules, &preempted),
            running: Malformed::of(&log.cache_reset.running.rows, strings, rules, &running),
            alias,
            enqueued,
            scheduled,
            terminal,
            cache_reset,
        };
        rows.note(notes);
        rows
    }

    fn note(&self, notes: &mut Notes) {
        let log = &self.epoch.log;
        let mut add = |seqs: &[i64], row: usize| notes.add(NoteKind::MalformedId, seqs.get(row).copied());
        self.alias_ids.0.iter().for_each(|&row| add(&log.alias.seq, row as usize));
        self.enqueued_ids.0.iter().for_each(|&row| add(&log.enqueued.seq, row as usize));
        self.terminal_ids.0.iter().for_each(|&row| add(&log.terminal.seq, row as usize));
        for &row in &self.members.0 {
            add(&log.scheduled.seq, log.scheduled.members.group_of(row as usize));
        }
        for &row in &self.preempted.0 {
            add(&log.scheduled.seq, log.scheduled.preempted.group_of(row as usize));
        }
        for &row in &self.running.0 {
            add(&log.cache_reset.seq, log.cache_reset.running.group_of(row as usize));
        }
    }
}

/// Whether a boolean field is *set* (`reduce.md` §1).
pub(crate) fn is_set(cell: Cell<bool>, strings: &Strings) -> bool {
    match cell {
        Cell::Absent | Cell::Null => false,
        Cell::Is(value) => value,
        Cell::Other(json) => Value::parse(strings.get(json)).is_ok_and(|value| value.is_set()),
    }
}
