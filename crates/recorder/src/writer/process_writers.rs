//! At most one writer per role for a process's whole life (`raw-log.md` L5).

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Limits, Role, Writer, remove_old_epochs};
use crate::clock::Clock;
use crate::files::FileSystem;
use crate::process::Process;

/// Hands out the process's writers: one per role, made at the first use, shared afterwards. In a forked child the first
/// use makes a new one, with the child's process id; the parent's epoch is left alone.
pub struct ProcessWriters<F> {
    root: PathBuf,
    limits: Limits,
    retain_ns: i64,
    clock: Arc<dyn Clock>,
    process: Arc<dyn Process>,
    files: Box<dyn Fn() -> F + Send + Sync>,
    made: Mutex<Vec<Writer>>,
}

impl<F> std::fmt::Debug for ProcessWriters<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProcessWriters").field("root", &self.root).finish_non_exhaustive()
    }
}

impl<F: FileSystem> ProcessWriters<F> {
    /// Writers under `root`; `files` gives each its own access to the file system. Epochs older than `retain_ns` are
    /// removed before the first writer of the process is made.
    pub fn new(
        root: PathBuf,
        limits: Limits,
        retain_ns: i64,
        clock: Arc<dyn Clock>,
        process: Arc<dyn Process>,
        files: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self {
        Self { root, limits, retain_ns, clock, process, files: Box::new(files), made: Mutex::new(Vec::new()) }
    }

    /// The process's writer for `role`. `start` is given the loop of a writer just made, to start its thread.
    ///
    /// # Errors
    ///
    /// When the epoch cannot be made or its thread not started; the instance is then not recorded.
    pub fn writer(
        &self,
        role: Role,
        start: impl FnOnce(super::WriterLoop<F>) -> io::Result<()>,
    ) -> io::Result<Writer> {
        let pid = self.process.pid();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let of_this_process = |writer: &&Writer| writer.identity().pid == pid;
        let is_first = !made.iter().any(|writer| of_this_process(&writer));
        if let Some(writer) =
            made.iter().filter(of_this_process).find(|writer| writer.identity().role == role)
        {
            return Ok(writer.clone());
        }
        let mut files = (self.files)();
        if is_first {
            remove_old_epochs(&mut files, &self.root, self.clock.wall_ns(), self.retain_ns);
        }
        let (clock, process) = (Arc::clone(&self.clock), Arc::clone(&self.process));
        let (writer, epoch_loop) = Writer::create(files, &self.root, role, self.limits, clock, process)?;
        start(epoch_loop)?;
        made.push(writer.clone());
        Ok(writer)
    }

    /// Closes every writer of this process.
    pub fn close(&self) {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for writer in made {
            writer.close();
        }
    }
}
