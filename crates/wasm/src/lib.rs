//! The boundary between the page and the Rust crates: the only place that knows wasm-bindgen. Small structured answers
//! cross as objects, columns as typed arrays, a segment's columns as one block of bytes.
//!
//! Three modules are built of it: with the feature `page` what reads logs, with `reduce` what reduces them to
//! artifacts, with `simulate` what makes sample epochs.
//!
//! Nothing here panics on any input; what cannot be done is an error that says what to do.

#[cfg(feature = "conformance")]
mod conformance;
#[cfg(any(feature = "page", feature = "simulate"))]
mod object;
#[cfg(feature = "page")]
mod page;
#[cfg(any(feature = "page", feature = "reduce"))]
mod parts;
#[cfg(feature = "reduce")]
mod reduce;
#[cfg(feature = "simulate")]
mod simulate;
#[cfg(any(feature = "page", feature = "reduce"))]
mod value;

use wasm_bindgen::prelude::*;

#[cfg(feature = "page")]
pub use page::{SegmentParser, Session, TarReader, manifest};
#[cfg(feature = "reduce")]
pub use reduce::{Reducer, own};
#[cfg(feature = "simulate")]
pub use simulate::{generate, presets};

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
