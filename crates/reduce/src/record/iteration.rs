//! `infer.iteration` (`reduce.md` §10.3).

use super::fields::{Fields, FieldsExt};
use super::values::{Raw, Ref};

/// Why a final step has no outcome (S5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncompleteReason {
    /// Its engine is gone.
    EpochEnded,
    /// A later step has completed.
    CompletedMissing,
}

/// What a final step is (S5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepState {
    /// It has a `completed`.
    Complete,
    /// It never will.
    Incomplete(IncompleteReason),
}

impl StepState {
    /// `complete` or `incomplete`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Incomplete(_) => "incomplete",
        }
    }

    /// `epoch_ended` or `completed_missing`; a complete step has none.
    pub fn incomplete_reason(self) -> Option<&'static str> {
        match self {
            Self::Complete => None,
            Self::Incomplete(IncompleteReason::EpochEnded) => Some("epoch_ended"),
            Self::Incomplete(IncompleteReason::CompletedMissing) => Some("completed_missing"),
        }
    }
}

/// A step that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Iteration<'a> {
    /// The epoch's name.
    pub epoch: &'a str,
    /// (producer, name).
    pub iteration_ref: Ref<'a>,
    /// Before the scheduler call, monotonic ns.
    pub start_ns: Option<i64>,
    /// After the engine processed the step's output, monotonic ns.
    pub end_ns: Option<i64>,
    /// Whether it completed.
    pub state: StepState,
    /// `seq` from which on the step is final.
    pub source_seq_max: i64,
    /// Wall clock before the scheduler call, ns.
    pub start_wall_ns: Raw<'a>,
    /// Wall clock after that reading.
    pub start_wall_after_ns: Raw<'a>,
    /// After the scheduler call, wall clock, ns.
    pub schedule_end_wall_ns: Raw<'a>,
    /// Wall clock after that reading.
    pub schedule_end_wall_after_ns: Raw<'a>,
    /// After the scheduler call, monotonic, ns.
    pub schedule_end_mono_ns: Raw<'a>,
    /// Completion, wall clock, ns.
    pub completed_wall_ns: Raw<'a>,
    /// Wall clock after that reading.
    pub completed_wall_after_ns: Raw<'a>,
    /// Processing its output raised (S7).
    pub update_failed: bool,
    /// Tokens scheduled.
    pub total_tokens: Raw<'a>,
    /// Whether that is none.
    pub zero_token: Raw<'a>,
    /// Entries of its list of preempted requests.
    pub preempted: u32,
    /// Members, and of which ownership they are.
    pub members: u32,
    /// The run's own.
    pub run_members: u32,
    /// Other clients'.
    pub foreign_members: u32,
    /// Whose is not known.
    pub unresolved_members: u32,
    /// Members without a membership record (K10).
    pub withheld_members: u32,
}

impl Iteration<'_> {
    /// `end_ns − start_ns`.
    pub fn scheduler_residence_ns(&self) -> Option<i64> {
        self.end_ns?.checked_sub(self.start_ns?)
    }

    pub(super) fn event_id_parts(&self) -> [&[u8]; 8] {
        let Ref { producer_id, id } = self.iteration_ref;
        [b"iteration:", producer_id, b":", id, b"", b"", b"", b""]
    }

    pub(super) fn fields(&self, out: &mut impl Fields) {
        out.reference("batch_ref", None);
        out.context();
        out.set("end_ns", self.end_ns);
        out.event(&self.event_id_parts(), "infer.iteration");
        out.reference("iteration_ref", Some(self.iteration_ref));
        out.open("metadata");
        out.set("completed_wall_after_ns", self.completed_wall_after_ns);
        out.set("completed_wall_ns", self.completed_wall_ns);
        out.set("epoch", self.epoch);
        out.set("foreign_members", self.foreign_members);
        out.set("incomplete_reason", self.state.incomplete_reason());
        out.set("members", self.members);
        out.set("preempted", self.preempted);
        out.set("run_members", self.run_members);
        out.set("schedule_end_mono_ns", self.schedule_end_mono_ns);
        out.set("schedule_end_wall_after_ns", self.schedule_end_wall_after_ns);
        out.set("schedule_end_wall_ns", self.schedule_end_wall_ns);
        out.set("scheduler_residence_ns", self.scheduler_residence_ns());
        out.set("source_seq_max", self.source_seq_max);
        out.set("start_wall_after_ns", self.start_wall_after_ns);
        out.set("start_wall_ns", self.start_wall_ns);
        out.set("state", self.state.name());
        out.set("total_tokens", self.total_tokens);
        out.set("unresolved_members", self.unresolved_members);
        out.set("update_failed", self.update_failed);
        out.set("withheld_members", self.withheld_members);
        out.set("zero_token", self.zero_token);
        out.close();
        out.schema_version();
        out.set("start_ns", self.start_ns);
    }
}
