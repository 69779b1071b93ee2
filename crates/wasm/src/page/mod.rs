//! What the page reads logs with: the session and the readers of files that feed it.

mod archive;
mod columns;
mod segment;
mod session;

use wasm_bindgen::prelude::*;

pub use archive::TarReader;
pub use segment::SegmentParser;
pub use session::Session;

use crate::value;

/// What was dropped, from paths and sizes alone: `manifest([{path, size}, …])`.
///
/// # Errors
/// When the listing is no list of paths and sizes.
#[wasm_bindgen]
pub fn manifest(entries: JsValue) -> Result<JsValue, JsError> {
    let files: Vec<stepscope_epoch_log::manifest::Listed> =
        value::read(entries, "the listing is no list of {path, size}")?;
    value::object(&stepscope_epoch_log::manifest::manifest(&files))
}
