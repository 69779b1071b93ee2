//! A file system under a process that is killed.

use std::io;
use std::path::Path;

use stepscope_recorder::FileSystem;
use stepscope_recorder::files::{Entry, FileId, OpenMode};

/// Passes all calls on until the process dies; then none has any effect.
#[derive(Debug)]
pub(crate) struct Dying<F> {
    files: F,
    dies_next: bool,
    dead: bool,
}

impl<F> Dying<F> {
    pub(crate) fn new(files: F) -> Self {
        Self { files, dies_next: false, dead: false }
    }

    /// The next write brings half of its bytes out and is the last thing that happens.
    pub(crate) fn die_within_the_next_write(&mut self) {
        self.dies_next = true;
    }

    fn alive(&mut self) -> io::Result<&mut F> {
        if self.dead { Err(io::Error::other("the process is dead")) } else { Ok(&mut self.files) }
    }
}

impl<F: FileSystem> FileSystem for Dying<F> {
    fn create_dir_all(&mut self, path: &Path) -> io::Result<()> {
        self.alive()?.create_dir_all(path)
    }

    fn create_dir(&mut self, path: &Path) -> io::Result<()> {
        self.alive()?.create_dir(path)
    }

    fn open(&mut self, path: &Path, mode: OpenMode) -> io::Result<(FileId, u64)> {
        self.alive()?.open(path, mode)
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> io::Result<usize> {
        if self.dies_next && !self.dead {
            self.files.write(file, &bytes[..bytes.len() / 2])?;
            self.dead = true;
        }
        self.alive()?.write(file, bytes)
    }

    fn length(&mut self, file: FileId) -> io::Result<u64> {
        self.alive()?.length(file)
    }

    fn truncate(&mut self, file: FileId, length: u64) -> io::Result<()> {
        self.alive()?.truncate(file, length)
    }

    fn close(&mut self, file: FileId) -> io::Result<()> {
        self.alive()?.close(file)
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.alive()?.rename(from, to)
    }

    fn exists(&mut self, path: &Path) -> bool {
        self.alive().is_ok_and(|files| files.exists(path))
    }

    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        self.alive()?.remove_file(path)
    }

    fn remove_dir_all(&mut self, path: &Path) -> io::Result<()> {
        self.alive()?.remove_dir_all(path)
    }

    fn list(&mut self, path: &Path) -> io::Result<Vec<Entry>> {
        self.alive()?.list(path)
    }
}
