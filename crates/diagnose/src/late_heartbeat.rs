//! Heartbeats that came late while no step was running. A freeze of the whole process that begins with an empty
//! scheduler makes no stall by the rules; this is what shows of it.

use stepscope_epoch_log::Kind;
use stepscope_epoch_log::order::sort_intervals;

use crate::diagnosis::JudgedStall;
use crate::steps::Steps;
use crate::window::Window;

/// The writer's cadence, ns (`raw-log.md` §8.8).
pub const HEARTBEAT_CADENCE_NS: i64 = 1_000_000_000;

/// From so late on a heartbeat is listed, ns. In ten real engine epochs of 19 minutes together, busy machine and all, no
/// idle engine was later than 0.29 s but the one that was frozen (1.9 s).
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
    let mut late: Vec<LateHeartbeat> = window
        .rows(Kind::Heartbeat)
        .skip(1)
        .filter_map(|row| {
            let (before, beat) = (mono.int(row - 1)?, mono.int(row)?);
            let gap_ns = beat.saturating_sub(before);
            (gap_ns >= HEARTBEAT_CADENCE_NS + LATE_NS).then(|| LateHeartbeat {
                row,
                gap_ns,
                quiet_start_mono_ns: before,
                quiet_end_mono_ns: beat,
                late_ns: gap_ns - HEARTBEAT_CADENCE_NS,
                admitted: 0,
            })
        })
        .collect();
    if late.is_empty() || steps.is_empty() {
        return Vec::new();
    }
    let running = Stretches::of((0..steps.len()).map(|step| {
        (steps.start_mono_ns[step], steps.done_mono_ns[step].unwrap_or(steps.end_mono_ns[step]))
    }));
    let stalled = Stretches::of(stalls.iter().filter(|judged| judged.is_over_limit()).map(|judged| {
        let start = judged.stall.start_mono_ns;
        (start, start.saturating_add(judged.stall.duration_ns))
    }));
    let mut admissions: Vec<i64> =
        window.rows(Kind::Alias).filter_map(|row| log.alias.at.mono.int(row)).collect();
    admissions.sort_unstable();
    late.retain_mut(|beat| {
        let (before, now) = (beat.quiet_start_mono_ns, beat.quiet_end_mono_ns);
        let due = before.saturating_add(HEARTBEAT_CADENCE_NS);
        let Some((start, end)) = running.gap_around(due) else { return false };
        (beat.quiet_start_mono_ns, beat.quiet_end_mono_ns) = (start.max(before), end.min(now));
        beat.late_ns = beat.quiet_end_mono_ns.saturating_sub(due);
        beat.admitted =
            admissions.partition_point(|&at| at <= now) - admissions.partition_point(|&at| at < due);
        beat.late_ns >= LATE_NS && !stalled.reach_into(due, beat.quiet_end_mono_ns)
    });
    late
}

/// Stretches of time by their start, with the latest end up to each.
struct Stretches {
    starts: Vec<i64>,
    ended_by: Vec<i64>,
}

impl Stretches {
    fn of(stretches: impl Iterator<Item = (i64, i64)>) -> Self {
        let mut sorted: Vec<(i64, i64)> = stretches.collect();
        sort_intervals(&mut sorted);
        let mut latest = i64::MIN;
        let (starts, ended_by) = sorted
            .into_iter()
            .map(|(start, end)| {
                latest = latest.max(end);
                (start, latest)
            })
            .unzip();
        Self { starts, ended_by }
    }

    /// The gap between them around a moment; `None` when one of them holds it.
    fn gap_around(&self, moment: i64) -> Option<(i64, i64)> {
        let next = self.starts.partition_point(|&start| start <= moment);
        let start = next.checked_sub(1).map_or(i64::MIN, |before| self.ended_by[before]);
        let end = self.starts.get(next).copied().unwrap_or(i64::MAX);
        (start <= moment).then_some((start, end))
    }

    /// Whether one of them begins before `end` and ends after `start`.
    fn reach_into(&self, start: i64, end: i64) -> bool {
        let begun = self.starts.partition_point(|&at| at < end);
        begun.checked_sub(1).is_some_and(|last| self.ended_by[last] > start)
    }
}
