//! Reads the epochs of a path, with threads over their segments and progress on a terminal.

use std::io::IsTerminal;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use stepscope_epoch_log::source::{EntryKind, Found, Source, read_epoch};
use stepscope_epoch_log::{Epoch, ReadOptions};

use crate::source::{Counted, Opened, open};

/// Everything read of a path.
pub(crate) struct Reading {
    /// In discovery order.
    pub(crate) epochs: Vec<Epoch>,
    /// Directories that are no epochs, in words.
    pub(crate) notes: Vec<String>,
}

/// Reads all epochs of a path, each with the mark that `mark` gives for its name; `threads` of 0 means one for each
/// core.
///
/// # Errors
/// In words: the path cannot be read or holds no epoch.
pub(crate) fn read(
    path: &Path,
    options: &ReadOptions,
    mark: &dyn Fn(&str) -> Option<i64>,
    threads: usize,
) -> Result<Reading, String> {
    let opened = open(path)?;
    let bar = progress(&opened);
    let counted = Counted::new(opened.source.as_ref(), bar.clone());
    let epochs = read_all(&counted, &opened.epochs, options, mark, threads)?;
    bar.finish_and_clear();
    Ok(Reading { epochs, notes: opened.notes })
}

fn read_all(
    source: &dyn Source,
    found: &[Found],
    options: &ReadOptions,
    mark: &dyn Fn(&str) -> Option<i64>,
    threads: usize,
) -> Result<Vec<Epoch>, String> {
    let options: Vec<ReadOptions> =
        found.iter().map(|found| ReadOptions { mark: mark(&found.epoch), ..options.clone() }).collect();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| format!("cannot start threads: {error}"))?;
    Ok(pool.install(|| {
        found
            .iter()
            .zip(&options)
            .map(|(found, options)| {
                read_epoch(source, found, options, &|count, read| {
                    (0..count).into_par_iter().map(read).collect()
                })
            })
            .collect()
    }))
}

fn progress(opened: &Opened) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let source = opened.source.as_ref();
    let segments = opened.epochs.iter().map(|found| {
        source
            .list(&found.path)
            .map_or(0, |names| names.iter().filter(|(_, kind)| *kind == EntryKind::File).count())
    });
    let bar = ProgressBar::no_length();
    let style = "{spinner} {bytes} read, {bytes_per_sec}, {elapsed} ({msg})";
    bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.set_message(format!("{} epochs, {} files", opened.epochs.len(), segments.sum::<usize>()));
    bar
}
