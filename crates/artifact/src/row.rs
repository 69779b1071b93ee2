//! What one line says (`artifact.md` §2, §4).

use std::borrow::Cow;

use stepscope_epoch_log::json::{Fault, Scalar};
use stepscope_reduce::RefBuf;

use crate::context::{Context, ContextIndex, Contexts};
use crate::object::{Object, RefText, Whole, scalar, string, text};
use crate::schema::{self, Invalid, RecordType};

/// A line of an artifact, understood.
#[derive(Clone, Debug)]
pub enum Row<'a> {
    /// What the client recorded, in its own words (version 1).
    Client(ClientRow<'a>),
    /// A context and the id it is referred to by (version 4).
    Definition(ContextIndex),
    /// A canonical record (version 2, 3 or 4).
    Record(RecordRow<'a>),
}

/// A row of version 1; none of its fields is checked.
#[derive(Clone, Debug)]
pub struct ClientRow<'a> {
    /// Begins with `infer.`; may be the name of a canonical type without having its meaning (V3).
    pub event_type: Cow<'a, [u8]>,
    /// All fields.
    pub fields: Object<'a>,
}

/// A canonical record that keeps the rules of its type (§5).
#[derive(Clone, Debug)]
pub struct RecordRow<'a> {
    /// Its type.
    pub kind: RecordType,
    /// Its context.
    pub context: ContextIndex,
    /// All fields, as they stand in the row.
    pub fields: Object<'a>,
}

impl<'a> RecordRow<'a> {
    /// The `event_id`.
    pub fn event_id(&self) -> Cow<'a, [u8]> {
        self.fields.text("event_id").unwrap_or_default()
    }

    /// A reference field that is not null.
    pub fn reference(&self, name: &str) -> Option<RefBuf> {
        self.ref_text(name).map(|reference| reference.as_ref().into())
    }

    pub(crate) fn ref_text(&self, name: &str) -> Option<RefText<'a>> {
        schema::present(&self.fields, name).and_then(RefText::parse)
    }

    /// The metadata; empty when absent.
    pub fn metadata(&self) -> Object<'a> {
        self.fields.object("metadata")
    }
}

/// Why a line is no row.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// It is no JSON.
    #[error("{0}")]
    Json(Fault),
    /// It is JSON but no object.
    #[error("record must be an object")]
    NotObject,
    /// V1, V2, V4, or a field of a record with its context embedded (§5).
    #[error("{0}")]
    Record(Invalid),
    /// A definition or a record with a context reference breaks a rule of §4, or of §5.
    #[error("{0}")]
    Transport(Invalid),
    /// A context id that no definition before it names (C2).
    #[error("unknown context id {0}")]
    UnknownContext(String),
    /// A second definition of an id says something else (C2).
    #[error("context id {0} is defined twice with different contexts")]
    DefinedOtherwise(String),
}

impl RowFault {
    /// Whether an analysis, too, stops at such a line (§11).
    pub fn stops_analysis(&self) -> bool {
        !matches!(self, Self::Record(_))
    }
}

fn shown(id: &[u8]) -> String {
    String::from_utf8_lossy(id).into_owned()
}

impl<'a> Row<'a> {
    /// Understands a line. Definitions are added to `contexts`.
    ///
    /// # Errors
    /// Why a strict reader refuses it (§11).
    pub fn parse(line: &'a [u8], contexts: &mut Contexts) -> Result<Self, RowFault> {
        let fields = Object::parse(line).map_err(RowFault::Json)?.ok_or(RowFault::NotObject)?;
        Self::of(fields, contexts)
    }

    fn of(fields: Object<'a>, contexts: &mut Contexts) -> Result<Self, RowFault> {
        let version = fields.get("schema_version");
        let event_type = fields.get("event_type").and_then(string);
        let is_definition = event_type.as_deref() == Some(b"infer.context");
        let is_four = version.is_some_and(|json| scalar(json) == Scalar::Int(4));
        if is_definition || is_four || fields.get("context_id").is_some() {
            if !is_four {
                let rule = "must be 4 for a context definition or a record with a context id";
                return Err(RowFault::Transport(Invalid::new("schema_version", rule)));
            }
            return match event_type {
                Some(_) if is_definition => define(&fields, contexts).map(Row::Definition),
                event_type => referred(fields, event_type.as_deref(), contexts).map(Row::Record),
            };
        }
        embedded(fields, version, event_type, contexts).map_err(RowFault::Record)
    }
}

/// A row without context transport.
fn embedded<'a>(
    fields: Object<'a>,
    version: Option<&[u8]>,
    event_type: Option<Cow<'a, [u8]>>,
    contexts: &mut Contexts,
) -> Result<Row<'a>, Invalid> {
    let version = match version.map(|json| (scalar(json), Whole::of(json))) {
        None => 1,
        Some((Scalar::Int(version @ 1..=3), _)) => version,
        Some((_, Some(_))) => return Err(Invalid::new("schema_version", "is not a known one")),
        Some((_, None)) => return Err(Invalid::new("schema_version", "must be an integer")),
    };
    let Some(event_type) = event_type.filter(|name| name.starts_with(b"infer.")) else {
        return Err(Invalid::new("event_type", "must name an inference event"));
    };
    if version == 1 {
        return Ok(Row::Client(ClientRow { event_type, fields }));
    }
    let Some(kind) = RecordType::named(&event_type) else {
        return Err(Invalid::new("event_type", "names no canonical record"));
    };
    let context = fields.get("context").ok_or(Invalid::new("context", "is missing"))?;
    let context = contexts.embedded(context)?;
    schema::check_record(kind, &fields)?;
    if (version == 3) != has_intervals(kind, &fields) {
        return Err(Invalid::new(
            "schema_version",
            "3 and metadata.intervals of an activity imply each other",
        ));
    }
    Ok(Row::Record(RecordRow { kind, context, fields }))
}

/// Whether the record is of version 3 when its context is embedded.
pub(crate) fn has_intervals(kind: RecordType, fields: &Object<'_>) -> bool {
    kind == RecordType::ActivityRef && fields.object("metadata").get("intervals").is_some()
}

/// A context definition (C1, C2).
fn define(fields: &Object<'_>, contexts: &mut Contexts) -> Result<ContextIndex, RowFault> {
    let (Some(id), Some(context), 4) =
        (fields.get("context_id").and_then(text), fields.get("context"), fields.len())
    else {
        let rule = "must be in a definition with schema_version, event_type and context, and nothing else";
        return Err(RowFault::Transport(Invalid::new("context_id", rule)));
    };
    let Ok(Some(context)) = Object::parse(context) else {
        return Err(RowFault::Transport(Invalid::new("context", "must be an object")));
    };
    let context = Context::parse(&context).map_err(RowFault::Transport)?;
    contexts.define(&id, context).map_err(|_| RowFault::DefinedOtherwise(shown(&id)))
}

/// A record with a context reference (C3, C4).
fn referred<'a>(
    fields: Object<'a>,
    event_type: Option<&[u8]>,
    contexts: &Contexts,
) -> Result<RecordRow<'a>, RowFault> {
    let wrong = |field: &'static str, what| Err(RowFault::Transport(Invalid::new(field, what)));
    if fields.get("context").is_some() {
        return wrong("context", "must not be in a record with a context id");
    }
    let Some(id) = fields.get("context_id").and_then(text) else {
        return wrong("context_id", "must be a non-empty string");
    };
    let context = contexts.defined(&id).ok_or_else(|| RowFault::UnknownContext(shown(&id)))?;
    let Some(kind) = event_type.and_then(RecordType::named) else {
        return wrong("event_type", "names no canonical record");
    };
    schema::check_record(kind, &fields).map_err(RowFault::Transport)?;
    Ok(RecordRow { kind, context, fields })
}
