//! The open segment: whole lines or none, and its sealing (`record.md` §11.5, W4).

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::files::{FileId, FileSystem, OpenMode};

/// The one open segment of an epoch, or the place where the next will be.
#[derive(Debug)]
pub(super) struct Segments {
    directory: PathBuf,
    number: u64,
    current: Option<Segment>,
}

#[derive(Debug)]
struct Segment {
    /// `None` after a seal that failed: the file is opened again for the next record.
    file: Option<FileId>,
    size: u64,
    first_opened_mono_ns: i64,
}

impl Segments {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory, number: 0, current: None }
    }

    /// Bytes in the current segment, 0 when there is none.
    pub(super) fn size(&self) -> u64 {
        self.current.as_ref().map_or(0, |segment| segment.size)
    }

    /// Time since the current segment was first opened, ns, 0 when there is none.
    pub(super) fn age_ns(&self, mono_ns: i64) -> i64 {
        self.current.as_ref().map_or(0, |segment| mono_ns.saturating_sub(segment.first_opened_mono_ns))
    }

    /// Appends a line whole. When that fails the file is cut back to its former length; if that fails too, the
    /// fragment stays (`raw-log.md` W5).
    pub(super) fn append(
        &mut self,
        files: &mut impl FileSystem,
        line: &[u8],
        mono_ns: i64,
    ) -> io::Result<()> {
        let file = self.open(files, mono_ns)?;
        let Some(segment) = &mut self.current else { return Err(ErrorKind::NotFound.into()) };
        let (written, result) = write_all(files, file, line);
        if result.is_ok() {
            segment.size += written;
        } else if files.truncate(file, segment.size).is_err() {
            // A later line that fails must be cut back to its own start, not into the line before it.
            segment.size = files.length(file).unwrap_or(segment.size + written);
        }
        result
    }

    fn open(&mut self, files: &mut impl FileSystem, mono_ns: i64) -> io::Result<FileId> {
        if let Some(Segment { file: Some(file), .. }) = self.current {
            return Ok(file);
        }
        let (file, size) = files.open(&self.path("jsonl.part"), OpenMode::Append)?;
        let first_opened_mono_ns =
            self.current.as_ref().map_or(mono_ns, |segment| segment.first_opened_mono_ns);
        self.current = Some(Segment { file: Some(file), size, first_opened_mono_ns });
        Ok(file)
    }

    /// Closes the current segment and gives it its sealed name. Without one: success, and nothing is done.
    pub(super) fn seal(&mut self, files: &mut impl FileSystem) -> io::Result<()> {
        let Some(segment) = &mut self.current else { return Ok(()) };
        if let Some(file) = segment.file.take() {
            // What a failing close may have lost cannot be told apart; the lines were taken by the system before.
            let _ = files.close(file);
        }
        files.rename(&self.path("jsonl.part"), &self.path("jsonl"))?;
        self.current = None;
        self.number += 1;
        Ok(())
    }

    fn path(&self, suffix: &str) -> PathBuf {
        self.directory.join(format!("{:06}.{suffix}", self.number))
    }
}

/// Writes until all is out; how many bytes went out, and the error that ended it early. A write that takes nothing is
/// a failure.
fn write_all(files: &mut impl FileSystem, file: FileId, bytes: &[u8]) -> (u64, io::Result<()>) {
    let mut written = 0;
    while written < bytes.len() {
        match files.write(file, &bytes[written..]) {
            Ok(0) => return (written as u64, Err(ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (written as u64, Err(error)),
        }
    }
    (written as u64, Ok(()))
}

/// Makes a file with these bytes. It is closed also when writing fails.
pub(super) fn write_file(
    files: &mut impl FileSystem,
    path: &Path,
    mode: OpenMode,
    bytes: &[u8],
) -> io::Result<()> {
    let (file, _) = files.open(path, mode)?;
    let (_, written) = write_all(files, file, bytes);
    let closed = files.close(file);
    written.and(closed)
}
