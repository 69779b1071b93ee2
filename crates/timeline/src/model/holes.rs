//! Stretches of time from which records are missing because numbers are (`reading.md` §10).

use stepscope_epoch_log::{Epoch, KINDS, Kind, Tables};

use super::clock::Clock;
use super::spans::Spans;

/// From the last stamp before each hole of the numbering to the first after it.
pub(crate) fn of(epoch: &Epoch, clock: Clock) -> Spans {
    let log = &epoch.log;
    if epoch.sequence.gaps == 0 {
        return Spans::default();
    }
    let mut rows = [0usize; KINDS];
    let mut holes = Vec::new();
    let (mut before, mut open) = (None, None);
    let mut seq_before: Option<i64> = None;
    for (&seq, &kind) in log.seq.iter().zip(&log.kind) {
        let kind = Kind::ALL[kind as usize];
        let row = rows[kind as usize];
        rows[kind as usize] += 1;
        if seq_before.is_some_and(|before| seq - before > 1) && open.is_none() {
            open = before;
        }
        seq_before = Some(seq);
        if let Some((first, last)) = stamps(log, kind, row) {
            if let Some(from) = open.take() {
                holes.push((from, clock.at(first)));
            }
            before = Some(clock.at(last));
        }
    }
    Spans::union(holes)
}

/// First and last monotonic stamp of a record.
fn stamps(log: &Tables, kind: Kind, row: usize) -> Option<(i64, i64)> {
    let (first, last) = match kind {
        Kind::Alias => (&log.alias.at, &log.alias.at),
        Kind::Enqueued => (&log.enqueued.at, &log.enqueued.at),
        Kind::Scheduled => (&log.scheduled.start, &log.scheduled.end),
        Kind::Completed => (&log.completed.at, &log.completed.at),
        Kind::Terminal => (&log.terminal.at, &log.terminal.at),
        Kind::Pause => (&log.pause.at, &log.pause.at),
        Kind::CacheReset => (&log.cache_reset.start, &log.cache_reset.end),
        Kind::Heartbeat => (&log.heartbeat.at, &log.heartbeat.at),
        Kind::Goodbye => (&log.goodbye.at, &log.goodbye.at),
        Kind::Hello | Kind::Unknown => return None,
    };
    Some((first.mono.int(row)?, last.mono.int(row)?))
}
