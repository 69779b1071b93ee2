//! How fast an epoch is read and reduced with every step kept, on one thread, and how large the result is:
//! `cargo run --release -p stepscope-reduce --example speed -- EPOCH_FOLDER`.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use stepscope_epoch_log::{EpochParts, ReadOptions, SegmentParser, SideFile, assemble};
use stepscope_reduce::{Fields, Options, Raw, Ref, RunFacts, Window, reduce};

/// Takes every field and adds up what a writer would have to write.
#[derive(Default)]
struct Sizes {
    fields: u64,
    bytes: u64,
}

impl Fields for Sizes {
    fn value(&mut self, name: &'static str, value: Raw<'_>) {
        self.fields += 1;
        self.bytes += name.len() as u64;
        self.bytes += match value {
            Raw::Null | Raw::Bool(_) => 4,
            Raw::Int(value) => u64::from(value.unsigned_abs().checked_ilog10().unwrap_or(0)) + 1,
            Raw::Text(text) | Raw::Json(text) => text.len() as u64,
        };
    }
    fn joined(&mut self, name: &'static str, parts: &[&[u8]]) {
        self.fields += 1;
        self.bytes += name.len() as u64 + parts.iter().map(|part| part.len() as u64).sum::<u64>();
    }
    fn reference(&mut self, name: &'static str, reference: Option<Ref<'_>>) {
        self.fields += 1;
        self.bytes += name.len() as u64;
        self.bytes +=
            reference.map_or(4, |reference| (reference.producer_id.len() + reference.id.len()) as u64);
    }
    fn context(&mut self) {}
    fn schema_version(&mut self) {}
    fn open(&mut self, name: &'static str) {
        self.bytes += name.len() as u64;
    }
    fn close(&mut self) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("which epoch folder?")?);
    let mut segments = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if stepscope_epoch_log::manifest::segment_name(&name).is_some() {
            segments.push((name, std::fs::read(entry.path())?));
        }
    }
    segments.sort();
    let epoch = folder.file_name().ok_or("no name")?.to_string_lossy().into_owned();
    let megabytes = segments.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() as f64 / 1e6;
    let speed = |time: Duration| {
        format!("{:.0} ms ({:.0} MB/s)", time.as_secs_f64() * 1e3, megabytes / time.as_secs_f64())
    };
    for _ in 0..5 {
        let start = Instant::now();
        let blocks = segments.iter().map(|(name, bytes)| {
            let mut parser = SegmentParser::new(name, &epoch);
            bytes.chunks(256 << 10).for_each(|chunk| parser.push(chunk));
            parser.finish().into()
        });
        let parts = EpochParts {
            host_boot: "bench".to_owned(),
            epoch: epoch.clone(),
            blocks: blocks.collect(),
            key: SideFile::Bytes(std::fs::read(folder.join("key")).unwrap_or_else(|_| vec![7; 32])),
            ..EpochParts::default()
        };
        let model = assemble(parts, &ReadOptions::default());
        let read = start.elapsed();
        let hello = model.hello.clone().unwrap_or_default();
        let domain =
            format!("{}/{}/unix_epoch_ns", hello.host.unwrap_or_default(), hello.boot_id.unwrap_or_default());
        let facts = RunFacts {
            run_id: b"run".to_vec(),
            session_id: b"session".to_vec(),
            client_clock_domain: Some(domain.into_bytes()),
            windows: vec![Window { start_ns: i64::MIN, end_ns: i64::MAX }],
            ..RunFacts::default()
        };
        let start = Instant::now();
        let reduction = reduce(&model, &facts, &Options::default());
        let reduced = start.elapsed();
        let start = Instant::now();
        let mut sizes = Sizes::default();
        reduction.each_record(&model, &mut |record| record.fields(&mut sizes));
        let walked = start.elapsed();
        println!(
            "{megabytes:.0} MB, {} records of {} steps: read {}, reduce {}, walk {:.0} ms ({} fields, {:.0} MB); read + reduce {}",
            reduction.len(),
            model.log.scheduled.seq.len(),
            speed(read),
            speed(reduced),
            walked.as_secs_f64() * 1e3,
            sizes.fields,
            sizes.bytes as f64 / 1e6,
            speed(read + reduced),
        );
    }
    Ok(())
}
