//! Artifacts as input: which paths are one, and their bytes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use stepscope_epoch_log::manifest::segment_name;

/// Whether a path names an artifact and not a log: a file `.jsonl` or `.jsonl.gz` that is not named as a segment is.
pub(crate) fn is_artifact(path: &Path) -> bool {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
    let bare = name.strip_suffix(".gz").unwrap_or(&name);
    bare.ends_with(".jsonl") && segment_name(bare).is_none() && path.is_file()
}

/// The bytes of an artifact, unpacked.
///
/// # Errors
/// In words: it cannot be read.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let in_words = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut file = File::open(path).map_err(in_words)?;
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
        MultiGzDecoder::new(file).read_to_end(&mut bytes).map_err(in_words)?;
    } else {
        file.read_to_end(&mut bytes).map_err(in_words)?;
    }
    Ok(bytes)
}
