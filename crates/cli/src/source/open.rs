//! What a path names: a hook directory, a host's folder, one epoch, loose segments, an archive of any of these, or
//! a folder that holds one of them somewhere below.

use std::path::Path;

use stepscope_epoch_log::EpochName;
use stepscope_epoch_log::manifest::segment_name;
use stepscope_epoch_log::source::{EntryKind, Found, Source, discover};

use super::archive::unpack;
use super::disk::Disk;
use super::gzipped::Gzipped;

/// A path that holds epochs.
pub(crate) struct Opened {
    /// Where their files are read from.
    pub(crate) source: Box<dyn Source>,
    /// The epochs in discovery order.
    pub(crate) epochs: Vec<Found>,
    /// Directories beside them that are none, in words.
    pub(crate) notes: Vec<String>,
}

/// How deep below a folder epochs are looked for.
const DEPTH: usize = 6;

/// Finds the epochs that a path names.
///
/// # Errors
/// In words: the path cannot be read, or holds no epoch.
pub(crate) fn open(path: &Path) -> Result<Opened, String> {
    let shown = path.display();
    let full = path.canonicalize().map_err(|error| format!("{shown}: {error}"))?;
    let name =
        |path: &Path| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let source: Box<dyn Source> = if full.is_dir() {
        Box::new(Gzipped(Disk::new(&full)))
    } else {
        Box::new(Gzipped(unpack(&full).map_err(|error| format!("{shown}: {error}"))?))
    };
    let own = if full.is_dir() { name(&full) } else { String::new() };
    if EpochName::parse(&own).is_some() {
        let host_boot = full.parent().map_or_else(String::new, name);
        let epochs = vec![Found { path: String::new(), host_boot, epoch: own }];
        return Ok(Opened { source, epochs, notes: Vec::new() });
    }
    let discovery = discover(source.as_ref()).map_err(|error| format!("{shown}: {error}"))?;
    if !discovery.epochs.is_empty() {
        return Ok(Opened { source, epochs: discovery.epochs, notes: discovery.notes });
    }
    let mut epochs = Vec::new();
    search(source.as_ref(), "", &own, DEPTH, &mut epochs);
    if epochs.is_empty() && holds_segments(source.as_ref()) {
        epochs.push(Found { path: String::new(), host_boot: own, epoch: String::new() });
    }
    if epochs.is_empty() {
        return Err(format!(
            "{shown}: no epoch in it. Give the folder that STORMLOG_VLLM_HOOK_DIR names on the server, one of its \
             host folders, or an epoch folder such as engine-812-1796066465271514827."
        ));
    }
    Ok(Opened { source, epochs, notes: Vec::new() })
}

fn search(source: &dyn Source, path: &str, above: &str, depth: usize, epochs: &mut Vec<Found>) {
    let mut names = source.list(path).unwrap_or_default();
    names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    for (name, kind) in names {
        let below = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
        if kind != EntryKind::Directory {
            continue;
        }
        if EpochName::parse(&name).is_some() {
            epochs.push(Found { path: below, host_boot: above.to_owned(), epoch: name });
        } else if depth > 1 {
            search(source, &below, &name, depth - 1, epochs);
        }
    }
}

fn holds_segments(source: &dyn Source) -> bool {
    let names = source.list("").unwrap_or_default();
    names.iter().any(|(name, kind)| *kind == EntryKind::File && segment_name(name).is_some())
}
