//! Where the records are known to be whole, for a stall (`diagnose.md` §8). It is not the reader's coverage.

use stepscope_epoch_log::json::{Number, Value};
use stepscope_epoch_log::order::sort_by_key;
use stepscope_epoch_log::{Cell, Epoch, Kind, TextId, word};

use crate::stalls::Stall;
use crate::thresholds::exceeds;
use crate::window::{Window, int_or_flag, is_set, value_int_or_flag};

/// A wall interval between heartbeats in which nothing was lost, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Wall stamp of its first beat.
    pub start_wall_ns: i64,
    /// Wall stamp of its last beat; earlier than the first when the wall clock was set back.
    pub end_wall_ns: i64,
}

/// The spans of an epoch, and when its writer was last heard of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    /// In record order.
    pub(crate) spans: Vec<Span>,
    /// By start, each with the furthest-reaching span so far.
    by_start: Vec<(i64, Span)>,
    last_beat_wall_ns: Option<i64>,
}

/// What the writer had lost: records dropped, errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) dropped: i64,
    pub(crate) errors: i64,
}

/// Loss so far at every heartbeat, in record order (V2), whether or not it is capped.
pub(crate) fn losses(window: &Window<'_>) -> Vec<Loss> {
    let epoch = window.epoch;
    let table = &epoch.log.heartbeat;
    let mut known: Option<(TextId, i64)> = None;
    window
        .rows(Kind::Heartbeat)
        .map(|row| {
            let dropped = match table.dropped.cell(row) {
                Cell::Absent | Cell::Null | Cell::Is(word::EMPTY_OBJECT) => 0,
                Cell::Is(text) | Cell::Other(text) => match known {
                    Some((before, total)) if before == text => total,
                    _ => {
                        let total = dropped_total(epoch.strings.get(text));
                        known = Some((text, total));
                        total
                    }
                },
            };
            Loss { dropped, errors: table.errors.int(row).unwrap_or(0) }
        })
        .collect()
}

/// Sum of the integers of a `dropped` object; 0 of anything else.
fn dropped_total(json: &[u8]) -> i64 {
    let Ok(Value::Object(counts)) = Value::parse(json) else { return 0 };
    counts.iter().fold(0, |total: i64, (_, count)| {
        total.saturating_add(match count {
            Value::Number(Number::Big(digits)) => {
                if digits.starts_with('-') {
                    i64::MIN
                } else {
                    i64::MAX
                }
            }
            count => value_int_or_flag(count).unwrap_or(0),
        })
    })
}

#[derive(Clone)]
struct Beat {
    seq: i64,
    wall_ns: i64,
    loss: Option<Loss>,
}

fn beats(window: &Window<'_>, losses: &[Loss]) -> Vec<Beat> {
    let epoch = window.epoch;
    let table = &epoch.log.heartbeat;
    let heartbeats = window.rows(Kind::Heartbeat).zip(losses).filter_map(|(row, &loss)| {
        let wall_ns = int_or_flag(table.at.wall.cell(row), &epoch.strings)?;
        let capped = match table.capped.cell(row) {
            Cell::Absent | Cell::Null => false,
            Cell::Is(flag) => flag,
            Cell::Other(text) => is_set(epoch.strings.get(text)),
        };
        Some(Beat { seq: table.seq[row], wall_ns, loss: (!capped).then_some(loss) })
    });
    let hellos = window.rows(Kind::Hello).filter_map(|row| {
        let seq = epoch.log.hello.seq[row];
        let wall_ns = hello_wall_ns(epoch, row)?;
        // A hello put in front of a later window bounds nothing.
        window.goes_on_after(seq).then_some(Beat { seq, wall_ns, loss: Some(Loss::default()) })
    });
    let mut beats: Vec<Beat> = heartbeats.chain(hellos).collect();
    sort_by_key(&mut beats, |beat| beat.seq);
    beats
}

fn hello_wall_ns(epoch: &Epoch, row: usize) -> Option<i64> {
    let hello = Value::parse(epoch.strings.get(epoch.log.hello.json.text[row])).ok()?;
    value_int_or_flag(hello.get("clock")?.get("wall_ns")?)
}

impl Coverage {
    pub(crate) fn of(window: &Window<'_>, losses: &[Loss]) -> Self {
        let beats = beats(window, losses);
        let mut spans: Vec<Span> = Vec::new();
        for pair in beats.windows(2) {
            if pair[0].loss.is_none() || pair[0].loss != pair[1].loss {
                continue;
            }
            let (start_wall_ns, end_wall_ns) = (pair[0].wall_ns, pair[1].wall_ns);
            match spans.last_mut() {
                Some(span) if span.end_wall_ns == start_wall_ns => span.end_wall_ns = end_wall_ns,
                _ => spans.push(Span { start_wall_ns, end_wall_ns }),
            }
        }
        let mut by_start: Vec<(i64, Span)> = spans.iter().map(|&span| (span.start_wall_ns, span)).collect();
        sort_by_key(&mut by_start, |entry| entry.0);
        for at in 1..by_start.len() {
            if by_start[at - 1].1.end_wall_ns >= by_start[at].1.end_wall_ns {
                by_start[at].1 = by_start[at - 1].1;
            }
        }
        Self { spans, by_start, last_beat_wall_ns: beats.last().map(|beat| beat.wall_ns) }
    }

    /// The span that covers a stall (V4). One still going on is covered up to the last beat, while that is recent.
    pub(crate) fn of_stall(&self, stall: &Stall, now_wall_ns: Option<i64>, grace_ns: f64) -> Option<Span> {
        let mut end = stall.end_wall_ns;
        if stall.ongoing {
            end = self.last_beat_wall_ns?;
            if exceeds(now_wall_ns?.saturating_sub(end), grace_ns) {
                return None;
            }
        }
        if end < stall.start_wall_ns {
            return None;
        }
        let upto = self.by_start.partition_point(|entry| entry.0 <= stall.start_wall_ns);
        let (_, span) = *self.by_start.get(upto.checked_sub(1)?)?;
        (span.end_wall_ns >= end).then_some(span)
    }
}
