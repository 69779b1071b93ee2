//! Making writers: retention, one per role and process, forks (`record.md` §11.8, `raw-log.md` L5, §8.10).

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use stepscope_recorder::files::{FileId, OpenMode};
use stepscope_recorder::writer::remove_old_epochs;
use stepscope_recorder::{
    Clock, FileSystem, Limits, ManualClock, MemoryFiles, Process, ProcessWriters, Role, WriterLoop,
};

use crate::support::SECOND;

const HOUR: i64 = 3600 * SECOND;

/// Directories of a hook directory, each last changed at this many hours.
fn aged(files: &mut MemoryFiles, directories: &[(&str, i64)]) {
    for (path, hours) in directories {
        files.set_now(hours * HOUR);
        files.create_dir_all(Path::new(path)).expect("made");
    }
    files.set_now(100 * HOUR);
}

fn left(files: &mut MemoryFiles, host: &str) -> Vec<String> {
    files.list(Path::new(host)).expect("listed").into_iter().map(|entry| entry.name).collect()
}

#[test]
fn epochs_strictly_older_than_the_retention_are_removed_and_nothing_else() {
    let mut files = MemoryFiles::new();
    let directories = [
        ("hook/h/engine-1-1", 10),
        ("hook/h/engine-1-2", 76),
        ("hook/h/worker-1-3", 77),
        ("hook/h/notes", 10),
        ("hook/h/engine-1-4.bak", 10),
        ("hook/engine-9-9", 10),
    ];
    aged(&mut files, &directories);
    files.set_now(10 * HOUR);
    let file: FileId = files.open(Path::new("hook/h/engine-5-5"), OpenMode::CreateNew).expect("made").0;
    files.close(file).expect("open");
    remove_old_epochs(&mut files, Path::new("hook"), 100 * HOUR, 24 * HOUR);
    assert_eq!(
        left(&mut files, "hook/h"),
        ["engine-1-2", "engine-1-4.bak", "notes", "worker-1-3", "engine-5-5"]
    );
    assert_eq!(left(&mut files, "hook"), ["engine-9-9", "h"]);
}

#[test]
fn a_retention_of_nothing_removes_what_is_not_written_this_instant() {
    let mut files = MemoryFiles::new();
    aged(&mut files, &[("hook/h/engine-1-1", 1), ("hook/h/engine-1-2", 2)]);
    remove_old_epochs(&mut files, Path::new("hook"), 2 * HOUR, 0);
    assert_eq!(left(&mut files, "hook/h"), ["engine-1-2"]);
    remove_old_epochs(&mut files, Path::new("hook"), 2 * HOUR, -1);
    assert!(left(&mut files, "hook/h").is_empty());
    remove_old_epochs(&mut files, Path::new("elsewhere"), 2 * HOUR, -1);
}

/// A process that forks when it is told to.
struct Forking(AtomicU32);

impl Process for Forking {
    fn pid(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
    fn host(&self) -> String {
        "node-7".into()
    }
    fn boot_id(&self) -> Option<String> {
        Some("b".into())
    }
    fn key(&self) -> std::io::Result<[u8; 32]> {
        Ok([1; 32])
    }
}

/// Files that several writers share.
#[derive(Clone, Default)]
struct SharedFiles(Arc<Mutex<MemoryFiles>>);

macro_rules! shared {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        impl FileSystem for SharedFiles {
            $(fn $name(&mut self, $($argument: $type),*) -> $result {
                self.0.lock().expect("not poisoned").$name($($argument),*)
            })*
        }
    };
}

shared! {
    create_dir_all(path: &Path) -> std::io::Result<()>;
    create_dir(path: &Path) -> std::io::Result<()>;
    open(path: &Path, mode: OpenMode) -> std::io::Result<(FileId, u64)>;
    write(file: FileId, bytes: &[u8]) -> std::io::Result<usize>;
    length(file: FileId) -> std::io::Result<u64>;
    truncate(file: FileId, length: u64) -> std::io::Result<()>;
    close(file: FileId) -> std::io::Result<()>;
    rename(from: &Path, to: &Path) -> std::io::Result<()>;
    exists(path: &Path) -> bool;
    remove_file(path: &Path) -> std::io::Result<()>;
    remove_dir_all(path: &Path) -> std::io::Result<()>;
    list(path: &Path) -> std::io::Result<Vec<stepscope_recorder::files::Entry>>;
}

#[test]
fn a_process_has_one_writer_per_role_and_a_forked_child_its_own() {
    let files = SharedFiles::default();
    aged(&mut files.0.lock().expect("not poisoned"), &[("hook/node-7-b/engine-1-1", 1)]);
    let clock = Arc::new(ManualClock::new(100 * HOUR, 0));
    let process = Arc::new(Forking(AtomicU32::new(10)));
    let given = files.clone();
    let writers = ProcessWriters::new(
        "hook".into(),
        Limits::default(),
        24 * HOUR,
        Arc::clone(&clock) as Arc<dyn Clock>,
        Arc::clone(&process) as Arc<dyn Process>,
        move || given.clone(),
    );
    let mut loops: Vec<WriterLoop<SharedFiles>> = Vec::new();
    let mut writer = |role| {
        writers.writer(role, |made| {
            loops.push(made);
            Ok(())
        })
    };
    let names = || left(&mut files.0.lock().expect("not poisoned"), "hook/node-7-b");
    let first = writer(Role::Engine).expect("a writer");
    let engine = first.identity().epoch();
    assert_eq!(names(), std::slice::from_ref(&engine), "the old epoch is gone");

    clock.advance(1);
    assert_eq!(writer(Role::Engine).expect("a writer").identity(), first.identity(), "shared");
    let worker = writer(Role::Worker).expect("a writer").identity().epoch();
    assert_eq!(names(), [engine.clone(), worker.clone()]);

    aged(&mut files.0.lock().expect("not poisoned"), &[("hook/node-7-b/engine-2-2", 1)]);
    process.0.store(11, Ordering::Relaxed);
    let child = writer(Role::Engine).expect("a writer").identity().clone();
    assert_eq!((child.pid, child.start_ns), (11, 100 * HOUR + 1));
    assert_eq!(names(), [engine, child.epoch(), worker], "the child's first writer removes old epochs too");

    first.emit(stepscope_recorder::Kind::Alias, &crate::support::Text::Of("a"));
    writers.close();
    let ended: Vec<bool> = loops.iter_mut().map(WriterLoop::drain).collect();
    assert_eq!(ended, [false, false, true], "only the child's own epoch is closed in the child");
}

#[test]
fn a_writer_whose_thread_does_not_start_is_none() {
    let files = SharedFiles::default();
    let process = Arc::new(Forking(AtomicU32::new(10)));
    let given = files.clone();
    let clock = Arc::new(ManualClock::new(1, 1));
    let writers = ProcessWriters::new(
        "hook".into(),
        Limits::default(),
        0,
        Arc::clone(&clock) as Arc<dyn Clock>,
        process as Arc<dyn Process>,
        move || given.clone(),
    );
    assert!(writers.writer(Role::Engine, |_| Err(std::io::Error::other("no threads"))).is_err());
    clock.advance(1);
    assert!(writers.writer(Role::Engine, |_| Ok(())).is_ok());
}
