//! How fast the segments of one epoch are read, and how large the model is:
//! `cargo run --release -p stepscope-epoch-log --example throughput -- EPOCH_FOLDER`.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::Instant;

use stepscope_epoch_log::{EpochParts, ReadOptions, SegmentParser, assemble};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("which epoch folder?")?);
    let mut names: Vec<_> = std::fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
    names.sort_by_key(std::fs::DirEntry::path);
    let mut segments = Vec::new();
    for entry in names {
        let name = entry.file_name().to_string_lossy().into_owned();
        if stepscope_epoch_log::manifest::segment_name(&name).is_some() {
            segments.push((name, std::fs::read(entry.path())?));
        }
    }
    let epoch = folder.file_name().ok_or("no name")?.to_string_lossy().into_owned();
    let bytes: usize = segments.iter().map(|(_, bytes)| bytes.len()).sum();
    for _ in 0..5 {
        let start = Instant::now();
        let blocks: Vec<_> = segments
            .iter()
            .map(|(name, bytes)| {
                let mut parser = SegmentParser::new(name, &epoch);
                bytes.chunks(256 << 10).for_each(|chunk| parser.push(chunk));
                parser.finish()
            })
            .collect();
        let parsed = start.elapsed();
        let encoded: Vec<_> = blocks.iter().map(stepscope_epoch_log::SegmentBlock::encode).collect();
        let transferred: usize = encoded.iter().map(Vec::len).sum();
        let start = Instant::now();
        let blocks = blocks.into_iter().map(Into::into).collect();
        let parts = EpochParts { epoch: epoch.clone(), blocks, ..EpochParts::default() };
        let model = assemble(parts, &ReadOptions::default());
        let merged = start.elapsed();
        let members = model.log.scheduled.members.rows.internal.text.len();
        let held = model.log.heap_bytes() + model.strings.heap_bytes();
        println!(
            "{:.0} MB: parse {:.0} MB/s, merge {:.1} ms, blocks {:.1} MB, model {:.1} MB, {} steps, {members} memberships, {:.1} bytes each",
            bytes as f64 / 1e6,
            bytes as f64 / 1e6 / parsed.as_secs_f64(),
            merged.as_secs_f64() * 1e3,
            transferred as f64 / 1e6,
            held as f64 / 1e6,
            model.log.scheduled.seq.len(),
            held as f64 / members as f64,
        );
    }
    Ok(())
}
