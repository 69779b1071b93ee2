//! The real file system.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Entry, FileId, FileSystem, OpenMode};

/// Files on the host's disks. Nothing is ever synced (`record.md` §11.5).
#[derive(Debug, Default)]
pub struct Disk {
    open: BTreeMap<u32, File>,
    next: u32,
}

impl Disk {
    fn file(&mut self, id: FileId) -> io::Result<&mut File> {
        self.open.get_mut(&id.0).ok_or_else(|| io::Error::other("the file is not open"))
    }
}

impl FileSystem for Disk {
    fn create_dir_all(&mut self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn create_dir(&mut self, path: &Path) -> io::Result<()> {
        #[cfg(unix)]
        return std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path);
        #[cfg(not(unix))]
        fs::create_dir(path)
    }

    fn open(&mut self, path: &Path, mode: OpenMode) -> io::Result<(FileId, u64)> {
        let mut options = OpenOptions::new();
        match mode {
            OpenMode::Append => options.append(true).create(true),
            OpenMode::Truncate => options.write(true).create(true).truncate(true),
            OpenMode::CreateNew => options.write(true).create_new(true),
        };
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let length = file.metadata()?.len();
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        self.open.insert(id, file);
        Ok((FileId(id), length))
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> io::Result<usize> {
        self.file(file)?.write(bytes)
    }

    fn length(&mut self, file: FileId) -> io::Result<u64> {
        Ok(self.file(file)?.metadata()?.len())
    }

    fn truncate(&mut self, file: FileId, length: u64) -> io::Result<()> {
        self.file(file)?.set_len(length)
    }

    fn close(&mut self, file: FileId) -> io::Result<()> {
        self.open.remove(&file.0).map(drop).ok_or_else(|| io::Error::other("the file is not open"))
    }

    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn exists(&mut self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }

    fn remove_file(&mut self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir_all(&mut self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn list(&mut self, path: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            let Ok(entry) = entry else { continue };
            let (Ok(metadata), Ok(name)) = (entry.metadata(), entry.file_name().into_string()) else {
                continue;
            };
            let modified_ns = metadata.modified().map_or(0, wall_ns);
            entries.push(Entry { name, is_dir: metadata.is_dir(), modified_ns });
        }
        Ok(entries)
    }
}

fn wall_ns(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    }
}
