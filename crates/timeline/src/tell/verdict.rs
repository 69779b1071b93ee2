//! What happened: the second sentence.

use stepscope_diagnose::{BaselineKind, Locus, Reason};
use stepscope_epoch_log::Role;

use super::ending::Ending;
use super::words::{count, counted, duration, listed, moment, rough};
use crate::answers::{Level, Line, Link, Parts, Tab};
use crate::model::steps::flag;
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
        let none =
            |why: &str| Line { level: Level::Unknown, parts: Parts::new().strong("No verdict. ").say(why) };
        if self.refused().is_some() {
            return none("Nothing was recorded.");
        }
        if self.epoch.name.role == Role::Worker {
            return none("A worker records no steps; the engine's epoch has them.");
        }
        if self.steps.is_empty() {
            return none("No step was recorded.");
        }
        let (stalls, together) = self.stalls.over_limit();
        let (level, parts) = if stalls == 0 { self.no_stall() } else { self.some_stalls(stalls, together) };
        let mut parts = parts
            .then(self.warm_up_apart())
            .then(self.late_heartbeats())
            .say(format!(" {}.", self.preempted_in_words()))
            .then(self.last_in_flight());
        if Ending::of(&self.epoch) != Ending::Goodbye {
            parts = parts.say(" Judged as of the writer's last sign of life.");
        }
        Line { level, parts }
    }

    fn warm_up_apart(&self) -> Parts {
        let warm: Vec<(usize, &Listed)> = self.listed(Listed::is_warm_up).collect();
        let Some(&(index, _)) = warm.first() else { return Parts::new() };
        let total = warm.iter().fold(0i64, |sum, (_, listed)| sum.saturating_add(listed.duration));
        let steps =
            if warm.len() == 1 { String::new() } else { format!(", {}", counted(warm.len() as i64, "step")) };
        let words = format!("First-call warm-up ({}{steps})", duration(total));
        Parts::new().say(" ").link(words, Link::Stall { index: index as u32 }).say(" set apart.")
    }

    fn late_heartbeats(&self) -> Parts {
        let late: Vec<(usize, &Listed)> =
            self.listed(|listed| matches!(listed.what, What::LateHeartbeat(_))).collect();
        let Some((index, most)) = late.iter().max_by_key(|(_, listed)| listed.duration) else {
            return Parts::new();
        };
        let words = counted(late.len() as i64, "late heartbeat");
        let by = if late.len() == 1 { "by" } else { "by up to" };
        Parts::new()
            .say(" ")
            .link(words, Link::Stall { index: *index as u32 })
            .say(format!(" outside every stall ({by} {}).", duration(most.duration)))
    }

    pub(crate) fn listed(&self, which: impl Fn(&Listed) -> bool) -> impl Iterator<Item = (usize, &Listed)> {
        self.stalls.list.iter().enumerate().filter(move |(_, listed)| which(listed))
    }

    /// The last step, when it has members but no outcome, and the log no goodbye: the process died in it, or went on.
    fn last_in_flight(&self) -> Parts {
        let Some(last) = self.steps.len().checked_sub(1) else { return Parts::new() };
        let empty = self.steps.flags(last) & flag::EMPTY != 0;
        if empty || self.steps.outcome(last).is_some() || self.epoch.goodbye.is_some() {
            return Parts::new();
        }
        Parts::new().say(" The last step, ").then(self.step_link(last)).say(", has no outcome.")
    }

    /// A stalled step that carries prefill tokens and was measured against no steps of its own size is rather a long
    /// mixed step (`insight.md` §4).
    pub(crate) fn is_long_mixed(&self, listed: &Listed) -> bool {
        listed.judged().is_some_and(|judged| {
            let prefills =
                judged.stall.step.is_some_and(|step| self.steps.flags(step as usize) & flag::PREFILL != 0);
            judged.stall.locus == Locus::WithinStep && prefills && judged.limit.kind != BaselineKind::Matched
        })
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
            (1, 1) => "; the host's".to_owned(),
            (1, _) => "; the host's or the GPU's".to_owned(),
            (_, 0) => "; each the host's or the GPU's".to_owned(),
            (all, hosts) if all == hosts => "; all of them the host's".to_owned(),
            (_, hosts) => format!("; {} of them the host's", count(hosts as i64)),
        };
        let sum = if stalls == 1 { String::new() } else { format!(", {} in all", rough(together)) };
        parts = parts.strong(format!("{sum}{whose}."));
        let mixed = self.listed(|listed| listed.counts() && self.is_long_mixed(listed)).count();
        parts = match (mixed, stalls) {
            (0, _) => parts,
            (1, 1) => {
                parts.say(" It carried prefill and has no baseline of its size: rather a long mixed step.")
            }
            (mixed, stalls) => parts.say(format!(
                " {} of them carried prefill and {} no baseline of {} size: rather {}.",
                if mixed == stalls { "All".to_owned() } else { count(mixed as i64) },
                if mixed == 1 { "has" } else { "have" },
                if mixed == 1 { "its" } else { "their" },
                if mixed == 1 { "a long mixed step" } else { "long mixed steps" },
            )),
        };
        // The list is ranked by how far over the limit; the sentence names the longest wait people felt.
        let worst = self.listed(Listed::counts).max_by_key(|(_, listed)| listed.duration);
        if let Some((index, worst)) = worst
            && let Some(judged) = worst.judged()
        {
            let lead = if stalls == 1 { " " } else { " Worst: " };
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
            return (Level::Good, Parts::new().strong("No stall over its limit."));
        }
        let parts = Parts::new()
            .strong("No stall over its limit in what was recorded; ")
            .say(format!("whether there was one cannot be told: {}.", listed(&doubts)));
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
