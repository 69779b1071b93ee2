//! The file system an epoch is written to, injected so that full disks, vanished directories and a death at any
//! call can be played through.

#[cfg(not(target_arch = "wasm32"))]
mod disk;
mod memory;

use std::io;
use std::path::Path;

#[cfg(not(target_arch = "wasm32"))]
pub use disk::Disk;
pub use memory::MemoryFiles;

/// An open file of a [`FileSystem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId(pub u32);

/// How a file is opened. All are created with mode 0600, reduced by the umask (`raw-log.md` L7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// At the end of what is there; made when missing.
    Append,
    /// Emptied first; made when missing.
    Truncate,
    /// Made; an error when it is there.
    CreateNew,
}

/// An entry of a directory. Links are not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name; entries whose names are not Unicode are left out of a listing.
    pub name: String,
    /// Whether it is a directory itself.
    pub is_dir: bool,
    /// Its own modification time, wall ns.
    pub modified_ns: i64,
}

/// The calls the writing thread makes, and no others. One thread uses it at a time.
pub trait FileSystem {
    /// Makes a directory and its parents, mode 0777 reduced by the umask; no error when it is there.
    fn create_dir_all(&mut self, path: &Path) -> io::Result<()>;
    /// Makes one directory, mode 0700 reduced by the umask; an error when it is there.
    fn create_dir(&mut self, path: &Path) -> io::Result<()>;
    /// Opens a file for writing and tells its length in bytes.
    fn open(&mut self, path: &Path, mode: OpenMode) -> io::Result<(FileId, u64)>;
    /// Writes at the end and tells how many bytes were taken, perhaps fewer than given.
    fn write(&mut self, file: FileId, bytes: &[u8]) -> io::Result<usize>;
    /// How many bytes an open file has.
    fn length(&mut self, file: FileId) -> io::Result<u64>;
    /// Cuts an open file to a length in bytes.
    fn truncate(&mut self, file: FileId, length: u64) -> io::Result<()>;
    /// Closes a file. Its id is void afterwards, also when this fails.
    fn close(&mut self, file: FileId) -> io::Result<()>;
    /// Renames a file over what may be at `to`, in one step.
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()>;
    /// Whether anything is at `path`.
    fn exists(&mut self, path: &Path) -> bool;
    /// Removes a file.
    fn remove_file(&mut self, path: &Path) -> io::Result<()>;
    /// Removes a directory and all in it.
    fn remove_dir_all(&mut self, path: &Path) -> io::Result<()>;
    /// Lists a directory, in any order.
    fn list(&mut self, path: &Path) -> io::Result<Vec<Entry>>;
}

macro_rules! forward {
    () => {
        fn create_dir_all(&mut self, path: &Path) -> io::Result<()> {
            (**self).create_dir_all(path)
        }
        fn create_dir(&mut self, path: &Path) -> io::Result<()> {
            (**self).create_dir(path)
        }
        fn open(&mut self, path: &Path, mode: OpenMode) -> io::Result<(FileId, u64)> {
            (**self).open(path, mode)
        }
        fn write(&mut self, file: FileId, bytes: &[u8]) -> io::Result<usize> {
            (**self).write(file, bytes)
        }
        fn length(&mut self, file: FileId) -> io::Result<u64> {
            (**self).length(file)
        }
        fn truncate(&mut self, file: FileId, length: u64) -> io::Result<()> {
            (**self).truncate(file, length)
        }
        fn close(&mut self, file: FileId) -> io::Result<()> {
            (**self).close(file)
        }
        fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
            (**self).rename(from, to)
        }
        fn exists(&mut self, path: &Path) -> bool {
            (**self).exists(path)
        }
        fn remove_file(&mut self, path: &Path) -> io::Result<()> {
            (**self).remove_file(path)
        }
        fn remove_dir_all(&mut self, path: &Path) -> io::Result<()> {
            (**self).remove_dir_all(path)
        }
        fn list(&mut self, path: &Path) -> io::Result<Vec<Entry>> {
            (**self).list(path)
        }
    };
}

impl<F: FileSystem + ?Sized> FileSystem for &mut F {
    forward!();
}

impl<F: FileSystem + ?Sized> FileSystem for Box<F> {
    forward!();
}
