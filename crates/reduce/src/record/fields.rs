//! Walking a record field by field.

use super::values::{Raw, Ref};

/// Takes the fields of a record one after the other; names come in ascending order at every depth.
pub trait Fields {
    /// A scalar, or a value copied from the log.
    fn value(&mut self, name: &'static str, value: Raw<'_>);

    /// A text put together of parts (WTF-8); empty ones fill up.
    fn joined(&mut self, name: &'static str, parts: &[&[u8]]);

    /// A reference, or null.
    fn reference(&mut self, name: &'static str, reference: Option<Ref<'_>>);

    /// The place of the context: `context` and `context_id` stand at the same place among the names.
    fn context(&mut self);

    /// The place of `schema_version`, which depends on how the context is written.
    fn schema_version(&mut self);

    /// An object begins.
    fn open(&mut self, name: &'static str);

    /// The object opened last ends.
    fn close(&mut self);
}

/// Short forms for the records of this folder.
pub(super) trait FieldsExt: Fields {
    fn set<'a>(&mut self, name: &'static str, value: impl Into<Raw<'a>>) {
        self.value(name, value.into());
    }

    /// `event_id` and `event_type`, which are neighbours.
    fn event(&mut self, id: &[&[u8]], event_type: &'static str) {
        self.joined("event_id", id);
        self.set("event_type", event_type);
    }
}

impl<F: Fields> FieldsExt for F {}
