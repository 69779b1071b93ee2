//! First calls of an engine: steps that compile, capture or tune what later steps of their size only run.

use stepscope_epoch_log::{Epoch, Kind};

use crate::config::Config;
use crate::limits::{BaselineKind, Limit};
use crate::stalls::{Locus, Stall};
use crate::steps::{BUCKETS, Steps};
use crate::window::Window;

/// So many steps with members after a recorder's hello can be warm-up. On eight real epochs it was the first step
/// each time; the first decode and the first mixed step, which may compile as well, come soon after it.
pub const WARM_UP_STEPS: usize = 10;

/// A first call takes at least so many times the median of the other steps of its work bucket.
pub const WARM_UP_FACTOR: f64 = 2.0;

/// Whether a stall is the warm-up of an engine and no fault of its loop. All of these hold:
///
/// - it is within a completed step, not behind another one's completion;
/// - its limit is the floor without a baseline;
/// - the step is among the first [`WARM_UP_STEPS`] with members that follow a hello, and no record is missing between
///   that hello and the step (a log read from its middle has no warm-up);
/// - it is the first of them in its work bucket: what is compiled is compiled for a size;
/// - the other steps of its bucket, where there are any, take less than half as long, in the median. A prompt that is
///   as slow each time is slow, not new.
///
/// [`diagnose`](crate::diagnose) asks this of every stall it lists ([`JudgedStall::warm_up`](crate::JudgedStall)).
pub fn is_warm_up(epoch: &Epoch, config: &Config, steps: &Steps, stall: &Stall, limit: &Limit) -> bool {
    WarmUp::of(&Window::of(epoch, config.tail_from), steps).has(stall, limit)
}

/// The steps that can be warm-up.
#[derive(Default)]
pub(crate) struct WarmUp {
    /// The first step of its work bucket after a hello, ascending.
    first: Vec<u32>,
    /// Of each bucket the median time of its other steps, ns: from the completion before, or their own scheduler's
    /// answer, to their own completion.
    usual_ns: Vec<Option<i64>>,
}

impl WarmUp {
    pub(crate) fn of(window: &Window<'_>, steps: &Steps) -> Self {
        let first = first_of_buckets(window, steps);
        if first.is_empty() {
            return Self::default();
        }
        let usual_ns = usual_times(steps, &first);
        Self { first, usual_ns }
    }

    /// Of steps that are the whole loop from its beginning, up to `end`.
    pub(crate) fn of_beginning(steps: &Steps, end: usize) -> Self {
        let (mut first, mut buckets) = (Vec::new(), 0_u64);
        let with_members = (0..end).filter(|&step| steps.has_members(step)).take(WARM_UP_STEPS);
        for step in with_members {
            let bucket = 1 << steps.bucket[step];
            if buckets & bucket == 0 {
                first.push(step as u32);
            }
            buckets |= bucket;
        }
        if first.is_empty() {
            return Self::default();
        }
        let usual_ns = usual_times(steps, &first);
        Self { first, usual_ns }
    }

    fn is_first(&self, step: u32) -> bool {
        self.first.binary_search(&step).is_ok()
    }

    pub(crate) fn has(&self, stall: &Stall, limit: &Limit) -> bool {
        stall.locus == Locus::WithinStep
            && !stall.ongoing
            && !stall.overlapped
            && limit.kind == BaselineKind::Floor
            && stall.step.is_some_and(|step| self.is_first(step))
            && self.usual_ns[usize::from(stall.bucket)]
                .is_none_or(|usual| stall.duration_ns as f64 >= WARM_UP_FACTOR * usual as f64)
    }
}

fn first_of_buckets(window: &Window<'_>, steps: &Steps) -> Vec<u32> {
    let log = &window.epoch.log;
    let mut hellos = window.rows(Kind::Hello).map(|row| log.hello.seq[row]).peekable();
    let mut first = Vec::new();
    let Some(mut hello) = hellos.next() else { return first };
    let (mut seen, mut buckets) = (0, 0_u64);
    for step in 0..steps.len() {
        let seq = log.scheduled.seq[steps.rows[step].scheduled as usize];
        while let Some(next) = hellos.next_if(|&next| next < seq) {
            hello = next;
            (seen, buckets) = (0, 0);
        }
        if seen >= WARM_UP_STEPS && hellos.peek().is_none() {
            break;
        }
        if seq < hello || seen >= WARM_UP_STEPS || !steps.has_members(step) {
            continue;
        }
        seen += 1;
        let bucket = 1 << steps.bucket[step];
        if buckets & bucket == 0 && window.is_whole(hello, seq) {
            first.push(step as u32);
        }
        buckets |= bucket;
    }
    first
}

fn usual_times(steps: &Steps, first: &[u32]) -> Vec<Option<i64>> {
    let mut times: Vec<Vec<i64>> = vec![Vec::new(); BUCKETS];
    let mut before = i64::MIN;
    let mut firsts = first.iter().copied().peekable();
    for (step, done) in steps.completed() {
        while firsts.next_if(|&first| (first as usize) < step).is_some() {}
        if firsts.peek() != Some(&(step as u32)) && steps.has_members(step) {
            let start = steps.end_mono_ns[step].max(before);
            times[usize::from(steps.bucket[step])].push(done.saturating_sub(start));
        }
        before = done;
    }
    times
        .iter_mut()
        .map(|times| {
            let middle = times.len() / 2;
            (!times.is_empty()).then(|| *times.select_nth_unstable(middle).1)
        })
        .collect()
}
