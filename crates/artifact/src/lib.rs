//! The artifact: one run as a file of JSON lines (`artifact.md`), what its client recorded and what imports added.
//!
//! Bytes in, bytes out: the crate reads and writes no file.

mod accepted;
mod artifact;
mod capability;
mod client;
pub mod codec;
mod consistency;
pub mod context;
mod envelope;
mod identity;
mod import;
mod kept;
pub mod line;
pub mod object;
pub mod read;
mod refusal;
pub mod report;
pub mod row;
pub mod schema;
mod standalone;
#[cfg(feature = "parquet")]
pub mod tables;
mod write;

pub use accepted::{Accepted, accepted_by};
pub use artifact::Artifact;
pub use capability::{ImportingProcess, RecordCounts};
pub use client::ClientFacts;
pub use consistency::{Named, Unresolved, consistency};
pub use envelope::{ENVELOPE_NAME, EnvelopeEntry, envelope};
pub use identity::{Agreement, Identities};
pub use import::{
    ImportOptions, Imported, Plan, ReduceSpread, Target, append, append_failure, check_epochs, import,
    import_to,
};
pub use kept::{EpochFacts, KeptCounts, KeptEngine, KeptRun, LeftOut, NotAnArtifact};
pub use refusal::Refusal;
pub use standalone::{Alone, RunName, standalone};

/// `source` of every record an execution import writes; only those count as imported steps and requests (§16).
pub const IMPORT_SOURCE: &str = "stormlog.infer.import_execution";
