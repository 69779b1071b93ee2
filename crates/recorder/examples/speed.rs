//! Measures what recording costs an engine and how fast the writer is; prints one JSON object of plain numbers.
//!
//! ```text
//! cargo run --release -p stepscope-recorder --example speed [FOLDER]
//! ```
//!
//! - `engine_ns_per_step`: median time on the engine thread of recording one step of 256 members, scheduled and
//!   completed, while the writing thread writes to FOLDER (default `/dev/shm`); `engine_ns_per_step_p99` likewise.
//! - `writer_mb_per_s`: 10⁶ bytes per second that the writing loop sustains into FOLDER.

mod batch;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use batch::Batch;
use stepscope_recorder::clock::SystemClock;
use stepscope_recorder::files::Disk;
use stepscope_recorder::process::SystemProcess;
use stepscope_recorder::{EngineRecorder, Hello, Limits, Role, Writer, WriterLoop};

const MEMBERS: usize = 256;

fn main() -> std::io::Result<()> {
    let base = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("/dev/shm"), PathBuf::from);
    let root = base.join(format!("stepscope-speed-{}", std::process::id()));
    let measured =
        engine(&root.join("engine")).and_then(|engine| Ok((engine, writer(&root.join("writer"))?)));
    std::fs::remove_dir_all(&root)?;
    let ((median, p99, dropped), megabytes_per_second) = measured?;
    writeln!(
        std::io::stdout(),
        "{{\"members\":{MEMBERS},\"engine_ns_per_step\":{median},\"engine_ns_per_step_p99\":{p99},\
         \"engine_dropped\":{dropped},\"writer_mb_per_s\":{megabytes_per_second}}}"
    )
}

fn epoch(root: &Path) -> std::io::Result<(EngineRecorder, WriterLoop<Disk>)> {
    let limits = Limits { epoch_bytes: i64::MAX, ..Limits::default() };
    let (clock, process) = (Arc::new(SystemClock), Arc::new(SystemProcess));
    let (writer, epoch) = Writer::create(Disk::default(), root, Role::Engine, limits, clock, process)?;
    let recorder = EngineRecorder::start(&writer, &Hello::default());
    Ok((recorder.ok_or_else(|| std::io::Error::other("refused"))?, epoch))
}

/// Median and 99th percentile of a step, and the records dropped.
fn engine(root: &Path) -> std::io::Result<(u128, u128, u64)> {
    let (mut recorder, epoch) = epoch(root)?;
    epoch.spawn()?;
    let mut batch = Batch::new(MEMBERS);
    let mut times = Vec::with_capacity(2000);
    for step in 0..2200 {
        let start = Instant::now();
        batch.record_step(&mut recorder);
        let time = start.elapsed().as_nanos();
        if step >= 200 {
            times.push(time);
        }
        // An engine has more to do than to record: the rest of a step leaves the writer its turn.
        std::thread::sleep(std::time::Duration::from_micros(500));
    }
    recorder.writer().close();
    let dropped = recorder.writer().counters().dropped.iter().map(|(_, count)| count).sum();
    times.sort_unstable();
    Ok((times[times.len() / 2], times[times.len() * 99 / 100], dropped))
}

/// Bytes per microsecond of the writing loop alone.
fn writer(root: &Path) -> std::io::Result<u128> {
    let (mut recorder, mut epoch) = epoch(root)?;
    let mut batch = Batch::new(MEMBERS);
    let mut spent = std::time::Duration::ZERO;
    while recorder.writer().counters().bytes < 1_000_000_000 {
        for _ in 0..100 {
            batch.record_step(&mut recorder);
        }
        let start = Instant::now();
        epoch.drain();
        spent += start.elapsed();
    }
    let counters = recorder.writer().counters();
    if !counters.dropped.is_empty() {
        return Err(std::io::Error::other(format!("records were dropped: {:?}", counters.dropped)));
    }
    recorder.writer().close();
    epoch.drain();
    Ok(counters.bytes.unsigned_abs() as u128 / spent.as_micros().max(1))
}
