//! A step in words: what it was made of, and why it took as long as it did.

use stepscope_diagnose::{bucket_in_words, work_bucket};
use stepscope_epoch_log::word;

use super::verdict::place;
use super::words::{count, counted, duration, moment, percent, ratio, safe};
use crate::answers::{Fact, Link, Parts};
use crate::model::Timeline;
use crate::model::steps::flag;

/// How far back steps of the same size are looked for, ns.
const USUAL_WINDOW_NS: i64 = 30_000_000_000;
/// So many of them are enough.
const USUAL_MOST: usize = 512;
/// Fewer say nothing.
const USUAL_LEAST: usize = 5;

/// Members of a step by what they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mix {
    prefills: u32,
    prefill_tokens: i64,
    decodes: u32,
    recomputes: u32,
    recomputed_tokens: i64,
    none: u32,
}

/// What steps of a size usually take.
struct Usual {
    median: i64,
    steps: usize,
}

impl Timeline {
    /// Tokens a member computes again.
    pub(crate) fn recomputed(&self, member: usize) -> i64 {
        let at = self.recomputed.binary_search_by_key(&(member as u32), |entry| entry.0);
        at.map_or(0, |at| i64::from(self.recomputed[at].1))
    }

    pub(crate) fn mix(&self, step: usize) -> Mix {
        let members = &self.epoch.log.scheduled.members;
        let mut mix = Mix::default();
        for member in members.range(self.steps.row(step)) {
            let again = self.recomputed(member);
            let prefill = members.rows.prefill_scheduled.int(member).unwrap_or(0);
            if again > 0 {
                mix.recomputes += 1;
                mix.recomputed_tokens = mix.recomputed_tokens.saturating_add(again);
            } else if prefill > 0 {
                mix.prefills += 1;
                mix.prefill_tokens = mix.prefill_tokens.saturating_add(prefill);
            } else if members.rows.scheduled.int(member) == Some(0) {
                mix.none += 1;
            } else {
                mix.decodes += 1;
            }
        }
        mix
    }

    /// `4 decode, 1 prefill of 52`.
    pub(crate) fn mix_in_words(&self, step: usize) -> String {
        let mix = self.mix(step);
        let mut parts = Vec::new();
        if mix.decodes > 0 {
            parts.push(format!("{} decode", count(mix.decodes)));
        }
        if mix.prefills > 0 {
            parts.push(format!("{} prefill of {}", count(mix.prefills), count(mix.prefill_tokens)));
        }
        if mix.recomputes > 0 {
            parts.push(format!("{} recompute of {}", count(mix.recomputes), count(mix.recomputed_tokens)));
        }
        if mix.none > 0 {
            parts.push(format!("{} without tokens", count(mix.none)));
        }
        if parts.is_empty() { "no members".to_owned() } else { parts.join(", ") }
    }

    /// The step's name for a sentence: `step 4,420`.
    pub(crate) fn step_name(&self, step: usize) -> String {
        let name = safe(&self.epoch.strings.display(self.steps.iteration(&self.epoch, step)));
        match name.parse::<u64>() {
            Ok(number) if number.to_string() == name => format!("step {}", count(number)),
            _ => format!("step {name}"),
        }
    }

    pub(crate) fn step_link(&self, step: usize) -> Parts {
        Parts::new().link(self.step_name(step), Link::Step { index: step as u32 })
    }

    fn tokens_of(&self, step: usize) -> i64 {
        let total = self.epoch.log.scheduled.total_tokens.int(self.steps.row(step));
        total.unwrap_or_else(|| self.steps.tokens(step).total() as i64)
    }

    /// The median step time of the steps of the same work bucket in the 30 s before.
    fn usual(&self, step: usize) -> Option<Usual> {
        let bucket = work_bucket(self.tokens_of(step));
        let earliest = self.start(step).saturating_sub(USUAL_WINDOW_NS);
        let mut times: Vec<i64> = (0..step)
            .rev()
            .take_while(|&before| self.steps.at(before) >= earliest)
            .filter(|&before| work_bucket(self.tokens_of(before)) == bucket)
            .filter(|&before| self.steps.flags(before) & flag::EMPTY == 0)
            .filter_map(|before| self.steps.step_time(&self.epoch, self.clock, before))
            .take(USUAL_MOST)
            .collect();
        if times.len() < USUAL_LEAST {
            return None;
        }
        let middle = times.len() / 2;
        Some(Usual { median: *times.select_nth_unstable(middle).1, steps: times.len() })
    }

    /// Why a step took as long as it did.
    pub(crate) fn explain_step(&self, step: usize) -> Parts {
        let mut parts = Parts::new();
        let flags = self.steps.flags(step);
        let time = self.steps.step_time(&self.epoch, self.clock, step);
        if time.is_none() {
            parts = parts.say(self.no_outcome(step));
        }
        if flags & flag::FAILED != 0 {
            parts = parts.strong("Processing its output failed. ");
        }
        if flags & flag::EMPTY != 0 {
            return parts.say("It has no members: the engine asked the scheduler and got nothing to run. ");
        }
        let tokens = self.tokens_of(step);
        let members = self.epoch.log.scheduled.members.range(self.steps.row(step)).len();
        parts = parts.say(format!(
            "{} for {}: {}. ",
            counted(tokens, "token"),
            counted(members as i64, "member"),
            self.mix_in_words(step)
        ));
        let mix = self.mix(step);
        if mix.prefills > 0 && mix.prefill_tokens < tokens {
            let share = percent(mix.prefill_tokens, tokens);
            parts = parts.say(format!("Prefill is {share} of its tokens; "));
            parts = parts.say(format!("{} waited for it. ", counted(mix.decodes, "decode")));
        }
        if mix.recomputed_tokens > 0 {
            let again = counted(mix.recomputed_tokens, "token");
            parts = parts.say(format!("{again} were computed before and had to be computed again. "));
        }
        if let (Some(time), Some(usual)) = (time, self.usual(step)) {
            parts = parts.say(in_comparison(time, &usual, work_bucket(tokens)));
        }
        for &index in self.stalls.places(self.start(step), self.flies_until(step).saturating_add(1)) {
            let listed = &self.stalls.list[index as usize];
            let Some(judged) = listed.judged() else { continue };
            if judged.stall.step != Some(step as u32) {
                continue;
            }
            let words = format!("{} {}", duration(listed.duration), place(judged.stall.locus));
            let what = if judged.warm_up { "first-call warm-up" } else { "a stall" };
            parts = parts.say(format!("It is {what}: ")).link(words, Link::Stall { index });
            parts = parts.say(format!(", {} × its limit. ", ratio(judged.ratio())));
        }
        parts
    }

    fn no_outcome(&self, step: usize) -> &'static str {
        if step + 1 == self.steps.len() && self.epoch.goodbye.is_none() {
            "It has no outcome: the log ends with it in flight. "
        } else {
            "It has no outcome: its completed record is missing, so how long it took is not known. "
        }
    }

    /// The figures of a step.
    pub(crate) fn step_facts(&self, step: usize) -> Vec<Fact> {
        let (start, end, done) = (self.start(step), self.end(step), self.done(step));
        let row = self.steps.row(step);
        let scheduled = &self.epoch.log.scheduled;
        let mut facts =
            vec![Fact::plain("Start", moment(start, 6)), Fact::plain("schedule()", duration(end - start))];
        facts.push(match self.steps.step_time(&self.epoch, self.clock, step) {
            Some(time) => Fact::plain("Step time", duration(time)),
            None => Fact::plain("Step time", "not recorded"),
        });
        if let Some(done) = done {
            facts.push(Fact::plain(
                "Residence",
                format!("{} from start to completion", duration(done - start)),
            ));
        }
        if let Some(gap) = self.gap_before(step) {
            facts.push(gap);
        }
        let setting =
            |name: &str| self.epoch.hello.as_ref().and_then(|hello| hello.setting(name)).filter(|&n| n > 0);
        let of = |n: i64, most: Option<i64>, unit: &str| match most {
            Some(most) => format!("{} of {} {unit}", count(n), count(most)),
            None => format!("{} {unit}", count(n)),
        };
        facts.push(match scheduled.total_tokens.int(row) {
            Some(tokens) => {
                Fact::plain("Tokens", of(tokens, setting("max_num_batched_tokens"), "in the budget"))
            }
            None => Fact::plain("Tokens", "not recorded"),
        });
        let (live, waiting) = self.occupancy.at(start);
        let waits = match self.occupancy.waiting_recorded {
            true => format!("{} waiting", count(waiting)),
            false => "waiting not recorded".to_owned(),
        };
        facts.push(Fact::plain(
            "Requests",
            format!("{}, {waits}", of(i64::from(live), setting("max_num_seqs"), "seats")),
        ));
        let state = scheduled.pause_state.text(row);
        if let Some(state) = state.filter(|&state| state != word::UNPAUSED) {
            facts.push(Fact::plain("Pause state", safe(&self.epoch.strings.display(state))));
        }
        let preempted: Vec<String> = scheduled
            .preempted
            .range(row)
            .map(|at| scheduled.preempted.rows.text[at])
            .map(|id| match self.executions.find(id, step, start) {
                Some(execution) => safe(&self.executions.name(&self.epoch, execution)),
                None => safe(&self.epoch.strings.display(id)),
            })
            .collect();
        if !preempted.is_empty() {
            facts.push(Fact::plain("Preempted", preempted.join(" · ")));
        }
        facts
    }

    /// What lay between the latest completion before a step and its start.
    fn gap_before(&self, step: usize) -> Option<Fact> {
        let before = self.steps.latest_done(step.checked_sub(1)?);
        let gap = self.start(step) - before;
        if before < 0 {
            return None;
        }
        Some(match gap {
            ..0 => Fact::plain("Gap before", "none: it was scheduled while a step was in flight"),
            gap => Fact::plain("Gap before", format!("{} since the latest completion", duration(gap))),
        })
    }
}

fn in_comparison(time: i64, usual: &Usual, bucket: u8) -> String {
    let size = bucket_in_words(bucket);
    let of = format!(
        "{} is usual for {size} ({} in the 30 s before)",
        duration(usual.median),
        counted(usual.steps as i64, "step")
    );
    let times = time as f64 / usual.median.max(1) as f64;
    if times >= 1.5 {
        format!("It took {}, {} × what is usual: {of}. ", duration(time), ratio(times))
    } else if times <= 0.67 {
        format!("It took {}, less than usual: {of}. ", duration(time))
    } else {
        format!("It took {}, about as usual: {of}. ", duration(time))
    }
}
