//! Files that are replaced whole: whoever looks, also after a kill half-way, sees the old content or the new one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file in the making, beside the one it will replace. Dropped before [`Replacement::commit`], it leaves nothing.
pub(crate) struct Replacement {
    target: PathBuf,
    staged: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Replacement {
    /// Begins a file that will stand at `target`.
    pub(crate) fn begin(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or_else(|| io::Error::other("no file name"))?;
        let mut staged_name = name.to_os_string();
        staged_name.push(format!(".{}.new", std::process::id()));
        let staged = target.with_file_name(staged_name);
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
