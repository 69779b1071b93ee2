//! What the fields of contexts and canonical records must be (`artifact.md` §3, §5).

use std::borrow::Cow;

use stepscope_epoch_log::json::Scalar;

use crate::object::{Object, Whole, scalar, text};

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {what}")]
pub struct Invalid {
    /// The field's name.
    pub field: Cow<'static, str>,
    /// What is wrong with it.
    pub what: &'static str,
}

impl Invalid {
    pub(crate) fn new(field: impl Into<Cow<'static, str>>, what: &'static str) -> Self {
        Self { field: field.into(), what }
    }
}

/// What a field's value must be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A non-empty string.
    Text,
    /// One of some strings.
    OneOf(&'static [&'static str]),
    /// An integer of 0 or more.
    Count,
    /// An integer of 1 or more.
    Size,
    /// An integer.
    Int,
    /// A boolean.
    Bool,
    /// A reference.
    Ref,
    /// An array of distinct texts.
    Names,
    /// A string, which may be empty.
    Words,
    /// An object.
    Object,
    /// An array of texts.
    Texts,
    /// An array.
    Array,
}

/// Whether a field may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// It must be there.
    Required,
    /// Absent means null, and null is allowed.
    Nullable,
    /// It may be absent, which means its default, but not null.
    Defaulted,
}

/// A field by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldRule {
    pub(crate) name: &'static str,
    shape: Shape,
    need: Need,
}

pub(crate) const fn required(name: &'static str, shape: Shape) -> FieldRule {
    FieldRule { name, shape, need: Need::Required }
}

pub(crate) const fn nullable(name: &'static str, shape: Shape) -> FieldRule {
    FieldRule { name, shape, need: Need::Nullable }
}

pub(crate) const fn defaulted(name: &'static str, shape: Shape) -> FieldRule {
    FieldRule { name, shape, need: Need::Defaulted }
}

/// The fields of a context, names ascending.
pub(crate) const CONTEXT: &[FieldRule] = &[
    nullable("backend", Shape::Text),
    nullable("backend_version", Shape::Text),
    required("clock_domain", Shape::Text),
    required("clock_kind", Shape::OneOf(&["monotonic", "wall", "device"])),
    required("collection_mode", Shape::OneOf(&["active", "passive", "imported"])),
    nullable("device_uuid", Shape::Text),
    nullable("engine", Shape::Text),
    nullable("engine_version", Shape::Text),
    nullable("host", Shape::Text),
    nullable("local_rank", Shape::Count),
    nullable("pid", Shape::Count),
    required("producer_id", Shape::Text),
    required("provenance", Shape::OneOf(&["observed", "reported", "estimated"])),
    nullable("rank", Shape::Count),
    required("run_id", Shape::Text),
    required("session_id", Shape::Text),
    required("source", Shape::Text),
    nullable("source_version", Shape::Text),
    nullable("world_size", Shape::Size),
];

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

    fn rules(self) -> &'static [FieldRule] {
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

/// Fields that every record of version 2 and 3 has beside its own; `artifact.md` §5.
///
/// Which of the two ways to say the context a row may use is decided before.
const COMMON: [&str; 6] = ["schema_version", "event_type", "context", "context_id", "event_id", "metadata"];

fn is_null(json: &[u8]) -> bool {
    json == b"null"
}

fn check(rule: &FieldRule, json: &[u8]) -> Result<(), Invalid> {
    let what = match rule.shape {
        Shape::Text if text(json).is_none() => "must be a non-empty string",
        Shape::OneOf(words) => {
            let known = text(json).is_some_and(|text| words.iter().any(|word| word.as_bytes() == &*text));
            if known {
                return Ok(());
            }
            "is not one of the known words"
        }
        Shape::Count if Whole::of(json).is_none_or(Whole::is_negative) => "must be an integer of 0 or more",
        Shape::Size if Whole::of(json).is_none_or(|size| size < Whole::Fits(1)) => {
            "must be an integer of 1 or more"
        }
        Shape::Int if Whole::of(json).is_none() => "must be an integer",
        Shape::Bool if !matches!(scalar(json), Scalar::Bool(_)) => "must be true or false",
        Shape::Ref => return check_ref(rule.name, json),
        Shape::Names if names(json).is_none() => "must be an array of distinct non-empty strings",
        Shape::Words if crate::object::string(json).is_none() => "must be a string",
        Shape::Object if scalar(json) != Scalar::Object => "must be an object",
        Shape::Array if scalar(json) != Scalar::Array => "must be an array",
        Shape::Texts if !items(json).is_some_and(|items| items.iter().all(|item| text(item).is_some())) => {
            "must be an array of non-empty strings"
        }
        _ => return Ok(()),
    };
    Err(Invalid::new(rule.name, what))
}

fn check_fields(rules: &[FieldRule], object: &Object<'_>) -> Result<(), Invalid> {
    for rule in rules {
        match object.get(rule.name) {
            None if rule.need == Need::Required => return Err(Invalid::new(rule.name, "is missing")),
            None => {}
            Some(json) if rule.need == Need::Nullable && is_null(json) => {}
            Some(json) => check(rule, json)?,
        }
    }
    Ok(())
}

fn check_no_other(object: &Object<'_>, known: impl Fn(&[u8]) -> bool) -> Result<(), Invalid> {
    match object.iter().find(|(name, _)| !known(name)) {
        Some((name, _)) => {
            Err(Invalid::new(String::from_utf8_lossy(name).into_owned(), "is not a known field"))
        }
        None => Ok(()),
    }
}

/// That an object has these fields and no other.
pub(crate) fn check_exactly(rules: &[FieldRule], object: &Object<'_>) -> Result<(), Invalid> {
    check_fields(rules, object)?;
    check_no_other(object, |name| rules.iter().any(|rule| rule.name.as_bytes() == name))
}

/// §3: exactly the 19 fields.
pub(crate) fn check_context(object: &Object<'_>) -> Result<(), Invalid> {
    check_exactly(CONTEXT, object)
}

fn check_ref(field: &'static str, json: &[u8]) -> Result<(), Invalid> {
    let Ok(Some(object)) = Object::parse(json) else {
        return Err(Invalid::new(field, "must be an object"));
    };
    if object.len() != 2 || object.text("producer_id").is_none() || object.text("id").is_none() {
        return Err(Invalid::new(field, "must have exactly producer_id and id, both non-empty strings"));
    }
    Ok(())
}

/// The texts of an array of distinct ones.
fn names(json: &[u8]) -> Option<Vec<Cow<'_, [u8]>>> {
    let mut names: Vec<Cow<'_, [u8]>> = Vec::new();
    for item in items(json)? {
        let name = text(item)?;
        if names.contains(&name) {
            return None;
        }
        names.push(name);
    }
    Some(names)
}

/// The texts of an array's items.
pub(crate) fn items(json: &[u8]) -> Option<Vec<&[u8]>> {
    let mut scanner = stepscope_epoch_log::json::Scanner::strict(json);
    if scanner.value().ok()? != Scalar::Array {
        return None;
    }
    let mut items = Vec::new();
    if scanner.closes_at_once(b']') {
        return Some(items);
    }
    loop {
        scanner.space();
        let start = scanner.at();
        let value = scanner.value().ok()?;
        if matches!(value, Scalar::Array | Scalar::Object) {
            scanner.skip_rest(value).ok()?;
        }
        items.push(scanner.between(start, scanner.at()));
        if !scanner.goes_on(b']').ok()? {
            return Some(items);
        }
    }
}

/// §5: the fields of a record but its context and `schema_version`.
pub(crate) fn check_record(kind: RecordType, object: &Object<'_>) -> Result<(), Invalid> {
    if object.text("event_id").is_none() {
        return Err(Invalid::new("event_id", "must be a non-empty string"));
    }
    check_fields(kind.rules(), object)?;
    check_no_other(object, |name| {
        COMMON.iter().any(|known| known.as_bytes() == name)
            || kind.rules().iter().any(|rule| rule.name.as_bytes() == name)
    })?;
    if let Some(metadata) = object.get("metadata")
        && scalar(metadata) != Scalar::Object
    {
        return Err(Invalid::new("metadata", "must be an object"));
    }
    let (start, end) = match kind {
        RecordType::ClockAlignment => ("valid_from_ns", "valid_to_ns"),
        _ => ("start_ns", "end_ns"),
    };
    let whole = |name| object.get(name).and_then(Whole::of);
    if let (Some(from), Some(to)) = (whole(start), whole(end))
        && to < from
    {
        return Err(Invalid::new(end, "is before the start"));
    }
    match kind {
        RecordType::Stage => check_stage(object),
        RecordType::Capabilities => check_capabilities(object),
        RecordType::ActivityRef => check_activity(object),
        _ => Ok(()),
    }
}

/// A field that is there and not null.
pub(crate) fn present<'a>(object: &Object<'a>, name: &str) -> Option<&'a [u8]> {
    object.get(name).filter(|json| !is_null(json))
}

fn check_stage(object: &Object<'_>) -> Result<(), Invalid> {
    if present(object, "request_ref").is_none() && present(object, "iteration_ref").is_none() {
        return Err(Invalid::new("request_ref", "and iteration_ref are both missing"));
    }
    Ok(())
}

fn check_capabilities(object: &Object<'_>) -> Result<(), Invalid> {
    let list = |name| object.get(name).and_then(names).unwrap_or_default();
    let (supported, enabled, collected) = (list("supported"), list("enabled"), list("collected"));
    if enabled.iter().any(|name| !supported.contains(name)) {
        return Err(Invalid::new("enabled", "names something that is not supported"));
    }
    if collected.iter().any(|name| !enabled.contains(name)) {
        return Err(Invalid::new("collected", "names something that is not enabled"));
    }
    if object.get("available").map(scalar) == Some(Scalar::Bool(false)) && !supported.is_empty() {
        return Err(Invalid::new("supported", "must be empty when the component is not available"));
    }
    Ok(())
}

fn check_activity(object: &Object<'_>) -> Result<(), Invalid> {
    let linked = object.text("attribution_status").as_deref() == Some(b"linked");
    if linked != present(object, "iteration_ref").is_some() {
        return Err(Invalid::new("iteration_ref", "must be there exactly when the activity is linked"));
    }
    match object.object("metadata").get("intervals") {
        None => Ok(()),
        Some(intervals) => check_intervals(object, intervals),
    }
}

/// Pairs of offset and duration from the start, in order, apart from each other and inside the span.
fn check_intervals(object: &Object<'_>, json: &[u8]) -> Result<(), Invalid> {
    let wrong = |what| Err(Invalid::new("metadata.intervals", what));
    let Some(pairs) = items(json).filter(|pairs| !pairs.is_empty()) else {
        return wrong("must be a non-empty array");
    };
    let time = |name| object.get(name).and_then(Whole::of).map(Whole::wide);
    let (Some(start), Some(end)) = (time("start_ns"), time("end_ns")) else {
        return wrong("need both ends of the span");
    };
    let mut free_from = 0;
    for pair in pairs {
        let ends = items(pair).unwrap_or_default();
        let [offset, duration] = ends[..] else {
            return wrong("must be pairs of offset and duration");
        };
        let (Some(offset), Some(duration)) = (Whole::of(offset), Whole::of(duration)) else {
            return wrong("must be pairs of integers");
        };
        if offset.is_negative() || duration.is_negative() {
            return wrong("must not be negative");
        }
        let until = offset.wide().saturating_add(duration.wide());
        if until > end.saturating_sub(start) {
            return wrong("reach beyond the span");
        }
        if offset.wide() < free_from {
            return wrong("must be in order and apart from each other");
        }
        free_from = until;
    }
    Ok(())
}
