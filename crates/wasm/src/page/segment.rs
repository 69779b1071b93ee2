//! A segment file into a block of columns, in a worker that knows nothing of the others.

use wasm_bindgen::prelude::*;

/// Reads one segment in chunks of any size.
#[wasm_bindgen]
pub struct SegmentParser {
    parser: stepscope_epoch_log::SegmentParser,
}

#[wasm_bindgen]
impl SegmentParser {
    /// A parser of the file `file` (its bare name) in the directory of the epoch `epoch`; an empty `epoch` takes the
    /// name from the first good line.
    #[wasm_bindgen(constructor)]
    pub fn new(file: &str, epoch: &str) -> Self {
        Self { parser: stepscope_epoch_log::SegmentParser::new(file, epoch) }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, chunk: &[u8]) {
        self.parser.push(chunk);
    }

    /// The file has ended: its block, for `Session.addBlock`. The parser is used up.
    pub fn finish(self) -> Vec<u8> {
        self.parser.finish().encode()
    }
}
