//! Files that are replaced whole, and folders that come whole: whoever looks, also after a kill half-way, sees the old
//! content or the new one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A name beside a target for what is in the making.
fn staged(target: &Path) -> io::Result<PathBuf> {
    let mut name = target.file_name().ok_or_else(|| io::Error::other("no file name"))?.to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    Ok(target.with_file_name(name))
}

/// A file in the making, beside the one it will replace. Dropped before [`Replacement::commit`], it leaves nothing.
pub(crate) struct Replacement {
    target: PathBuf,
    staged: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Replacement {
    /// Begins a file that will stand at `target`.
    pub(crate) fn begin(target: &Path) -> io::Result<Self> {
        let staged = staged(target)?;
        let file = File::create(&staged)?;
        if let Ok(old) = fs::metadata(target) {
            file.set_permissions(old.permissions())?;
        }
        Ok(Self { target: target.to_owned(), staged, file: Some(BufWriter::with_capacity(1 << 20, file)) })
    }

    /// Puts the file in its place.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        let Some(writer) = self.file.take() else { return Ok(()) };
        let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&self.staged, &self.target)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // After a commit the name is gone, and that is as it should be.
        let _ = fs::remove_file(&self.staged);
    }
}

/// A folder in the making, beside the place it will have. Dropped before [`Folder::commit`], it leaves nothing.
pub(crate) struct Folder {
    target: PathBuf,
    staged: PathBuf,
}

impl Folder {
    /// Begins a folder that will stand at `target`, where nothing or an empty folder is now.
    ///
    /// # Errors
    /// In words.
    pub(crate) fn begin(target: &Path) -> Result<Self, String> {
        let in_words = |error: io::Error| format!("{}: {error}", target.display());
        match fs::read_dir(target) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(format!("{}: not empty; give a new folder", target.display()));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(in_words(error)),
        }
        // Without a `/` at its end a path has a name.
        let target: PathBuf = target.components().collect();
        let staged = staged(&target).map_err(in_words)?;
        fs::create_dir(&staged).map_err(in_words)?;
        Ok(Self { target, staged })
    }

    /// Where it is made.
    pub(crate) fn staged(&self) -> &Path {
        &self.staged
    }

    /// Where it will stand.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the folder in its place, with all its files on the disk.
    ///
    /// # Errors
    /// In words.
    pub(crate) fn commit(self) -> Result<(), String> {
        sync_below(&self.staged)
            .and_then(|()| fs::rename(&self.staged, &self.target))
            .map_err(|error| format!("{}: {error}", self.target.display()))
    }
}

fn sync_below(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sync_below(&path)?;
        } else {
            File::open(path)?.sync_all()?;
        }
    }
    Ok(())
}

impl Drop for Folder {
    fn drop(&mut self) {
        // After a commit the name is gone, and that is as it should be.
        let _ = fs::remove_dir_all(&self.staged);
    }
}
