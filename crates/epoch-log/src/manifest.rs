//! What a set of files is, from paths and sizes alone (`reading.md` §3, §5): which are epochs, which of their files
//! are read and in which order, and what is left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An epoch's directory name and what it says (`raw-log.md` L4, `reading.md` D-4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochName {
    /// The name itself.
    pub text: String,
    /// Which process wrote it.
    pub role: Role,
    /// Process ID, decimal digits without leading zeros.
    pub pid: String,
    /// Writer creation, wall ns, decimal digits without leading zeros.
    pub start_ns: String,
}

/// The role of a recorded process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Runs the scheduler.
    Engine,
    /// Runs the model on a device.
    Worker,
}

impl Role {
    /// `engine` or `worker`.
    pub fn name(self) -> &'static str {
        match self {
            Role::Engine => "engine",
            Role::Worker => "worker",
        }
    }
}

fn digits(text: &str) -> Option<String> {
    let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let trimmed = text.trim_start_matches('0');
    all.then(|| if trimmed.is_empty() { "0" } else { trimmed }.to_owned())
}

impl EpochName {
    /// What a directory's name says, when it is the name of an epoch.
    pub fn parse(name: &str) -> Option<Self> {
        let (role, rest) = name.split_once('-')?;
        let role = match role {
            "engine" => Role::Engine,
            "worker" => Role::Worker,
            _ => return None,
        };
        let (pid, start) = rest.split_once('-')?;
        Some(Self { text: name.to_owned(), role, pid: digits(pid)?, start_ns: digits(start)? })
    }

    pub(crate) fn unnamed(name: &str) -> Self {
        Self { text: name.to_owned(), role: Role::Engine, pid: "0".into(), start_ns: "0".into() }
    }
}

/// A segment's number and whether it is open, from a bare file name (`reading.md` G-1).
pub fn segment_name(name: &str) -> Option<(u32, bool)> {
    let (number, rest) = name.split_at_checked(6)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match rest {
        ".jsonl" => Some((number.parse().ok()?, false)),
        ".jsonl.part" => Some((number.parse().ok()?, true)),
        _ => None,
    }
}

/// A file of a listing: its path with `/` between names, and its size in bytes.
#[derive(Clone, Debug, Deserialize)]
pub struct Listed {
    /// Relative to what was dropped.
    pub path: String,
    /// Bytes; as a float, since it comes from the page.
    pub size: f64,
}

/// How a set of paths was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// `<host>-<boot>/<epoch>/…` below the root.
    HookDirectory,
    /// `<epoch>/…` below the root.
    HostDirectory,
    /// The root is one epoch.
    EpochDirectory,
    /// Segments of one epoch without its directory.
    LooseSegments,
}

/// A segment file of an epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SegmentFile {
    /// Index into the listing.
    pub entry: usize,
    /// Bare name, without a `.gz`.
    pub name: String,
    /// Bytes as stored.
    pub bytes: f64,
    /// Whether it is the open one.
    pub open: bool,
}

/// The files of one epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EpochFiles {
    /// Name of the directory above.
    pub host_boot: String,
    /// The epoch's directory name; empty for loose segments, whose records say it.
    pub epoch: String,
    /// From the name.
    pub role: Role,
    /// From the name.
    pub pid: String,
    /// From the name, wall ns.
    pub start_ns: String,
    /// In reading order (`reading.md` G-2).
    pub segments: Vec<SegmentFile>,
    /// Index of `status.json` in the listing.
    pub status: Option<usize>,
    /// Index of `key` in the listing.
    pub key: Option<usize>,
    /// Bytes of the segments as stored.
    pub bytes: f64,
    /// What an epoch usually has and this one lacks, in words.
    pub missing: Vec<String>,
}

/// Files that belong to no epoch.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// How many.
    pub count: usize,
    /// Their bytes.
    pub bytes: f64,
    /// The first few.
    pub paths: Vec<String>,
}

/// What a listing holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// `None` when nothing is an epoch.
    pub shape: Option<Shape>,
    /// In discovery order (`reading.md` D-3).
    pub epochs: Vec<EpochFiles>,
    /// Directories beside epochs that are none, by path (`reading.md` D-5).
    pub notes: Vec<String>,
    /// Everything else.
    pub left_out: LeftOut,
    /// When there is no epoch: what was found instead and what to do.
    pub advice: Option<String>,
}

/// How many left-out paths are named.
const PATHS_SHOWN: usize = 20;

#[derive(Default)]
struct Directory {
    segments: Vec<(u32, bool, usize, bool)>,
    status: Option<usize>,
    key: Option<usize>,
}

/// Finds the epochs of a listing, wherever in it they stand: a hook directory, a host's folder, one epoch, loose
/// segments, or any of these inside a folder with other things.
pub fn manifest(files: &[Listed]) -> Manifest {
    let mut directories: BTreeMap<Vec<&str>, Directory> = BTreeMap::new();
    let mut loose: BTreeMap<Vec<&str>, Directory> = BTreeMap::new();
    let mut taken = vec![false; files.len()];
    for (entry, file) in files.iter().enumerate() {
        let mut names: Vec<&str> = file.path.split('/').filter(|name| !name.is_empty()).collect();
        let Some(name) = names.pop() else { continue };
        let is_epoch = names.last().is_some_and(|parent| EpochName::parse(parent).is_some());
        let directory = if is_epoch { directories.entry(names) } else { loose.entry(names) }.or_default();
        // A directory of an epoch holds segments under their own names; loose ones may be packed.
        let (bare, packed) = match name.strip_suffix(".gz") {
            Some(bare) => (bare, true),
            None => (name, false),
        };
        match (segment_name(bare), name) {
            (Some((number, open)), _) => directory.segments.push((number, open, entry, packed)),
            (None, "status.json") => directory.status = Some(entry),
            (None, "key") => directory.key = Some(entry),
            _ => continue,
        }
        taken[entry] = is_epoch;
    }
    let mut epochs: Vec<EpochFiles> =
        directories.iter().map(|(path, directory)| epoch_files(path, directory, files)).collect();
    let depth = directories.keys().map(Vec::len).min().unwrap_or(0);
    let mut shape = match depth {
        0 => None,
        1 => Some(Shape::EpochDirectory),
        2 => Some(Shape::HostDirectory),
        _ => Some(Shape::HookDirectory),
    };
    if epochs.is_empty() {
        for (path, directory) in loose.iter().filter(|(_, directory)| !directory.segments.is_empty()) {
            shape = Some(Shape::LooseSegments);
            for &(_, _, entry, _) in &directory.segments {
                taken[entry] = true;
            }
            for entry in directory.status.into_iter().chain(directory.key) {
                taken[entry] = true;
            }
            let mut files = epoch_files(path, directory, files);
            files.epoch.clear();
            epochs.push(files);
        }
    }
    let notes = notes(files, &directories);
    let mut left_out = LeftOut::default();
    for (file, _) in files.iter().zip(&taken).filter(|(_, taken)| !**taken) {
        left_out.count += 1;
        left_out.bytes += file.size;
        if left_out.paths.len() < PATHS_SHOWN {
            left_out.paths.push(file.path.clone());
        }
    }
    let advice = shape.is_none().then(|| advice(files));
    Manifest { shape, epochs, notes, left_out, advice }
}

fn epoch_files(path: &[&str], directory: &Directory, files: &[Listed]) -> EpochFiles {
    let mut segments = directory.segments.clone();
    segments.sort_by_key(|&(number, open, entry, packed)| (number, open, packed, entry));
    let segments: Vec<SegmentFile> = segments
        .into_iter()
        .map(|(_, open, entry, _)| SegmentFile {
            entry,
            name: bare_name(&files[entry].path).to_owned(),
            bytes: files[entry].size,
            open,
        })
        .collect();
    let mut missing = Vec::new();
    if segments.is_empty() {
        missing.push("no segment: nothing was recorded, or only the side files were copied".to_owned());
    }
    if directory.status.is_none() {
        missing.push("no status.json: drops and the disk cap are known from heartbeats only".to_owned());
    }
    if directory.key.is_none() {
        missing.push("no key: other clients' request IDs cannot get pseudonyms".to_owned());
    }
    let name = path.last().copied().unwrap_or_default();
    let name = EpochName::parse(name).unwrap_or_else(|| EpochName::unnamed(name));
    EpochFiles {
        host_boot: path.len().checked_sub(2).map_or_else(String::new, |at| path[at].to_owned()),
        epoch: name.text,
        role: name.role,
        pid: name.pid,
        start_ns: name.start_ns,
        bytes: segments.iter().map(|segment| segment.bytes).sum(),
        segments,
        status: directory.status,
        key: directory.key,
        missing,
    }
}

fn bare_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".gz").unwrap_or(name)
}

/// Directories that stand beside epochs and are none.
fn notes(files: &[Listed], epochs: &BTreeMap<Vec<&str>, Directory>) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for file in files {
        let names: Vec<&str> = file.path.split('/').filter(|name| !name.is_empty()).collect();
        for depth in 1..names.len() {
            let beside =
                epochs.keys().any(|epoch| epoch.len() == depth && epoch[..depth - 1] == names[..depth - 1]);
            if beside && EpochName::parse(names[depth - 1]).is_none() {
                notes.push(names[..depth].join("/"));
                break;
            }
        }
    }
    notes.sort();
    notes.dedup();
    notes
}

fn advice(files: &[Listed]) -> String {
    let wanted = "Drop the folder that STORMLOG_VLLM_HOOK_DIR names on the server, one of its host folders, or an \
                  epoch folder such as engine-812-1796066465271514827.";
    if files.is_empty() {
        return format!("The folder is empty. {wanted}");
    }
    if files.iter().all(|file| file.size == 0.0) {
        return format!("All files are empty. {wanted}");
    }
    format!("None of the {} files is a segment of an epoch (000000.jsonl and so on). {wanted}", files.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(paths: &[&str]) -> Vec<Listed> {
        paths.iter().map(|path| Listed { path: (*path).to_owned(), size: 10.0 }).collect()
    }

    /// `reading.md` D-4, D-6.
    #[test]
    fn names_of_epochs() {
        let name = EpochName::parse("engine-0012-500").expect("a name");
        assert_eq!((name.role, name.pid.as_str(), name.start_ns.as_str()), (Role::Engine, "12", "500"));
        for wrong in [
            "engine-1",
            "engine-1-2-3",
            "Engine-1-2",
            "scheduler-1-2",
            "worker-1-",
            "engine--1-2",
            "engine-+1-2",
            "engine-1-2.bak",
            ".engine-1-2",
            "engine-1-2\n",
            "engine-١-٢",
            "",
        ] {
            assert_eq!(EpochName::parse(wrong), None, "{wrong:?}");
        }
    }

    /// `reading.md` G-1.
    #[test]
    fn names_of_segments() {
        assert_eq!(segment_name("000001.jsonl"), Some((1, false)));
        assert_eq!(segment_name("000002.jsonl.part"), Some((2, true)));
        for wrong in
            ["1.jsonl", "0000002.jsonl", "1000000.jsonl", "000004.JSONL", "000003.jsonl.gz", "00000é.jsonl"]
        {
            assert_eq!(segment_name(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_shape_of_drop_is_understood() {
        let shape = |paths: &[&str]| {
            let manifest = manifest(&listed(paths));
            (manifest.shape, manifest.epochs.iter().map(|epoch| epoch.epoch.clone()).collect::<Vec<_>>())
        };
        let one = vec!["engine-1-2".to_owned()];
        assert_eq!(shape(&["root/h/engine-1-2/000000.jsonl"]), (Some(Shape::HookDirectory), one.clone()));
        assert_eq!(shape(&["h/engine-1-2/000000.jsonl"]), (Some(Shape::HostDirectory), one.clone()));
        assert_eq!(shape(&["engine-1-2/000000.jsonl"]), (Some(Shape::EpochDirectory), one));
        assert_eq!(shape(&["000001.jsonl.gz", "key"]), (Some(Shape::LooseSegments), vec![String::new()]));
        assert_eq!(shape(&["a/readme.txt"]).0, None);
    }

    #[test]
    fn segments_stand_in_reading_order_and_others_are_named() {
        let manifest = manifest(&listed(&[
            "r/h/engine-1-2/000001.jsonl.part",
            "r/h/engine-1-2/000000.jsonl",
            "r/h/engine-1-2/000001.jsonl",
            "r/h/engine-1-2/flush",
            "r/h/notes/readme.txt",
            "r/h/engine-1-2/status.json",
        ]));
        let names: Vec<_> = manifest.epochs[0].segments.iter().map(|segment| segment.name.as_str()).collect();
        assert_eq!(names, ["000000.jsonl", "000001.jsonl", "000001.jsonl.part"]);
        assert_eq!(manifest.notes, ["r/h/notes"]);
        assert_eq!(manifest.left_out.paths, ["r/h/engine-1-2/flush", "r/h/notes/readme.txt"]);
        assert_eq!(manifest.epochs[0].missing.len(), 1);
    }
}
