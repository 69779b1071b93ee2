//! `infer.request` (`reduce.md` §10.5).

use super::fields::{Fields, FieldsExt};
use super::values::{Raw, Ref};

/// Whose request an execution is (§5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ownership {
    /// The run's own.
    Run,
    /// Another client's.
    Foreign,
    /// The log does not say.
    Unresolved,
}

impl Ownership {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Run, Self::Foreign, Self::Unresolved];

    /// Its name in a record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Foreign => "foreign",
            Self::Unresolved => "unresolved",
        }
    }

    /// The ownership of a name.
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|ownership| ownership.name().as_bytes() == name)
    }
}

/// What an execution was bound by (§5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundVia {
    /// The external ID of its admission.
    Alias,
    /// The shape of its internal ID.
    Internal,
    /// Nothing.
    None,
}

impl BoundVia {
    /// Its name in a record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Internal => "internal",
            Self::None => "none",
        }
    }
}

/// What a request of the run is in the client's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunIdentity<'a> {
    /// The ID the client sent with it.
    pub x_request_id: &'a [u8],
    /// The client's own ID.
    pub request_id: &'a [u8],
    /// Its case.
    pub case_id: Option<&'a [u8]>,
    /// Its phase.
    pub phase: Option<&'a [u8]>,
    /// The client-facing ID it was found by.
    pub external: &'a [u8],
}

/// One stay of a request in the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct Request<'a> {
    /// The epoch's name.
    pub epoch: &'a str,
    /// The epoch's producer.
    pub producer_id: &'a [u8],
    /// The request.
    pub request_ref: Ref<'a>,
    /// The stay.
    pub attempt_ref: Ref<'a>,
    /// The engine's own name of it; only of the run's own.
    pub backend_request_ref: Option<Ref<'a>>,
    /// Admission, monotonic ns.
    pub start_ns: Option<i64>,
    /// Prompt length, tokens.
    pub input_tokens: Option<i64>,
    /// Whose it is.
    pub ownership: Ownership,
    /// Bound by what.
    pub bound_via: BoundVia,
    /// Which child of a request for several completions it is.
    pub child_index: Option<i64>,
    /// Which completion of its client request it is.
    pub completion_index: Option<i64>,
    /// Its internal ID had several stays (E6).
    pub reused_internal_id: bool,
    /// The latest `seq` that says something about it.
    pub source_seq_max: i64,
    /// `seq` of its admission; `None` when that was not seen.
    pub admission_seq: Option<i64>,
    /// Admission, wall clock, ns.
    pub admitted_wall_ns: Option<i64>,
    /// Wall clock after that reading.
    pub admitted_wall_after_ns: Option<i64>,
    /// Handed to the scheduler, monotonic ns.
    pub enqueued_mono_ns: Option<i64>,
    /// The same, wall clock, ns.
    pub enqueued_wall_ns: Option<i64>,
    /// Wall clock after that reading.
    pub enqueued_wall_after_ns: Option<i64>,
    /// Output is constrained to a grammar.
    pub structured_output: Option<bool>,
    /// Tokens found computed at its first sighting.
    pub cached_at_admission: Option<i64>,
    /// Streaming-input request; `None` until a first sighting was kept.
    pub resumable: Option<bool>,
    /// Only of the run's own.
    pub run: Option<RunIdentity<'a>>,
}

impl Request<'_> {
    pub(super) fn event_id_parts(&self) -> [&[u8]; 8] {
        // The epoch's producer, which is not the attempt's when that was recorded by another one.
        [b"request:", self.producer_id, b":", self.attempt_ref.id, b"", b"", b"", b""]
    }

    pub(super) fn fields(&self, out: &mut impl Fields) {
        out.reference("attempt_ref", Some(self.attempt_ref));
        out.reference("backend_request_ref", self.backend_request_ref);
        out.context();
        out.set("end_ns", Raw::Null);
        out.event(&self.event_id_parts(), "infer.request");
        out.set("input_tokens", self.input_tokens);
        out.set("kv_bytes", Raw::Null);
        out.open("metadata");
        out.set("admission_seen", self.admission_seq.is_some());
        out.set("admission_seq", self.admission_seq);
        out.set("admitted_wall_after_ns", self.admitted_wall_after_ns);
        out.set("admitted_wall_ns", self.admitted_wall_ns);
        out.set("bound_via", self.bound_via.name());
        out.set("cached_at_admission", self.cached_at_admission);
        if let Some(run) = &self.run {
            out.set("case_id", run.case_id);
        }
        out.set("child_index", self.child_index);
        out.set("completion_index", self.completion_index);
        out.set("enqueued_mono_ns", self.enqueued_mono_ns);
        out.set("enqueued_wall_after_ns", self.enqueued_wall_after_ns);
        out.set("enqueued_wall_ns", self.enqueued_wall_ns);
        out.set("epoch", self.epoch);
        if let Some(run) = &self.run {
            out.set("external", run.external);
        }
        out.set("ownership", self.ownership.name());
        if let Some(run) = &self.run {
            out.set("phase", run.phase);
            out.set("request_id", run.request_id);
        }
        out.set("resumable", self.resumable);
        out.set("reused_internal_id", self.reused_internal_id);
        out.set("source_seq_max", self.source_seq_max);
        out.set("structured_output", self.structured_output);
        if let Some(run) = &self.run {
            out.set("x_request_id", run.x_request_id);
        }
        out.close();
        out.set("output_tokens", Raw::Null);
        out.reference("request_ref", Some(self.request_ref));
        out.schema_version();
        out.set("start_ns", self.start_ns);
        out.set("status", Raw::Null);
    }
}
