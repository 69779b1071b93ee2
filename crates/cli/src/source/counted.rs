//! A source that reports how many bytes were read.

use stepscope_epoch_log::source::{EntryKind, ReadFailure, Source};

/// Hands everything through and counts.
pub(crate) struct Counted<'a> {
    source: &'a dyn Source,
    bar: indicatif::ProgressBar,
}

impl<'a> Counted<'a> {
    pub(crate) fn new(source: &'a dyn Source, bar: indicatif::ProgressBar) -> Self {
        Self { source, bar }
    }
}

impl Source for Counted<'_> {
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String> {
        self.source.list(directory)
    }

    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure> {
        self.source.read(path, &mut |chunk| {
            take(chunk);
            self.bar.inc(chunk.len() as u64);
        })
    }
}
