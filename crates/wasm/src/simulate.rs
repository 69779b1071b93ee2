//! Sample epochs by the simulated engine, in memory.

use js_sys::{Array, Object, Uint8Array};
use stepscope_recorder::MemoryFiles;
use stepscope_simulate::Options;
use wasm_bindgen::prelude::*;

use crate::object::set;

/// What can be generated: of each its name, a sentence on what happens in it, and whether seconds, rate and size can
/// be chosen.
///
/// # Errors
/// None that a browser gives cause for.
#[wasm_bindgen(unchecked_return_type = "{ name: string, about: string, adjustable: boolean }[]")]
pub fn presets() -> Result<Array, JsError> {
    stepscope_simulate::presets()
        .iter()
        .map(|preset| {
            let object = Object::new();
            set(&object, "name", preset.name)?;
            set(&object, "about", preset.about)?;
            set(&object, "adjustable", preset.is_adjustable)?;
            Ok(object)
        })
        .collect()
}

/// The files of an epoch: what `stepscope simulate` writes for the same preset and seed, to the byte. `seconds` of
/// arrivals, `rate` in requests per second and `size` in bytes are for adjustable presets.
///
/// # Errors
/// In words: there is no such preset, or it cannot be adjusted like this.
#[wasm_bindgen(unchecked_return_type = "{ path: string, bytes: Uint8Array<ArrayBuffer> }[]")]
pub fn generate(
    preset: &str,
    seed: u64,
    seconds: Option<f64>,
    rate: Option<f64>,
    size: Option<f64>,
) -> Result<Array, JsError> {
    let size_bytes = size.map(|bytes| bytes as u64);
    let options = Options { seed, seconds, rate, size_bytes, ..Options::default() };
    let mut files = MemoryFiles::new();
    stepscope_simulate::generate(preset, &options, &mut files)?;
    files
        .into_files()
        .into_iter()
        .map(|(path, bytes)| {
            let object = Object::new();
            set(&object, "path", path.to_string_lossy().as_ref())?;
            set(&object, "bytes", Uint8Array::from(bytes.as_slice()))?;
            Ok(object)
        })
        .collect()
}
