//! The canonical record types and their fields (`artifact.md` §5).

use super::{FieldRule, Need, Shape, defaulted, nullable, required};

/// The eight canonical types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordType {
    /// `infer.artifact`
    Artifact,
    /// `infer.request`
    Request,
    /// `infer.iteration`
    Iteration,
    /// `infer.membership`
    Membership,
    /// `infer.stage`
    Stage,
    /// `infer.clock_alignment`
    ClockAlignment,
    /// `infer.capabilities`
    Capabilities,
    /// `infer.activity_ref`
    ActivityRef,
}

impl RecordType {
    /// All types.
    pub const ALL: [Self; 8] = [
        Self::Artifact,
        Self::Request,
        Self::Iteration,
        Self::Membership,
        Self::Stage,
        Self::ClockAlignment,
        Self::Capabilities,
        Self::ActivityRef,
    ];

    /// The `event_type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Artifact => "infer.artifact",
            Self::Request => "infer.request",
            Self::Iteration => "infer.iteration",
            Self::Membership => "infer.membership",
            Self::Stage => "infer.stage",
            Self::ClockAlignment => "infer.clock_alignment",
            Self::Capabilities => "infer.capabilities",
            Self::ActivityRef => "infer.activity_ref",
        }
    }

    /// The type of a name.
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().as_bytes() == name)
    }

    pub(super) fn rules(self) -> &'static [FieldRule] {
        match self {
            Self::Artifact => {
                const { &[required("artifact_kind", Shape::Text), required("created_at_ns", Shape::Count)] }
            }
            Self::Request => {
                const {
                    &[
                        required("request_ref", Shape::Ref),
                        nullable("attempt_ref", Shape::Ref),
                        nullable("backend_request_ref", Shape::Ref),
                        nullable("start_ns", Shape::Count),
                        nullable("end_ns", Shape::Count),
                        nullable("status", Shape::Text),
                        nullable("input_tokens", Shape::Count),
                        nullable("output_tokens", Shape::Count),
                        nullable("kv_bytes", Shape::Count),
                    ]
                }
            }
            Self::Iteration => {
                const {
                    &[
                        required("iteration_ref", Shape::Ref),
                        nullable("batch_ref", Shape::Ref),
                        nullable("start_ns", Shape::Count),
                        nullable("end_ns", Shape::Count),
                    ]
                }
            }
            Self::Membership => {
                const {
                    &[
                        required("request_ref", Shape::Ref),
                        required("iteration_ref", Shape::Ref),
                        required("role", Shape::Text),
                        nullable("attempt_ref", Shape::Ref),
                        nullable("input_tokens", Shape::Count),
                        nullable("output_tokens", Shape::Count),
                        nullable("kv_bytes", Shape::Count),
                    ]
                }
            }
            Self::Stage => {
                const {
                    &[
                        required("stage_ref", Shape::Ref),
                        required("name", Shape::Text),
                        nullable("request_ref", Shape::Ref),
                        nullable("iteration_ref", Shape::Ref),
                        nullable("start_ns", Shape::Count),
                        nullable("end_ns", Shape::Count),
                        nullable("input_tokens", Shape::Count),
                        nullable("output_tokens", Shape::Count),
                        nullable("kv_bytes", Shape::Count),
                    ]
                }
            }
            Self::ClockAlignment => {
                const {
                    &[
                        required("from_clock_domain", Shape::Text),
                        required("to_clock_domain", Shape::Text),
                        required("offset_ns", Shape::Int),
                        required("uncertainty_ns", Shape::Count),
                        nullable("valid_from_ns", Shape::Count),
                        nullable("valid_to_ns", Shape::Count),
                    ]
                }
            }
            Self::Capabilities => {
                const {
                    &[
                        required("component", Shape::Text),
                        required("available", Shape::Bool),
                        defaulted("supported", Shape::Names),
                        defaulted("enabled", Shape::Names),
                        defaulted("collected", Shape::Names),
                    ]
                }
            }
            Self::ActivityRef => {
                const {
                    &[
                        required("activity_ref", Shape::Ref),
                        required("activity_kind", Shape::Text),
                        required("attribution_status", Shape::OneOf(&["linked", "unresolved"])),
                        defaulted("activity_domain", Shape::OneOf(&["gpu", "runtime", "cpu", "unknown"])),
                        nullable("iteration_ref", Shape::Ref),
                        nullable("correlation_scope", Shape::Ref),
                        nullable("trace_attachment_id", Shape::Text),
                        nullable("runtime_correlation_id", Shape::Count),
                        nullable("cuda_correlation_id", Shape::Count),
                        nullable("stream_id", Shape::Count),
                        nullable("graph_id", Shape::Count),
                        nullable("start_ns", Shape::Count),
                        nullable("end_ns", Shape::Count),
                    ]
                }
            }
        }
    }

    /// The type's own fields, and what an absent one stands for.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        self.rules().iter().map(|rule| {
            let default: &'static [u8] = match (rule.need, rule.shape) {
                (Need::Defaulted, Shape::Names) => b"[]",
                (Need::Defaulted, _) => b"\"unknown\"",
                _ => b"null",
            };
            (rule.name, default)
        })
    }
}
