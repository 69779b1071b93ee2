//! Measures what recording costs an engine and how fast the writer is; prints one JSON object of plain numbers.
//!
//! ```text
//! cargo run --release -p stepscope-recorder --example speed [FOLDER]
//! ```
//!
//! - `engine_ns_per_step`: median time on the engine thread of recording one step of 256 members, scheduled and
//!   completed, while the writing thread writes to FOLDER (default `/dev/shm`); `engine_ns_per_step_p99` likewise,
//!   `engine_allocations_per_step` the most of any step once warm, `engine_bytes_per_step` what a step takes on disk.
//! - `writer_mb_per_s`: 10⁶ bytes per second that the writing loop sustains into FOLDER.

mod batch;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use batch::Batch;
use batch::counting::{Counting, allocations};
use stepscope_recorder::clock::SystemClock;
use stepscope_recorder::files::Disk;
use stepscope_recorder::process::SystemProcess;
use stepscope_recorder::{EngineRecorder, Hello, Limits, Role, Writer, WriterLoop};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MEMBERS: usize = 256;
const STEPS: usize = 2200;
/// Steps before the recorder is warm.
const WARM: usize = 200;

fn main() -> std::io::Result<()> {
    let base = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("/dev/shm"), PathBuf::from);
    let root = base.join(format!("stepscope-speed-{}", std::process::id()));
    let measured =
        engine(&root.join("engine")).and_then(|engine| Ok((engine, writer(&root.join("writer"))?)));
    std::fs::remove_dir_all(&root)?;
    let (engine, megabytes_per_second) = measured?;
    let Engine { median_ns, p99_ns, allocations, bytes, dropped } = engine;
    writeln!(
        std::io::stdout(),
        "{{\"members\":{MEMBERS},\"engine_ns_per_step\":{median_ns},\"engine_ns_per_step_p99\":{p99_ns},\
         \"engine_allocations_per_step\":{allocations},\"engine_bytes_per_step\":{bytes},\
         \"engine_dropped\":{dropped},\"writer_mb_per_s\":{megabytes_per_second}}}"
    )
}

/// What recording costs an engine.
struct Engine {
    median_ns: u128,
    p99_ns: u128,
    /// The most of any step.
    allocations: u64,
    /// Of the epoch for each of its steps.
    bytes: i64,
    /// Records.
    dropped: u64,
}

fn epoch(root: &Path) -> std::io::Result<(EngineRecorder, WriterLoop<Disk>)> {
    let limits = Limits { epoch_bytes: i64::MAX, ..Limits::default() };
    let (clock, process) = (Arc::new(SystemClock), Arc::new(SystemProcess));
    let (writer, epoch) = Writer::create(Disk::default(), root, Role::Engine, limits, clock, process)?;
    let recorder = EngineRecorder::start(&writer, &Hello::default());
    Ok((recorder.ok_or_else(|| std::io::Error::other("refused"))?, epoch))
}

fn engine(root: &Path) -> std::io::Result<Engine> {
    let (mut recorder, epoch) = epoch(root)?;
    epoch.spawn()?;
    let mut batch = Batch::new(MEMBERS);
    let mut times = Vec::with_capacity(STEPS);
    let mut most = 0;
    for step in 0..STEPS {
        let allocated = allocations();
        let start = Instant::now();
        batch.record_step(&mut recorder);
        let time = start.elapsed().as_nanos();
        if step >= WARM {
            times.push(time);
            most = most.max(allocations() - allocated);
        }
        // An engine has more to do than to record: the rest of a step leaves the writer its turn.
        std::thread::sleep(std::time::Duration::from_micros(500));
    }
    recorder.writer().close();
    let counters = recorder.writer().counters();
    times.sort_unstable();
    Ok(Engine {
        median_ns: times[times.len() / 2],
        p99_ns: times[times.len() * 99 / 100],
        allocations: most,
        bytes: counters.bytes / STEPS as i64,
        dropped: counters.dropped.iter().map(|(_, count)| count).sum(),
    })
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
