//! The table `stalls` (`diagnose.md` §4, §7).

use std::io::Write;

use parquet::errors::ParquetError;
use stepscope_diagnose::{Attribution, JudgedStall, Median, Steps};
use stepscope_epoch_log::Epoch;

use super::column::{ColumnSpec, flag, float, int, text};
use super::table::Table;

pub(super) const COLUMNS: &[ColumnSpec] = &[
    text("producer").required(),
    text("locus").required(),
    text("attribution").required(),
    int("duration_ns").required(),
    float("limit_ns"),
    text("baseline").required(),
    float("baseline_ns"),
    int("start_ns").required(),
    int("start_wall_ns").required(),
    int("end_wall_ns").required(),
    text("iteration_before"),
    text("iteration"),
    int("bucket").required(),
    flag("ongoing").required(),
    flag("overlapped").required(),
    flag("covered").required(),
    flag("warm_up").required(),
];

pub(super) fn row<W: Write + Send>(
    table: &mut Table<W>,
    producer: &[u8],
    epoch: &Epoch,
    steps: &Steps,
    judged: &JudgedStall,
) -> Result<(), ParquetError> {
    let stall = &judged.stall;
    let name = |step: Option<u32>| {
        let scheduled = steps.rows.get(step? as usize)?.scheduled;
        Some(epoch.strings.get(epoch.log.scheduled.iteration.text[scheduled as usize]))
    };
    let mut row = table.row();
    row.set("producer", producer);
    row.set("locus", stall.locus.name());
    row.set(
        "attribution",
        match stall.attribution() {
            Attribution::Host => "host",
            Attribution::HostOrGpu => "host_or_gpu",
        },
    );
    row.set("duration_ns", stall.duration_ns);
    row.float("limit_ns", Some(judged.limit.limit_ns));
    row.set("baseline", judged.limit.kind.name());
    row.float("baseline_ns", judged.limit.baseline.map(Median::value));
    row.set("start_ns", stall.start_mono_ns);
    row.set("start_wall_ns", stall.start_wall_ns);
    row.set("end_wall_ns", stall.end_wall_ns);
    row.set("iteration_before", name(stall.before));
    row.set("iteration", name(stall.step));
    row.set("bucket", i64::from(stall.bucket));
    row.set("ongoing", stall.ongoing);
    row.set("overlapped", stall.overlapped);
    row.set("covered", judged.covered_by.is_some());
    row.set("warm_up", judged.warm_up);
    row.end()
}
