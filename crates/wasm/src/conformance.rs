//! The conformance cases through the wasm build.

use stepscope_epoch_log::source::Files;
use wasm_bindgen::prelude::*;

/// Files of a case by path; a path that ends in `/` is an empty folder.
#[wasm_bindgen]
#[derive(Default)]
pub struct ConformanceCase {
    files: Files,
}

#[wasm_bindgen]
impl ConformanceCase {
    /// A case without files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.files.by_path.insert(path, bytes);
    }

    /// The members of the case's `expected.json` as this program finds them, JSON.
    ///
    /// # Errors
    /// In words: the files are no case.
    pub fn answer(&self) -> Result<String, JsError> {
        stepscope_conform::conform(&self.files).map_err(|why| JsError::new(&why))
    }
}
