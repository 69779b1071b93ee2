//! Blocks on their way into an epoch. A page holds a block's columns outside the program's memory, which never
//! shrinks, until it is their turn; what is said of them beforehand is enough to make room for all.

use crate::problem::Problem;
use crate::segment::SegmentBlock;
use crate::wire::Damaged;

/// What is known of a block's records without holding them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Rows of every column, in the order of [`Tables::sizes`](crate::Tables::sizes).
    pub(crate) sizes: Vec<usize>,
    /// `seq` of the first and the last record.
    pub(crate) ends: Option<(i64, i64)>,
    /// Every `seq` is greater than the one before.
    pub(crate) rises: bool,
}

impl Outline {
    fn of(block: &SegmentBlock) -> Self {
        let seq = &block.tables.seq;
        Self {
            sizes: block.tables.sizes(),
            ends: seq.first().copied().zip(seq.last().copied()),
            rises: seq.is_sorted_by(|a, b| a < b),
        }
    }
}

type Fetch = Box<dyn FnOnce() -> Vec<u8>>;

/// The block of one segment: whole, or with its columns stored elsewhere.
pub struct Block {
    /// Without columns when they are stored elsewhere.
    pub(crate) segment: SegmentBlock,
    pub(crate) outline: Outline,
    fetch: Option<Fetch>,
}

impl Block {
    /// A block from what [`SegmentBlock::encode`] wrote. Its columns are looked at and let go; `fetch` gives the same
    /// bytes again when the epoch is put together.
    ///
    /// # Errors
    /// [`Damaged`] when the bytes are not such.
    pub fn stored(encoded: &[u8], fetch: impl FnOnce() -> Vec<u8> + 'static) -> Result<Self, Damaged> {
        let mut block = Self::from(SegmentBlock::decode(encoded)?);
        (block.segment.tables, block.segment.strings) = Default::default();
        block.fetch = Some(Box::new(fetch));
        Ok(block)
    }

    /// The segment with its columns. They can be had once.
    pub(crate) fn take(self) -> Result<SegmentBlock, Damaged> {
        match self.fetch {
            Some(fetch) => SegmentBlock::decode(&fetch()),
            None => Ok(self.segment),
        }
    }

    /// The epoch its records name; empty without any good line.
    pub fn epoch(&self) -> &str {
        &self.segment.epoch
    }

    /// Adds what else is wrong with the segment.
    pub fn note(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.segment.problems.extend(problems);
    }
}

impl From<SegmentBlock> for Block {
    fn from(segment: SegmentBlock) -> Self {
        Self { outline: Outline::of(&segment), segment, fetch: None }
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block")
            .field("file", &self.segment.file)
            .field("outline", &self.outline)
            .field("stored", &self.fetch.is_some())
            .finish()
    }
}
