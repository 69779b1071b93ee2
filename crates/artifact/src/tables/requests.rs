//! The table `requests` (`reduce.md` §10.5).

use std::io::Write;

use parquet::errors::ParquetError;
use stepscope_reduce::record::Request;

use super::column::{ColumnSpec, flag, int, text};
use super::table::Table;

pub(super) const COLUMNS: &[ColumnSpec] = &[
    text("producer").required(),
    text("attempt").required(),
    text("request").required(),
    text("ownership").required(),
    text("bound_via").required(),
    int("child_index"),
    int("completion_index"),
    flag("reused_internal_id").required(),
    flag("admission_seen").required(),
    int("admission_seq"),
    int("admitted_ns"),
    int("admitted_wall_ns"),
    int("enqueued_ns"),
    int("enqueued_wall_ns"),
    int("input_tokens"),
    int("cached_at_admission"),
    flag("resumable"),
    flag("structured_output"),
    text("internal"),
    text("external"),
    text("x_request_id"),
    text("case_id"),
    text("phase"),
    int("source_seq_max").required(),
];

pub(super) fn row<W: Write + Send>(
    table: &mut Table<W>,
    producer: &[u8],
    request: &Request<'_>,
) -> Result<(), ParquetError> {
    let run = request.run.as_ref();
    let mut row = table.row();
    row.set("producer", producer);
    row.set("attempt", request.attempt_ref.id);
    row.set("request", request.request_ref.id);
    row.set("ownership", request.ownership.name());
    row.set("bound_via", request.bound_via.name());
    row.set("child_index", request.child_index);
    row.set("completion_index", request.completion_index);
    row.set("reused_internal_id", request.reused_internal_id);
    row.set("admission_seen", request.admission_seq.is_some());
    row.set("admission_seq", request.admission_seq);
    row.set("admitted_ns", request.start_ns);
    row.set("admitted_wall_ns", request.admitted_wall_ns);
    row.set("enqueued_ns", request.enqueued_mono_ns);
    row.set("enqueued_wall_ns", request.enqueued_wall_ns);
    row.set("input_tokens", request.input_tokens);
    row.set("cached_at_admission", request.cached_at_admission);
    row.set("resumable", request.resumable);
    row.set("structured_output", request.structured_output);
    row.set("internal", request.backend_request_ref.map(|backend| backend.id));
    row.set("external", run.map(|run| run.external));
    row.set("x_request_id", run.map(|run| run.x_request_id));
    row.set("case_id", run.and_then(|run| run.case_id));
    row.set("phase", run.and_then(|run| run.phase));
    row.set("source_seq_max", request.source_seq_max);
    row.end()
}
