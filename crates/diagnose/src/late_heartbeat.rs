//! Heartbeats that came late while no step was running. A freeze of the whole process that begins with an empty
//! scheduler makes no stall by the rules; this is what shows of it.

use stepscope_epoch_log::Kind;

use crate::diagnosis::JudgedStall;
use crate::steps::Steps;
use crate::window::Window;

/// The writer's cadence, ns (`raw-log.md` §8.8).
pub const HEARTBEAT_CADENCE_NS: i64 = 1_000_000_000;

/// From so late on a heartbeat is listed, ns. In eight real epochs of 27 minutes together no idle engine was later
/// than 0.29 s but for the one that was frozen (1.9 s).
pub const LATE_NS: i64 = 500_000_000;

/// Two heartbeats far apart, with a stretch between them in which no step was running. A hint, no stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateHeartbeat {
    /// Row of the late heartbeat in `log.heartbeat`; the one before it is in the row before.
    pub row: usize,
    /// From one heartbeat to the next, ns.
    pub gap_ns: i64,
    /// Where the stretch without a step begins, monotonic ns.
    pub quiet_start_mono_ns: i64,
    /// Where it ends, monotonic ns.
    pub quiet_end_mono_ns: i64,
    /// How long before the stretch's end the heartbeat was due, ns.
    pub late_ns: i64,
    /// Requests admitted from the moment it was due until it came; after a freeze they come in a bunch.
    pub admitted: usize,
}

/// The late heartbeats of an engine. One is listed when its due time, a cadence after the one before, lies in a stretch
/// without any step running that goes on for at least [`LATE_NS`], and no stall over its limit reaches into that: a
/// stalled step, or a busy machine, delays heartbeats too, and is listed already.
pub(crate) fn late_heartbeats(
    window: &Window<'_>,
    steps: &Steps,
    stalls: &[JudgedStall],
) -> Vec<LateHeartbeat> {
    let log = &window.epoch.log;
    let mono = &log.heartbeat.at.mono;
    let rows = window.rows(Kind::Heartbeat);
    let mut late = Vec::new();
    if steps.is_empty() {
        return late;
    }
    let mut running = Running::of(steps);
    for row in rows.skip(1) {
        let (Some(before), Some(beat)) = (mono.int(row - 1), mono.int(row)) else { continue };
        let (gap_ns, due) = (beat.saturating_sub(before), before.saturating_add(HEARTBEAT_CADENCE_NS));
        if gap_ns < HEARTBEAT_CADENCE_NS + LATE_NS {
            continue;
        }
        let Some((start, end)) = running.quiet_around(due) else { continue };
        let (start, end) = (start.max(before), end.min(beat));
        let late_ns = end.saturating_sub(due);
        let stalled = |judged: &JudgedStall| {
            let from = judged.stall.start_mono_ns;
            judged.is_over_limit() && from < end && from.saturating_add(judged.stall.duration_ns) > due
        };
        if late_ns < LATE_NS || stalls.iter().any(stalled) {
            continue;
        }
        let admitted = window
            .rows(Kind::Alias)
            .filter(|&row| log.alias.at.mono.int(row).is_some_and(|at| due <= at && at <= beat))
            .count();
        late.push(LateHeartbeat {
            row,
            gap_ns,
            quiet_start_mono_ns: start,
            quiet_end_mono_ns: end,
            late_ns,
            admitted,
        });
    }
    late
}

/// Where steps were running: from the scheduler call to the completion, or to the call's end without one.
struct Running<'a> {
    steps: &'a Steps,
    /// The latest end of the steps up to each.
    ended_by: Vec<i64>,
}

impl<'a> Running<'a> {
    fn of(steps: &'a Steps) -> Self {
        let mut ended_by = Vec::with_capacity(steps.len());
        let mut latest = i64::MIN;
        for step in 0..steps.len() {
            latest = latest.max(steps.done_mono_ns[step].unwrap_or(steps.end_mono_ns[step]));
            ended_by.push(latest);
        }
        Self { steps, ended_by }
    }

    /// The stretch without a step around a moment; `None` when one is running then.
    fn quiet_around(&mut self, moment: i64) -> Option<(i64, i64)> {
        let next = self.steps.start_mono_ns.partition_point(|&start| start <= moment);
        let start = next.checked_sub(1).map_or(i64::MIN, |before| self.ended_by[before]);
        let end = self.steps.start_mono_ns.get(next).copied().unwrap_or(i64::MAX);
        (start <= moment).then_some((start, end))
    }
}
