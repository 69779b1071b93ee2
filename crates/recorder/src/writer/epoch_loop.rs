//! The writing thread's side of an epoch (`record.md` §11.4–11.6).

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::queue::{Counters, Outcome, Queued, Shared};
use super::segment::{Segments, write_file};
use crate::files::{FileSystem, OpenMode};
use crate::json::Encoder;
use crate::record::{Kind, NotEncodable, Value};

/// Writes an epoch's queue out. Give it a thread with [`spawn`](Self::spawn), or turn it by hand.
#[derive(Debug)]
pub struct WriterLoop<F> {
    shared: Arc<Shared>,
    files: F,
    directory: PathBuf,
    /// The epoch's name as JSON.
    epoch: Vec<u8>,
    segments: Segments,
    next_beat: i64,
    batch: VecDeque<Queued>,
    line: Vec<u8>,
    last_seq: i64,
    bytes: i64,
    capped: bool,
    goodbye_written: bool,
    ended: bool,
}

impl<F: FileSystem> WriterLoop<F> {
    pub(super) fn create(mut files: F, root: &Path, shared: Arc<Shared>) -> io::Result<Self> {
        let identity = shared.identity();
        files.create_dir_all(&identity.host_directory(root))?;
        let directory = identity.directory(root);
        files.create_dir(&directory)?;
        let key = shared.process().key()?;
        write_file(&mut files, &directory.join("key"), OpenMode::CreateNew, &key)?;
        let mut epoch = Vec::new();
        Encoder::new(&mut epoch).string(&identity.epoch());
        let next_beat = shared.mono_ns().saturating_add(shared.limits().heartbeat_ns);
        Ok(Self {
            segments: Segments::new(directory.clone()),
            shared,
            files,
            directory,
            epoch,
            next_beat,
            batch: VecDeque::new(),
            line: Vec::new(),
            last_seq: -1,
            bytes: 0,
            capped: false,
            goodbye_written: false,
            ended: false,
        })
    }

    /// One pass over the queue: up to a batch of records, then a look at heartbeat, flush and seal. Does not wait.
    /// Returns whether the epoch has ended; then nothing is done any more.
    pub fn turn(&mut self) -> bool {
        if self.ended {
            return true;
        }
        let mut batch = std::mem::take(&mut self.batch);
        let last_pass = self.shared.take(&mut batch);
        for record in batch.drain(..) {
            self.write_queued(record);
            if self.segments.size() >= self.shared.limits().segment_bytes {
                self.seal();
            }
            if self.beat_is_due() {
                self.look_after(false);
            }
        }
        self.batch = batch;
        self.look_after(last_pass);
        self.ended = last_pass;
        last_pass
    }

    /// Turns until the queue is empty, at least once. Returns whether the epoch has ended.
    pub fn drain(&mut self) -> bool {
        while !self.turn() {
            if self.shared.queue_is_empty() {
                return false;
            }
        }
        true
    }

    /// When the next heartbeat is due, monotonic ns.
    pub fn next_beat_mono_ns(&self) -> i64 {
        self.next_beat
    }

    /// The file system it writes to.
    pub fn files(&self) -> &F {
        &self.files
    }

    /// The file system it writes to, to be changed.
    pub fn files_mut(&mut self) -> &mut F {
        &mut self.files
    }

    /// Gives the file system back.
    pub fn into_files(self) -> F {
        self.files
    }

    /// The epoch's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn beat_is_due(&self) -> bool {
        self.shared.mono_ns() >= self.next_beat
    }

    fn write_queued(&mut self, record: Queued) {
        let outcome = if record.kind == Kind::Goodbye {
            let mut text = Vec::new();
            let stamp = self.shared.stamp();
            let mut out = Encoder::new(&mut text);
            out.raw("{").stamp("", stamp).raw(",\"last_seq\":").int(self.last_seq + 1).raw("}");
            let outcome = self.write(record.kind, &text);
            self.goodbye_written = matches!(outcome, Outcome::Written(_));
            outcome
        } else {
            self.write(record.kind, &record.text)
        };
        self.shared.settle(record.kind, outcome, Some(record.text));
    }

    /// Writes one record (`record.md` §11.5); the caller settles the outcome.
    fn write(&mut self, kind: Kind, own_fields: &[u8]) -> Outcome {
        if self.capped {
            return Outcome::Capped;
        }
        self.form_line(kind, own_fields);
        let length = i64::try_from(self.line.len()).unwrap_or(i64::MAX);
        if self.bytes.saturating_add(length) > self.shared.limits().epoch_bytes {
            self.capped = true;
            return Outcome::Capped;
        }
        let mono_ns = self.shared.mono_ns();
        match self.segments.append(&mut self.files, &self.line, mono_ns) {
            Ok(()) => {
                self.last_seq += 1;
                self.bytes += length;
                Outcome::Written(length)
            }
            Err(_) => Outcome::Failed,
        }
    }

    /// The four common fields, the own fields and LF (`raw-log.md` N4, N5).
    fn form_line(&mut self, kind: Kind, own_fields: &[u8]) {
        let line = &mut self.line;
        line.clear();
        line.extend_from_slice(b"{\"format\":\"stormlog.vllm_hook/1\",\"kind\":\"");
        line.extend_from_slice(kind.name().as_bytes());
        line.extend_from_slice(b"\",\"epoch\":");
        line.extend_from_slice(&self.epoch);
        Encoder::new(line).raw(",\"seq\":").int(self.last_seq + 1);
        if own_fields != b"{}" {
            line.push(b',');
        }
        line.extend_from_slice(&own_fields[1..]);
        line.push(b'\n');
    }

    fn look_after(&mut self, last_pass: bool) {
        if !last_pass && self.beat_is_due() {
            self.heartbeat();
            self.next_beat = self.shared.mono_ns().saturating_add(self.shared.limits().heartbeat_ns);
        }
        let flush = self.directory.join("flush");
        let flush_asked = self.files.exists(&flush);
        let limits = self.shared.limits();
        let is_large = self.segments.size() >= limits.segment_bytes;
        let is_old = self.segments.age_ns(self.shared.mono_ns()) >= limits.segment_age_ns;
        if last_pass || flush_asked || is_large || is_old {
            let sealed = self.seal();
            if sealed && flush_asked {
                // What cannot be removed is asked again at the next look (`raw-log.md` F4).
                let _ = self.files.remove_file(&flush);
            }
        }
        if last_pass {
            self.write_status();
        }
    }

    fn seal(&mut self) -> bool {
        let sealed = self.segments.seal(&mut self.files).is_ok();
        if !sealed {
            self.shared.count_error();
        }
        sealed
    }

    fn heartbeat(&mut self) {
        // The status source is asked also when no record is to be written (W1 before W2).
        let (counters, extra) = self.counters();
        if !self.capped && !self.goodbye_written {
            match counters.to_json(extra) {
                Ok(text) => {
                    let outcome = self.write(Kind::Heartbeat, &text);
                    self.shared.settle(Kind::Heartbeat, outcome, None);
                }
                Err(NotEncodable) => self.shared.count_error(),
            }
        }
        self.write_status();
    }

    /// The counters, taken in one hold, and then the status source's fields (W1).
    fn counters(&self) -> (Counters, Vec<(String, Value)>) {
        let counters = self.shared.counters();
        (counters, self.shared.extra_status())
    }

    /// Replaces `status.json` as a whole (W3); a failure counts one error.
    fn write_status(&mut self) {
        let (counters, extra) = self.counters();
        let replaced = counters.to_json(extra).map_err(io::Error::other).and_then(|text| {
            let temporary = self.directory.join("status.json.tmp");
            write_file(&mut self.files, &temporary, OpenMode::Truncate, &text)?;
            self.files.rename(&temporary, &self.directory.join("status.json"))
        });
        if replaced.is_err() {
            self.shared.count_error();
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl<F: FileSystem + Send + 'static> WriterLoop<F> {
    /// Starts the writing thread. It ends when the writer is closed.
    ///
    /// # Errors
    ///
    /// When the system gives no thread; the instance is then not recorded.
    pub fn spawn(mut self) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        std::thread::Builder::new().name("epoch-writer".to_owned()).spawn(move || {
            loop {
                self.shared.wait(self.next_beat);
                if self.turn() {
                    break;
                }
            }
            self.shared.set_ended();
        })?;
        shared.set_threaded();
        Ok(())
    }
}
