//! The table `memberships` (`reduce.md` §10.4).

use std::io::Write;

use parquet::errors::ParquetError;
use stepscope_reduce::record::Membership;

use super::column::{ColumnSpec, flag, int, text};
use super::table::Table;

pub(super) const COLUMNS: &[ColumnSpec] = &[
    text("producer").required(),
    text("iteration").required(),
    text("attempt").required(),
    text("request").required(),
    text("ownership").required(),
    text("role").required(),
    text("state").required(),
    int("input_tokens"),
    int("output_tokens"),
    text("sighting"),
    text("phase"),
    int("computed_before"),
    int("computed_after"),
    int("prompt_tokens"),
    int("prefill_scheduled"),
    int("past_prompt_scheduled"),
    int("processed_prefill"),
    int("drafts_scheduled"),
    int("accepted_drafts"),
    int("cached_at_admission"),
    flag("recompute"),
    int("output_before"),
    int("sampled"),
    flag("resumable"),
    text("outcome"),
    flag("stale"),
    text("finish_reason"),
    flag("update_failed").required(),
    text("end_status"),
    text("end_reason"),
    int("end_output_tokens"),
    int("end_ns"),
    int("end_wall_ns"),
    flag("end_in_step"),
    int("source_seq_max").required(),
];

pub(super) fn row<W: Write + Send>(
    table: &mut Table<W>,
    producer: &[u8],
    member: &Membership<'_>,
) -> Result<(), ParquetError> {
    let mut row = table.row();
    row.set("producer", producer);
    row.set("iteration", member.iteration_ref.id);
    row.set("attempt", member.attempt_ref.id);
    row.set("request", member.request_ref.id);
    row.set("ownership", member.ownership.name());
    row.set("role", member.role.name());
    row.set("state", member.state.name());
    row.set("input_tokens", member.input_tokens);
    row.set("output_tokens", member.output_tokens);
    row.set("sighting", member.sighting);
    row.set("phase", member.phase);
    row.set("computed_before", member.computed_before);
    row.set("computed_after", member.computed_after);
    row.set("prompt_tokens", member.prompt_tokens);
    row.set("prefill_scheduled", member.prefill_scheduled);
    row.set("past_prompt_scheduled", member.past_prompt_scheduled);
    row.set("processed_prefill", member.processed_prefill);
    row.set("drafts_scheduled", member.drafts_scheduled);
    row.set("accepted_drafts", member.accepted_drafts);
    row.set("cached_at_admission", member.cached_at_admission);
    row.set("recompute", member.recompute);
    row.set("output_before", member.output_before);
    row.set("sampled", member.sampled);
    row.set("resumable", member.resumable);
    row.set("outcome", member.outcome);
    row.set("stale", member.stale);
    row.set("finish_reason", member.finish_reason);
    row.set("update_failed", member.update_failed);
    let end = member.finish;
    row.set("end_status", end.map(|end| end.status));
    row.set("end_reason", end.map(|end| end.finish_reason));
    row.set("end_output_tokens", end.map(|end| end.output_tokens));
    row.set("end_ns", end.map(|end| end.mono_ns));
    row.set("end_wall_ns", end.map(|end| end.wall_ns));
    row.set("end_in_step", end.map(|end| end.in_step));
    row.set("source_seq_max", member.source_seq_max);
    row.end()
}
