//! Writes the epoch of a preset into a folder.
//!
//! ```text
//! cargo run -p stepscope-simulate --example write -- PRESET FOLDER [SEED [SIZE_BYTES]]
//! ```

use std::io::Write;

use stepscope_recorder::files::Disk;
use stepscope_simulate::{Options, generate, presets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout();
    let [preset, folder, rest @ ..] = arguments.as_slice() else {
        for preset in presets() {
            writeln!(out, "{:17} {}", preset.name, preset.about)?;
        }
        return Ok(());
    };
    let seed = rest.first().map_or(Ok(1), |seed| seed.parse())?;
    let size_bytes = rest.get(1).map(|size| size.parse()).transpose()?;
    let options = Options { root: folder.into(), seed, size_bytes, ..Options::default() };
    let summary = generate(preset, &options, &mut Disk::default())?;
    writeln!(out, "{summary:?}")?;
    Ok(())
}
