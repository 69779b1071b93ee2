//! The records that are judged: all of an epoch, or those after a number of records at its front.

use std::ops::Range;

use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{Cell, Epoch, KINDS, Kind, Strings};

/// A view on the records of an epoch.
pub(crate) struct Window<'a> {
    pub(crate) epoch: &'a Epoch,
    /// Index of the first record.
    from: usize,
    rows: [(usize, usize); KINDS],
}

impl<'a> Window<'a> {
    pub(crate) fn of(epoch: &'a Epoch, tail_from: usize) -> Self {
        let kinds = &epoch.log.kind;
        let from = tail_from.min(kinds.len());
        let mut rows = [(0, 0); KINDS];
        for (at, &kind) in kinds.iter().enumerate() {
            let row = &mut rows[usize::from(kind)];
            row.0 += usize::from(at < from);
            row.1 += 1;
        }
        Self { epoch, from, rows }
    }

    /// The rows of a kind's table.
    pub(crate) fn rows(&self, kind: Kind) -> Range<usize> {
        let (start, end) = self.rows[kind as usize];
        start..end
    }

    /// `seq` and kind of every record, in order.
    pub(crate) fn records(&self) -> impl Iterator<Item = (i64, u8)> + '_ {
        let log = &self.epoch.log;
        log.seq[self.from..].iter().copied().zip(log.kind[self.from..].iter().copied())
    }

    /// Whether nothing is known to be missing right after a record: it is the last, or the next has the next `seq`.
    pub(crate) fn goes_on_after(&self, seq: i64) -> bool {
        let seqs = &self.epoch.log.seq;
        let next = seqs.partition_point(|&other| other <= seq);
        seqs.get(next).is_none_or(|&next| Some(next) == seq.checked_add(1))
    }

    /// Whether no `seq` is missing between two of them that are there.
    pub(crate) fn is_whole(&self, first: i64, last: i64) -> bool {
        let seqs = &self.epoch.log.seq;
        let places =
            seqs.partition_point(|&seq| seq < last) as i64 - seqs.partition_point(|&seq| seq < first) as i64;
        last.checked_sub(first) == Some(places)
    }
}

/// An integer as the reference takes stamps of heartbeats and prompt lengths: booleans are 1 and 0.
pub(crate) fn int_or_flag(cell: Cell<i64>, strings: &Strings) -> Option<i64> {
    match cell {
        Cell::Is(value) => Some(value),
        Cell::Absent | Cell::Null => None,
        Cell::Other(text) => match strings.get(text) {
            b"true" => Some(1),
            b"false" => Some(0),
            _ => None,
        },
    }
}

/// The same of a JSON value.
pub(crate) fn value_int_or_flag(value: &Value) -> Option<i64> {
    value.int().or_else(|| value.flag().map(i64::from))
}

/// Whether a JSON text is *set* (`reduce.md` §1).
pub(crate) fn is_set(json: &[u8]) -> bool {
    Value::parse(json).is_ok_and(|value| value.is_set())
}
