//! The table `steps` (`reduce.md` §10.3).

use std::io::Write;

use parquet::errors::ParquetError;
use stepscope_reduce::record::Iteration;

use super::column::{ColumnSpec, flag, int, text};
use super::table::Table;

pub(super) const COLUMNS: &[ColumnSpec] = &[
    text("producer").required(),
    text("iteration").required(),
    int("number"),
    int("start_ns"),
    int("end_ns"),
    int("residence_ns"),
    int("start_wall_ns"),
    int("schedule_end_ns"),
    int("schedule_end_wall_ns"),
    int("completed_wall_ns"),
    text("state").required(),
    text("incomplete_reason"),
    flag("update_failed").required(),
    int("total_tokens"),
    flag("zero_token"),
    int("preempted").required(),
    int("members").required(),
    int("run_members").required(),
    int("foreign_members").required(),
    int("unresolved_members").required(),
    int("withheld_members").required(),
    int("source_seq_max").required(),
];

/// The number of a name that is one.
pub(super) fn number(name: &[u8]) -> Option<i64> {
    let is_number = !name.is_empty() && name.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(name).ok().filter(|_| is_number)?.parse().ok()
}

pub(super) fn row<W: Write + Send>(
    table: &mut Table<W>,
    producer: &[u8],
    step: &Iteration<'_>,
) -> Result<(), ParquetError> {
    let mut row = table.row();
    row.set("producer", producer);
    row.set("iteration", step.iteration_ref.id);
    row.set("number", number(step.iteration_ref.id));
    row.set("start_ns", step.start_ns);
    row.set("end_ns", step.end_ns);
    row.set("residence_ns", step.scheduler_residence_ns());
    row.set("start_wall_ns", step.start_wall_ns);
    row.set("schedule_end_ns", step.schedule_end_mono_ns);
    row.set("schedule_end_wall_ns", step.schedule_end_wall_ns);
    row.set("completed_wall_ns", step.completed_wall_ns);
    row.set("state", step.state.name());
    row.set("incomplete_reason", step.state.incomplete_reason());
    row.set("update_failed", step.update_failed);
    row.set("total_tokens", step.total_tokens);
    row.set("zero_token", step.zero_token);
    row.set("preempted", step.preempted);
    row.set("members", step.members);
    row.set("run_members", step.run_members);
    row.set("foreign_members", step.foreign_members);
    row.set("unresolved_members", step.unresolved_members);
    row.set("withheld_members", step.withheld_members);
    row.set("source_seq_max", step.source_seq_max);
    row.end()
}
