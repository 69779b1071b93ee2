//! Contexts (`artifact.md` §3) and the ids they are referred to by (§4).

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use stepscope_epoch_log::json::Value;
use stepscope_reduce::record::Text;

use crate::object::Object;
use crate::schema::{self, Invalid};
use crate::write::json::{self, Form, ObjectWriter};

/// Who recorded something, with which clock. Equal when all 19 fields are, absent ones counting as null (C2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Context {
    /// All 19 fields as the text under the id's hash (C7).
    canonical: Box<[u8]>,
    /// The run.
    pub run_id: Text,
    /// The session.
    pub session_id: Text,
    /// Names the events.
    pub producer_id: Text,
    /// What program recorded them.
    pub source: Text,
    /// The clock of the times.
    pub clock_domain: Text,
}

impl Context {
    /// The context of a JSON object that was checked to be one.
    ///
    /// # Errors
    /// What is wrong with its fields (§3).
    pub fn parse(object: &Object<'_>) -> Result<Self, Invalid> {
        schema::check_context(object)?;
        Ok(Self::of_value(&object.to_value()))
    }

    /// The context of fields that are known to be good; absent ones are null.
    pub(crate) fn of_value(value: &Value) -> Self {
        let fields = schema::CONTEXT.iter().map(|field| {
            (field.name.as_bytes().to_vec(), value.get(field.name).cloned().unwrap_or(Value::Null))
        });
        let mut canonical = Vec::with_capacity(512);
        json::value(&Value::Object(fields.collect()), Form::Compact, &mut canonical);
        Self::of_canonical(canonical)
    }

    /// The context of reduced records.
    pub fn of_records(context: &stepscope_reduce::Context) -> Self {
        let mut canonical = Vec::with_capacity(512);
        let mut writer = ObjectWriter::new(&mut canonical, Form::Compact, b"");
        context.fields(&mut writer);
        writer.end();
        Self::of_canonical(canonical)
    }

    fn of_canonical(canonical: Vec<u8>) -> Self {
        let object = Object::of(&canonical);
        let field = |name| object.text(name).unwrap_or_default().into_owned();
        Self {
            run_id: field("run_id"),
            session_id: field("session_id"),
            producer_id: field("producer_id"),
            source: field("source"),
            clock_domain: field("clock_domain"),
            canonical: canonical.into(),
        }
    }

    /// The id a writer chooses: `ctx-` and 16 hexadecimal digits of SHA-256 (C7).
    pub fn id(&self) -> String {
        let digest = Sha256::digest(&self.canonical);
        digest[..8].iter().fold(String::from("ctx-"), |id, byte| id + &format!("{byte:02x}"))
    }

    /// All 19 fields.
    pub fn to_value(&self) -> Value {
        crate::object::value(&self.canonical)
    }

    /// Appends the definition row, without its line's end.
    pub fn write_definition(&self, id: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"context\": ");
        json::value(&self.to_value(), Form::Spaced, out);
        out.extend_from_slice(b", \"context_id\": ");
        json::string(id, out);
        out.extend_from_slice(b", \"event_type\": \"infer.context\", \"schema_version\": 4}");
    }
}

/// Index of a context in [`Contexts`].
pub type ContextIndex = u32;

/// The chosen id already names another context (C7).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("context id {0} is already taken by another context")]
pub struct IdTaken(pub String);

/// The same id was defined with another context (C2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefinedOtherwise;

/// The distinct contexts of a file, and the ids defined for them.
#[derive(Clone, Debug, Default)]
pub struct Contexts {
    list: Vec<Context>,
    places: FxHashMap<Context, ContextIndex>,
    by_id: FxHashMap<Text, ContextIndex>,
    /// The first id defined for each context (C6).
    first_id: FxHashMap<ContextIndex, Text>,
    /// Embedded contexts by their text: rows of one writer repeat it byte for byte.
    by_text: FxHashMap<Box<[u8]>, ContextIndex>,
}

/// So many distinct texts of embedded contexts are remembered.
const TEXTS: usize = 4096;

impl Contexts {
    /// A context by its index.
    pub fn get(&self, index: ContextIndex) -> &Context {
        &self.list[index as usize]
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Context> {
        self.list.iter()
    }

    /// The index of a context, which is added when it is new.
    pub fn intern(&mut self, context: Context) -> ContextIndex {
        if let Some(&index) = self.places.get(&context) {
            return index;
        }
        let index = self.list.len() as ContextIndex;
        self.list.push(context.clone());
        self.places.insert(context, index);
        index
    }

    /// The index of an embedded context.
    ///
    /// # Errors
    /// What is wrong with it (§3).
    pub fn embedded(&mut self, json: &[u8]) -> Result<ContextIndex, Invalid> {
        if let Some(&index) = self.by_text.get(json) {
            return Ok(index);
        }
        let Ok(Some(object)) = Object::parse(json) else {
            return Err(Invalid::new("context", "must be an object"));
        };
        let index = Context::parse(&object).map(|context| self.intern(context))?;
        if self.by_text.len() < TEXTS {
            self.by_text.insert(json.into(), index);
        }
        Ok(index)
    }

    /// Takes a definition.
    ///
    /// # Errors
    /// The id is defined for another context.
    pub fn define(&mut self, id: &[u8], context: Context) -> Result<ContextIndex, DefinedOtherwise> {
        let index = self.intern(context);
        match self.by_id.get(id) {
            Some(&known) if known != index => return Err(DefinedOtherwise),
            Some(_) => {}
            None => {
                self.by_id.insert(id.to_vec(), index);
                self.first_id.entry(index).or_insert_with(|| id.to_vec());
            }
        }
        Ok(index)
    }

    /// What an id refers to.
    pub fn defined(&self, id: &[u8]) -> Option<ContextIndex> {
        self.by_id.get(id).copied()
    }

    /// The id new rows of a context use: the first one defined for it, else the chosen one, which is then defined;
    /// `true` says that its definition must be written (C5, C6).
    ///
    /// # Errors
    /// The chosen id names another context.
    pub fn id_for(&mut self, index: ContextIndex) -> Result<(Text, bool), IdTaken> {
        if let Some(id) = self.first_id.get(&index) {
            return Ok((id.clone(), false));
        }
        let id = self.get(index).id();
        if self.by_id.contains_key(id.as_bytes()) {
            return Err(IdTaken(id));
        }
        self.by_id.insert(id.clone().into_bytes(), index);
        self.first_id.insert(index, id.clone().into_bytes());
        Ok((id.into_bytes(), true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(rest: &str) -> Context {
        let json = format!(
            r#"{{"run_id":"run1","session_id":"sess1","producer_id":"viewer","source":"viewer","clock_domain":"h/b/unix_epoch_ns","clock_kind":"wall","collection_mode":"active","provenance":"observed"{rest}}}"#
        );
        Context::parse(&Object::of(json.as_bytes())).expect("a context")
    }

    /// `artifact.md` C7, the check values.
    #[test]
    fn ids_of_the_specification() {
        assert_eq!(context("").id(), "ctx-6937a1c49e5bb7e0");
        assert_eq!(context(r#","host":"hé😀""#).id(), "ctx-02956cdf6d17421a");
        assert_eq!(context(r#","host":"h\u00e9\ud83d\ude00","pid":null"#).id(), "ctx-02956cdf6d17421a");
    }

    #[test]
    fn contexts_are_equal_field_by_field() {
        let mut contexts = Contexts::default();
        let first = contexts.intern(context(""));
        assert_eq!(contexts.intern(context(r#","pid":null"#)), first);
        assert_ne!(contexts.intern(context(r#","pid":0"#)), first);
        assert_eq!(contexts.define(b"a", context("")), Ok(first));
        assert_eq!(contexts.define(b"b", context("")), Ok(first));
        assert_eq!(contexts.define(b"a", context(r#","pid":0"#)), Err(DefinedOtherwise));
        assert_eq!(contexts.id_for(first), Ok((b"a".to_vec(), false)));
    }
}
