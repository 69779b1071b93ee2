//! Reduces one engine epoch and the facts of a run to canonical records (`reduce.md`): what each request did in each
//! step, once and for ever.

mod alignment;
mod bind;
mod conform;
mod digits;
mod emit;
mod executions;
mod facts;
mod finishes;
mod identity;
mod kept;
mod mark;
mod notes;
mod pseudonym;
mod read;
pub mod record;
mod reduction;
mod refs;
mod resets;
mod rows;
mod stages;
mod steps;
mod summary;
#[cfg(test)]
mod tests;
mod windows;
mod written;

pub use bind::run_request;
pub use conform::conform;
pub use facts::{KnownAttempt, Options, RefBuf, Rules, RunFacts, RunRequest, Window};
pub use kept::Counts;
pub use notes::{Note, NoteKind};
pub use read::ReadReduction;
pub use record::{Context, Fields, Ownership, Raw, Record, Ref, Text};
pub use reduction::{Reduction, reduce};
pub use summary::worker_summary;
