//! Archives and single files, held in memory as a tree of files: `.zip`, `.tar`, `.tar.gz`, `.tgz`, `.jsonl`,
//! `.jsonl.part` and either of these with `.gz`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use stepscope_epoch_log::source::{EntryKind, ReadFailure, Source};
use stepscope_epoch_log::tar::TarReader;

/// Files by path.
#[derive(Default)]
pub(crate) struct Archive {
    files: BTreeMap<String, Vec<u8>>,
}

fn clean(path: &str) -> String {
    path.split(['/', '\\']).filter(|name| !matches!(*name, "" | "." | "..")).collect::<Vec<_>>().join("/")
}

impl Archive {
    /// Unpacks a file.
    ///
    /// # Errors
    /// In words: it cannot be read, or is none of the forms above.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let lower = name.to_lowercase();
        let file = File::open(path).map_err(|error| error.to_string())?;
        let mut archive = Self::default();
        if lower.ends_with(".zip") {
            archive.add_zip(file)?;
        } else if lower.ends_with(".tar.gz") || lower.ends_with(".tgz") {
            archive.add_tar(flate2::read::MultiGzDecoder::new(BufReader::new(file)))?;
        } else if lower.ends_with(".tar") {
            archive.add_tar(BufReader::new(file))?;
        } else if let Some(bare) = name.strip_suffix(".gz") {
            archive.add(bare, flate2::read::MultiGzDecoder::new(BufReader::new(file)))?;
        } else if lower.ends_with(".jsonl") || lower.ends_with(".jsonl.part") {
            archive.add(&name, file)?;
        } else {
            return Err("neither a folder nor a .zip, .tar, .tar.gz, .jsonl or .jsonl.gz file".to_owned());
        }
        Ok(archive)
    }

    fn add(&mut self, name: &str, mut reader: impl Read) -> Result<(), String> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(|error| format!("cannot be unpacked: {error}"))?;
        self.files.insert(clean(name), bytes);
        Ok(())
    }

    fn add_tar(&mut self, mut reader: impl Read) -> Result<(), String> {
        let mut tar = TarReader::new();
        let mut chunk = vec![0; 1 << 20];
        loop {
            let len = reader.read(&mut chunk).map_err(|error| format!("cannot be unpacked: {error}"))?;
            if len == 0 {
                return Ok(());
            }
            tar.push(&chunk[..len]);
            while let Some(piece) = tar.next_piece().map_err(|error| error.to_string())? {
                self.files.entry(clean(&piece.path)).or_default().extend_from_slice(&piece.bytes);
            }
        }
    }

    fn add_zip(&mut self, file: File) -> Result<(), String> {
        let mut zip = zip::ZipArchive::new(file).map_err(|error| error.to_string())?;
        for at in 0..zip.len() {
            let entry = zip.by_index(at).map_err(|error| error.to_string())?;
            if entry.is_file() {
                let name = entry.name().map_err(|error| error.to_string())?.into_owned();
                self.add(&name, entry)?;
            }
        }
        Ok(())
    }
}

impl Source for Archive {
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let below = self.files.range(prefix.clone()..).take_while(|(path, _)| path.starts_with(&prefix));
        let names: BTreeSet<(String, bool)> = below
            .map(|(path, _)| match path[prefix.len()..].split_once('/') {
                Some((directory, _)) => (directory.to_owned(), true),
                None => (path[prefix.len()..].to_owned(), false),
            })
            .collect();
        let kind = |directory| if directory { EntryKind::Directory } else { EntryKind::File };
        Ok(names.into_iter().map(|(name, directory)| (name, kind(directory))).collect())
    }

    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure> {
        let bytes = self.files.get(path).ok_or_else(|| ReadFailure::Gone("not in the archive".to_owned()))?;
        take(bytes);
        Ok(())
    }
}
