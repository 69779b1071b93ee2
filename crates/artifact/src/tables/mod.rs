//! What an epoch was reduced to, as tables for programs that read Parquet: one file a table, typed columns, null where
//! the log says nothing (`docs/parquet.md`). Other clients' IDs are named as in the records: by pseudonyms, unless the
//! reduction was asked for raw ones.

mod column;
mod memberships;
mod requests;
mod stages;
mod stalls;
mod steps;
mod table;

use std::io::Write;

use parquet::errors::ParquetError;
use stepscope_diagnose::{JudgedStall, Steps};
use stepscope_epoch_log::Epoch;
use stepscope_reduce::{Record, Reduction};

pub use column::{ColumnSpec, Kind};

use table::Table;

/// The tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableName {
    /// The steps that were kept.
    Steps,
    /// Who was in them.
    Memberships,
    /// Stays of requests in the engine.
    Requests,
    /// Preemptions, cache resets, pauses.
    Stages,
    /// Stalls over their limit.
    Stalls,
}

impl TableName {
    /// All tables.
    pub const ALL: [Self; 5] = [Self::Steps, Self::Memberships, Self::Requests, Self::Stages, Self::Stalls];

    /// The table's name, which is its folder's.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Memberships => "memberships",
            Self::Requests => "requests",
            Self::Stages => "stages",
            Self::Stalls => "stalls",
        }
    }

    /// The table's columns, in order; the epoch stands in the path.
    pub fn columns(self) -> &'static [ColumnSpec] {
        match self {
            Self::Steps => steps::COLUMNS,
            Self::Memberships => memberships::COLUMNS,
            Self::Requests => requests::COLUMNS,
            Self::Stages => stages::COLUMNS,
            Self::Stalls => stalls::COLUMNS,
        }
    }
}

/// Rows of each table, in the order of [`TableName::ALL`].
pub type RowCounts = [u64; 5];

/// The folder of an epoch's part below a table's: `epoch=` and its name, in which everything but letters, digits, `-`,
/// `_` and `.` is percent-encoded.
pub fn partition(epoch: &str) -> String {
    let mut folder = "epoch=".to_owned();
    for byte in epoch.bytes() {
        match byte {
            b'-' | b'_' | b'.' => folder.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => folder.push(char::from(byte)),
            byte => folder += &format!("%{byte:02X}"),
        }
    }
    if epoch.is_empty() { folder + "__HIVE_DEFAULT_PARTITION__" } else { folder }
}

/// Writes all tables of one epoch, each to what `open` gives for it. `stalls` are stalls between `steps`, judged by
/// whatever rules the caller chose.
///
/// # Errors
/// A sink cannot be opened or written.
pub fn write_tables<W: Write + Send>(
    epoch: &Epoch,
    reduction: &Reduction,
    steps: &Steps,
    stalls: &[JudgedStall],
    open: &mut dyn FnMut(TableName) -> std::io::Result<W>,
) -> Result<RowCounts, ParquetError> {
    let producer = &reduction.context().producer_id[..];
    let [mut step_table, mut membership_table, mut request_table, mut stage_table, mut stall_table] = {
        let mut begin = |name: TableName| Table::begin(open(name)?, name);
        let [steps, memberships, requests, stages, stalls] = TableName::ALL;
        [begin(steps)?, begin(memberships)?, begin(requests)?, begin(stages)?, begin(stalls)?]
    };
    let mut failed = None;
    reduction.each_record(epoch, &mut |record| {
        let written = match record {
            Record::ClockAlignment(_) => Ok(()),
            Record::Iteration(step) => steps::row(&mut step_table, producer, step),
            Record::Membership(membership) => memberships::row(&mut membership_table, producer, membership),
            Record::Request(request) => requests::row(&mut request_table, producer, request),
            Record::Stage(stage) => stages::row(&mut stage_table, producer, stage),
        };
        if failed.is_none() {
            failed = written.err();
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    for stall in stalls {
        stalls::row(&mut stall_table, producer, epoch, steps, stall)?;
    }
    let tables = [step_table, membership_table, request_table, stage_table, stall_table];
    let mut counts = RowCounts::default();
    for (count, table) in counts.iter_mut().zip(tables) {
        *count = table.finish()?;
    }
    Ok(counts)
}
