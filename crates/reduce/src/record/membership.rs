//! `infer.membership` (`reduce.md` §10.4) and the finish on it (§9).

use super::fields::{Fields, FieldsExt};
use super::iteration::StepState;
use super::request::Ownership;
use super::values::{Raw, Ref};

/// What a member does in a step (§10.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Works on its prompt.
    Prefill,
    /// Generates.
    Decode,
    /// Generates with speculative tokens.
    SpecDecode,
    /// The log does not say.
    Unknown,
}

impl Role {
    /// Its name in a record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Decode => "decode",
            Self::SpecDecode => "spec_decode",
            Self::Unknown => "unknown",
        }
    }
}

/// How a request ended (F2): the terminal's fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finish<'a> {
    /// Engine status name.
    pub status: Raw<'a>,
    /// Finish reason.
    pub finish_reason: Raw<'a>,
    /// Output tokens at that moment.
    pub output_tokens: Raw<'a>,
    /// Before the engine frees it, monotonic ns.
    pub mono_ns: Raw<'a>,
    /// Wall clock, ns.
    pub wall_ns: Raw<'a>,
    /// Wall clock after that reading.
    pub wall_after_ns: Raw<'a>,
    /// Whether it was freed while the step ran.
    pub in_step: bool,
}

/// A request in a step. Token counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Membership<'a> {
    /// The epoch's name.
    pub epoch: &'a str,
    /// The request.
    pub request_ref: Ref<'a>,
    /// The step.
    pub iteration_ref: Ref<'a>,
    /// Its stay in the engine.
    pub attempt_ref: Ref<'a>,
    /// What it does.
    pub role: Role,
    /// Tokens scheduled.
    pub input_tokens: Option<i64>,
    /// Tokens sent to the client.
    pub output_tokens: Option<i64>,
    /// The later of the step's final `seq` and the finish's.
    pub source_seq_max: i64,
    /// Whose request it is.
    pub ownership: Ownership,
    /// The step's state.
    pub state: StepState,
    /// `first` or `repeat`.
    pub sighting: Raw<'a>,
    /// `context` or `generation`.
    pub phase: Raw<'a>,
    /// Tokens already computed when scheduled.
    pub computed_before: Raw<'a>,
    /// Prompt length.
    pub prompt_tokens: Raw<'a>,
    /// Scheduled tokens inside the prompt.
    pub prefill_scheduled: Raw<'a>,
    /// The rest.
    pub past_prompt_scheduled: Raw<'a>,
    /// Speculative tokens scheduled.
    pub drafts_scheduled: Raw<'a>,
    /// Tokens found computed at the first sighting.
    pub cached_at_admission: Raw<'a>,
    /// Works below context it had already committed.
    pub recompute: Raw<'a>,
    /// Output tokens so far.
    pub output_before: Raw<'a>,
    /// Streaming-input request.
    pub resumable: Raw<'a>,
    /// `prefill_scheduled` when the outcome was kept, else 0.
    pub processed_prefill: Raw<'a>,
    /// What came of it.
    pub outcome: Raw<'a>,
    /// The output belonged to an earlier state of the request.
    pub stale: Raw<'a>,
    /// Tokens sampled.
    pub sampled: Raw<'a>,
    /// Speculative tokens accepted.
    pub accepted_drafts: Raw<'a>,
    /// Finish reason of the outcome.
    pub finish_reason: Raw<'a>,
    /// Context committed by the step.
    pub computed_after: Raw<'a>,
    /// Processing the step's output raised.
    pub update_failed: bool,
    /// How the request ended, when here.
    pub finish: Option<Finish<'a>>,
}

impl Membership<'_> {
    pub(super) fn event_id_parts(&self) -> [&[u8]; 8] {
        let Ref { producer_id, id } = self.iteration_ref;
        let role = self.role.name().as_bytes();
        [b"membership:", producer_id, b":", id, b":", self.attempt_ref.id, b":", role]
    }

    pub(super) fn fields(&self, out: &mut impl Fields) {
        out.reference("attempt_ref", Some(self.attempt_ref));
        out.context();
        out.event(&self.event_id_parts(), "infer.membership");
        out.set("input_tokens", self.input_tokens);
        out.reference("iteration_ref", Some(self.iteration_ref));
        out.set("kv_bytes", Raw::Null);
        out.open("metadata");
        out.set("accepted_drafts", self.accepted_drafts);
        out.set("cache_actions", "unknown");
        out.set("cached_at_admission", self.cached_at_admission);
        out.set("computed_after", self.computed_after);
        out.set("computed_before", self.computed_before);
        out.set("drafts_scheduled", self.drafts_scheduled);
        out.set("epoch", self.epoch);
        if let Some(finish) = &self.finish {
            out.open("finish");
            out.set("finish_reason", finish.finish_reason);
            out.set("in_step", finish.in_step);
            out.set("mono_ns", finish.mono_ns);
            out.set("output_tokens", finish.output_tokens);
            out.set("status", finish.status);
            out.set("wall_after_ns", finish.wall_after_ns);
            out.set("wall_ns", finish.wall_ns);
            out.close();
        }
        out.set("finish_reason", self.finish_reason);
        out.set("outcome", self.outcome);
        out.set("output_before", self.output_before);
        out.set("ownership", self.ownership.name());
        out.set("past_prompt_scheduled", self.past_prompt_scheduled);
        out.set("phase", self.phase);
        out.set("prefill_scheduled", self.prefill_scheduled);
        out.set("processed_prefill", self.processed_prefill);
        out.set("prompt_tokens", self.prompt_tokens);
        out.set("recompute", self.recompute);
        out.set("resumable", self.resumable);
        out.set("sampled", self.sampled);
        out.set("sighting", self.sighting);
        out.set("source_seq_max", self.source_seq_max);
        out.set("stale", self.stale);
        out.set("state", self.state.name());
        out.set("update_failed", self.update_failed);
        out.close();
        out.set("output_tokens", self.output_tokens);
        out.reference("request_ref", Some(self.request_ref));
        out.set("role", self.role.name());
        out.schema_version();
    }
}
