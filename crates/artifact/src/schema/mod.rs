//! What the fields of contexts, canonical records and envelopes must be (`artifact.md` §3, §5, §13).

mod record;
mod record_type;

use std::borrow::Cow;

use stepscope_epoch_log::json::Scalar;

use crate::object::{Object, RefText, Whole, items, scalar, text};

pub(crate) use record::check_record;
pub use record_type::RecordType;

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

/// A field that is there and not null.
pub(crate) fn present<'a>(object: &Object<'a>, name: &str) -> Option<&'a [u8]> {
    object.get(name).filter(|json| !is_null(json))
}

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
    if RefText::parse(json).is_none() {
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
