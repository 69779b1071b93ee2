//! From a stage's row to its record (`reduce.md` §11.1).

use stepscope_epoch_log::{Epoch, Stamps};

use super::{Anchor, StageRow, StageSource};
use crate::executions::Execution;
use crate::record::{Context, Raw, Ref, Stage, StageFacts, Text};
use crate::refs::{plain, request_ref};
use crate::rows::is_set;
use crate::{Ownership, RunRequest};

/// Texts that a stage's record borrows.
#[derive(Debug, Default)]
pub(crate) struct StageTexts {
    key: Text,
    anchor: Text,
}

/// What stages are made of, beside their rows.
#[derive(Clone, Copy)]
pub(crate) struct StageMaker<'r> {
    pub(crate) epoch: &'r Epoch,
    pub(crate) context: &'r Context,
    /// Requests of the run; `None` while it does not matter whose a stage's request is.
    pub(crate) requests: Option<&'r [RunRequest]>,
    pub(crate) reset_observed: bool,
}

/// Start and end as integers; a negative one counts as not known, an end before the start as none.
fn span(start: Option<i64>, end: Option<i64>) -> (Option<i64>, Option<i64>) {
    let (start, end) = (plain(start), plain(end));
    (start, end.filter(|&end| start.is_none_or(|start| start <= end)))
}

impl<'r> StageMaker<'r> {
    /// Monotonic start and end as they stand in the log, ns.
    pub(crate) fn times(&self, row: &StageRow) -> (Option<i64>, Option<i64>) {
        let log = &self.epoch.log;
        let both = |start: &Stamps, end: &Stamps, row: u32| {
            (start.mono.int(row as usize), end.mono.int(row as usize))
        };
        match row.source {
            StageSource::Preempted(at) => both(&log.scheduled.start, &log.scheduled.end, at),
            StageSource::CacheReset(at) | StageSource::PreemptedByReset(at) => {
                both(&log.cache_reset.start, &log.cache_reset.end, at)
            }
            StageSource::PauseTransition(at) => both(&log.pause.at, &log.pause.at, at),
        }
    }

    /// `seq` of the record a stage is made from.
    pub(crate) fn seq(&self, row: &StageRow) -> i64 {
        let log = &self.epoch.log;
        match row.source {
            StageSource::Preempted(at) => log.scheduled.seq[at as usize],
            StageSource::CacheReset(at) | StageSource::PreemptedByReset(at) => {
                log.cache_reset.seq[at as usize]
            }
            StageSource::PauseTransition(at) => log.pause.seq[at as usize],
        }
    }

    /// The stage's key, into `texts`.
    fn key(&self, row: &StageRow, attempt: &[u8], texts: &mut StageTexts) {
        let strings = &self.epoch.strings;
        let seq = self.seq(row).to_string();
        texts.key = match row.source {
            StageSource::Preempted(at) => {
                let name = strings.get(self.epoch.log.scheduled.iteration.text[at as usize]);
                [b"preempted/", name, b"/", attempt].concat()
            }
            StageSource::CacheReset(_) => [b"cache_reset/", seq.as_bytes()].concat(),
            StageSource::PreemptedByReset(_) => {
                [b"preempted_by_reset/", seq.as_bytes(), b"/", attempt].concat()
            }
            StageSource::PauseTransition(_) => [b"pause/", seq.as_bytes()].concat(),
        };
    }

    /// The record of a row; `execution` for the two kinds that happen to a request.
    pub(crate) fn record<'t>(
        &self,
        row: &StageRow,
        execution: Option<&'t Execution>,
        texts: &'t mut StageTexts,
    ) -> Stage<'t>
    where
        'r: 't,
    {
        let epoch = self.epoch;
        let (log, strings) = (&epoch.log, &epoch.strings);
        let producer_id = &self.context.producer_id[..];
        let attempt = execution.and_then(|execution| execution.attempt_ref(producer_id, strings));
        let attempt_id = attempt.map_or(&b""[..], |attempt| attempt.id);
        self.key(row, attempt_id, texts);
        let anchor = match row.anchor {
            Anchor::None => None,
            Anchor::Step(name) => Some(strings.get(name)),
            Anchor::Number(number) => {
                texts.anchor = number.to_string().into_bytes();
                Some(&texts.anchor[..])
            }
        };
        let ownership = execution.map_or(Ownership::Unresolved, Execution::ownership);
        let wall = |stamps: &'r Stamps, row: u32| {
            let row = row as usize;
            (Raw::ints(stamps.wall.cell(row), strings), Raw::ints(stamps.wall_after(row), strings))
        };
        let facts = match row.source {
            StageSource::Preempted(at) => {
                let (start_wall_ns, start_wall_after_ns) = wall(&log.scheduled.start, at);
                let (end_wall_ns, end_wall_after_ns) = wall(&log.scheduled.end, at);
                StageFacts::Preempted {
                    attempt: attempt_id,
                    ownership,
                    reset_observed: self.reset_observed,
                    start_wall_ns,
                    start_wall_after_ns,
                    end_wall_ns,
                    end_wall_after_ns,
                }
            }
            StageSource::CacheReset(at) => {
                let table = &log.cache_reset;
                let (start_wall_ns, start_wall_after_ns) = wall(&table.start, at);
                let (end_wall_ns, end_wall_after_ns) = wall(&table.end, at);
                let at = at as usize;
                StageFacts::CacheReset {
                    reset_running_requests: is_set(table.reset_running_requests.cell(at), strings),
                    reset_connector: is_set(table.reset_connector.cell(at), strings),
                    succeeded: Raw::flags(table.succeeded.cell(at), strings),
                    raised: is_set(table.raised.cell(at), strings),
                    running: table.running.range(at).len() as u32,
                    start_wall_ns,
                    start_wall_after_ns,
                    end_wall_ns,
                    end_wall_after_ns,
                }
            }
            StageSource::PreemptedByReset(_) => {
                StageFacts::PreemptedByReset { attempt: attempt_id, ownership }
            }
            StageSource::PauseTransition(at) => {
                let (wall_ns, wall_after_ns) = wall(&log.pause.at, at);
                StageFacts::PauseTransition {
                    from: Raw::texts(log.pause.from.cell(at as usize), strings),
                    to: Raw::texts(log.pause.to.cell(at as usize), strings),
                    wall_ns,
                    wall_after_ns,
                }
            }
        };
        let (start, end) = self.times(row);
        let (start_ns, end_ns) = span(start, end);
        let request_ref = execution.zip(attempt).and_then(|(execution, attempt)| {
            self.requests.map(|requests| request_ref(execution, attempt, requests))
        });
        Stage {
            epoch: &epoch.name.text,
            stage_ref: Ref { producer_id, id: &texts.key },
            iteration_ref: anchor.map(|id| Ref { producer_id, id }),
            request_ref,
            start_ns,
            end_ns,
            seq: self.seq(row),
            source_seq_max: row.source_seq_max,
            facts,
        }
    }
}
