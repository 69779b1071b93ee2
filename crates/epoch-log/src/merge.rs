//! Blocks of segments become the tables of an epoch: each `seq` once, the first in reading order (`reading.md`
//! §6.4), all in `seq` order.

use std::ops::Range;
use std::sync::Arc;

use crate::block::Block;
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
    /// Files whose block was stored elsewhere and came back damaged.
    pub(crate) damaged: Vec<Arc<str>>,
}

/// Records that stand together in one block and stay together.
struct Run {
    block: usize,
    records: Range<usize>,
}

/// Merges blocks given in reading order; they are fetched and used up one by one, so that memory holds little twice.
pub(crate) fn merge(blocks: Vec<Block>) -> Merged {
    let mut target = Target::with_room_for(&blocks);
    if in_order(&blocks) {
        for block in blocks {
            if let Some(segment) = target.taken(block) {
                let records = 0..segment.tables.seq.len();
                Source::new(segment).append(records, &mut target);
            }
        }
        let Tables { hello, goodbye, .. } = &target.merged.tables;
        let last = (hello.seq.last().copied(), goodbye.seq.last().copied());
        return target.finish(last);
    }

    // Every record may stand anywhere: all blocks are needed at once.
    let segments: Vec<SegmentBlock> = blocks.into_iter().filter_map(|block| target.taken(block)).collect();
    let runs = sorted_runs(&segments);
    let last = last_taken(&segments, &runs);
    let last_use: Vec<usize> = (0..segments.len())
        .map(|block| runs.iter().rposition(|run| run.block == block).unwrap_or(0))
        .collect();
    let mut sources: Vec<Option<Source>> =
        segments.into_iter().map(|segment| Some(Source::new(segment))).collect();
    for (at, run) in runs.iter().enumerate() {
        let Some(source) = &mut sources[run.block] else { continue };
        source.append(run.records.clone(), &mut target);
        if last_use[run.block] == at {
            sources[run.block] = None;
        }
    }
    target.finish(last)
}

/// Whether the blocks' numbers rise all the way, so that nothing is doubled and nothing must move.
fn in_order(blocks: &[Block]) -> bool {
    let outlines = || blocks.iter().map(|block| &block.outline);
    let mut last = -1;
    outlines().all(|outline| outline.rises)
        && outlines().filter_map(|outline| outline.ends).all(|(begin, end)| {
            let rises = begin > last;
            last = end;
            rises
        })
}

fn sorted_runs(segments: &[SegmentBlock]) -> Vec<Run> {
    let mut order: Vec<(i64, u32, u32)> = Vec::new();
    for (block, of) in segments.iter().enumerate() {
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

/// `seq` of the hello and of the goodbye that were taken last in reading order.
fn last_taken(segments: &[SegmentBlock], runs: &[Run]) -> (Option<i64>, Option<i64>) {
    let mut last = [None::<(usize, usize)>; 2];
    for run in runs {
        let kinds = &segments[run.block].tables.kind[run.records.clone()];
        for (slot, kind) in [Kind::Hello, Kind::Goodbye].into_iter().enumerate() {
            if let Some(at) = memchr::memrchr(kind as u8, kinds) {
                last[slot] = last[slot].max(Some((run.block, run.records.start + at)));
            }
        }
    }
    let seq = |place: Option<(usize, usize)>| place.map(|(block, at)| segments[block].tables.seq[at]);
    (seq(last[0]), seq(last[1]))
}

/// The tables as they grow.
struct Target {
    merged: Merged,
    texts: Interner,
}

impl Target {
    /// Columns that double as they grow would leave holes that a page's memory never gives back.
    fn with_room_for(blocks: &[Block]) -> Self {
        let mut sizes: Vec<usize> = Vec::new();
        for block in blocks {
            sizes.resize(block.outline.sizes.len(), 0);
            for (sum, size) in sizes.iter_mut().zip(&block.outline.sizes) {
                *sum += size;
            }
        }
        let mut merged = Merged::default();
        merged.tables.make_room(&sizes);
        Self { merged, texts: Interner::new() }
    }

    fn taken(&mut self, block: Block) -> Option<SegmentBlock> {
        let file: Arc<str> = block.segment.file.as_str().into();
        block.take().map_err(|_| self.merged.damaged.push(file)).ok()
    }

    fn finish(self, (hello_seq, goodbye_seq): (Option<i64>, Option<i64>)) -> Merged {
        Merged { strings: self.texts.finish(), hello_seq, goodbye_seq, ..self.merged }
    }
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

    fn append(&mut self, records: Range<usize>, target: &mut Target) {
        let Target { merged: Merged { tables, .. }, texts } = target;
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
