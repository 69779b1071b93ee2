//! What the comparison with the reference in `tests/artifact` drives:
//!
//! `import standalone LOG OUT [OPTION …]` writes an artifact for a log, `import into ARTIFACT LOG [OPTION …]` imports
//! a log into one. Options: `--server-stopped`, `--raw-foreign-ids`, `--corrected`, `--envelope FILE`,
//! `--run RUN` (standalone), and of the reading machine `--host NAME`, `--boot ID`, `--monotonic NS`. A refusal is
//! printed and ends the program with its exit code.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use stepscope_artifact::{
    Artifact, EnvelopeEntry, ImportOptions, Imported, Refusal, RunName, Target, import, standalone,
};
use stepscope_epoch_log::source::{EntryKind, ReadFailure, Source, discover, one_by_one, read_epoch};
use stepscope_epoch_log::{Epoch, Importer, ReadOptions};
use stepscope_reduce::{Options, Rules};

#[derive(Default)]
struct Arguments {
    words: Vec<String>,
    server_stopped: bool,
    raw_foreign_ids: bool,
    corrected: bool,
    envelope: Option<PathBuf>,
    run: Option<String>,
    importer: Importer,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self::default();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--server-stopped" => arguments.server_stopped = true,
                "--raw-foreign-ids" => arguments.raw_foreign_ids = true,
                "--corrected" => arguments.corrected = true,
                "--envelope" => arguments.envelope = words.next().map(PathBuf::from),
                "--run" => arguments.run = words.next(),
                "--host" => arguments.importer.host = words.next().unwrap_or_default(),
                "--boot" => arguments.importer.boot_id = words.next(),
                "--monotonic" => {
                    let time = words.next().and_then(|time| time.parse().ok());
                    arguments.importer.monotonic_ns = time.unwrap_or_default();
                }
                _ => arguments.words.push(word),
            }
        }
        arguments
    }

    fn reduce(&self) -> Options {
        Options {
            raw_foreign_ids: self.raw_foreign_ids,
            rules: if self.corrected { Rules::Corrected } else { Rules::Reference },
            source_version: b"test".to_vec(),
        }
    }
}

/// A folder on disk.
struct Disk<'a>(&'a Path);

impl Source for Disk<'_> {
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String> {
        let entries = std::fs::read_dir(self.0.join(directory)).map_err(|error| error.to_string())?;
        let kind = |path: PathBuf| match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => EntryKind::Directory,
            Ok(metadata) if metadata.is_file() => EntryKind::File,
            _ => EntryKind::Other,
        };
        let named =
            |entry: std::fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), kind(entry.path()));
        entries.map(|entry| entry.map(named).map_err(|error| error.to_string())).collect()
    }

    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure> {
        take(&std::fs::read(self.0.join(path)).map_err(|error| ReadFailure::Other(error.to_string()))?);
        Ok(())
    }
}

fn epochs(
    root: &Path,
    arguments: &Arguments,
    mark: impl Fn(&str) -> Option<i64>,
) -> Result<(Vec<Epoch>, Vec<String>), Box<dyn Error>> {
    let source = Disk(root);
    let discovery = discover(&source)?;
    let epochs = discovery.epochs.iter().map(|found| {
        let options = ReadOptions {
            importer: arguments.importer.clone(),
            server_stopped: arguments.server_stopped,
            mark: mark(&found.epoch),
        };
        read_epoch(&source, found, &options, &one_by_one)
    });
    Ok((epochs.collect(), discovery.notes))
}

/// Records written, by kind.
fn tell(imported: &Imported) {
    let counts = &imported.counts;
    println!(
        r#"{{"iterations":{},"memberships":{},"requests":{},"clock_alignment":{},"stages":{}}}"#,
        counts.iterations, counts.memberships, counts.requests, counts.clock_alignment, counts.stages
    );
}

fn run(arguments: &Arguments) -> Result<Result<(), Refusal>, Box<dyn Error>> {
    let words: Vec<&str> = arguments.words.iter().map(String::as_str).collect();
    let mut options = ImportOptions {
        reduce: arguments.reduce(),
        server_stopped: arguments.server_stopped,
        directory: "log",
        ..ImportOptions::default()
    };
    match words[..] {
        ["standalone", log, out] => {
            let (epochs, notes) = epochs(Path::new(log), arguments, |_| None)?;
            options.notes = &notes;
            let mut name = RunName::of(&epochs);
            if let Some(run) = &arguments.run {
                name = RunName { run_id: run.clone(), session_id: run.clone() };
            }
            let mut bytes = Vec::new();
            match standalone(&epochs, &name, &options, &mut |piece| bytes.extend_from_slice(piece)) {
                Ok(imported) => tell(&imported),
                Err(refusal) => return Ok(Err(refusal)),
            }
            std::fs::write(out, bytes)?;
        }
        ["into", artifact_path, log] => {
            let bytes = std::fs::read(artifact_path)?;
            let artifact = match Artifact::read(&bytes, options.reduce.rules) {
                Ok(artifact) => artifact,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let mark = |epoch: &str| artifact.marks.get(epoch.as_bytes()).copied();
            let (epochs, notes) = epochs(Path::new(log), arguments, mark)?;
            options.notes = &notes;
            let old = arguments.envelope.as_ref().and_then(|path| std::fs::read(path).ok());
            let name =
                Path::new(artifact_path).file_name().unwrap_or_default().to_string_lossy().into_owned();
            let entry = EnvelopeEntry { artifact_name: &name, artifact_path: &name };
            options.envelope = arguments.envelope.as_ref().map(|_| (entry, old.as_deref()));
            let plan = match import(&artifact, &epochs, &options) {
                Ok(plan) => plan,
                Err(refusal) => return Ok(Err(refusal)),
            };
            tell(&plan.imported);
            for (target, pieces) in plan.files() {
                match (target, &arguments.envelope) {
                    (Target::Envelope, Some(path)) => std::fs::write(path, pieces.concat())?,
                    _ => std::fs::write(artifact_path, pieces.concat())?,
                }
            }
        }
        _ => return Err("import standalone LOG OUT | import into ARTIFACT LOG".into()),
    }
    Ok(Ok(()))
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    Ok(match run(&Arguments::read())? {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => {
            eprintln!("{refusal}");
            ExitCode::from(refusal.exit_code())
        }
    })
}
