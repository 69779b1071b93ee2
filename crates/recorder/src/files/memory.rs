//! A file system in memory: for the page, where there is no other, and for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Entry, FileId, FileSystem, OpenMode};

/// Files in memory. Behaves as a Unix file system does: a file that is removed or renamed while open stays writable
/// through its id.
#[derive(Debug, Default)]
pub struct MemoryFiles {
    directories: BTreeMap<PathBuf, i64>,
    names: BTreeMap<PathBuf, usize>,
    contents: Vec<Vec<u8>>,
    open: BTreeMap<u32, usize>,
    opened: u32,
    read_only: BTreeSet<PathBuf>,
    now_ns: i64,
}

impl MemoryFiles {
    /// An empty file system.
    pub fn new() -> Self {
        Self::default()
    }

    /// The modification time, wall ns, that directories get from now on.
    pub fn set_now(&mut self, wall_ns: i64) {
        self.now_ns = wall_ns;
    }

    /// Lets nothing be made, renamed or removed directly in `path` from now on, or lets it again.
    pub fn set_read_only(&mut self, path: &Path, read_only: bool) {
        if read_only {
            self.read_only.insert(path.to_owned());
        } else {
            self.read_only.remove(path);
        }
    }

    /// The bytes of a file.
    pub fn read(&self, path: &Path) -> Option<&[u8]> {
        self.names.get(path).map(|&content| self.contents[content].as_slice())
    }

    /// The paths of all files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.names.keys().map(PathBuf::as_path)
    }

    /// Whether a directory is at `path`.
    pub fn is_dir(&self, path: &Path) -> bool {
        self.directories.contains_key(path)
    }

    /// All files with their bytes, sorted by path.
    pub fn into_files(mut self) -> Vec<(PathBuf, Vec<u8>)> {
        let contents = &mut self.contents;
        self.names.into_iter().map(|(path, content)| (path, std::mem::take(&mut contents[content]))).collect()
    }

    fn content(&mut self, file: FileId) -> io::Result<&mut Vec<u8>> {
        let content = self.open.get(&file.0).ok_or_else(|| io::Error::other("the file is not open"))?;
        Ok(&mut self.contents[*content])
    }

    /// The parent must be a directory that may be changed; its modification time becomes now.
    fn change_parent(&mut self, path: &Path) -> io::Result<()> {
        let parent = path.parent().unwrap_or(Path::new(""));
        if self.read_only.contains(parent) {
            return Err(ErrorKind::PermissionDenied.into());
        }
        if parent != Path::new("") {
            *self.directories.get_mut(parent).ok_or(ErrorKind::NotFound)? = self.now_ns;
        }
        Ok(())
    }
}

impl FileSystem for MemoryFiles {
    fn create_dir_all(&mut self, path: &Path) -> io::Result<()> {
        for ancestor in path.ancestors().collect::<Vec<_>>().into_iter().rev() {
            if ancestor == Path::new("") || self.directories.contains_key(ancestor) {
                continue;
            }
            self.create_dir(ancestor)?;
        }
        Ok(())
    }

    fn create_dir(&mut self, path: &Path) -> io::Result<()> {
        if self.directories.contains_key(path) || self.names.contains_key(path) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        // The file system's own root and the current directory need no making.
        if path.parent().is_some() {
            self.change_parent(path)?;
        }
        self.directories.insert(path.to_owned(), self.now_ns);
        Ok(())
    }

    fn open(&mut self, path: &Path, mode: OpenMode) -> io::Result<(FileId, u64)> {
        if self.directories.contains_key(path) {
            return Err(ErrorKind::IsADirectory.into());
        }
        let content = match self.names.get(path) {
            Some(_) if mode == OpenMode::CreateNew => return Err(ErrorKind::AlreadyExists.into()),
            Some(&content) => content,
            None => {
                self.change_parent(path)?;
                self.contents.push(Vec::new());
                self.names.insert(path.to_owned(), self.contents.len() - 1);
                self.contents.len() - 1
            }
        };
        if mode == OpenMode::Truncate {
            self.contents[content].clear();
        }
        let id = self.opened;
        self.opened = self.opened.wrapping_add(1);
        self.open.insert(id, content);
        Ok((FileId(id), self.contents[content].len() as u64))
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> io::Result<usize> {
        self.content(file)?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn length(&mut self, file: FileId) -> io::Result<u64> {
        Ok(self.content(file)?.len() as u64)
    }

    fn truncate(&mut self, file: FileId, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(io::Error::other)?;
        self.content(file)?.resize(length, 0);
        Ok(())
    }

    fn close(&mut self, file: FileId) -> io::Result<()> {
        self.open.remove(&file.0).map(drop).ok_or_else(|| io::Error::other("the file is not open"))
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let content = *self.names.get(from).ok_or(ErrorKind::NotFound)?;
        self.change_parent(from)?;
        self.change_parent(to)?;
        if self.directories.contains_key(to) {
            return Err(ErrorKind::IsADirectory.into());
        }
        self.names.remove(from);
        if let Some(replaced) = self.names.insert(to.to_owned(), content)
            && !self.open.values().any(|&open| open == replaced)
        {
            self.contents[replaced] = Vec::new();
        }
        Ok(())
    }

    fn exists(&mut self, path: &Path) -> bool {
        self.names.contains_key(path) || self.directories.contains_key(path)
    }

    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        if self.directories.contains_key(path) {
            return Err(ErrorKind::IsADirectory.into());
        }
        if !self.names.contains_key(path) {
            return Err(ErrorKind::NotFound.into());
        }
        self.change_parent(path)?;
        self.names.remove(path);
        Ok(())
    }

    fn remove_dir_all(&mut self, path: &Path) -> io::Result<()> {
        if !self.directories.contains_key(path) {
            return Err(ErrorKind::NotFound.into());
        }
        self.change_parent(path)?;
        self.directories.retain(|directory, _| !directory.starts_with(path));
        self.names.retain(|name, _| !name.starts_with(path));
        Ok(())
    }

    fn list(&mut self, path: &Path) -> io::Result<Vec<Entry>> {
        if !self.directories.contains_key(path) {
            return Err(ErrorKind::NotFound.into());
        }
        let directories = self.directories.iter().map(|(path, &modified_ns)| (path, true, modified_ns));
        let files = self.names.keys().map(|path| (path, false, 0));
        let here = directories.chain(files).filter(|(entry, ..)| entry.parent() == Some(path));
        Ok(here
            .filter_map(|(entry, is_dir, modified_ns)| {
                let name = entry.file_name()?.to_str()?.to_owned();
                Some(Entry { name, is_dir, modified_ns })
            })
            .collect())
    }
}
