//! A tar archive taken apart as its bytes come.

use js_sys::{Object, Uint8Array};
use stepscope_epoch_log::tar;
use wasm_bindgen::prelude::*;

use crate::object::set;

/// Hands out the files of a tar archive in pieces, so that it is never held whole.
#[wasm_bindgen]
#[derive(Default)]
pub struct TarReader {
    reader: tar::TarReader,
}

#[wasm_bindgen]
impl TarReader {
    /// A reader at the start of an archive.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the archive; then ask for pieces until there is none.
    pub fn push(&mut self, chunk: &[u8]) {
        self.reader.push(chunk);
    }

    /// The next piece of a regular file, `{path, size, bytes, done}`; undefined when more bytes are needed or the
    /// archive has ended.
    ///
    /// # Errors
    /// When the bytes are no tar archive; nothing more is to be had then.
    #[wasm_bindgen(js_name = nextPiece)]
    pub fn next_piece(&mut self) -> Result<JsValue, JsError> {
        let piece = self.reader.next_piece().map_err(|not_tar| {
            JsError::new(&format!("{not_tar}. Unpack the archive and drop the folder instead."))
        })?;
        let Some(piece) = piece else { return Ok(JsValue::UNDEFINED) };
        let object = Object::new();
        set(&object, "path", piece.path)?;
        set(&object, "size", piece.size as f64)?;
        set(&object, "bytes", Uint8Array::from(piece.bytes.as_slice()))?;
        set(&object, "done", piece.done)?;
        Ok(object.into())
    }

    /// Whether the archive was read to its end mark, or stands between two files.
    #[wasm_bindgen(js_name = isComplete)]
    pub fn is_complete(&self) -> bool {
        self.reader.is_complete()
    }
}
