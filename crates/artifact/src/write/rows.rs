//! Appending rows to an artifact: context definitions where they are needed, and notes of what the rows are about.

use stepscope_reduce::record::{Record, Text};

use crate::context::{ContextIndex, Contexts, IdTaken};
use crate::identity::Identities;
use crate::row::Row;
use crate::write::json::{Form, ObjectWriter};

/// Rows go to the sink in pieces of at least so many bytes.
const PIECE: usize = 256 << 10;

/// Writes rows to a sink.
pub(crate) struct RowWriter<'s> {
    pub(crate) contexts: Contexts,
    pub(crate) identities: Identities,
    buffer: Vec<u8>,
    written: u64,
    sink: &'s mut dyn FnMut(&[u8]),
    event_id: Text,
}

impl<'s> RowWriter<'s> {
    pub(crate) fn new(contexts: Contexts, identities: Identities, sink: &'s mut dyn FnMut(&[u8])) -> Self {
        Self { contexts, identities, buffer: Vec::new(), written: 0, sink, event_id: Text::new() }
    }

    /// Bytes of all rows so far.
    pub(crate) fn written(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Writes bytes as they are.
    pub(crate) fn verbatim(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        self.flush_when_full();
    }

    /// The id of a context, whose definition is written unless the file has it.
    ///
    /// # Errors
    /// The id is taken.
    pub(crate) fn context_id(&mut self, index: ContextIndex) -> Result<Text, IdTaken> {
        let (id, is_new) = self.contexts.id_for(index)?;
        if is_new {
            self.contexts.get(index).write_definition(&id, &mut self.buffer);
            self.buffer.push(b'\n');
        }
        Ok(id)
    }

    /// Writes a reduced record.
    #[inline]
    pub(crate) fn record(&mut self, context: ContextIndex, context_id: &[u8], record: &Record<'_>) {
        self.identities.add_record(self.contexts.get(context), record, &mut self.event_id);
        record_row(context_id, record, &mut self.buffer);
        self.buffer.push(b'\n');
        self.flush_when_full();
    }

    /// Writes a row that is ready; it must be one of a context this file defines.
    pub(crate) fn row(&mut self, text: &[u8]) {
        if let Ok(Row::Record(row)) = Row::parse(text, &mut self.contexts) {
            self.identities.add_row(self.contexts.get(row.context), &row);
        }
        self.buffer.extend_from_slice(text);
        self.buffer.push(b'\n');
        self.flush_when_full();
    }

    #[inline]
    fn flush_when_full(&mut self) {
        if self.buffer.len() >= PIECE {
            self.flush();
        }
    }

    fn flush(&mut self) {
        (self.sink)(&self.buffer);
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
    }

    /// Hands over what is left.
    pub(crate) fn finish(&mut self) {
        if !self.buffer.is_empty() {
            self.flush();
        }
    }
}

/// Appends the row of a reduced record, without its line's end.
#[inline]
pub(crate) fn record_row(context_id: &[u8], record: &Record<'_>, out: &mut Vec<u8>) {
    let mut writer = ObjectWriter::new(out, Form::Spaced, context_id);
    record.fields(&mut writer);
    writer.end();
}
