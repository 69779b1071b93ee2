//! What each member did in each step: the tokens by purpose, who was preempted and resumed, what came of it.

use stepscope_epoch_log::order::{places_by, sort_by_key};
use stepscope_epoch_log::{Epoch, TextId, word};

use super::clock::Clock;
use super::executions::{Ended, Executions, Preemption, Work, entry};
use super::spans::Spans;
use super::stays::{Found, Stay};
use super::steps::{NONE, Steps, Tokens, flag};

/// Tokens that members computed again: row of the member and how many, ascending by row.
pub(crate) type Recomputed = Vec<(u32, u32)>;

/// The row of a member's outcome; the last one when it is listed twice.
pub(crate) fn outcome_of(epoch: &Epoch, completed: usize, place: usize, internal: TextId) -> Option<usize> {
    let range = epoch.log.completed.members.range(completed);
    let ids = &epoch.log.completed.members.rows.internal.text[range.clone()];
    // Both records list the members in one order, unless something is odd.
    if ids.get(place) == Some(&internal) && !ids[place + 1..].contains(&internal) {
        return Some(range.start + place);
    }
    ids.iter().rposition(|&id| id == internal).map(|at| range.start + at)
}

/// Puts the stays in order of arrival and fills in what they and the steps did. `holes` are the times from which
/// records are missing.
pub(crate) fn fill(
    epoch: &Epoch,
    clock: Clock,
    steps: &mut Steps,
    found: Found,
    holes: &Spans,
) -> (Executions, Recomputed) {
    let (mut executions, place) = arrange(&found.stays);
    let of_member = |member: usize| place[found.of_member[member] as usize] as usize;
    let members = &epoch.log.scheduled.members;
    let resets = preemptions(steps, &found, &place, &mut executions);

    let mut counts = vec![0u32; executions.len() + 1];
    for step in 0..steps.len() {
        for member in members.range(steps.row(step)) {
            counts[of_member(member) + 1] += 1;
        }
    }
    for at in 0..executions.len() {
        counts[at + 1] += counts[at];
    }
    let entries = counts.last().copied().unwrap_or(0) as usize;
    executions.entry_step = vec![0; entries];
    executions.entry_bits = vec![0; entries];
    let mut next = counts.clone();
    executions.first_entry = counts;

    let mut pass = Pass {
        epoch,
        high: vec![0; executions.len()],
        preempted: vec![false; executions.len()],
        finished: vec![NONE; executions.len()],
        recomputed: Recomputed::new(),
    };
    let mut by_step = resets.iter().peekable();
    for step in 0..steps.len() {
        let mut flags = 0;
        while let Some(preemption) = by_step.next_if(|p| p.step as usize <= step) {
            pass.preempted[preemption.execution as usize] = true;
        }
        let row = steps.row(step);
        if !epoch.log.scheduled.preempted.range(row).is_empty() {
            flags |= flag::PREEMPTED;
        }
        let outcome = steps.outcome(step);
        match outcome {
            None => flags |= flag::NO_OUTCOME,
            Some(done) if epoch.log.completed.update_failed.flag(done) == Some(true) => flags |= flag::FAILED,
            Some(_) => {}
        }
        let range = members.range(row);
        if range.is_empty() {
            flags |= flag::EMPTY;
        }
        let mut tokens = Tokens::default();
        for (place, member) in range.enumerate() {
            let execution = of_member(member);
            let bits = pass.member(member, place, execution, outcome, &mut tokens, &mut flags);
            let at = &mut next[execution];
            executions.entry_step[*at as usize] = step as u32;
            executions.entry_bits[*at as usize] = bits;
            *at += 1;
        }
        steps.set(step, tokens, flags);
    }
    pass.recomputed.sort_unstable();
    pass.recomputed.shrink_to_fit();
    steps.finish(epoch, clock);
    end_stays(epoch, clock, &mut executions, &pass.finished, holes);
    executions.summarise(
        |step| steps.start(epoch, clock, step as usize),
        |step| steps.done(epoch, clock, step as usize),
    );
    executions.index_names();
    (executions, pass.recomputed)
}

/// Stays by arrival, and the place of each in that order.
fn arrange(stays: &[Stay]) -> (Executions, Vec<u32>) {
    let begin = |stay: &Stay| if stay.begin == i64::MAX { stay.seen } else { stay.begin };
    let order = places_by(stays.len(), |at| begin(&stays[at]));
    let mut place = vec![0u32; stays.len()];
    for (at, &stay) in order.iter().enumerate() {
        place[stay as usize] = at as u32;
    }
    let column = |of: fn(&Stay) -> u32| order.iter().map(|&at| of(&stays[at as usize])).collect::<Vec<_>>();
    let executions = Executions {
        internal: column(|stay| stay.internal),
        alias: column(|stay| stay.alias),
        enqueued: column(|stay| stay.enqueued),
        terminal: column(|stay| stay.terminal),
        begin: order.iter().map(|&at| begin(&stays[at as usize])).collect(),
        // For now the last that was heard of it.
        end: order.iter().map(|&at| stays[at as usize].seen).collect(),
        ..Executions::default()
    };
    (executions, place)
}

/// The preemptions by stay go into `executions`; by step they are returned.
fn preemptions(steps: &Steps, found: &Found, place: &[u32], executions: &mut Executions) -> Vec<Preemption> {
    if found.preempted.is_empty() {
        return Vec::new();
    }
    let mut step_of: Vec<(u32, u32)> =
        (0..steps.len()).map(|step| (steps.row(step) as u32, step as u32)).collect();
    step_of.sort_unstable();
    let mut all: Vec<Preemption> = found
        .preempted
        .iter()
        .filter_map(|&(stay, row, by_reset)| {
            let at = step_of.binary_search_by_key(&row, |entry| entry.0).ok()?;
            Some(Preemption { execution: place[stay as usize], step: step_of[at].1, by_reset })
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    executions.preemptions = all.clone();
    sort_by_key(&mut all, |preemption| i64::from(preemption.step));
    all
}

struct Pass<'a> {
    epoch: &'a Epoch,
    /// Of each stay, the greatest context it had committed.
    high: Vec<i64>,
    preempted: Vec<bool>,
    /// Row of the outcome that says it finished.
    finished: Vec<u32>,
    recomputed: Recomputed,
}

fn narrow(tokens: i64) -> u32 {
    u32::try_from(tokens.max(0)).unwrap_or(u32::MAX)
}

impl Pass<'_> {
    fn member(
        &mut self,
        member: usize,
        place: usize,
        execution: usize,
        completed: Option<usize>,
        tokens: &mut Tokens,
        flags: &mut u8,
    ) -> u8 {
        let rows = &self.epoch.log.scheduled.members.rows;
        let known = |value: Option<i64>| value.unwrap_or(0).max(0);
        let prefill = known(rows.prefill_scheduled.int(member));
        let decode = known(rows.past_prompt_scheduled.int(member));
        let high = self.high[execution];
        let again = match (rows.computed_before.int(member), rows.scheduled.int(member)) {
            (Some(before), Some(n)) => before.saturating_add(n).min(high).saturating_sub(before).max(0),
            _ => 0,
        };
        // What is computed again comes first, so it takes of the prompt's part first.
        let of_prompt = again.min(prefill);
        let past_prompt = (again - of_prompt).min(decode);
        let again = of_prompt + past_prompt;
        tokens.prefill = tokens.prefill.saturating_add(narrow(prefill - of_prompt));
        tokens.decode = tokens.decode.saturating_add(narrow(decode - past_prompt));
        tokens.recompute = tokens.recompute.saturating_add(narrow(again));
        if prefill > 0 {
            *flags |= flag::PREFILL;
        }
        if decode > 0 {
            *flags |= flag::DECODE;
        }
        let work = if again > 0 {
            *flags |= flag::RECOMPUTE;
            self.recomputed.push((member as u32, narrow(again)));
            Work::Recompute
        } else if prefill > 0 {
            Work::Prefill
        } else {
            Work::Decode
        };
        let mut bits = work as u8;
        if std::mem::take(&mut self.preempted[execution]) {
            bits |= entry::RESUMED;
        }
        let internal = rows.internal.text[member];
        if let Some(row) = completed.and_then(|done| outcome_of(self.epoch, done, place, internal)) {
            let outcomes = &self.epoch.log.completed.members.rows;
            if outcomes.outcome.text(row) == Some(word::KEPT) {
                if let Some(after) = outcomes.computed_after.int(row) {
                    self.high[execution] = high.max(after);
                }
                if outcomes.retained.int(row).is_some_and(|tokens| tokens >= 1) {
                    bits |= entry::TOKEN;
                }
                if outcomes.finish_reason.text(row).is_some() {
                    self.finished[execution] = row as u32;
                }
            }
        }
        bits
    }
}

/// How and when each stay ended: by its terminal, else by the outcome that says it finished; else it was still there
/// at the end of the log, or was lost from sight in a hole.
fn end_stays(epoch: &Epoch, clock: Clock, executions: &mut Executions, finished: &[u32], holes: &Spans) {
    let log = &epoch.log;
    for (execution, &finished) in finished.iter().enumerate() {
        let seen = executions.end[execution];
        let row = executions.terminal[execution];
        let (end, ended) = if row != NONE {
            let reason = log.terminal.finish_reason.text(row as usize);
            let at = clock.of_row(&log.terminal.at.mono, row as usize);
            (at.unwrap_or(seen), by_reason(reason, log.terminal.status.text(row as usize)))
        } else if finished != NONE {
            let outcome = finished as usize;
            let reason = log.completed.members.rows.finish_reason.text(outcome);
            let at = clock.of_row(&log.completed.at.mono, log.completed.members.group_of(outcome));
            (at.unwrap_or(seen), by_reason(reason, None))
        } else {
            match holes.touching(seen, i64::MAX).first() {
                Some(hole) => (hole.0.max(seen), Ended::Lost),
                None => (clock.end(), Ended::Not),
            }
        };
        executions.end[execution] = end.max(executions.begin[execution]);
        executions.ended.push(ended);
    }
}

fn by_reason(reason: Option<TextId>, status: Option<TextId>) -> Ended {
    match (reason, status) {
        (Some(word::STOP), _) | (None, Some(word::FINISHED_STOPPED)) => Ended::Stop,
        (Some(word::LENGTH), _) | (None, Some(word::FINISHED_LENGTH_CAPPED)) => Ended::Length,
        (Some(word::ABORT), _) | (None, Some(word::FINISHED_ABORTED)) => Ended::Abort,
        _ => Ended::Other,
    }
}
