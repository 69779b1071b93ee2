//! The rules of a whole record (`artifact.md` §5).

use stepscope_epoch_log::json::Scalar;

use super::{Invalid, RecordType, check_fields, check_no_other, names, present};
use crate::object::{Object, Whole, items, scalar};

/// Fields that every record of version 2 and 3 has beside its own; `artifact.md` §5.
///
/// Which of the two ways to say the context a row may use is decided before.
const COMMON: [&str; 6] = ["schema_version", "event_type", "context", "context_id", "event_id", "metadata"];

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
