//! `stepscope reduce`: a log to canonical records.

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use stepscope_artifact::{
    Alone, Artifact, ENVELOPE_NAME, EnvelopeEntry, ImportOptions, Imported, ImportingProcess, RunName,
    Target, import,
};
use stepscope_epoch_log::{Epoch, Importer, ReadOptions};
use stepscope_reduce::{Options, Rules};

use crate::commands::tables;
use crate::machine::this_machine;
use crate::reading::{Reading, read};
use crate::replace::{Folder, Replacement};

/// What to reduce, and how.
pub(crate) struct Reducing<'a> {
    pub(crate) path: &'a Path,
    pub(crate) raw_foreign_ids: bool,
    pub(crate) server_stopped: bool,
    pub(crate) corrected: bool,
    pub(crate) threads: usize,
}

impl Reducing<'_> {
    /// Writes an artifact of the log alone, or its tables, or both. The same log gives the same bytes on every machine.
    ///
    /// # Errors
    /// In words; no file is changed then.
    pub(crate) fn standalone(&self, output: Option<&Path>, tables: Option<&Path>) -> Result<String, String> {
        // What cannot be written is said before the log is read.
        let folder = tables.map(Folder::begin).transpose()?;
        // Nor does it matter on which machine that happens.
        let reading = self.read(Importer::default(), &|_| None)?;
        let name = RunName::of(&reading.epochs);
        let options = ImportOptions { process: None, ..self.options(&reading.notes) };
        let alone = Alone::reduce(&reading.epochs, &name, &options).map_err(|refusal| refusal.to_string())?;
        let mut told_all = String::new();
        let counts = folder
            .as_ref()
            .map(|folder| tables::write(folder, &reading.epochs, &alone.reduced, self.corrected))
            .transpose()?;
        if let Some(output) = output {
            let imported = artifact(output, &alone, &reading.epochs, &options)?;
            told_all += &told(&imported, output);
        }
        if let (Some(folder), Some(counts)) = (folder, counts) {
            told_all += &tables::told(&counts, folder.target());
            folder.commit()?;
        }
        Ok(told_all)
    }

    /// Imports the log into an artifact.
    ///
    /// # Errors
    /// In words; no file is changed then.
    pub(crate) fn import(&self, path: &Path) -> Result<String, String> {
        let in_words = |error: io::Error| format!("{}: {error}", path.display());
        let bytes = std::fs::read(path).map_err(in_words)?;
        let artifact = Artifact::read(&bytes, self.rules())
            .map_err(|refusal| format!("{}: {refusal}", path.display()))?;
        let machine = this_machine();
        let reading = self.read(machine.clone(), &|epoch| artifact.marks.get(epoch.as_bytes()).copied())?;
        let process =
            ImportingProcess { host: machine.host, boot_id: machine.boot_id, pid: std::process::id() };
        let envelope_path = path.with_file_name(ENVELOPE_NAME);
        let old_envelope = match std::fs::read(&envelope_path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(format!("{}: {error}", envelope_path.display())),
        };
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let entry = EnvelopeEntry { artifact_name: &name, artifact_path: &name };
        let options = ImportOptions {
            process: Some(&process),
            envelope: Some((entry, old_envelope.as_deref())),
            ..self.options(&reading.notes)
        };
        let plan = import(&artifact, &reading.epochs, &options).map_err(|refusal| refusal.to_string())?;
        for (target, pieces) in plan.files() {
            let target = match target {
                Target::Envelope => &envelope_path,
                Target::Artifact => path,
            };
            let write = || {
                let mut file = Replacement::begin(target)?;
                pieces.iter().try_for_each(|piece| file.write_all(piece))?;
                file.commit()
            };
            write().map_err(|error: io::Error| format!("{}: {error}", target.display()))?;
        }
        Ok(told(&plan.imported, path))
    }

    fn rules(&self) -> Rules {
        if self.corrected { Rules::Corrected } else { Rules::Reference }
    }

    fn read(&self, importer: Importer, mark: &dyn Fn(&str) -> Option<i64>) -> Result<Reading, String> {
        let options = ReadOptions { importer, server_stopped: self.server_stopped, ..ReadOptions::default() };
        read(self.path, &options, mark, self.threads)
    }

    fn options<'a>(&self, notes: &'a [String]) -> ImportOptions<'a> {
        ImportOptions {
            reduce: Options {
                raw_foreign_ids: self.raw_foreign_ids,
                rules: self.rules(),
                source_version: env!("CARGO_PKG_VERSION").as_bytes().to_vec(),
            },
            server_stopped: self.server_stopped,
            directory: "hook",
            notes,
            ..ImportOptions::default()
        }
    }
}

fn artifact(
    output: &Path,
    alone: &Alone,
    epochs: &[Epoch],
    options: &ImportOptions<'_>,
) -> Result<Imported, String> {
    let in_words = |error: io::Error| format!("{}: {error}", output.display());
    let file = Replacement::begin(output).map_err(in_words)?;
    let gzipped = output.extension().is_some_and(|extension| extension == "gz");
    let mut failed = None;
    let mut write_all = |writer: &mut dyn Write| {
        alone.write(epochs, options, &mut |piece| {
            if failed.is_none() {
                failed = writer.write_all(piece).err();
            }
        })
    };
    let (imported, file) = if gzipped {
        let mut encoder = GzEncoder::new(file, Compression::default());
        let imported = write_all(&mut encoder);
        (imported, encoder.finish().map_err(in_words)?)
    } else {
        let mut file = file;
        (write_all(&mut file), file)
    };
    let imported = imported.map_err(|refusal| refusal.to_string())?;
    match failed {
        Some(error) => Err(in_words(error)),
        None => file.commit().map_err(in_words).map(|()| imported),
    }
}

fn told(imported: &Imported, path: &Path) -> String {
    let counts = &imported.counts;
    format!(
        "{}: {} steps, {} memberships, {} requests, {} stages; {} bytes, other clients' IDs {}\n",
        path.display(),
        counts.iterations,
        counts.memberships,
        counts.requests,
        counts.stages,
        imported.appended,
        imported.pseudonyms,
    )
}
