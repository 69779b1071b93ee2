//! `infer.stage` (`reduce.md` §10.6, §11).

use super::fields::{Fields, FieldsExt};
use super::request::Ownership;
use super::values::{Raw, Ref};

/// What happened to the engine or to a request outside the steps' own work.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage<'a> {
    /// The epoch's name.
    pub epoch: &'a str,
    /// (producer, key).
    pub stage_ref: Ref<'a>,
    /// The step it happened in or after.
    pub iteration_ref: Option<Ref<'a>>,
    /// The request it happened to.
    pub request_ref: Option<Ref<'a>>,
    /// Start, monotonic ns.
    pub start_ns: Option<i64>,
    /// End, monotonic ns.
    pub end_ns: Option<i64>,
    /// `seq` of the record it is made from.
    pub seq: i64,
    /// The latest `seq` that says something about it.
    pub source_seq_max: i64,
    /// Which of the four kinds, and what only that kind says.
    pub facts: StageFacts<'a>,
}

/// The kinds of stages (§11.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StageFacts<'a> {
    /// A step preempted a request itself.
    Preempted {
        /// The attempt's id.
        attempt: &'a [u8],
        /// Always the run's own, or one that is not withheld.
        ownership: Ownership,
        /// Whether the engine records its cache resets, so that none of them stands behind it.
        reset_observed: bool,
        /// Before the scheduler call, wall clock, ns.
        start_wall_ns: Raw<'a>,
        /// Wall clock after that reading.
        start_wall_after_ns: Raw<'a>,
        /// After the scheduler call, wall clock, ns.
        end_wall_ns: Raw<'a>,
        /// Wall clock after that reading.
        end_wall_after_ns: Raw<'a>,
    },
    /// The prefix cache was reset.
    CacheReset {
        /// It preempted the running requests too.
        reset_running_requests: bool,
        /// It reset the connector.
        reset_connector: bool,
        /// Its result.
        succeeded: Raw<'a>,
        /// It raised.
        raised: bool,
        /// Requests running before it.
        running: u32,
        /// Before it, wall clock, ns.
        start_wall_ns: Raw<'a>,
        /// Wall clock after that reading.
        start_wall_after_ns: Raw<'a>,
        /// After it, wall clock, ns.
        end_wall_ns: Raw<'a>,
        /// Wall clock after that reading.
        end_wall_after_ns: Raw<'a>,
    },
    /// A cache reset preempted a request.
    PreemptedByReset {
        /// The attempt's id.
        attempt: &'a [u8],
        /// Whose it is.
        ownership: Ownership,
    },
    /// The scheduler's pause state changed.
    PauseTransition {
        /// State before.
        from: Raw<'a>,
        /// State after.
        to: Raw<'a>,
        /// Wall clock, ns.
        wall_ns: Raw<'a>,
        /// Wall clock after that reading.
        wall_after_ns: Raw<'a>,
    },
}

impl StageFacts<'_> {
    /// The stage's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Preempted { .. } => "engine.preempted",
            Self::CacheReset { .. } => "engine.cache_reset",
            Self::PreemptedByReset { .. } => "engine.preempted_by_reset",
            Self::PauseTransition { .. } => "engine.pause_transition",
        }
    }
}

impl Stage<'_> {
    pub(super) fn event_id_parts(&self) -> [&[u8]; 8] {
        [b"stage:", self.stage_ref.producer_id, b":", self.stage_ref.id, b"", b"", b"", b""]
    }

    pub(super) fn fields(&self, out: &mut impl Fields) {
        out.context();
        out.set("end_ns", self.end_ns);
        out.event(&self.event_id_parts(), "infer.stage");
        out.set("input_tokens", Raw::Null);
        out.reference("iteration_ref", self.iteration_ref);
        out.set("kv_bytes", Raw::Null);
        out.open("metadata");
        self.metadata(out);
        out.close();
        out.set("name", self.facts.name());
        out.set("output_tokens", Raw::Null);
        out.reference("request_ref", self.request_ref);
        out.schema_version();
        out.reference("stage_ref", Some(self.stage_ref));
        out.set("start_ns", self.start_ns);
    }

    /// The fields of `metadata`.
    pub(crate) fn metadata(&self, out: &mut impl Fields) {
        match self.facts {
            StageFacts::Preempted {
                attempt,
                ownership,
                reset_observed,
                start_wall_ns,
                start_wall_after_ns,
                end_wall_ns,
                end_wall_after_ns,
            } => {
                out.set("attempt", attempt);
                out.set("by", "schedule");
                out.set("end_wall_after_ns", end_wall_after_ns);
                out.set("end_wall_ns", end_wall_ns);
                out.set("epoch", self.epoch);
                out.set("ownership", ownership.name());
                out.set("reset_observed", reset_observed);
                self.seqs(out);
                out.set("start_wall_after_ns", start_wall_after_ns);
                out.set("start_wall_ns", start_wall_ns);
            }
            StageFacts::CacheReset {
                reset_running_requests,
                reset_connector,
                succeeded,
                raised,
                running,
                start_wall_ns,
                start_wall_after_ns,
                end_wall_ns,
                end_wall_after_ns,
            } => {
                out.set("end_wall_after_ns", end_wall_after_ns);
                out.set("end_wall_ns", end_wall_ns);
                out.set("epoch", self.epoch);
                out.set("raised", raised);
                out.set("reset_connector", reset_connector);
                out.set("reset_running_requests", reset_running_requests);
                out.set("running", running);
                self.seqs(out);
                out.set("start_wall_after_ns", start_wall_after_ns);
                out.set("start_wall_ns", start_wall_ns);
                out.set("succeeded", succeeded);
            }
            StageFacts::PreemptedByReset { attempt, ownership } => {
                out.set("attempt", attempt);
                out.set("by", "cache_reset");
                out.set("epoch", self.epoch);
                out.set("ownership", ownership.name());
                out.set("reset_seq", self.seq);
                self.seqs(out);
            }
            StageFacts::PauseTransition { from, to, wall_ns, wall_after_ns } => {
                out.set("epoch", self.epoch);
                out.set("from", from);
                self.seqs(out);
                out.set("to", to);
                out.set("wall_after_ns", wall_after_ns);
                out.set("wall_ns", wall_ns);
            }
        }
    }

    fn seqs(&self, out: &mut impl Fields) {
        out.set("seq", self.seq);
        out.set("source_seq_max", self.source_seq_max);
    }
}
