//! `stepscope reduce --parquet`: the tables of a log in a folder, one file a table and epoch.

use std::fs;
use std::io;
use std::path::Path;

use stepscope_artifact::tables::{RowCounts, TableName, partition, write_tables};
use stepscope_diagnose::{Config, JudgedStall, Rules, Steps, judge};
use stepscope_epoch_log::Epoch;
use stepscope_reduce::ReadReduction;

use crate::replace::Folder;

/// Writes the tables of all engine epochs into a folder; stalls are those over their limit that `stepscope diagnose`
/// tells by the same rules.
///
/// # Errors
/// In words.
pub(crate) fn write(
    folder: &Folder,
    epochs: &[Epoch],
    reduced: &ReadReduction,
    corrected: bool,
) -> Result<RowCounts, String> {
    let rules = if corrected { Rules::Corrected } else { Rules::Reference };
    let config = Config { with_status: true, rules, ..Config::default() };
    let mut counts = RowCounts::default();
    for (epoch, reduction) in epochs.iter().zip(&reduced.epochs) {
        let Some(reduction) = reduction else { continue };
        let steps = Steps::of(epoch, &config);
        let diagnosis = judge(epoch, &steps, &config);
        let stalls: Vec<JudgedStall> = diagnosis.over_limit().copied().collect();
        let mut open = |name: TableName| {
            let place = folder.staged().join(name.name()).join(partition(&epoch.name.text));
            fs::create_dir_all(&place)?;
            // Two hosts may have epochs of one name.
            let free = (0..).map(|part| place.join(format!("part-{part}.parquet")));
            let path = free.into_iter().find(|path| !path.exists());
            fs::File::create_new(path.ok_or_else(|| io::Error::other("no free name"))?)
        };
        let rows = write_tables(epoch, reduction, &steps, &stalls, &mut open)
            .map_err(|error| format!("{}: {error}", folder.target().display()))?;
        counts.iter_mut().zip(rows).for_each(|(count, rows)| *count += rows);
    }
    Ok(counts)
}

/// One line.
pub(crate) fn told(counts: &RowCounts, folder: &Path) -> String {
    let rows: Vec<String> =
        TableName::ALL.iter().zip(counts).map(|(name, count)| format!("{count} {}", name.name())).collect();
    format!("{}: {}\n", folder.display(), rows.join(", "))
}
