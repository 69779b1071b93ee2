//! Intervals in which no work was ready, and what remains of a stall around them (`diagnose.md` §5).

use stepscope_epoch_log::order::sort_intervals;
use stepscope_epoch_log::{Kind, word};

use crate::rules::{Correction, Corrections};
use crate::stalls::Stall;
use crate::steps::loose;
use crate::window::Window;

/// Where an open pause ends, wall ns.
pub const OPEN_END_NS: i64 = i64::MAX;

/// Wall intervals (start, end), ns.
pub(crate) type Intervals = Vec<(i64, i64)>;

/// The pause intervals in record order (B2), and how many pauses had no stamp to take (S5).
pub(crate) fn pause_intervals(window: &Window<'_>) -> (Intervals, usize) {
    let epoch = window.epoch;
    let table = &epoch.log.pause;
    let (mut intervals, mut dropped, mut open) = (Vec::new(), 0, None);
    for row in window.rows(Kind::Pause) {
        let entering = table.to.text(row) == Some(word::PAUSED_ALL);
        if entering == open.is_some() {
            continue;
        }
        match (loose(epoch, &table.at.wall, row), open.take()) {
            (None, was_open) => (dropped, open) = (dropped + 1, was_open),
            (Some(wall), None) => open = Some(wall),
            (Some(wall), Some(start)) => intervals.push((start, wall)),
        }
    }
    intervals.extend(open.map(|start| (start, OPEN_END_NS)));
    (intervals, dropped)
}

/// Blocked intervals, ready to be cut out of stalls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocked {
    /// By start, then end.
    intervals: Intervals,
    /// The furthest bound of the intervals up to each.
    reach: Vec<i64>,
    /// The nearest bound of the intervals from each on.
    onset: Vec<i64>,
    /// B4: a stall of no wall length stays whether there are intervals or not.
    keeps_empty: bool,
}

impl Blocked {
    pub(crate) fn new(pauses: &[(i64, i64)], exclude: &[(i64, i64)], corrections: Corrections) -> Self {
        let corrected = corrections.has(Correction::OddInterval);
        let mut intervals: Intervals =
            pauses.iter().chain(exclude).copied().filter(|(start, end)| !corrected || end > start).collect();
        sort_intervals(&mut intervals);
        let mut reach: Vec<i64> = intervals.iter().map(|&(start, end)| start.max(end)).collect();
        let mut onset: Vec<i64> = intervals.iter().map(|&(start, end)| start.min(end)).collect();
        for at in 1..reach.len() {
            reach[at] = reach[at].max(reach[at - 1]);
        }
        for at in (1..onset.len()).rev() {
            onset[at - 1] = onset[at - 1].min(onset[at]);
        }
        Self { intervals, reach, onset, keeps_empty: corrected }
    }

    /// The intervals that can change a stall between two walls: the others leave every piece as it is, also those
    /// that end before they begin.
    fn touching(&self, low: i64, high: i64) -> &[(i64, i64)] {
        let first = self.reach.partition_point(|&reach| reach <= low);
        let last = self.onset.partition_point(|&onset| onset < high);
        self.intervals.get(first..last).unwrap_or(&[])
    }

    /// Calls `visit` with a stall, or with what remains of it (B3).
    pub(crate) fn split(&self, stall: Stall, visit: &mut impl FnMut(Stall)) {
        let (low, high) = (stall.start_wall_ns, stall.end_wall_ns);
        if high <= low {
            if self.keeps_empty || self.intervals.is_empty() {
                visit(stall);
            }
            return;
        }
        let touching = self.touching(low, high);
        if touching.is_empty() {
            visit(stall);
            return;
        }
        let pieces = remains(low, high, touching);
        if pieces == [(low, high)] {
            visit(stall);
            return;
        }
        let to_mono = stall.start_mono_ns.saturating_sub(low);
        for (low, high) in pieces {
            visit(Stall {
                duration_ns: high.saturating_sub(low),
                start_mono_ns: low.saturating_add(to_mono),
                start_wall_ns: low,
                end_wall_ns: high,
                ..stall
            });
        }
    }
}

/// No log of an engine splits a stall so often; intervals that end before they begin double the pieces each time.
const MAX_DOUBLED_PIECES: usize = 4096;

/// What intervals, by start and then end, leave of (low, high).
fn remains(low: i64, high: i64, intervals: &[(i64, i64)]) -> Intervals {
    let mut pieces = Vec::new();
    if intervals.iter().all(|(start, end)| start <= end) {
        // Every piece but the last is final: what comes later begins behind it.
        let mut last = low;
        for &(start, end) in intervals {
            pieces.push((last, high.min(start)));
            last = last.max(end);
        }
        pieces.push((last, high));
        pieces.retain(|(low, high)| high > low);
        return pieces;
    }
    pieces.push((low, high));
    for &(start, end) in intervals {
        if end < start && pieces.len() > MAX_DOUBLED_PIECES {
            continue;
        }
        pieces = pieces
            .into_iter()
            .flat_map(|(low, high)| [(low, high.min(start)), (low.max(end), high)])
            .filter(|(low, high)| high > low)
            .collect();
    }
    pieces
}
