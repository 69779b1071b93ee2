//! Canonical records (`reduce.md` §10, §11, `artifact.md` §5), as they are handed out: typed, borrowed from the epoch
//! and its reduction, built one at a time. [`Record::fields`] walks one in the order its JSON stands in a file.

mod alignment;
mod context;
mod fields;
mod iteration;
mod membership;
mod request;
mod stage;
mod values;

pub use alignment::{Bracket, ClockAlignment};
pub use context::Context;
pub use fields::Fields;
pub use iteration::{IncompleteReason, Iteration, StepState};
pub use membership::{Finish, Membership, Role};
pub use request::{BoundVia, Ownership, Request, RunIdentity};
pub use stage::{Stage, StageFacts};
pub use values::{Raw, Ref, Text};

/// One canonical record.
// Built one at a time and never stored, so its size costs nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum Record<'a> {
    /// `infer.clock_alignment`
    ClockAlignment(ClockAlignment<'a>),
    /// `infer.iteration`
    Iteration(Iteration<'a>),
    /// `infer.membership`
    Membership(Membership<'a>),
    /// `infer.request`
    Request(Request<'a>),
    /// `infer.stage`
    Stage(Stage<'a>),
}

impl Record<'_> {
    /// The `event_type`.
    pub fn event_type(&self) -> &'static str {
        match self {
            Record::ClockAlignment(_) => "infer.clock_alignment",
            Record::Iteration(_) => "infer.iteration",
            Record::Membership(_) => "infer.membership",
            Record::Request(_) => "infer.request",
            Record::Stage(_) => "infer.stage",
        }
    }

    /// Appends the `event_id` (WTF-8).
    pub fn event_id(&self, out: &mut Text) {
        for part in self.event_id_parts() {
            out.extend_from_slice(part);
        }
    }

    /// What the `event_id` is put together of; empty parts fill up.
    pub fn event_id_parts(&self) -> [&[u8]; 8] {
        match self {
            Record::ClockAlignment(record) => record.event_id_parts(),
            Record::Iteration(record) => record.event_id_parts(),
            Record::Membership(record) => record.event_id_parts(),
            Record::Request(record) => record.event_id_parts(),
            Record::Stage(record) => record.event_id_parts(),
        }
    }

    /// Calls `out` for every field, names ascending at every depth (`artifact.md` L2).
    pub fn fields(&self, out: &mut impl Fields) {
        match self {
            Record::ClockAlignment(record) => record.fields(out),
            Record::Iteration(record) => record.fields(out),
            Record::Membership(record) => record.fields(out),
            Record::Request(record) => record.fields(out),
            Record::Stage(record) => record.fields(out),
        }
    }
}
