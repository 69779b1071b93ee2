//! The boundary between the page and the Rust crates: the only place that knows wasm-bindgen. Small structured answers
//! cross as objects, columns as typed arrays, a segment's columns as one block of bytes.
//!
//! Nothing here panics on any input; what cannot be done is an error that says what to do.

mod archive;
mod columns;
#[cfg(feature = "conformance")]
mod conformance;
mod segment;
mod session;
mod value;

use wasm_bindgen::prelude::*;

pub use archive::TarReader;
pub use segment::SegmentParser;
pub use session::Session;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

/// Once, when the module is loaded: a fault of the program is told in words before the module stops.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        console_error(&format!(
            "Stepscope has stopped on a fault of its own: {panic}. Reload the page to go on."
        ));
    }));
}

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
