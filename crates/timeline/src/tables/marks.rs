//! The table behind each canvas: the same marks, in words, and the way from one to the next.

use crate::answers::{Link, Mark, Marks, Track};
use crate::model::steps::flag;
use crate::model::{Ended, Timeline, What};
use crate::tell::place;
use crate::tell::words::{count, counted, duration, listed, moment, safe};

/// Steps that are marks of the loop.
const LOOP_STEPS: u8 = flag::PREEMPTED | flag::FAILED | flag::NO_OUTCOME;
/// Steps that stand out among the tokens.
const TOKEN_STEPS: u8 = flag::PREFILL | flag::RECOMPUTE;

/// A mark before it is put into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Stall(u32),
    Pause(u32),
    Reset(u32),
    Step(u32),
    Arrival(u32),
    End(u32),
    Stay(u32),
    Silent(i64),
    NotKnown(i64),
    Whole(i64),
}

/// When a mark begins, and what it is.
type At = (i64, Source);

impl Timeline {
    /// Marks of a track that touch the window, by time; at most `count` from `from` on.
    pub fn marks(&self, track: Track, t0: f64, t1: f64, from: u32, count: u32) -> Marks {
        let (start, end) = (floor(t0), floor(t1));
        let mut sources = self.spans_of(track);
        sources.retain(|&(at, source)| at <= end && self.mark_end(at, source) >= start);
        sources.extend(self.steps_of(track, start, end));
        sources.sort_unstable();
        let rows = sources.iter().skip(from as usize).take(count as usize);
        Marks { total: sources.len() as u32, rows: rows.map(|&source| self.mark(track, source)).collect() }
    }

    /// The nearest mark that begins after a time, or before it: a stall, a late heartbeat, a preemption, a reset, a
    /// pause, a failed or lost outcome, a silence.
    pub fn next_mark(&self, t: f64, forward: bool) -> Option<Mark> {
        let t = floor(t);
        let after = |at: i64| if forward { at > t } else { at < t };
        let better = |a: At, b: At| if (a < b) == forward { a } else { b };
        let mut spans = self.spans_of(Track::Loop);
        spans.extend(self.known.silent.as_slice().iter().map(|span| (span.0, Source::Silent(span.1))));
        let nearest = spans.into_iter().filter(|&(at, _)| after(at)).reduce(better);
        let step = self.next_step(t, forward).map(|step| (self.start(step), Source::Step(step as u32)));
        let nearest = nearest.into_iter().chain(step).reduce(better)?;
        Some(self.mark(Track::Loop, nearest))
    }

    fn next_step(&self, t: i64, forward: bool) -> Option<usize> {
        let from = match forward {
            true => self.steps.started_until(t, 0),
            false => self.steps.started_until(t.saturating_sub(1), 0).checked_sub(1)?,
        };
        let mut step = self.steps.next_with(from, forward, LOOP_STEPS)?;
        // In a disordered log a step may start before the one before it ended.
        while (self.start(step) > t) != forward || self.start(step) == t {
            let next = if forward { step + 1 } else { step.checked_sub(1)? };
            step = self.steps.next_with(next, forward, LOOP_STEPS)?;
        }
        Some(step)
    }

    fn steps_of(&self, track: Track, start: i64, end: i64) -> Vec<At> {
        let flags = match track {
            Track::Loop => LOOP_STEPS,
            Track::Tokens => TOKEN_STEPS,
            _ => return Vec::new(),
        };
        let first = self.steps.started_until(start.saturating_sub(1), 0);
        let last = self.steps.started_until(end, first);
        let mut steps = Vec::new();
        let mut at = first;
        while let Some(step) = self.steps.next_with(at, true, flags).filter(|&step| step < last) {
            steps.push((self.start(step), Source::Step(step as u32)));
            at = step + 1;
        }
        steps
    }

    /// All marks of a track that are no steps.
    fn spans_of(&self, track: Track) -> Vec<At> {
        let stalls = || self.stalls.list.iter().zip(0..).map(|(listed, at)| (listed.t0, Source::Stall(at)));
        let pauses = || self.pauses.iter().zip(0..).map(|(pause, at)| (pause.start, Source::Pause(at)));
        let executions = || 0..self.executions.len();
        match track {
            Track::Overview => stalls().chain(pauses()).collect(),
            Track::Loop => {
                let resets = self.reset_times.iter().zip(0..).map(|(&t, at)| (t, Source::Reset(at)));
                stalls().chain(pauses()).chain(resets).collect()
            }
            Track::Tokens => Vec::new(),
            Track::Requests => {
                let came =
                    executions().map(|stay| (self.executions.begin(stay), Source::Arrival(stay as u32)));
                let went = executions()
                    .filter(|&stay| !matches!(self.executions.ended(stay), Ended::Not | Ended::Lost))
                    .map(|stay| (self.executions.end(stay), Source::End(stay as u32)));
                came.chain(went).collect()
            }
            Track::Members => {
                executions().map(|stay| (self.executions.begin(stay), Source::Stay(stay as u32))).collect()
            }
            Track::Coverage => {
                let known = &self.known;
                let whole = known.whole.as_slice().iter().map(|span| (span.0, Source::Whole(span.1)));
                let silent = known.silent.as_slice().iter().map(|span| (span.0, Source::Silent(span.1)));
                let not_known =
                    known.not_known.as_slice().iter().map(|span| (span.0, Source::NotKnown(span.1)));
                whole.chain(silent).chain(not_known).collect()
            }
        }
    }

    fn mark_end(&self, at: i64, source: Source) -> i64 {
        match source {
            Source::Stall(index) => self.stalls.list[index as usize].t1,
            Source::Pause(index) => self.pauses[index as usize].end,
            Source::Stay(stay) => self.executions.end(stay as usize),
            Source::Step(step) => self.flies_until(step as usize),
            Source::Silent(end) | Source::NotKnown(end) | Source::Whole(end) => end,
            Source::Reset(_) | Source::Arrival(_) | Source::End(_) => at,
        }
    }

    fn mark(&self, track: Track, (at, source): At) -> Mark {
        let end = self.mark_end(at, source);
        let range = Link::Range { t0: at as f64, t1: end.max(at + 1) as f64 };
        let (text, link) = match source {
            Source::Stall(index) => (self.stall_in_words(index), Link::Stall { index }),
            Source::Pause(index) => {
                let pause = &self.pauses[index as usize];
                let state = safe(&self.epoch.strings.display(pause.state));
                let open = if pause.open { ", not ended in the log" } else { "" };
                (format!("{state} for {}{open}", duration(end - at)), range)
            }
            Source::Reset(_) => ("prefix cache reset".to_owned(), self.moment_link(at)),
            Source::Step(step) => (self.step_in_words(track, step as usize), Link::Step { index: step }),
            Source::Arrival(stay) => (format!("{} came", self.request_in_words(stay)), self.moment_link(at)),
            Source::End(stay) => (
                format!("{} {}", self.request_in_words(stay), self.ended_in_words(stay)),
                self.moment_link(at),
            ),
            Source::Stay(stay) => (self.stay_in_words(stay), range),
            Source::Silent(_) => (format!("the writer was silent for {}", duration(end - at)), range),
            Source::NotKnown(_) => (format!("not known to be whole for {}", duration(end - at)), range),
            Source::Whole(_) => (format!("known whole for {}", duration(end - at)), range),
        };
        Mark { t0: at as f64, t1: end as f64, track, text, link: Some(link) }
    }

    /// A tenth of a second around a moment.
    fn moment_link(&self, at: i64) -> Link {
        const HALF: i64 = 50_000_000;
        Link::Range { t0: (at - HALF).max(0) as f64, t1: at.saturating_add(HALF) as f64 }
    }

    fn stall_in_words(&self, index: u32) -> String {
        let stall = &self.stalls.list[index as usize];
        match &stall.what {
            What::LateHeartbeat(_) => {
                format!("heartbeat {} late, no stall by the rules", duration(stall.duration))
            }
            What::Stall { judged, .. } => {
                let what = if judged.warm_up { "first-call warm-up" } else { "stall" };
                let ongoing = if judged.stall.ongoing { ", not over when the log ends" } else { "" };
                format!("{what} of {} {}{ongoing}", duration(stall.duration), place(judged.stall.locus))
            }
        }
    }

    fn step_in_words(&self, track: Track, step: usize) -> String {
        let name = self.step_name(step);
        if track == Track::Tokens {
            return format!("{name}: {}", self.mix_in_words(step));
        }
        let flags = self.steps.flags(step);
        let mut what = Vec::new();
        if flags & flag::PREEMPTED != 0 {
            let preempted = self.epoch.log.scheduled.preempted.range(self.steps.row(step)).len();
            what.push(format!("preempted {}", counted(preempted as i64, "request")));
        }
        if flags & flag::FAILED != 0 {
            what.push("its update failed".to_owned());
        }
        if flags & flag::NO_OUTCOME != 0 {
            what.push("has no outcome".to_owned());
        }
        format!("{name}: {}", listed(&what))
    }

    fn request_in_words(&self, stay: u32) -> String {
        safe(&self.executions.name(&self.epoch, stay as usize))
    }

    fn ended_in_words(&self, stay: u32) -> &'static str {
        match self.executions.ended(stay as usize) {
            Ended::Stop => "ended by a stop condition",
            Ended::Length => "ended by its length",
            Ended::Abort => "was aborted",
            Ended::Other => "ended",
            Ended::Not => "was still there at the end of the log",
            Ended::Lost => "was lost from sight",
        }
    }

    fn stay_in_words(&self, stay: u32) -> String {
        let (begin, end) = (self.executions.begin(stay as usize), self.executions.end(stay as usize));
        let steps = self.executions.steps(stay as usize).len();
        let ran = match steps {
            0 => "never ran".to_owned(),
            steps => format!("{} {}", count(steps as i64), if steps == 1 { "step" } else { "steps" }),
        };
        let span = format!("{} from {}", duration(end - begin), moment(begin, 3));
        format!("{}: {span}, {ran}, {}", self.request_in_words(stay), self.ended_in_words(stay))
    }
}

fn floor(t: f64) -> i64 {
    if t.is_nan() { 0 } else { t.floor() as i64 }
}
