//! Records with their context embedded, and records that refer to it (`artifact.md` §4).

use stepscope_epoch_log::json::Value;

use crate::context::{Contexts, IdTaken};
use crate::row::{RecordRow, Row, RowFault, has_intervals};
use crate::write::json::{self, Form};

/// Why a row cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// It is no row.
    #[error(transparent)]
    Row(#[from] RowFault),
    /// It is a context definition or refers to a context already (C5).
    #[error("the row is already of version 4")]
    Transport,
    /// The id for its context names another one (C7).
    #[error(transparent)]
    ContextId(#[from] IdTaken),
}

/// Writes rows with references to their contexts. A definition is written in front of the first row that needs it,
/// unless `contexts` has it from the file that is appended to (C6).
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    /// What the file defines.
    pub contexts: Contexts,
}

impl Encoder {
    /// Appends a row and what must stand in front of it, each with its line's end. A client row is copied as it is.
    ///
    /// # Errors
    /// Why it cannot be encoded; nothing is then appended.
    pub fn encode(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
        // Definitions of the input are not the output's: they must not get into the registry.
        let mut contexts = Contexts::default();
        match Row::parse(line, &mut contexts) {
            Ok(Row::Client(_)) => out.extend_from_slice(line),
            Ok(Row::Record(row)) if row.fields.get("context").is_some() => {
                let index = self.contexts.intern(contexts.get(row.context).clone());
                let (id, is_new) = self.contexts.id_for(index)?;
                if is_new {
                    self.contexts.get(index).write_definition(&id, out);
                    out.push(b'\n');
                }
                write(&row, "context_id", Value::String(id), 4, out);
            }
            Ok(_) | Err(RowFault::UnknownContext(_)) => return Err(EncodeError::Transport),
            Err(fault) => return Err(fault.into()),
        }
        out.push(b'\n');
        Ok(())
    }
}

/// Appends a record with its context embedded, in the form of the writer, without its line's end (C4). The version is
/// 3 for an activity with intervals, else 2.
pub fn decode(row: &RecordRow<'_>, contexts: &Contexts, out: &mut Vec<u8>) {
    let version = if has_intervals(row.kind, &row.fields) { 3 } else { 2 };
    write(row, "context", contexts.get(row.context).to_value(), version, out);
}

fn write(row: &RecordRow<'_>, context_name: &str, context: Value, version: i64, out: &mut Vec<u8>) {
    let Value::Object(mut fields) = row.fields.to_value() else { return };
    fields.retain(|(name, _)| !matches!(&name[..], b"context" | b"context_id" | b"schema_version"));
    fields.push((context_name.as_bytes().to_vec(), context));
    fields.push((b"schema_version".to_vec(), version.into()));
    json::value(&Value::Object(fields), Form::Spaced, out);
}
