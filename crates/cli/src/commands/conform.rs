//! `stepscope conform`: one case.

use std::path::Path;

use crate::source::Disk;

/// Answers the case of a folder, or the recorder case of a file.
///
/// # Errors
/// In words: it is no case.
pub(crate) fn answer(case: &Path) -> Result<String, String> {
    if case.is_dir() {
        return stepscope_conform::conform(&Disk::new(case));
    }
    let text = std::fs::read_to_string(case).map_err(|error| error.to_string())?;
    stepscope_recorder::conform(&text).map_err(|error| error.to_string())
}
