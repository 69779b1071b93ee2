//! Writers on a real disk, with real threads and real deaths.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use stepscope_recorder::clock::SystemClock;
use stepscope_recorder::files::Disk;
use stepscope_recorder::process::SystemProcess;
use stepscope_recorder::{
    Encoder, Fields, FixedProcess, Kind, Limits, ManualClock, NotEncodable, Role, Writer, WriterLoop,
};

/// A folder of its own that is gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stepscope-recorder-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A numbered record of about this many bytes.
struct Numbered(u64, usize);

impl Fields for Numbered {
    fn encode(&self, out: &mut Encoder<'_>) -> Result<(), NotEncodable> {
        out.raw("{\"n\":").int(self.0.cast_signed()).raw(",\"t\":").string(&"é".repeat(self.1 / 6)).raw("}");
        Ok(())
    }
}

fn real(root: &Path, limits: Limits) -> std::io::Result<(Writer, WriterLoop<Disk>)> {
    let (clock, process) = (Arc::new(SystemClock), Arc::new(SystemProcess));
    Writer::create(Disk::default(), root, Role::Engine, limits, clock, process)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o7777
}

fn epoch_directories(root: &Path) -> Vec<PathBuf> {
    let list = |path: &Path| -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        paths
    };
    list(root).iter().flat_map(|host| list(host)).collect()
}

/// All records of an epoch: sealed segments must be whole, every complete line a record, numbers without gaps. Also the
/// bytes of an incomplete last line.
fn records(directory: &Path) -> (Vec<Value>, usize) {
    let mut segments: Vec<PathBuf> = fs::read_dir(directory)
        .expect("an epoch")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().contains(".jsonl"))
        .collect();
    segments.sort();
    let mut records: Vec<Value> = Vec::new();
    let mut torn = 0;
    for (place, segment) in segments.iter().enumerate() {
        let text = fs::read_to_string(segment).expect("ASCII");
        let complete = text.rfind('\n').map_or(0, |end| end + 1);
        torn += text.len() - complete;
        let is_open = segment.extension().is_some_and(|extension| extension == "part");
        assert!(is_open || torn == 0, "{} is torn", segment.display());
        assert!(!is_open || place == segments.len() - 1, "two open segments");
        for line in text[..complete].lines() {
            let record: Value = serde_json::from_str(line).expect("a record");
            assert_eq!(record["seq"], records.len());
            records.push(record);
        }
    }
    (records, torn)
}

#[test]
fn modes_are_private_and_names_are_those_of_the_format() {
    let folder = Folder::new("modes");
    let (writer, epoch) =
        real(&folder.0, Limits { segment_bytes: 1, ..Limits::default() }).expect("an epoch");
    let directory = epoch.directory().to_owned();
    epoch.spawn().expect("a thread");
    writer.emit(Kind::Alias, &Numbered(0, 60));
    writer.close();
    for name in ["000000.jsonl", "000001.jsonl", "status.json", "key"] {
        assert_eq!(mode(&directory.join(name)), 0o600, "{name}");
    }
    assert_eq!(mode(&directory), 0o700);
    let identity = writer.identity();
    assert_eq!(directory, identity.directory(&folder.0));
    assert_eq!(identity.pid, std::process::id());
    let host =
        directory.parent().and_then(|host| host.file_name()).expect("a host").to_string_lossy().into_owned();
    assert!(
        host.starts_with(&identity.host) && host.ends_with(identity.boot_id.as_deref().unwrap_or("noboot"))
    );
    let (records, torn) = records(&directory);
    assert_eq!((records.len(), torn), (2, 0));
    assert_eq!(records[1]["kind"], "goodbye");
    assert!(real(&folder.0.join("000000"), Limits::default()).is_ok(), "parents are made");
}

#[test]
fn a_root_that_is_a_file_is_an_error() {
    let folder = Folder::new("file");
    fs::write(&folder.0, "x").expect("written");
    assert!(real(&folder.0, Limits::default()).is_err());
    fs::remove_file(&folder.0).expect("removed");
}

#[test]
fn a_vanished_directory_costs_errors_not_records_until_the_seal() {
    let folder = Folder::new("vanished");
    let clock = Arc::new(ManualClock::new(1, 1));
    let process = FixedProcess { pid: 1, host: "h".into(), boot_id: None, key: [0; 32] };
    let (writer, mut epoch) = Writer::create(
        Disk::default(),
        &folder.0,
        Role::Engine,
        Limits::default(),
        Arc::clone(&clock) as _,
        Arc::new(process),
    )
    .expect("an epoch");
    writer.emit(Kind::Alias, &Numbered(0, 60));
    epoch.turn();
    fs::remove_dir_all(&folder.0).expect("removed");
    writer.emit(Kind::Alias, &Numbered(1, 60));
    clock.advance(1_000_000_000);
    epoch.turn();
    let counters = writer.counters();
    assert_eq!((counters.last_seq, counters.errors, counters.dropped), (2, 1, vec![]));
    writer.close();
    assert!(epoch.turn());
    assert_eq!(writer.counters().errors, 3);
}

#[test]
fn an_emit_never_waits_for_the_disk() {
    // The loop has no thread at all: whatever is emitted must return, and be queued or counted.
    let folder = Folder::new("stuck");
    let (writer, mut epoch) = real(&folder.0, Limits::default()).expect("an epoch");
    let start = Instant::now();
    for n in 0..25_000 {
        writer.emit(Kind::Alias, &Numbered(n, 60));
    }
    for n in 0..20 {
        writer.emit(Kind::Pause, &Numbered(n, 5 << 20));
    }
    assert!(start.elapsed() < Duration::from_secs(20));
    let counters = writer.counters();
    assert_eq!(counters.queued, 20_000);
    assert_eq!(counters.dropped, [("alias", 5_000), ("pause", 20)]);
    epoch.drain();
    writer.emit(Kind::Pause, &Numbered(0, 5 << 20));
    assert_eq!(writer.counters().dropped[2], ("pause_oversized", 1));
}

#[test]
fn a_close_waits_no_longer_than_it_may() {
    struct Stuck;
    impl stepscope_recorder::StatusSource for Stuck {
        fn fields(
            &self,
        ) -> Result<Vec<(String, stepscope_recorder::Value)>, stepscope_recorder::writer::SourceFailed>
        {
            std::thread::sleep(Duration::from_secs(5));
            Ok(Vec::new())
        }
    }
    let folder = Folder::new("close");
    let limits = Limits { close_wait: Duration::from_millis(50), ..Limits::default() };
    let (writer, epoch) = real(&folder.0, limits).expect("an epoch");
    writer.set_status_source(Arc::new(Stuck));
    epoch.spawn().expect("a thread");
    let start = Instant::now();
    writer.close();
    assert!((Duration::from_millis(50)..Duration::from_secs(4)).contains(&start.elapsed()));
}

/// What the child of the next test does: record until it is killed.
fn record_until_killed(root: &Path) -> ! {
    let limits = Limits { segment_bytes: 40_000, heartbeat_ns: 2_000_000, ..Limits::default() };
    let (writer, epoch) = real(root, limits).expect("an epoch");
    epoch.spawn().expect("a thread");
    let mut n = 0;
    loop {
        for _ in 0..50 {
            writer.emit(Kind::Alias, &Numbered(n, 100 + usize::try_from(n % 7).unwrap_or(0) * 700));
            n += 1;
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}

#[test]
fn two_hundred_killed_processes_leave_whole_segments_and_complete_lines() {
    const ROOT: &str = "STEPSCOPE_RECORD_UNTIL_KILLED";
    if let Some(root) = std::env::var_os(ROOT) {
        record_until_killed(Path::new(&root));
    }
    let folder = Folder::new("killed");
    let (mut total, mut sealed, mut with_status) = (0, 0, 0);
    for kill in 0..200_u64 {
        let root = folder.0.join(kill.to_string());
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "two_hundred_killed_processes_leave_whole_segments_and_complete_lines"])
            .env(ROOT, &root)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child");
        // From the moment its epoch has a segment on, the child lives for up to 20 ms more.
        let deadline = Instant::now() + Duration::from_secs(30);
        let has_begun = |directory: &PathBuf| {
            directory.join("000000.jsonl.part").exists() || directory.join("000000.jsonl").exists()
        };
        while !epoch_directories(&root).iter().any(has_begun) {
            assert!(Instant::now() < deadline, "the child records nothing");
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(kill * 7919 % 20_000));
        child.kill().expect("killed");
        child.wait().expect("reaped");
        let directory = epoch_directories(&root).pop().expect("an epoch");
        let (records, _) = records(&directory);
        let emitted: Vec<u64> = records.iter().filter_map(|record| record["n"].as_u64()).collect();
        let lost = |counters: &Value| -> u64 {
            counters["dropped"].as_object().expect("an object").values().filter_map(Value::as_u64).sum()
        };
        let claimed =
            records.iter().filter(|record| record["kind"] == "heartbeat").map(lost).max().unwrap_or(0);
        // Numbers are given in the order of emission: what is missing between them was dropped.
        let missing = emitted.last().map_or(0, |last| last + 1 - emitted.len() as u64);
        assert!(
            emitted.is_sorted() && missing == 0 && claimed == 0,
            "kill {kill}: {missing} missing, {claimed} claimed"
        );
        if let Ok(status) = fs::read_to_string(directory.join("status.json")) {
            let status: Value = serde_json::from_str(&status).expect("replaced as a whole");
            assert!(status["last_seq"].as_i64().expect("a number") < records.len() as i64, "kill {kill}");
            with_status += 1;
        }
        total += records.len();
        sealed += fs::read_dir(&directory).expect("an epoch").count().saturating_sub(3);
        fs::remove_dir_all(&root).expect("removed");
    }
    assert!(
        total > 200 && sealed > 20 && with_status > 20,
        "{total} records, {sealed} sealed, {with_status} status"
    );
}
