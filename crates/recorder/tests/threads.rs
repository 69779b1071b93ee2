//! Several threads emit while heartbeats run: what the reader takes for whole is whole (`reading.md` §14).
#![cfg(unix)]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use stepscope_epoch_log::coverage::{Coverage, coverage};
use stepscope_epoch_log::{Epoch, EpochParts, ReadOptions, SegmentParser, SideFile, assemble};
use stepscope_recorder::clock::SystemClock;
use stepscope_recorder::engine::Admissions;
use stepscope_recorder::files::Disk;
use stepscope_recorder::process::SystemProcess;
use stepscope_recorder::{
    Clock, EngineRecorder, Fields, Hello, Kind, Limits, NotEncodable, Role, Stamp, Writer,
};

/// Reads an epoch's directory.
fn read(directory: &Path) -> Epoch {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut segments: Vec<_> = fs::read_dir(directory)
        .expect("an epoch")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| name(path).contains(".jsonl"))
        .collect();
    segments.sort();
    let epoch = name(directory);
    let parse = |path: &std::path::PathBuf| {
        let mut parser = SegmentParser::new(&name(path), &epoch);
        parser.push(&fs::read(path).expect("readable"));
        parser.finish()
    };
    let side = |file: &str| fs::read(directory.join(file)).map_or(SideFile::Missing, SideFile::Bytes);
    let parts = EpochParts {
        host_boot: name(directory.parent().unwrap_or(directory)),
        blocks: segments.iter().map(|segment| parse(segment).into()).collect(),
        status: side("status.json"),
        key: side("key"),
        epoch,
        problems: Vec::new(),
    };
    assemble(parts, &ReadOptions::default())
}

/// A record that says who emitted it and when.
struct Said {
    by: usize,
    n: usize,
    stamp: Stamp,
}

impl Fields for Said {
    fn encode(&self, out: &mut stepscope_recorder::Encoder<'_>) -> Result<(), NotEncodable> {
        out.raw("{\"internal\":").string(&format!("{}/{}", self.by, self.n)).raw(",\"external\":null,");
        out.stamp("", self.stamp).raw("}");
        Ok(())
    }
}

/// Waits until nothing is pending and two more heartbeats have been written.
fn settle(writer: &Writer) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let wait = |until: &dyn Fn() -> bool| {
        while !until() {
            assert!(Instant::now() < deadline, "the writer does not get on");
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    wait(&|| writer.counters().pending == 0);
    let last_seq = writer.counters().last_seq;
    wait(&|| writer.counters().last_seq >= last_seq + 2);
}

/// Four threads emit for half a second, each so many records at once, into a queue of `queue_records`; what was said,
/// when, and what was read.
fn emit_from_threads(name: &str, at_once: usize, queue_records: usize) -> (Vec<(String, i64)>, Epoch) {
    let root = std::env::temp_dir().join(format!("stepscope-recorder-{name}-{}", std::process::id()));
    let limits =
        Limits { queue_records, heartbeat_ns: 5_000_000, segment_bytes: 200_000, ..Limits::default() };
    let (clock, process) = (Arc::new(SystemClock), Arc::new(SystemProcess));
    let (writer, epoch) =
        Writer::create(Disk::default(), &root, Role::Engine, limits, clock, process).expect("an epoch");
    let directory = epoch.directory().to_owned();
    writer.emit_hello(&Hello::default());
    epoch.spawn().expect("a thread");
    let stop = AtomicBool::new(false);
    let said: Vec<(String, i64)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|by| {
                let (writer, stop) = (writer.clone(), &stop);
                scope.spawn(move || {
                    let mut said = Vec::new();
                    while !stop.load(Ordering::Relaxed) {
                        for _ in 0..at_once {
                            let ticket = writer.reserve();
                            let stamp = writer.stamp();
                            let n = said.len();
                            said.push((format!("{by}/{n}"), stamp.mono_ns));
                            ticket.emit(Kind::Alias, &Said { by, n, stamp });
                        }
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    said
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(500));
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread that ends")).collect()
    });
    settle(&writer);
    writer.close();
    let epoch = read(&directory);
    fs::remove_dir_all(&root).expect("removed");
    (said, epoch)
}

/// The said records that the epoch does not hold, with their stamps.
fn lost(said: &[(String, i64)], epoch: &Epoch) -> Vec<(String, i64)> {
    let ids = &epoch.log.alias.internal.text;
    let written: HashSet<&[u8]> = ids.iter().map(|&id| epoch.strings.get(id)).collect();
    said.iter().filter(|(name, _)| !written.contains(name.as_bytes())).cloned().collect()
}

fn assert_spans_hold(coverage: &Coverage, lost: &[(String, i64)]) {
    for span in &coverage.spans {
        let inside = lost.iter().find(|(_, mono)| (span.start_mono_ns..=span.end_mono_ns).contains(mono));
        assert_eq!(inside, None, "lost inside of {span:?}");
    }
}

#[test]
fn where_nothing_is_lost_there_is_one_span() {
    let (said, epoch) = emit_from_threads("whole", 5, 20_000);
    assert!(said.len() > 200 && epoch.problems.is_empty(), "{:?}", epoch.problems);
    assert_eq!(lost(&said, &epoch).len(), 0);
    let coverage = coverage(&epoch);
    assert_eq!(coverage.spans.len(), 1, "{coverage:?}");
    let beats = &epoch.log.heartbeat;
    assert!(beats.seq.len() > 10);
    let span = &coverage.spans[0];
    assert_eq!(Some(span.start_mono_ns), beats.at.mono.int(0));
    // Only a beat during the close may have no witness but the goodbye, which is none.
    assert!(Some(span.end_mono_ns) >= beats.at.mono.int(beats.seq.len() - 2), "{span:?}");
}

#[test]
fn no_span_reaches_across_a_loss() {
    let (said, epoch) = emit_from_threads("lossy", 50, 20);
    let lost = lost(&said, &epoch);
    assert!(!lost.is_empty() && lost.len() < said.len());
    assert!(epoch.problems.is_empty(), "{:?}", epoch.problems);
    assert_spans_hold(&coverage(&epoch), &lost);
    let status = epoch.status.as_ref().expect("a status");
    assert!(format!("{status:?}").contains(&lost.len().to_string()), "{status:?}: {} lost", lost.len());
}

#[test]
fn admissions_and_hand_overs_of_other_threads_are_covered_too() {
    let root = std::env::temp_dir().join(format!("stepscope-recorder-admit-{}", std::process::id()));
    let limits = Limits { heartbeat_ns: 2_000_000, ..Limits::default() };
    let (clock, process) = (Arc::new(SystemClock), Arc::new(SystemProcess));
    let (writer, epoch) =
        Writer::create(Disk::default(), &root, Role::Engine, limits, clock, process).expect("an epoch");
    let directory = epoch.directory().to_owned();
    let recorder = EngineRecorder::start(&writer, &Hello::default()).expect("not refused");
    epoch.spawn().expect("a thread");
    let begun = SystemClock.mono_ns();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let admissions: Admissions = recorder.admissions();
            scope.spawn(move || {
                for n in 0..200 {
                    admissions.admit(&format!("{thread}/{n}"), None);
                    std::thread::sleep(Duration::from_micros(300));
                }
            });
        }
        for n in 0..100 {
            // The reservation spans the engine's whole call, over a heartbeat now and then.
            let hand_over = recorder.before_hand_over(Some(false));
            std::thread::sleep(Duration::from_micros(600));
            hand_over.returned(&n.to_string(), None, None);
        }
    });
    settle(&writer);
    writer.close();
    let epoch = read(&directory);
    fs::remove_dir_all(&root).expect("removed");
    assert_eq!((epoch.log.alias.seq.len(), epoch.log.enqueued.seq.len()), (600, 100));
    let spans = coverage(&epoch).spans;
    assert_eq!(spans.len(), 1, "{spans:?}");
    assert!(spans[0].start_mono_ns - begun < 100_000_000);
}
