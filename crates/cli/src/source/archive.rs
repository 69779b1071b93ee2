//! Archives and single files, unpacked into memory: `.zip`, `.tar`, `.tar.gz`, `.tgz`, `.jsonl`, `.jsonl.part` and
//! either of the last two with `.gz`.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use stepscope_epoch_log::source::Files;
use stepscope_epoch_log::tar::TarReader;

/// Unpacks a file.
///
/// # Errors
/// In words: it cannot be read, or is none of the forms above.
pub(crate) fn unpack(path: &Path) -> Result<Files, String> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let lower = name.to_lowercase();
    let file = BufReader::new(File::open(path).map_err(|error| error.to_string())?);
    let mut files = Files::default();
    if lower.ends_with(".zip") {
        add_zip(&mut files, file)?;
    } else if lower.ends_with(".tar.gz") || lower.ends_with(".tgz") {
        add_tar(&mut files, MultiGzDecoder::new(file))?;
    } else if lower.ends_with(".tar") {
        add_tar(&mut files, file)?;
    } else if let Some(bare) = name.strip_suffix(".gz") {
        add(&mut files, bare, MultiGzDecoder::new(file))?;
    } else if lower.ends_with(".jsonl") || lower.ends_with(".jsonl.part") {
        add(&mut files, &name, file)?;
    } else {
        return Err("neither a folder nor a .zip, .tar, .tar.gz, .jsonl or .jsonl.gz file".to_owned());
    }
    Ok(files)
}

/// The path's names, without those that lead nowhere or out.
fn clean(path: &str) -> String {
    path.split(['/', '\\']).filter(|name| !matches!(*name, "" | "." | "..")).collect::<Vec<_>>().join("/")
}

fn add(files: &mut Files, name: &str, mut reader: impl Read) -> Result<(), String> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| format!("cannot be unpacked: {error}"))?;
    files.by_path.insert(clean(name), bytes);
    Ok(())
}

fn add_tar(files: &mut Files, mut reader: impl Read) -> Result<(), String> {
    let mut tar = TarReader::new();
    let mut chunk = vec![0; 1 << 20];
    loop {
        let len = reader.read(&mut chunk).map_err(|error| format!("cannot be unpacked: {error}"))?;
        if len == 0 {
            return Ok(());
        }
        tar.push(&chunk[..len]);
        while let Some(piece) = tar.next_piece().map_err(|error| error.to_string())? {
            files.by_path.entry(clean(&piece.path)).or_default().extend_from_slice(&piece.bytes);
        }
    }
}

fn add_zip(files: &mut Files, file: BufReader<File>) -> Result<(), String> {
    let mut zip = zip::ZipArchive::new(file).map_err(|error| error.to_string())?;
    for at in 0..zip.len() {
        let entry = zip.by_index(at).map_err(|error| error.to_string())?;
        if entry.is_file() {
            let name = entry.name().map_err(|error| error.to_string())?.into_owned();
            add(files, &name, entry)?;
        }
    }
    Ok(())
}
