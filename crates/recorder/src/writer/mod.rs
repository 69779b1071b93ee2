//! The epoch writer (`record.md` §11): a bounded queue that never makes its caller wait for a disk, and the loop that
//! writes it out, numbers the records, beats, seals and closes.
//!
//! [`Writer`] is the handle engine threads hold; [`WriterLoop`] is the writing thread's side. A loop is either given
//! a thread with [`WriterLoop::spawn`] or turned by hand with [`WriterLoop::turn`], which is how tests and simulated
//! engines run it in their own time.
//!
//! # Forking
//!
//! A forked child inherits the handle but not the writing thread. It must not go on with the parent's epoch: it asks
//! [`ProcessWriters`] for a writer of its own, which is made at the first use because the process id differs. What
//! a child emits on an inherited handle stays in its memory, and its close does nothing (§11.7). Fork while no thread
//! of the parent is inside a call of this module, for instance before the engine starts: a lock that another thread
//! holds at that moment stays locked in the child for ever.
//!
//! # Ending
//!
//! [`Writer::close`] must be called at the normal exit of the process, and also where worker processes leave without
//! running normal exit handlers (Z3): dropping a handle writes no `goodbye`, exactly as a death does not.

mod buffers;
mod epoch_loop;
mod identity;
mod limits;
mod process_writers;
mod queue;
mod retention;
mod segment;
mod status;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use epoch_loop::WriterLoop;
pub use identity::{Identity, Role};
pub use limits::Limits;
pub use process_writers::ProcessWriters;
pub use queue::{Counters, Ticket};
pub use retention::remove_old_epochs;
pub use status::{SourceFailed, StatusSource};

use crate::clock::{Clock, Stamp};
use crate::files::FileSystem;
use crate::process::Process;
use crate::record::{Fields, Hello, HelloFields, Kind};
use queue::Shared;

/// An engine's or worker's handle on its epoch. Clones share the epoch; all calls may be made from any thread and
/// none waits for a disk, except [`close`](Self::close).
#[derive(Debug, Clone)]
pub struct Writer {
    shared: Arc<Shared>,
}

impl Writer {
    /// Makes the epoch's directory and key under `root` (`record.md` §11.8) and returns the handle and the loop.
    ///
    /// # Errors
    ///
    /// When the directory is there already (`raw-log.md` L6), or it or the key cannot be made. The instance is then
    /// not recorded; the engine goes on.
    pub fn create<F: FileSystem>(
        files: F,
        root: &Path,
        role: Role,
        limits: Limits,
        clock: Arc<dyn Clock>,
        process: Arc<dyn Process>,
    ) -> io::Result<(Self, WriterLoop<F>)> {
        let identity = Identity {
            role,
            host: process.host(),
            boot_id: process.boot_id(),
            pid: process.pid(),
            start_ns: clock.wall_ns(),
        };
        let shared = Arc::new(Shared::new(identity, limits, clock, process));
        let epoch_loop = WriterLoop::create(files, root, Arc::clone(&shared))?;
        Ok((Self { shared }, epoch_loop))
    }

    /// Who writes this epoch.
    pub fn identity(&self) -> &Identity {
        self.shared.identity()
    }

    /// Reads the clocks.
    pub fn stamp(&self) -> Stamp {
        self.shared.stamp()
    }

    /// Announces a record (`record.md` §11.2). To be done before its last stamp is read (E2): heartbeats then know
    /// of it.
    pub fn reserve(&self) -> Ticket {
        Ticket::new(Arc::clone(&self.shared))
    }

    /// Reserves and emits in one.
    pub fn emit(&self, kind: Kind, fields: &(impl Fields + ?Sized)) {
        self.reserve().emit(kind, fields);
    }

    /// Emits the `hello`. Its clock is read before the record is announced (`record.md` S9). `process` of the hello
    /// may be left empty where the system does not tell.
    pub fn emit_hello(&self, hello: &Hello) {
        let clock = self.stamp();
        self.emit(Kind::Hello, &HelloFields { hello, writer: self, clock });
    }

    /// Counts a failure inside a recorder.
    pub fn count_error(&self) {
        self.shared.count_error();
    }

    /// The counters as a heartbeat would show them now.
    pub fn counters(&self) -> Counters {
        self.shared.counters()
    }

    /// Adds `source`'s fields to the heartbeats and `status.json` from now on.
    pub fn set_status_source(&self, source: Arc<dyn StatusSource>) {
        self.shared.set_status_source(source);
    }

    /// Ends the epoch (`record.md` §11.7): what is queued is written, then `goodbye`, then the last segment is
    /// sealed. Waits for the writing thread, at most [`Limits::close_wait`]. Does nothing in a process other than the
    /// creator's, and nothing the second time. What is emitted afterwards is dropped.
    pub fn close(&self) {
        self.shared.close();
    }

    /// Runs one action of a recorder: a failure inside it counts one error and goes no further (`record.md` F1).
    pub(crate) fn isolate<T>(&self, action: impl FnOnce() -> T) -> Option<T> {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(action));
        result.inspect_err(|_| self.count_error()).ok()
    }
}
