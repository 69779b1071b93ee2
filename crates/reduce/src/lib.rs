//! Reduces one engine epoch and the facts of a run to canonical records (`reduce.md`): what each request did in each
//! step, once and for ever.

mod facts;
pub mod record;

pub use facts::{KnownAttempt, Options, RefBuf, Rules, RunFacts, RunRequest, Window};
pub use record::{Context, Fields, Ownership, Raw, Record, Ref, Text};
