//! Reads the raw execution log of a vLLM engine (`stormlog.vllm_hook/1`): bytes in, epochs in columns out.
//!
//! The crate does no input or output. [`manifest`](manifest::manifest) says what a set of files is,
//! [`SegmentParser`] turns the bytes of one segment into a block of columns, [`assemble`] puts the blocks of an
//! epoch together. Bad data never makes any of them fail: it is left out and named in [`Epoch::problems`].

mod assemble;
mod block;
mod column;
pub mod coverage;
mod epoch;
mod hello;
pub mod json;
pub mod liveness;
pub mod manifest;
mod merge;
pub mod order;
mod problem;
mod record;
mod segment;
mod sequence;
pub mod source;
mod state;
mod strings;
mod summary;
mod tables;
pub mod tar;
mod wire;
mod words;

pub use assemble::{EpochParts, SideFile, assemble, read_lines};
pub use block::Block;
pub use column::{Cell, Flags, Grouped, Ints, Names, Texts, Width, loose_int};
pub use epoch::{Epoch, Key};
pub use hello::{Clock, Hello, Status};
pub use manifest::{EpochName, Role};
pub use problem::{Problem, ProblemKind};
pub use record::FORMAT;
pub use segment::{SegmentBlock, SegmentParser};
pub use sequence::SequenceFacts;
pub use state::{Importer, ReadOptions, SILENCE_NS, State};
pub use strings::{Interner, Strings, TextId, word};
pub use tables::{
    Aliases, CacheResets, Completed, Enqueued, Goodbyes, Heartbeats, Hellos, KINDS, Kind, Members, Outcomes,
    Pauses, Scheduled, Stamps, Tables, Terminals, Unknown,
};
pub use wire::Damaged;
