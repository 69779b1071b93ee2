//! A stall explained: where, whose, against which limit, who was ready, what ran around it and what it cost.

use stepscope_diagnose::{Held, JudgedStall, LATE_NS, LateHeartbeat, Locus, limit_in_words};

use super::verdict::place;
use super::words::{capital, count, counted, duration, listed, moment, safe, spelled};
use crate::answers::{Explanation, Fact, Link, Parts};
use crate::model::{Listed, Timeline, What};

/// So many requests are named.
const NAMED: usize = 6;

impl Timeline {
    /// Explains a stall of the list; `None` when there is none of that index.
    pub fn explain_stall(&self, index: u32) -> Option<Explanation> {
        let listed = self.stalls.list.get(index as usize)?;
        let row = self.stall_row(index as usize, listed);
        Some(match &listed.what {
            What::LateHeartbeat(late) => Explanation {
                row,
                title: format!("Heartbeat {} late", duration(listed.duration)),
                whose: "the host's, if anything stalled".to_owned(),
                text: self.late_heartbeat(listed, late),
                facts: self.late_facts(listed, late),
            },
            What::Stall { judged, ready, held, twin, next } => Explanation {
                row,
                title: format!("{} {}", duration(listed.duration), place(judged.stall.locus)),
                whose: whose(judged),
                text: self.what_happened(listed, judged, ready.len(), *held, *twin),
                facts: self.stall_facts(listed, judged, ready, *next),
            },
        })
    }

    fn what_happened(
        &self,
        listed: &Listed,
        judged: &JudgedStall,
        ready: usize,
        held: Held,
        twin: bool,
    ) -> Parts {
        let stall = &judged.stall;
        let (from, to) = (moment(listed.t0, 3), moment(listed.t1, 3));
        let before = stall.before.map(|step| step as usize);
        let step = stall.step.map(|step| step as usize);
        let mut parts = match (stall.locus, before, step) {
            (Locus::BetweenSteps, Some(before), Some(_)) => at_start(self.step_link(before))
                .say(format!(" completed at {from}; schedule() was entered again at {to}. ")),
            (Locus::BetweenSteps, Some(before), None) => at_start(self.step_link(before))
                .say(format!(" completed at {from}; schedule() was not entered again. ")),
            (Locus::InSchedule, _, Some(step)) => Parts::new()
                .say("schedule() of ")
                .then(self.step_link(step))
                .say(format!(" was entered at {from} and returned at {to}. ")),
            (Locus::WithinStep, before, Some(step)) if stall.overlapped => {
                let parts = at_start(self.step_link(step)).say(" was in flight already when ");
                let parts = match before {
                    Some(before) => parts.then(self.step_link(before)),
                    None => parts.say("the step before"),
                };
                let end = if stall.ongoing {
                    "; its output never came. "
                } else {
                    "; its output was processed at "
                };
                let parts = parts.say(format!(" completed at {from}")).say(end);
                if stall.ongoing { parts } else { parts.say(format!("{to}. ")) }
            }
            (Locus::WithinStep, _, Some(step)) if stall.ongoing => {
                at_start(self.step_link(step)).say(" was scheduled; its output never came. ")
            }
            (Locus::WithinStep, _, Some(step)) => at_start(self.step_link(step))
                .say(format!(" was scheduled by {from}; its output was processed at {to}. ")),
            _ => Parts::new().say(format!("From {from} to {to}. ")),
        };
        if judged.warm_up {
            return parts.say(
                "It is one of the first steps of its size after the engine started: what is compiled, captured or tuned \
                 on a first call. It is ranked apart and does not count among the stalls.",
            );
        }
        parts = parts.say(held_up(ready, held, stall.ongoing));
        if self.is_long_mixed(listed) {
            parts = parts.say(
                "It carried prefill tokens, and there were too few steps of its size to compare: rather a long mixed step \
                 than a stall. ",
            );
        }
        if stall.locus == Locus::WithinStep {
            parts = parts.say("Whether the host or the GPU held it, this log does not tell. ");
        }
        if twin {
            parts = parts.say(
                "The same time is listed as the host's stall before it, seen here from the step in flight \
                 (asynchronous scheduling): never add the two. ",
            );
        }
        parts = parts.say(self.pause_in_words(listed));
        if stall.ongoing {
            parts = parts
                .say("It was not over when the log ends; its length is judged as of the last sign of life. ");
        }
        parts
    }

    fn pause_in_words(&self, listed: &Listed) -> String {
        let recorded = self.epoch.hello.as_ref().is_some_and(|hello| hello.observes_pause);
        let paused = self.pauses.iter().any(|pause| pause.start < listed.t1 && listed.t0 < pause.end);
        match (paused, recorded) {
            (true, _) => "The scheduler was paused for new requests in that time. ".to_owned(),
            (false, true) => "Nothing was paused. ".to_owned(),
            (false, false) => "Pauses are not recorded: it may have been one. ".to_owned(),
        }
    }

    fn stall_facts(
        &self,
        listed: &Listed,
        judged: &JudgedStall,
        ready: &[u32],
        next: Option<u32>,
    ) -> Vec<Fact> {
        let stall = &judged.stall;
        let limit =
            format!("{}: {}", duration(judged.limit.limit_ns), limit_in_words(&judged.limit, stall.bucket));
        let mut facts =
            vec![Fact::plain("Limit", limit), self.records_around(listed, judged.covered_by.is_some())];
        if !ready.is_empty() {
            facts.push(Fact::plain("Ready", self.named(ready)));
        }
        facts.extend(self.around(judged, next));
        let mut cost = match ready.len() {
            0 => Vec::new(),
            n => vec![format!("{} × {}", counted(n as i64, "request"), duration(listed.duration))],
        };
        cost.extend(self.arrivals(listed.t0, listed.t1));
        if !cost.is_empty() {
            facts.push(Fact::plain("Cost", cost.join("; ")));
        }
        facts
    }

    /// `whole around it (heartbeats 36.4 s, 38.5 s)`.
    fn records_around(&self, listed: &Listed, covered: bool) -> Fact {
        let beats = &self.epoch.log.heartbeat.at.mono;
        let times = || (0..beats.len()).filter_map(|row| self.clock.of_row(beats, row));
        let before = times().filter(|&t| t <= listed.t0).max();
        let after = times().filter(|&t| t >= listed.t1).min();
        let text = match (covered, before, after) {
            (true, Some(before), Some(after)) => {
                format!("whole around it (heartbeats {}, {})", moment(before, 1), moment(after, 1))
            }
            (true, ..) => "whole around it".to_owned(),
            (false, _, None) => "may be missing: no heartbeat after it tells".to_owned(),
            (false, None, _) => "may be missing: no heartbeat before it tells".to_owned(),
            (false, ..) => "may be missing around it".to_owned(),
        };
        Fact::plain("Records", text)
    }

    fn named(&self, executions: &[u32]) -> String {
        let name = |&execution: &u32| safe(&self.executions.name(&self.epoch, execution as usize));
        let mut names: Vec<String> = executions.iter().take(NAMED).map(name).collect();
        if executions.len() > NAMED {
            names.push(format!("{} more", count((executions.len() - NAMED) as i64)));
        }
        names.join(" · ")
    }

    /// What ran before and after.
    fn around(&self, judged: &JudgedStall, next: Option<u32>) -> Option<Fact> {
        let stall = &judged.stall;
        let after = if stall.locus == Locus::WithinStep { next } else { stall.step };
        let mut parts = Parts::new();
        let mut told = |label: &str, step: Option<u32>| {
            if let Some(step) = step.map(|step| step as usize) {
                let lead = if parts.is_empty() { "" } else { " · " };
                let words = format!(" ({})", self.mix_in_words(step));
                parts = std::mem::take(&mut parts)
                    .say(format!("{lead}{label}"))
                    .then(self.step_link(step))
                    .say(words);
            }
        };
        told("", stall.before);
        if stall.locus == Locus::WithinStep {
            told("itself ", stall.step);
        }
        told("", after);
        let label =
            if stall.locus == Locus::WithinStep { "Before · itself · after" } else { "Before · after" };
        (!parts.is_empty()).then(|| Fact::new(label, parts))
    }

    /// Requests that came while the loop stood: `4 arrivals waited up to 1.31 s`.
    fn arrivals(&self, start: i64, end: i64) -> Option<String> {
        let begin = &self.executions.begin;
        let first = begin.partition_point(|&t| t < start);
        let last = begin.partition_point(|&t| t < end);
        let waited = |execution: &usize| self.executions.end(*execution) >= end;
        let came: Vec<usize> = (first..last.max(first)).filter(waited).collect();
        let longest = end - begin[*came.first()?];
        let who = counted(came.len() as i64, "arrival");
        Some(match came.len() {
            1 => format!("{who} waited {}", duration(longest)),
            _ => format!("{who} waited up to {}", duration(longest)),
        })
    }

    fn late_heartbeat(&self, at: &Listed, late: &LateHeartbeat) -> Parts {
        let before = moment(at.t0, 3);
        let mut parts = Parts::new().say(format!(
            "The writer's heartbeat, due at {before}, came {} after the one before, while no step was running. ",
            duration(late.gap_ns)
        ));
        parts = parts.say(
            "That is no stall by the rules, since no request was held up in the scheduler; a freeze of the whole process \
             that begins with an empty scheduler looks like this. ",
        );
        match late.admitted {
            0 => parts.say("Nobody was admitted until it came."),
            n => parts.say(format!("{} admitted until it came.", listed(&[were(n)]))),
        }
    }

    fn late_facts(&self, listed: &Listed, late: &LateHeartbeat) -> Vec<Fact> {
        let quiet = Link::Range {
            t0: self.clock.at(late.quiet_start_mono_ns) as f64,
            t1: self.clock.at(late.quiet_end_mono_ns) as f64,
        };
        let length = late.quiet_end_mono_ns.saturating_sub(late.quiet_start_mono_ns);
        let mut facts = vec![
            Fact::plain("Listed from", format!("{} late on; heartbeats come each second", duration(LATE_NS))),
            Fact::new("No step for", Parts::new().link(duration(length), quiet)),
        ];
        facts.extend(self.arrivals(listed.t0, listed.t1).map(|words| Fact::plain("Cost", words)));
        facts
    }
}

fn were(n: usize) -> String {
    if n == 1 { "One request was".to_owned() } else { format!("{} requests were", spelled(n)) }
}

fn held_up(ready: usize, held: Held, ongoing: bool) -> String {
    let who = were(ready);
    match (ready, held) {
        (0, _) => String::new(),
        (_, Held::Members) => format!("{who} in it. "),
        (_, Held::Continuing) => format!("{who} running and ready all that time. "),
        (_, Held::Ready) if ongoing => format!("{who} ready and did not go on. "),
        (_, Held::Ready) => format!("{who} ready all that time. "),
    }
}

fn whose(judged: &JudgedStall) -> String {
    let words = match (judged.warm_up, judged.stall.locus) {
        (true, _) => "first-call warm-up",
        (false, Locus::BetweenSteps | Locus::InSchedule) => "the host's",
        (false, Locus::WithinStep) => "the host's or the GPU's",
    };
    words.to_owned()
}

/// A sentence begins with a capital.
fn at_start(mut parts: Parts) -> Parts {
    if let Some(first) = parts.0.first_mut() {
        first.text = capital(&first.text);
    }
    parts
}
