//! First calls of an engine: steps that compile, capture or tune what later steps of their size only run.

use stepscope_epoch_log::{Epoch, Kind};

use crate::config::Config;
use crate::limits::{BaselineKind, Limit};
use crate::stalls::{Locus, Stall};
use crate::steps::Steps;
use crate::window::Window;

/// So many steps with members after a recorder's hello can be warm-up. As many make a baseline by default, so none
/// of them can have one.
pub const WARM_UP_STEPS: usize = 20;

/// A first call takes at least so many times the median of the later steps of its work bucket.
pub const WARM_UP_FACTOR: f64 = 2.0;

/// Whether a stall is the warm-up of an engine and no fault of its loop. All of these hold:
///
/// - it is within a completed step, not behind another one's completion;
/// - its limit is the floor without a baseline;
/// - the step is among the first [`WARM_UP_STEPS`] with members that follow a hello, and no record is missing between
///   that hello and the step (a log read from its middle has no warm-up);
/// - it is the first of them in its work bucket: what is compiled is compiled for a size;
/// - later steps of its bucket, where there are any, take less than half as long, in the median. A prompt that is as
///   slow each time is slow, not new.
///
/// [`diagnose`](crate::diagnose) asks this of every stall it lists ([`JudgedStall::warm_up`](crate::JudgedStall)).
pub fn is_warm_up(epoch: &Epoch, config: &Config, steps: &Steps, stall: &Stall, limit: &Limit) -> bool {
    WarmUp::of(&Window::of(epoch, config.tail_from), steps).has(steps, stall, limit)
}

/// The steps that can be warm-up.
pub(crate) struct WarmUp {
    first_of_bucket: Vec<u32>,
}

impl WarmUp {
    pub(crate) fn of(window: &Window<'_>, steps: &Steps) -> Self {
        let log = &window.epoch.log;
        let mut hellos: Vec<i64> = window.rows(Kind::Hello).map(|row| log.hello.seq[row]).collect();
        hellos.reverse();
        let mut first_of_bucket = Vec::new();
        let Some(mut hello) = hellos.pop() else { return Self { first_of_bucket } };
        let mut seen = 0;
        let mut buckets: u64 = 0;
        for step in 0..steps.len() {
            let seq = log.scheduled.seq[steps.rows[step].scheduled as usize];
            while let Some(&next) = hellos.last()
                && next < seq
            {
                hello = next;
                hellos.pop();
                (seen, buckets) = (0, 0);
            }
            if seen >= WARM_UP_STEPS && hellos.is_empty() {
                break;
            }
            if seq < hello || !steps.has_members(step) {
                continue;
            }
            seen += 1;
            let bucket = 1 << steps.bucket[step];
            if seen <= WARM_UP_STEPS && buckets & bucket == 0 && window.is_whole(hello, seq) {
                first_of_bucket.push(step as u32);
            }
            buckets |= bucket;
        }
        Self { first_of_bucket }
    }

    pub(crate) fn has(&self, steps: &Steps, stall: &Stall, limit: &Limit) -> bool {
        stall.locus == Locus::WithinStep
            && !stall.ongoing
            && !stall.overlapped
            && limit.kind == BaselineKind::Floor
            && stall.step.is_some_and(|step| self.first_of_bucket.contains(&step))
            && later_median(steps, stall)
                .is_none_or(|median| stall.duration_ns as f64 >= WARM_UP_FACTOR * median as f64)
    }
}

/// The median time of the later steps with members of a stall's bucket, from the completion before (or their own
/// scheduler's answer) to their own completion, ns.
fn later_median(steps: &Steps, stall: &Stall) -> Option<i64> {
    let first = stall.step? as usize;
    let mut before = None;
    let mut times = Vec::new();
    for (step, done) in steps.completed() {
        if step > first && steps.bucket[step] == stall.bucket && steps.has_members(step) {
            times.push(done.saturating_sub(steps.end_mono_ns[step].max(before.unwrap_or(i64::MIN))));
        }
        before = Some(done);
    }
    if times.is_empty() {
        return None;
    }
    let middle = times.len() / 2;
    Some(*times.select_nth_unstable(middle).1)
}
