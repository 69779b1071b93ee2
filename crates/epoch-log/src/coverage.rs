//! Between which heartbeats nothing the writer accepted is missing (`reading.md` §14, `heartbeat_counters/1`).

use std::collections::{BTreeMap, HashMap};

use crate::column::Cell;
use crate::epoch::Epoch;
use crate::json::Value;
use crate::strings::TextId;
use crate::tables::Heartbeats;

/// A stretch in which nothing is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// `seq` of the heartbeat it begins with.
    pub start_seq: i64,
    /// That heartbeat's monotonic clock, ns; 0 when it is no integer.
    pub start_mono_ns: i64,
    /// That heartbeat's wall clock, ns; 0 when it is no integer.
    pub start_wall_ns: i64,
    /// The `seq` up to which all is there.
    pub end_seq: i64,
    /// Monotonic clock of the heartbeat it ends with, ns.
    pub end_mono_ns: i64,
    /// Wall clock of the heartbeat it ends with, ns.
    pub end_wall_ns: i64,
}

/// The block of the summary (§14.1), without `observes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// In order (§14.4).
    pub spans: Vec<Span>,
    /// Heartbeats that could close no pair, by reason.
    pub held: BTreeMap<&'static str, u64>,
}

/// `reserved` of the heartbeat is no integer.
pub const RESERVED_UNKNOWN: &str = "reserved_unknown";
/// Something is reserved and no later heartbeat shows that nothing is.
pub const RESERVED_OPEN: &str = "reserved_open";

/// Losses as the writer counted them, comparable by number: equal losses get equal numbers. `None`: undefined.
fn losses(epoch: &Epoch) -> Vec<Option<u32>> {
    let beats = &epoch.log.heartbeat;
    let mut numbers: HashMap<(String, i64), u32> = HashMap::new();
    let mut known: HashMap<(Option<TextId>, Option<i64>), Option<u32>> = HashMap::new();
    (0..beats.seq.len())
        .map(|row| {
            if epoch.is_set(beats.capped.cell(row)) {
                return None;
            }
            let key = (beats.dropped.text(row), beats.errors.int(row));
            *known.entry(key).or_insert_with(|| {
                let Ok(Value::Object(mut counts)) = Value::parse(epoch.strings.get(key.0?)) else {
                    return None;
                };
                counts.retain(|(_, count)| count.is_set());
                let next = numbers.len() as u32;
                Some(*numbers.entry((Value::Object(counts).canonical(), key.1?)).or_insert(next))
            })
        })
        .collect()
}

fn pending(beats: &Heartbeats, row: usize) -> i64 {
    beats.pending.int(row).or_else(|| beats.queued.int(row)).unwrap_or(0)
}

/// Closing points (§14.3) of heartbeats, looked up without scanning: a day has 86 400 of them.
struct Closing<'a> {
    beats: &'a Heartbeats,
    /// For every row, the first row from it on whose `reserved` is known and 0.
    settled: Vec<usize>,
}

impl<'a> Closing<'a> {
    fn new(beats: &'a Heartbeats) -> Self {
        let count = beats.seq.len();
        let mut settled = vec![count; count + 1];
        for row in (0..count).rev() {
            settled[row] = if beats.reserved.int(row) == Some(0) { row } else { settled[row + 1] };
        }
        Self { beats, settled }
    }

    /// `Err`: held, and why.
    fn of(&self, row: usize) -> Result<i64, &'static str> {
        let beats = self.beats;
        let from = match beats.reserved.int(row) {
            None => return Err(RESERVED_UNKNOWN),
            Some(0) => row,
            Some(_) => self.settled[row + 1],
        };
        let Some(&seq) = beats.seq.get(from) else { return Err(RESERVED_OPEN) };
        // Absurd counters saturate: no number that large is ever contiguous.
        let base = seq.saturating_add(pending(beats, from));
        // Each later heartbeat within reach moves the point by one. `seq − place` never falls, so the first one out
        // of reach is found without walking there.
        let place = from + 1;
        let out_of_reach = |at: usize| i128::from(beats.seq[place + at]) - at as i128 > i128::from(base);
        let reached = crate::sequence::partition(beats.seq.len() - place, |at| !out_of_reach(at));
        let closing = base.saturating_add(reached as i64);
        Ok(closing)
    }
}

/// Judges the pairs of consecutive heartbeats (§14.4). Marks are irrelevant.
pub fn coverage(epoch: &Epoch) -> Coverage {
    let beats = &epoch.log.heartbeat;
    let closing = Closing::new(beats);
    let losses = losses(epoch);
    let mut coverage = Coverage::default();
    let mut last_pair_end = None;
    for q in 1..beats.seq.len() {
        let p = q - 1;
        let closing = match closing.of(q) {
            Ok(closing) => closing,
            Err(reason) => {
                *coverage.held.entry(reason).or_default() += 1;
                continue;
            }
        };
        let contiguous = epoch.sequence.contiguous.is_some_and(|contiguous| closing <= contiguous);
        let witness = q + beats.seq[q..].partition_point(|&seq| seq < closing);
        let whole = contiguous
            && losses[p].is_some()
            && losses[p] == losses[q]
            && losses.get(witness).is_some_and(|witness| *witness == losses[p]);
        if !whole {
            continue;
        }
        let stamp = |row: usize| (beats.at.mono.int(row).unwrap_or(0), beats.at.wall.int(row).unwrap_or(0));
        let (end_mono_ns, end_wall_ns) = stamp(q);
        match coverage.spans.last_mut() {
            Some(span) if last_pair_end == Some(p) => {
                (span.end_mono_ns, span.end_wall_ns, span.end_seq) = (end_mono_ns, end_wall_ns, closing);
            }
            _ => {
                let (start_mono_ns, start_wall_ns) = stamp(p);
                coverage.spans.push(Span {
                    start_seq: beats.seq[p],
                    start_mono_ns,
                    start_wall_ns,
                    end_seq: closing,
                    end_mono_ns,
                    end_wall_ns,
                });
            }
        }
        last_pair_end = Some(q);
    }
    coverage
}

impl Epoch {
    /// Whether a field is *set* (`reading.md` V2).
    pub fn is_set<T: SetByValue>(&self, cell: Cell<T>) -> bool {
        match cell {
            Cell::Absent | Cell::Null => false,
            Cell::Is(value) => value.is_set(),
            Cell::Other(json) => Value::parse(self.strings.get(json)).is_ok_and(|value| value.is_set()),
        }
    }
}

/// Values whose being *set* depends on nothing else.
pub trait SetByValue {
    /// `reading.md` V2.
    fn is_set(&self) -> bool;
}

impl SetByValue for bool {
    fn is_set(&self) -> bool {
        *self
    }
}

impl SetByValue for i64 {
    fn is_set(&self) -> bool {
        *self != 0
    }
}

impl SetByValue for TextId {
    fn is_set(&self) -> bool {
        *self != crate::strings::word::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::read_lines;

    /// Records as in the worked examples: `H1(2,0)` is a heartbeat with `pending` 2 and `reserved` 0; `H1` has
    /// neither; anything after `|` is put into the heartbeat as it is.
    fn epoch(records: &str) -> Epoch {
        let mut lines = String::new();
        for record in records.split(' ') {
            let (record, more) = record.split_once('|').unwrap_or((record, ""));
            let (seq, kind, counts) = match record.strip_prefix('H') {
                None => (record, "note", String::new()),
                Some(beat) => {
                    let (seq, counts) = beat.split_once('(').unwrap_or((beat, ""));
                    let counts = counts
                        .trim_end_matches(')')
                        .split_once(',')
                        .map_or(String::new(), |(p, r)| format!(",\"pending\":{p},\"reserved\":{r}"));
                    (seq, "heartbeat", counts)
                }
            };
            let losses = if more.is_empty() { "\"dropped\":{},\"errors\":0" } else { more };
            lines += &format!(
                "{{\"format\":\"stormlog.vllm_hook/1\",\"kind\":\"{kind}\",\"epoch\":\"engine-1-2\",\"seq\":{seq},\
                 \"wall_ns\":1{seq},\"mono_ns\":2{seq},{losses}{counts}}}\n"
            );
        }
        read_lines("engine-1-2", lines.as_bytes())
    }

    /// The worked examples of `reading.md` §14.5.
    #[test]
    fn spans_of_the_specification() {
        const X1: &str = "|\"dropped\":{\"x\":1},\"errors\":0";
        const E1: &str = "|\"dropped\":{},\"errors\":1";
        type Case = (String, &'static [(i64, i64)], &'static [(&'static str, u64)]);
        let cases: Vec<Case> = vec![
            ("0 H1(0,0) 2 H3(0,0) 4 H5(0,0)".into(), &[(1, 5)], &[]),
            ("0 H1(0,0) 2 H3(2,0) 4 5".into(), &[], &[]),
            ("0 H1(0,0) 2 H3(2,0) 4 5 H6(0,0)".into(), &[(1, 6)], &[]),
            ("0 H1(0,0) 2 H3(2,0) 4 H5(1,0) 6".into(), &[], &[]),
            ("0 H1(0,0) 2 H3(2,0) 4 H5(1,0) 6 H7(0,0)".into(), &[(1, 7)], &[]),
            ("0 H1(0,0) 2 H3(1,1) 4".into(), &[], &[(RESERVED_OPEN, 1)]),
            ("0 H1(0,0) 2 H3(1,1) 4 H5(1,0) 6 H7(0,0)".into(), &[(1, 7)], &[]),
            ("0 H1(0,0) 2 H3(1,1) 4 H5(1,0) 6".into(), &[], &[]),
            ("0 H1(0,0) 2 H3(1,1) 4 H5 6 H7(0,0)".into(), &[(1, 7), (5, 7)], &[(RESERVED_UNKNOWN, 1)]),
            ("0 H1 2 H3 4 H5".into(), &[], &[(RESERVED_UNKNOWN, 2)]),
            ("0 H1(0,0) 2 H3(2,0) 4 H5(0,0)|\"dropped\":{\"completed\":1},\"errors\":0".into(), &[], &[]),
            (format!("0 H1(0,0) 2 H3(1,0) 4 H5(0,0) H6(0,0){X1} H7(0,0){X1}"), &[(1, 5), (6, 7)], &[]),
            (format!("0 H1(0,0) 2 H3(0,0){E1} 4 H5(0,0){E1}"), &[(3, 5)], &[]),
            ("0 H1(0,0) 2 H3(0,0) 5 H6(0,0)".into(), &[(1, 3)], &[]),
            ("0 H1(0,0) 2 H3(2,0) 4 H6(0,0)".into(), &[], &[]),
            ("H0(0,0) 1 H2(0,0)".into(), &[(0, 2)], &[]),
            ("H1(0,0) 2 H3(0,0)".into(), &[], &[]),
            ("0 H1(0,0) 2 H3(0,0)|\"dropped\":{},\"errors\":0,\"capped\":true".into(), &[], &[]),
            ("0 H1(1,1) 2 H3(0,0)".into(), &[(1, 3)], &[]),
            (format!("0 H1(0,0) H2(1,1) H3(0,0){X1} H4(0,0){X1}"), &[(3, 4)], &[]),
        ];
        for (records, spans, held) in cases {
            let coverage = coverage(&epoch(&records));
            let found: Vec<_> = coverage.spans.iter().map(|span| (span.start_seq, span.end_seq)).collect();
            assert_eq!(found, spans, "{records}");
            assert_eq!(coverage.held.into_iter().collect::<Vec<_>>(), held, "{records}");
        }
    }

    /// "Type cases" under `reading.md` §14.5, and K-7.
    #[test]
    fn types_of_the_specification() {
        let spans = |fields: &str| {
            let beats = format!("0 H1|{fields} 2 H3|{fields}");
            let coverage = coverage(&epoch(&beats));
            (coverage.spans.len(), coverage.held.get(RESERVED_UNKNOWN).copied().unwrap_or(0))
        };
        for reserved in ["true", "false", "0.0", "1.0", "\"0\"", "null", "[]"] {
            let fields = format!("\"dropped\":{{}},\"errors\":0,\"pending\":0,\"reserved\":{reserved}");
            assert_eq!(spans(&fields), (0, 1), "reserved {reserved}");
        }
        for errors in ["true", "1.0", "\"0\"", "null"] {
            let fields = format!("\"dropped\":{{}},\"errors\":{errors},\"pending\":0,\"reserved\":0");
            assert_eq!(spans(&fields), (0, 0), "errors {errors}");
        }
        assert_eq!(spans("\"dropped\":{},\"errors\":-1,\"pending\":0,\"reserved\":0"), (1, 0));
        for dropped in ["[]", "\"x\"", "null"] {
            let fields = format!("\"dropped\":{dropped},\"errors\":0,\"pending\":0,\"reserved\":0");
            assert_eq!(spans(&fields), (0, 0), "dropped {dropped}");
        }
        let same = epoch("0 H1|\"dropped\":{\"a\":0},\"errors\":0,\"reserved\":0 2 H3(0,0)");
        assert_eq!(coverage(&same).spans.len(), 1);
        let negative = epoch("0 H1(0,0) 2 3 H4(-3,0)");
        assert_eq!(coverage(&negative).spans.iter().map(|span| span.end_seq).collect::<Vec<_>>(), [1]);
    }
}
