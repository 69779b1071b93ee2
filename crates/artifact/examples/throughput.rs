//! How fast the artifact of one epoch is made, written and read back:
//! `cargo run --release -p stepscope-artifact --example throughput -- EPOCH_FOLDER`.
//!
//! Times are those of the processor, so that a busy machine says the same.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;

use rustix::time::{ClockId, clock_gettime};
use stepscope_artifact::{Artifact, ImportOptions, RunName, standalone};
use stepscope_epoch_log::{EpochParts, ReadOptions, SegmentParser, SideFile, assemble};
use stepscope_reduce::{Options, Rules};

/// Seconds this thread has run.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("which epoch folder?")?);
    let mut names: Vec<_> = std::fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
    names.sort_by_key(std::fs::DirEntry::path);
    let epoch_name = folder.file_name().ok_or("no name")?.to_string_lossy().into_owned();
    let mut parts =
        EpochParts { host_boot: "host-boot".into(), epoch: epoch_name.clone(), ..EpochParts::default() };
    for entry in names {
        let name = entry.file_name().to_string_lossy().into_owned();
        if stepscope_epoch_log::manifest::segment_name(&name).is_some() {
            let mut parser = SegmentParser::new(&name, &epoch_name);
            parser.push(&std::fs::read(entry.path())?);
            parts.blocks.push(parser.finish().into());
        } else if name == "key" {
            parts.key = SideFile::Bytes(std::fs::read(entry.path())?);
        }
    }
    let epochs = [assemble(parts, &ReadOptions { server_stopped: true, ..ReadOptions::default() })];
    let reduce_options = Options { source_version: b"1".to_vec(), ..Options::default() };
    let options = ImportOptions { reduce: reduce_options, directory: "log", ..ImportOptions::default() };
    let name = RunName::of(&epochs);
    let mut artifact = Vec::new();
    for _ in 0..5 {
        artifact.clear();
        let start = seconds();
        let imported = standalone(&epochs, &name, &options, &mut |piece| artifact.extend_from_slice(piece))?;
        let made = seconds() - start;
        let start = seconds();
        Artifact::read(&artifact, Rules::Reference)?;
        let read = seconds() - start;
        let megabytes = artifact.len() as f64 / 1e6;
        println!(
            "log {:.0} MB, artifact {megabytes:.0} MB, {} memberships: reduce and write {:.0} ms \
             ({:.0} MB/s), read back {:.0} MB/s",
            epochs[0].bytes as f64 / 1e6,
            imported.counts.memberships,
            made * 1e3,
            megabytes / made,
            megabytes / read,
        );
    }
    Ok(())
}
