//! What happened: the second sentence.

use stepscope_diagnose::{Locus, Reason};
use stepscope_epoch_log::Role;

use super::ending::Ending;
use super::words::{count, counted, duration, listed, moment, rough};
use crate::answers::{Level, Line, Link, Parts, Tab};
use crate::model::{Listed, Timeline, What};

/// Where a stall is, in words.
pub(crate) fn place(locus: Locus) -> &'static str {
    match locus {
        Locus::BetweenSteps => "between steps",
        Locus::InSchedule => "in schedule()",
        Locus::WithinStep => "within a step",
    }
}

impl Timeline {
    /// What happened.
    pub(crate) fn verdict_line(&self) -> Line {
        if self.refused().is_some() {
            return Line {
                level: Level::Unknown,
                parts: Parts::new().strong("No verdict. ").say("Nothing was recorded."),
            };
        }
        if self.epoch.name.role == Role::Worker {
            let words = "A worker records no steps; the engine's epoch has them.";
            return Line { level: Level::Unknown, parts: Parts::new().strong("No verdict. ").say(words) };
        }
        if self.steps.is_empty() {
            return Line {
                level: Level::Unknown,
                parts: Parts::new().strong("No verdict. ").say("No step was recorded."),
            };
        }
        let (stalls, together) = self.stalls.over_limit();
        let (level, mut parts) =
            if stalls == 0 { self.no_stall() } else { self.some_stalls(stalls, together) };
        let warm: Vec<(usize, &Listed)> = self.listed(Listed::is_warm_up).collect();
        if let Some(&(index, first)) = warm.first() {
            let total: i64 = warm.iter().map(|(_, listed)| listed.duration).sum();
            let times =
                if warm.len() == 1 { String::new() } else { format!(", {} steps", count(warm.len() as i64)) };
            let lead = if stalls == 0 && first.judged().is_some() { "" } else { " " };
            parts = parts.say(lead).link(
                format!("First-call warm-up ({}{times})", duration(total)),
                Link::Stall { index: index as u32 },
            );
            parts = parts.say(" set apart.");
        }
        let late: Vec<(usize, &Listed)> =
            self.listed(|listed| matches!(listed.what, What::LateHeartbeat(_))).collect();
        if let Some(&(index, first)) = late.first() {
            let words = counted(late.len() as i64, "late heartbeat");
            parts = parts.say(" ").link(words, Link::Stall { index: index as u32 });
            parts = parts.say(format!(" outside every stall (by {}).", duration(first.duration)));
        }
        parts = parts.say(format!(" {}.", self.preempted_in_words()));
        if Ending::of(&self.epoch) != Ending::Goodbye {
            parts = parts.say(" Judged as of the writer's last sign of life.");
        }
        Line { level, parts }
    }

    pub(crate) fn listed(&self, which: impl Fn(&Listed) -> bool) -> impl Iterator<Item = (usize, &Listed)> {
        self.stalls.list.iter().enumerate().filter(move |(_, listed)| which(listed))
    }

    fn some_stalls(&self, stalls: usize, together: i64) -> (Level, Parts) {
        let tab = Link::Tab { tab: Tab::Stalls };
        let words = format!(
            "{} over {} limit",
            counted(stalls as i64, "stall"),
            if stalls == 1 { "its" } else { "their" }
        );
        let mut parts = Parts::new().strong_link(words, tab);
        let hosts = self
            .listed(Listed::counts)
            .filter(|(_, listed)| {
                listed.judged().is_some_and(|judged| judged.stall.locus != Locus::WithinStep)
            })
            .count();
        let whose = match (stalls, hosts) {
            (1, 1) => "; the host's. ".to_owned(),
            (1, _) => "; the host's or the GPU's. ".to_owned(),
            (_, 0) => "; each the host's or the GPU's. ".to_owned(),
            (all, hosts) if all == hosts => "; all of them the host's. ".to_owned(),
            (_, hosts) => format!("; {} of them the host's. ", count(hosts as i64)),
        };
        let sum = if stalls == 1 { String::new() } else { format!(", {} in all", rough(together)) };
        parts = parts.strong(format!("{sum}{whose}"));
        // The list is ranked by how far over the limit; the sentence names the longest wait people felt.
        let worst = self.listed(Listed::counts).max_by_key(|(_, listed)| listed.duration);
        if let Some((index, worst)) = worst
            && let Some(judged) = worst.judged()
        {
            let lead = if stalls == 1 { "" } else { "Worst: " };
            let ongoing = if judged.stall.ongoing { ", not over when the log ends" } else { "" };
            let words = format!("{} {}", duration(worst.duration), place(judged.stall.locus));
            parts = parts.say(lead).link(words, Link::Stall { index: index as u32 }).say(format!(
                " at {}{ongoing}, limit {}.",
                moment(worst.t0, 1),
                rough(judged.limit.limit_ns)
            ));
        }
        let doubts = self.doubts();
        if !doubts.is_empty() {
            parts = parts.say(format!(" Doubtful: {}.", listed(&doubts)));
        }
        (Level::Bad, parts)
    }

    fn no_stall(&self) -> (Level, Parts) {
        let doubts = self.doubts();
        if doubts.is_empty() {
            return (Level::Good, Parts::new().strong("No stall over its limit. "));
        }
        let parts = Parts::new()
            .strong("No stall over its limit in what was recorded; ")
            .say(format!("whether there was one cannot be told: {}. ", listed(&doubts)));
        (Level::Unknown, parts)
    }

    /// Why the verdict does not suffice (`diagnose.md` §10), in words.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let words = |reason: &Reason| match reason {
            Reason::EpochChanged => "the records are of more than one epoch",
            Reason::HookRecordsDropped => "records are missing",
            Reason::HookWriterErrors => "the writer had errors",
            Reason::HookCapped => "the log was capped",
            Reason::TooFewSteps => "no step was completed",
            Reason::RequiresHook => "no step was recorded",
            Reason::HookCoverageUnknown => "records may be missing around the worst one",
            Reason::PauseStateUnknown => "pauses are not recorded, and the worst one may be a pause",
        };
        self.verdict.detail.reasons.iter().map(|reason| words(reason).to_owned()).collect()
    }

    /// `169 preemptions of 31 requests`; 0 is an answer, too.
    pub(crate) fn preempted_in_words(&self) -> String {
        let preemptions = &self.executions.preemptions;
        if preemptions.is_empty() {
            return "0 preemptions".to_owned();
        }
        let victims = preemptions.chunk_by(|a, b| a.execution == b.execution).count();
        let resets = preemptions.iter().filter(|preemption| preemption.by_reset).count();
        let by_reset = match resets {
            0 => String::new(),
            all if all == preemptions.len() => ", all by cache resets".to_owned(),
            some => format!(", {} by cache resets", count(some as i64)),
        };
        format!(
            "{} of {}{by_reset}",
            counted(preemptions.len() as i64, "preemption"),
            counted(victims as i64, "request")
        )
    }
}
