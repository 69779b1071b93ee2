//! What the comparison with the reference in `tests/artifact` drives:
//!
//! `import standalone LOG OUT [OPTION …]` writes an artifact for a log, `import into ARTIFACT LOG [OPTION …]` imports
//! a log into one. Options: `--server-stopped`, `--raw-foreign-ids`, `--corrected`, `--envelope FILE`,
//! `--run RUN` (standalone). A refusal is printed and ends the program with its exit code.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use stepscope_artifact::{
    Artifact, EnvelopeEntry, ImportOptions, Imported, Refusal, RunName, Target, import, standalone,
};
use stepscope_epoch_log::source::{Files, discover, one_by_one, read_epoch};
use stepscope_epoch_log::{Epoch, ReadOptions};
use stepscope_reduce::{Options, Rules};

#[derive(Default)]
struct Arguments {
    words: Vec<String>,
    server_stopped: bool,
    raw_foreign_ids: bool,
    corrected: bool,
    envelope: Option<PathBuf>,
    run: Option<String>,
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

fn files(root: &Path, below: &str, into: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            into.insert(format!("{path}/"), Vec::new());
            files(root, &format!("{path}/"), into)?;
        } else {
            into.insert(path, std::fs::read(entry.path())?);
        }
    }
    Ok(())
}

fn epochs(
    root: &Path,
    server_stopped: bool,
    mark: impl Fn(&str) -> Option<i64>,
) -> Result<Vec<Epoch>, Box<dyn Error>> {
    let mut source = Files::default();
    files(root, "", &mut source.by_path)?;
    let discovery = discover(&source)?;
    Ok(discovery
        .epochs
        .iter()
        .map(|found| {
            let options = ReadOptions { server_stopped, mark: mark(&found.epoch), ..ReadOptions::default() };
            read_epoch(&source, found, &options, &one_by_one)
        })
        .collect())
}

fn tell(imported: &Imported) {
    eprintln!("{:?}", imported.counts);
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
            let epochs = epochs(Path::new(log), arguments.server_stopped, |_| None)?;
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
            let epochs = epochs(Path::new(log), arguments.server_stopped, mark)?;
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
