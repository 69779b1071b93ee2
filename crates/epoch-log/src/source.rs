//! Reading a whole hook directory through anything that can list and read (`reading.md` §3–§5): files on disk, a
//! fixture in memory, a server. The source does the input; what is read and in which order is decided here.

use std::collections::{BTreeMap, BTreeSet};

use crate::assemble::{EpochParts, SideFile, assemble};
use crate::epoch::Epoch;
use crate::manifest::{EpochName, segment_name};
use crate::problem::{Problem, ProblemKind};
use crate::segment::{SegmentBlock, SegmentParser};
use crate::state::ReadOptions;

/// What a directory entry is, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// Anything else, broken links among them.
    Other,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadFailure {
    /// It is no longer there.
    Gone(String),
    /// It ends too soon, but what was handed over before is good: why.
    Torn(String),
    /// Any other reason, in the system's words.
    Other(String),
}

/// Something that holds files. Paths are names joined by `/`, the root is the empty path.
pub trait Source: Sync {
    /// Names and kinds in a directory, in any order.
    ///
    /// # Errors
    /// Why it cannot be listed, in the system's words.
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String>;

    /// Hands the bytes of a file to `take`, in order, in pieces of any size.
    ///
    /// # Errors
    /// Why it cannot be read; pieces may have been handed over before.
    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure>;
}

/// Files in memory, by path: an unpacked archive, a fixture.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// A path that ends in `/` stands for a folder without files.
    pub by_path: BTreeMap<String, Vec<u8>>,
}

impl Source for Files {
    fn list(&self, directory: &str) -> Result<Vec<(String, EntryKind)>, String> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let names: BTreeSet<(&str, bool)> = self
            .by_path
            .range(prefix.clone()..)
            .take_while(|(path, _)| path.starts_with(&prefix))
            .map(|(path, _)| match path[prefix.len()..].split_once('/') {
                Some((directory, _)) => (directory, true),
                None => (&path[prefix.len()..], false),
            })
            .filter(|(name, _)| !name.is_empty())
            .collect();
        let kind = |directory| if directory { EntryKind::Directory } else { EntryKind::File };
        Ok(names.into_iter().map(|(name, directory)| (name.to_owned(), kind(directory))).collect())
    }

    fn read(&self, path: &str, take: &mut dyn FnMut(&[u8])) -> Result<(), ReadFailure> {
        let bytes = self.by_path.get(path).ok_or_else(|| ReadFailure::Gone("no such file".to_owned()))?;
        take(bytes);
        Ok(())
    }
}

/// A directory of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Path in the source.
    pub path: String,
    /// Name of the directory above.
    pub host_boot: String,
    /// Its own name.
    pub epoch: String,
}

/// What discovery found (`reading.md` D-1 to D-7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// In discovery order.
    pub epochs: Vec<Found>,
    /// Candidates that are no epochs, and directories that could not be listed, each with its path.
    pub notes: Vec<String>,
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

fn directories(source: &dyn Source, path: &str) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = source
        .list(path)?
        .into_iter()
        .filter(|(_, kind)| *kind == EntryKind::Directory)
        .map(|(name, _)| name)
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// Finds the epochs of a hook directory.
///
/// # Errors
/// When the root itself cannot be listed (`directory_unreadable`).
pub fn discover(source: &dyn Source) -> Result<Discovery, String> {
    let mut discovery = Discovery::default();
    for host_boot in directories(source, "")? {
        let names = match directories(source, &host_boot) {
            Ok(names) => names,
            Err(why) => {
                discovery.notes.push(format!("{host_boot}: cannot be listed: {why}"));
                continue;
            }
        };
        for name in names {
            let path = join(&host_boot, &name);
            if EpochName::parse(&name).is_some() {
                discovery.epochs.push(Found { path, host_boot: host_boot.clone(), epoch: name });
            } else {
                discovery.notes.push(format!("{path}: not an epoch"));
            }
        }
    }
    Ok(discovery)
}

/// Segments of an epoch directory in reading order (G-2), and which side files it has.
struct Listing {
    segments: Vec<String>,
    has_status: bool,
    has_key: bool,
}

fn listing(source: &dyn Source, path: &str) -> Result<Listing, String> {
    let mut listing = Listing { segments: Vec::new(), has_status: false, has_key: false };
    for (name, kind) in source.list(path)? {
        if kind != EntryKind::File {
            continue;
        }
        match name.as_str() {
            "status.json" => listing.has_status = true,
            "key" => listing.has_key = true,
            _ if segment_name(&name).is_some() => listing.segments.push(name),
            _ => {}
        }
    }
    listing.segments.sort_by_key(|name| segment_name(name));
    Ok(listing)
}

/// One segment through the source.
fn read_segment(source: &dyn Source, found: &Found, name: &str) -> Result<SegmentBlock, ReadFailure> {
    let mut parser = SegmentParser::new(name, &found.epoch);
    match source.read(&join(&found.path, name), &mut |chunk| parser.push(chunk)) {
        Ok(()) => Ok(parser.finish()),
        Err(ReadFailure::Torn(why)) => {
            let mut block = parser.finish();
            // What concerns the whole file stands before what concerns its lines.
            block.problems.insert(0, Problem::cut_short(name, &why));
            Ok(block)
        }
        Err(failure) => Err(failure),
    }
}

fn side_file(source: &dyn Source, found: &Found, name: &str, listed: bool) -> SideFile {
    if !listed {
        return SideFile::Missing;
    }
    let mut bytes = Vec::new();
    match source.read(&join(&found.path, name), &mut |chunk| bytes.extend_from_slice(chunk)) {
        Ok(()) => SideFile::Bytes(bytes),
        Err(ReadFailure::Gone(_)) => SideFile::Missing,
        Err(ReadFailure::Torn(why) | ReadFailure::Other(why)) => SideFile::Unreadable(why),
    }
}

/// At most so many times are the segments read when an open one is sealed meanwhile (G-4).
const PASSES: usize = 3;

/// How a caller spreads the segments of an epoch over its threads: calls the function once for each number below
/// the count, in any order, and hands the results back in the order of the numbers.
pub type Spread<'a> = &'a dyn Fn(
    usize,
    &(dyn Fn(usize) -> Result<SegmentBlock, ReadFailure> + Sync),
) -> Vec<Result<SegmentBlock, ReadFailure>>;

/// One after the other, on this thread.
pub fn one_by_one(
    count: usize,
    read: &(dyn Fn(usize) -> Result<SegmentBlock, ReadFailure> + Sync),
) -> Vec<Result<SegmentBlock, ReadFailure>> {
    (0..count).map(read).collect()
}

/// Reads one epoch. Nothing makes it fail; an unreadable directory gives an empty epoch with a problem (D-7).
pub fn read_epoch(source: &dyn Source, found: &Found, options: &ReadOptions, spread: Spread<'_>) -> Epoch {
    let mut parts = EpochParts {
        host_boot: found.host_boot.clone(),
        epoch: found.epoch.clone(),
        ..EpochParts::default()
    };
    for pass in 1..=PASSES {
        let listing = match listing(source, &found.path) {
            Ok(listing) => listing,
            Err(why) => {
                parts.problems.push(Problem {
                    kind: ProblemKind::DirectoryUnreadable,
                    file: found.epoch.as_str().into(),
                    line: None,
                    what: format!("cannot be listed: {why}").into(),
                });
                break;
            }
        };
        // G-6: problems and the torn tail of the last pass only.
        for block in &mut parts.blocks {
            block.segment.problems.clear();
            block.segment.truncated = false;
        }
        let names = &listing.segments;
        let results = spread(names.len(), &|at| read_segment(source, found, &names[at]));
        let mut sealed_meanwhile = false;
        for (name, result) in names.iter().zip(results) {
            match result {
                Ok(block) => parts.blocks.push(block.into()),
                Err(ReadFailure::Gone(_)) if name.ends_with(".part") => {
                    sealed_meanwhile = true;
                    if pass == PASSES {
                        let mut block = SegmentBlock::unreadable(name, "it was sealed while it was read");
                        block.problems[0].kind = ProblemKind::SegmentSealedWhileRead;
                        parts.blocks.push(block.into());
                    }
                }
                Err(ReadFailure::Gone(why) | ReadFailure::Torn(why) | ReadFailure::Other(why)) => {
                    parts.blocks.push(SegmentBlock::unreadable(name, &why).into());
                }
            }
        }
        if !sealed_meanwhile || pass == PASSES {
            parts.status = side_file(source, found, "status.json", listing.has_status);
            parts.key = side_file(source, found, "key", listing.has_key);
            break;
        }
    }
    assemble(parts, options)
}
