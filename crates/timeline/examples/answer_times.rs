//! How long answers take on one epoch, natively, and how much the layout holds:
//!
//! ```text
//! cargo run --release -p stepscope-timeline --example answer_times -- HOOK_DIRECTORY/HOST/EPOCH
//! ```

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use stepscope_epoch_log::{Block, EpochParts, ReadOptions, SegmentParser, SideFile, assemble};
use stepscope_timeline::{LaneOrder, Timeline};

/// Three visible ranges of 1,280 pixels.
const WIDTH: u32 = 3 * 1280;
/// Lanes in sight.
const LANES: u32 = 40;

fn read(folder: &Path) -> std::io::Result<EpochParts> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let epoch = name(folder);
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    let mut blocks: Vec<Block> = Vec::new();
    let mut status = SideFile::Missing;
    for path in paths {
        let file = name(&path);
        if file == "status.json" {
            status = SideFile::Bytes(std::fs::read(&path)?);
        } else if file.contains(".jsonl") {
            let mut parser = SegmentParser::new(&file, &epoch);
            parser.push(&std::fs::read(&path)?);
            blocks.push(parser.finish().into());
        }
    }
    Ok(EpochParts { host_boot: "host".to_owned(), epoch, blocks, status, ..EpochParts::default() })
}

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args().nth(1) else {
        println!("usage: answer_times FOLDER_OF_AN_EPOCH");
        return Ok(());
    };
    let parts = read(Path::new(&folder))?;
    let begun = Instant::now();
    let epoch = assemble(parts, &ReadOptions::default());
    println!("assemble            {:8.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    let bytes = epoch.bytes as f64;
    let begun = Instant::now();
    let timeline = Timeline::new(epoch);
    println!("judge and lay out   {:8.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    let overview = timeline.overview(0);
    let memberships = f64::from(overview.memberships);
    println!(
        "{} memberships, {} steps, {} requests, {} lanes, {} stalls",
        overview.memberships,
        overview.steps,
        overview.requests,
        overview.lanes,
        overview.stalls.len()
    );
    let (derived, log) = (timeline.heap_bytes() as f64, timeline.epoch().log.heap_bytes() as f64);
    let strings = timeline.epoch().strings.heap_bytes() as f64;
    println!(
        "bytes a membership: log {:.1}, texts {:.1}, derived {:.1}; of the segments' bytes: {:.3}",
        log / memberships,
        strings / memberships,
        derived / memberships,
        (log + strings + derived) / bytes
    );
    println!(
        "{:>12} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "window", "tracks ms", "lanes ms", "worst", "runs", "ticks"
    );
    let whole = overview.t1;
    for zoom in [1.0, 3.0, 10.0, 30.0, 100.0, 1000.0, 10_000.0] {
        let length = whole / zoom;
        let (mut tracks, mut lanes, mut runs, mut ticks) = (Vec::new(), Vec::new(), 0, 0);
        for at in 0..20u32 {
            let t0 = (whole - length) * f64::from(at) / 19.0;
            let begun = Instant::now();
            let answer = timeline.tracks(t0, t0 + length, WIDTH);
            tracks.push(begun.elapsed().as_secs_f64() * 1e3);
            let begun = Instant::now();
            let shown = timeline.lanes(t0, t0 + length, WIDTH, 0, LANES, LaneOrder::Seats);
            lanes.push(begun.elapsed().as_secs_f64() * 1e3);
            runs = runs.max(shown.run_kind.len());
            ticks = ticks.max(shown.tick_t.len());
            assert_eq!(answer.bins, shown.bins);
        }
        tracks.sort_by(f64::total_cmp);
        lanes.sort_by(f64::total_cmp);
        println!(
            "{:>10.3} s {:>10.2} {:>10.2} {:>10.2} {runs:>10} {ticks:>10}",
            length / 1e9,
            tracks[10],
            lanes[10],
            tracks[19].max(lanes[19])
        );
    }
    Ok(())
}
