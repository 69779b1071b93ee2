//! The table `stages` (`reduce.md` §11).

use std::io::Write;

use parquet::errors::ParquetError;
use stepscope_reduce::Raw;
use stepscope_reduce::record::{Stage, StageFacts};

use super::column::{ColumnSpec, flag, int, text};
use super::table::Table;

pub(super) const COLUMNS: &[ColumnSpec] = &[
    text("producer").required(),
    text("stage").required(),
    text("name").required(),
    text("iteration"),
    text("request"),
    text("attempt"),
    text("ownership"),
    int("start_ns"),
    int("end_ns"),
    int("start_wall_ns"),
    int("end_wall_ns"),
    text("from"),
    text("to"),
    flag("reset_observed"),
    flag("reset_running_requests"),
    flag("reset_connector"),
    flag("succeeded"),
    flag("raised"),
    int("running"),
    int("seq").required(),
    int("source_seq_max").required(),
];

/// What only some kinds of stages say.
#[derive(Default)]
struct Own<'a> {
    attempt: Option<&'a [u8]>,
    ownership: Option<&'static str>,
    start_wall_ns: Option<Raw<'a>>,
    end_wall_ns: Option<Raw<'a>>,
    from: Option<Raw<'a>>,
    to: Option<Raw<'a>>,
    reset_observed: Option<bool>,
    reset_running_requests: Option<bool>,
    reset_connector: Option<bool>,
    succeeded: Option<Raw<'a>>,
    raised: Option<bool>,
    running: Option<u32>,
}

fn own<'a>(facts: &StageFacts<'a>) -> Own<'a> {
    match *facts {
        StageFacts::Preempted { attempt, ownership, reset_observed, start_wall_ns, end_wall_ns, .. } => Own {
            attempt: Some(attempt),
            ownership: Some(ownership.name()),
            reset_observed: Some(reset_observed),
            start_wall_ns: Some(start_wall_ns),
            end_wall_ns: Some(end_wall_ns),
            ..Own::default()
        },
        StageFacts::CacheReset {
            reset_running_requests,
            reset_connector,
            succeeded,
            raised,
            running,
            start_wall_ns,
            end_wall_ns,
            ..
        } => Own {
            reset_running_requests: Some(reset_running_requests),
            reset_connector: Some(reset_connector),
            succeeded: Some(succeeded),
            raised: Some(raised),
            running: Some(running),
            start_wall_ns: Some(start_wall_ns),
            end_wall_ns: Some(end_wall_ns),
            ..Own::default()
        },
        StageFacts::PreemptedByReset { attempt, ownership } => {
            Own { attempt: Some(attempt), ownership: Some(ownership.name()), ..Own::default() }
        }
        StageFacts::PauseTransition { from, to, wall_ns, .. } => Own {
            from: Some(from),
            to: Some(to),
            start_wall_ns: Some(wall_ns),
            end_wall_ns: Some(wall_ns),
            ..Own::default()
        },
    }
}

pub(super) fn row<W: Write + Send>(
    table: &mut Table<W>,
    producer: &[u8],
    stage: &Stage<'_>,
) -> Result<(), ParquetError> {
    let own = own(&stage.facts);
    let mut row = table.row();
    row.set("producer", producer);
    row.set("stage", stage.stage_ref.id);
    row.set("name", stage.facts.name());
    row.set("iteration", stage.iteration_ref.map(|iteration| iteration.id));
    row.set("request", stage.request_ref.map(|request| request.id));
    row.set("attempt", own.attempt);
    row.set("ownership", own.ownership);
    row.set("start_ns", stage.start_ns);
    row.set("end_ns", stage.end_ns);
    row.set("start_wall_ns", own.start_wall_ns);
    row.set("end_wall_ns", own.end_wall_ns);
    row.set("from", own.from);
    row.set("to", own.to);
    row.set("reset_observed", own.reset_observed);
    row.set("reset_running_requests", own.reset_running_requests);
    row.set("reset_connector", own.reset_connector);
    row.set("succeeded", own.succeeded);
    row.set("raised", own.raised);
    row.set("running", own.running);
    row.set("seq", stage.seq);
    row.set("source_seq_max", stage.source_seq_max);
    row.end()
}
