//! A folder on disk.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use stepscope_epoch_log::source::{EntryKind, ReadFailure, Source};

/// Files below a folder.
pub(crate) struct Disk {
    root: PathBuf,
}

/// Small enough to stay in the processor's cache while it is parsed.
const CHUNK: usize = 256 << 10;

impl Disk {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }
}

impl Source for Disk {
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String> {
        let entries = fs::read_dir(self.root.join(directory)).map_err(|error| error.to_string())?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| error.to_string())?;
            // Links are followed; one that leads nowhere, or round and round, is neither (reading.md D-2).
            let kind = match fs::metadata(entry.path()) {
                Ok(metadata) if metadata.is_dir() => EntryKind::Directory,
                Ok(metadata) if metadata.is_file() => EntryKind::File,
                _ => EntryKind::Other,
            };
            names.push((entry.file_name().to_string_lossy().into_owned(), kind));
        }
        Ok(names)
    }

    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure> {
        let failure = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => ReadFailure::Gone(error.to_string()),
            _ => ReadFailure::Other(error.to_string()),
        };
        let mut file = fs::File::open(self.root.join(path)).map_err(failure)?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match file.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(len) => take(&chunk[..len]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failure(error)),
            }
        }
    }
}
