//! The model: one epoch in columns. Everything shown or judged is a pure function over it.

use crate::hello::{Hello, Status};
use crate::manifest::EpochName;
use crate::problem::Problem;
use crate::sequence::SequenceFacts;
use crate::state::State;
use crate::strings::Strings;
use crate::tables::Tables;

/// One epoch: everything one writer of one process wrote, as far as it was read (`reading.md` §1).
#[derive(Clone, Debug)]
pub struct Epoch {
    /// Name of the first-level directory.
    pub host_boot: String,
    /// The epoch's own name and what it says.
    pub name: EpochName,
    /// All texts of the tables.
    pub strings: Strings,
    /// All records of the epoch in `seq` order, each `seq` once, also those at or below the mark.
    pub log: Tables,
    /// Index of the first record above the mark (`reading.md` Q-6); 0 without one.
    pub first_new: usize,
    /// The hello that counts (`reading.md` §11).
    pub hello: Option<Hello>,
    /// Row in `log.goodbye` of the goodbye that counts.
    pub goodbye: Option<usize>,
    /// The side file with the writer's counters.
    pub status: Option<Status>,
    /// The epoch's secret; it never leaves the process.
    pub key: Option<Key>,
    /// `seq`s seen, holes, marks (`reading.md` §10).
    pub sequence: SequenceFacts,
    /// An open segment ended in an incomplete line.
    pub truncated: bool,
    /// Latest stamp of the writer, wall clock, ns (`reading.md` §12).
    pub last_seen_wall_ns: Option<i64>,
    /// Latest stamp of the writer, monotonic clock, ns.
    pub last_seen_mono_ns: Option<i64>,
    /// Whether the writer still runs (`reading.md` §13).
    pub state: State,
    /// What was wrong, in reading order (`reading.md` O-2).
    pub problems: Vec<Problem>,
    /// Bytes of the segments.
    pub bytes: u64,
}

/// The 16 or more bytes of the side file `key`; printing it shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Vec<u8>);

impl Key {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The secret itself, for keyed pseudonyms only.
    pub fn secret(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}
