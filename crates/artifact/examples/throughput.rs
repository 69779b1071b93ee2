//! Reads a hook directory, reduces it with every step kept and judges it, all on one thread:
//! `cargo run --release -p stepscope-artifact --example throughput -- LOG [ARTIFACT]`. With ARTIFACT that is written too.
//!
//! Every record is built once even when none is written. Prints what was found and the seconds of the phases as JSON;
//! the benchmark in `tests/bench` times the whole process.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::hint::black_box;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use stepscope_artifact::{Alone, ImportOptions, RunName};
use stepscope_diagnose::{Config, diagnose};
use stepscope_epoch_log::source::{EntryKind, ReadFailure, Source, discover, one_by_one, read_epoch};
use stepscope_epoch_log::{Epoch, ReadOptions, Role};
use stepscope_reduce::{Options, Record};

/// A folder on disk, read in pieces.
struct Disk(PathBuf);

/// Bytes of a piece.
const PIECE: usize = 256 << 10;

impl Source for Disk {
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String> {
        let entries = std::fs::read_dir(self.0.join(directory)).map_err(|error| error.to_string())?;
        let named = |entry: std::fs::DirEntry| {
            let kind = if entry.path().is_dir() { EntryKind::Directory } else { EntryKind::File };
            (entry.file_name().to_string_lossy().into_owned(), kind)
        };
        entries.map(|entry| entry.map(named).map_err(|error| error.to_string())).collect()
    }

    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure> {
        let other = |error: std::io::Error| ReadFailure::Other(error.to_string());
        let mut file = std::fs::File::open(self.0.join(path)).map_err(other)?;
        let mut piece = vec![0; PIECE];
        loop {
            match std::io::Read::read(&mut file, &mut piece).map_err(other)? {
                0 => return Ok(()),
                len => take(&piece[..len]),
            }
        }
    }
}

fn read(log: &Path) -> Result<Vec<Epoch>, Box<dyn Error>> {
    let source = Disk(log.to_owned());
    let options = ReadOptions { server_stopped: true, ..ReadOptions::default() };
    let found = discover(&source)?.epochs;
    Ok(found.iter().map(|found| read_epoch(&source, found, &options, &one_by_one)).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1).map(PathBuf::from);
    let log = paths.next().ok_or("throughput LOG [ARTIFACT]")?;
    let output = paths.next();
    let began = Instant::now();
    let epochs = read(&log)?;
    let read = began.elapsed();
    let options = ImportOptions {
        reduce: Options { source_version: b"1".to_vec(), ..Options::default() },
        server_stopped: true,
        directory: "log",
        ..ImportOptions::default()
    };
    let config = Config { with_status: true, ..Config::default() };
    let engines = epochs.iter().filter(|epoch| epoch.name.role == Role::Engine);
    let verdicts: Vec<_> = engines.map(|epoch| diagnose(epoch, &config).verdict).collect();
    let diagnosed = began.elapsed();
    let alone = Alone::reduce(&epochs, &RunName::of(&epochs), &options)?;
    let reduced = began.elapsed();
    let (mut steps, mut memberships, mut bytes) = (0_u64, 0_u64, 0);
    match output {
        Some(output) => {
            let mut file = std::fs::File::create(output)?;
            let mut failed = None;
            let imported = alone.write(&epochs, &options, &mut |piece| {
                if failed.is_none() {
                    failed = file.write_all(piece).err();
                }
            })?;
            if let Some(error) = failed {
                return Err(error.into());
            }
            (steps, memberships, bytes) =
                (imported.counts.iterations, imported.counts.memberships, imported.appended);
        }
        None => alone.reduced.each_record(&epochs, &mut |_, record| match black_box(record) {
            Record::Iteration(_) => steps += 1,
            Record::Membership(_) => memberships += 1,
            _ => {}
        }),
    }
    let done = began.elapsed();
    let verdict = verdicts.first().ok_or("no engine")?;
    println!(
        r#"{{"steps":{steps},"memberships":{memberships},"appended":{bytes},"value":{},"threshold":{},"read":{},"diagnose":{},"reduce":{},"records":{},"seconds":{}}}"#,
        verdict.value.unwrap_or_default(),
        verdict.threshold.unwrap_or_default(),
        read.as_secs_f64(),
        (diagnosed - read).as_secs_f64(),
        (reduced - diagnosed).as_secs_f64(),
        (done - reduced).as_secs_f64(),
        done.as_secs_f64(),
    );
    Ok(())
}
