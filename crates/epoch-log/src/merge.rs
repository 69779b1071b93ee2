//! Blocks of segments become the tables of an epoch: each `seq` once, the first in reading order (`reading.md`
//! §6.4), all in `seq` order.

use std::ops::Range;

use crate::segment::SegmentBlock;
use crate::strings::{Interner, Strings};
use crate::tables::{KINDS, Kind, Tables};

/// The merged records.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) strings: Strings,
    pub(crate) tables: Tables,
    /// `seq` of the hello and the goodbye taken last in reading order (`reading.md` H-1).
    pub(crate) hello_seq: Option<i64>,
    pub(crate) goodbye_seq: Option<i64>,
}

/// Records that stand together in one block and stay together.
struct Run {
    block: usize,
    records: Range<usize>,
}

/// Merges blocks given in reading order; they are used up one by one, so that memory holds little twice.
pub(crate) fn merge(blocks: Vec<SegmentBlock>) -> Merged {
    let runs = if in_order(&blocks) {
        blocks.iter().enumerate().map(|(block, of)| Run { block, records: 0..of.tables.seq.len() }).collect()
    } else {
        sorted_runs(&blocks)
    };
    let (hello_seq, goodbye_seq) = last_taken(&blocks, &runs);

    let mut texts = Interner::new();
    let mut tables = Tables::default();
    // Columns that double as they grow would leave holes that a page's memory never gives back.
    tables.make_room(&blocks.iter().map(|block| &block.tables).collect::<Vec<_>>());
    let mut sources: Vec<Option<Source>> = blocks.into_iter().map(|block| Some(Source::new(block))).collect();
    let last_use: Vec<usize> = (0..sources.len())
        .map(|block| runs.iter().rposition(|run| run.block == block).unwrap_or(0))
        .collect();
    for (at, run) in runs.iter().enumerate() {
        let Some(source) = &mut sources[run.block] else { continue };
        source.append(run.records.clone(), &mut tables, &mut texts);
        if last_use[run.block] == at {
            sources[run.block] = None;
        }
    }
    Merged { strings: texts.finish(), tables, hello_seq, goodbye_seq }
}

/// Whether the blocks' numbers rise all the way, so that nothing is doubled and nothing must move.
fn in_order(blocks: &[SegmentBlock]) -> bool {
    let mut last = -1;
    blocks.iter().flat_map(|block| &block.tables.seq).all(|&seq| {
        let rises = seq > last;
        last = seq;
        rises
    })
}

fn sorted_runs(blocks: &[SegmentBlock]) -> Vec<Run> {
    let mut order: Vec<(i64, u32, u32)> = Vec::new();
    for (block, of) in blocks.iter().enumerate() {
        order.extend(of.tables.seq.iter().enumerate().map(|(at, &seq)| (seq, block as u32, at as u32)));
    }
    // Block and place ascend in reading order, so the first of equal numbers is the one to keep.
    order.sort_unstable();
    order.dedup_by_key(|entry| entry.0);
    let mut runs: Vec<Run> = Vec::new();
    for (_, block, at) in order {
        let (block, at) = (block as usize, at as usize);
        match runs.last_mut() {
            Some(run) if run.block == block && run.records.end == at => run.records.end += 1,
            _ => runs.push(Run { block, records: at..at + 1 }),
        }
    }
    runs
}

fn last_taken(blocks: &[SegmentBlock], runs: &[Run]) -> (Option<i64>, Option<i64>) {
    let mut last = [None::<(usize, usize)>; 2];
    for run in runs {
        let kinds = &blocks[run.block].tables.kind[run.records.clone()];
        for (slot, kind) in [Kind::Hello, Kind::Goodbye].into_iter().enumerate() {
            if let Some(at) = memchr::memrchr(kind as u8, kinds) {
                last[slot] = last[slot].max(Some((run.block, run.records.start + at)));
            }
        }
    }
    let seq = |place: Option<(usize, usize)>| place.map(|(block, at)| blocks[block].tables.seq[at]);
    (seq(last[0]), seq(last[1]))
}

struct Source {
    tables: Tables,
    remap: Vec<u32>,
    strings: Strings,
    /// How many records of each kind stand before each place asked for, counted as far as `counted`.
    rows: [usize; KINDS],
    counted: usize,
}

impl Source {
    fn new(block: SegmentBlock) -> Self {
        Self { tables: block.tables, remap: Vec::new(), strings: block.strings, rows: [0; KINDS], counted: 0 }
    }

    fn append(&mut self, records: Range<usize>, tables: &mut Tables, texts: &mut Interner) {
        if self.remap.is_empty() {
            self.remap =
                (0..self.strings.len() as u32).map(|id| texts.intern(self.strings.get(id))).collect();
        }
        if records.start < self.counted {
            (self.rows, self.counted) = ([0; KINDS], 0);
        }
        for &kind in &self.tables.kind[self.counted..records.start] {
            self.rows[usize::from(kind)] += 1;
        }
        let first = self.rows;
        for &kind in &self.tables.kind[records.clone()] {
            self.rows[usize::from(kind)] += 1;
        }
        self.counted = records.end;
        tables.seq.extend_from_slice(&self.tables.seq[records.clone()]);
        tables.kind.extend_from_slice(&self.tables.kind[records]);
        for kind in Kind::ALL {
            let rows = first[kind as usize]..self.rows[kind as usize];
            if !rows.is_empty() {
                tables.extend_kind(kind, &self.tables, rows, &self.remap);
            }
        }
    }
}
