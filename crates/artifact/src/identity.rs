//! Which records say something about the same thing (`artifact.md` §6), and whether they agree.
//!
//! A first walk notes a hash for the event and the entity of every record. Only where a hash comes again is there
//! anything to compare; a second walk then does so exactly, for those records alone. So a file of any size costs
//! sixteen bytes a record.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use stepscope_epoch_log::json::Value;
use stepscope_reduce::record::{Record, Ref, Text};

use crate::context::{Context, Contexts};
use crate::object::{RefText, Whole, value};
use crate::refusal::Refusal;
use crate::row::RecordRow;
use crate::schema::{RecordType, present};

/// A text that two records share exactly when they are about the same thing.
#[derive(Default)]
struct Key(Vec<u8>);

impl Key {
    fn of(tag: u8) -> Self {
        let mut key = Vec::with_capacity(192);
        key.push(tag);
        Self(key)
    }

    fn part(mut self, text: &[u8]) -> Self {
        self.0.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.0.extend_from_slice(text);
        self
    }

    fn reference(self, reference: Option<Ref<'_>>) -> Self {
        match reference {
            Some(Ref { producer_id, id }) => self.part(b"ref").part(producer_id).part(id),
            None => self.part(b"null"),
        }
    }

    fn number(self, value: Option<i64>) -> Self {
        match value {
            Some(value) => self.part(itoa::Buffer::new().format(value).as_bytes()),
            None => self.part(b"null"),
        }
    }

    fn whole(self, value: Option<Whole<'_>>) -> Self {
        match value {
            Some(Whole::Big(digits)) => self.part(digits),
            Some(Whole::Fits(value)) => self.number(Some(value)),
            None => self.number(None),
        }
    }

    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(&self.0);
        hasher.finish()
    }
}

/// G2: session, producer, event id.
fn event_key(context: &Context, event_id: &[u8]) -> Key {
    Key::of(b'e').part(&context.session_id).part(&context.producer_id).part(event_id)
}

fn entity_tag(kind: RecordType) -> Key {
    Key::of(kind as u8)
}

/// G3, of a row. Types without an entity have none.
fn entity_key(context: &Context, row: &RecordRow<'_>) -> Option<Key> {
    let key = entity_tag(row.kind);
    let refs = |key: Key, names: &[&str]| {
        names.iter().fold(key, |key, name| key.reference(row.ref_text(name).as_ref().map(RefText::as_ref)))
    };
    let text = |name| row.fields.text(name).unwrap_or_default();
    let whole = |name| row.fields.get(name).and_then(Whole::of);
    Some(match row.kind {
        RecordType::Artifact | RecordType::Capabilities => return None,
        RecordType::Request => refs(key, &["request_ref", "attempt_ref"]),
        RecordType::Iteration => refs(key, &["iteration_ref"]),
        RecordType::Stage => refs(key, &["stage_ref"]),
        RecordType::ActivityRef => refs(key, &["activity_ref"]),
        RecordType::Membership => {
            refs(key, &["request_ref", "attempt_ref", "iteration_ref"]).part(&text("role"))
        }
        RecordType::ClockAlignment => key
            .part(&context.session_id)
            .part(&context.producer_id)
            .part(&text("from_clock_domain"))
            .part(&text("to_clock_domain"))
            .whole(whole("offset_ns"))
            .whole(whole("uncertainty_ns"))
            .whole(whole("valid_from_ns"))
            .whole(whole("valid_to_ns")),
    })
}

/// A text that two rows share exactly when they are about the same entity.
pub(crate) fn entity_of(context: &Context, row: &RecordRow<'_>) -> Option<Vec<u8>> {
    entity_key(context, row).map(|key| key.0)
}

/// G3, of a reduced record: the same key its row has.
fn entity_key_of_record(context: &Context, record: &Record<'_>) -> Key {
    match record {
        Record::Request(record) => entity_tag(RecordType::Request)
            .reference(Some(record.request_ref))
            .reference(Some(record.attempt_ref)),
        Record::Iteration(record) => entity_tag(RecordType::Iteration).reference(Some(record.iteration_ref)),
        Record::Stage(record) => entity_tag(RecordType::Stage).reference(Some(record.stage_ref)),
        Record::Membership(record) => entity_tag(RecordType::Membership)
            .reference(Some(record.request_ref))
            .reference(Some(record.attempt_ref))
            .reference(Some(record.iteration_ref))
            .part(record.role.name().as_bytes()),
        Record::ClockAlignment(record) => entity_tag(RecordType::ClockAlignment)
            .part(&context.session_id)
            .part(&context.producer_id)
            .part(record.from_clock_domain)
            .part(record.to_clock_domain)
            .number(Some(record.offset_ns))
            .number(Some(record.uncertainty_ns))
            .number(Some(record.valid_from_ns))
            .number(record.valid_to_ns),
    }
}

/// The first walk.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    seen: FxHashSet<u64>,
    again: FxHashSet<u64>,
}

impl Identities {
    /// Notes a row.
    pub fn add_row(&mut self, context: &Context, row: &RecordRow<'_>) {
        self.note(event_key(context, &row.event_id()).hash());
        if let Some(key) = entity_key(context, row) {
            self.note(key.hash());
        }
    }

    /// Notes a reduced record; `buffer` is for its event id.
    pub(crate) fn add_record(&mut self, context: &Context, record: &Record<'_>, buffer: &mut Text) {
        buffer.clear();
        record.event_id(buffer);
        self.note(event_key(context, buffer).hash());
        self.note(entity_key_of_record(context, record).hash());
    }

    fn note(&mut self, hash: u64) {
        if !self.seen.insert(hash) {
            self.again.insert(hash);
        }
    }

    /// The second walk, when there is anything to compare.
    pub fn doubtful(&self) -> Option<Agreement<'_>> {
        (!self.again.is_empty()).then(|| Agreement {
            again: &self.again,
            events: <_>::default(),
            entities: <_>::default(),
        })
    }
}

/// What a record says, for comparing.
#[derive(PartialEq)]
struct Content {
    /// All fields but the event id, by value.
    fields: String,
    event_id: Text,
}

/// The second walk: compares the records whose hash came again.
pub struct Agreement<'h> {
    again: &'h FxHashSet<u64>,
    events: FxHashMap<Vec<u8>, Content>,
    entities: FxHashMap<Vec<u8>, Content>,
}

impl Agreement<'_> {
    /// Whether a reduced record is one of those to compare.
    pub(crate) fn concerns(&self, context: &Context, record: &Record<'_>) -> bool {
        let mut event_id = Text::new();
        record.event_id(&mut event_id);
        self.again.contains(&event_key(context, &event_id).hash())
            || self.again.contains(&entity_key_of_record(context, record).hash())
    }

    /// Compares a row with those before it.
    ///
    /// # Errors
    /// G2 or G3 does not hold.
    pub fn row(&mut self, contexts: &Contexts, row: &RecordRow<'_>) -> Result<(), Refusal> {
        let context = contexts.get(row.context);
        let shown = |id: &[u8]| String::from_utf8_lossy(id).into_owned();
        let event = event_key(context, &row.event_id());
        if self.again.contains(&event.hash()) {
            let content = content(context, row);
            match self.events.get(&event.0) {
                Some(known) if *known != content => {
                    return Err(Refusal::ConflictingEvents { event_id: shown(&content.event_id) });
                }
                Some(_) => {}
                None => {
                    self.events.insert(event.0, content);
                }
            }
        }
        let Some(entity) = entity_key(context, row).filter(|key| self.again.contains(&key.hash())) else {
            return Ok(());
        };
        let content = content(context, row);
        match self.entities.get(&entity.0) {
            Some(known) if known.fields != content.fields => Err(Refusal::ConflictingEntities {
                kind: row.kind.name(),
                first: shown(&known.event_id),
                second: shown(&content.event_id),
            }),
            Some(_) => Ok(()),
            None => {
                self.entities.insert(entity.0, content);
                Ok(())
            }
        }
    }
}

fn content(context: &Context, row: &RecordRow<'_>) -> Content {
    let own = row.kind.fields().map(|(name, default)| {
        let json = present(&row.fields, name).unwrap_or(default);
        (name.as_bytes().to_vec(), value(json))
    });
    let mut fields: Vec<(Vec<u8>, Value)> = own.collect();
    fields.push((b"context".to_vec(), context.to_value()));
    fields.push((b"metadata".to_vec(), value(row.fields.get("metadata").unwrap_or(b"{}"))));
    Content { fields: Value::Object(fields).canonical(), event_id: row.event_id().into_owned() }
}
