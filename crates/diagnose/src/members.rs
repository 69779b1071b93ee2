//! Who shares the steps, and whose work goes on from one step to another (`diagnose.md` §3).

use std::cmp::Ordering;
use std::ops::Range;

use stepscope_epoch_log::json::{Number, Value};
use stepscope_epoch_log::order::sort_indices;
use stepscope_epoch_log::{Cell, Epoch, Kind, Names, TextId, word};

use crate::kept::KeptMember;
use crate::steps::StepRows;
use crate::window::{Window, int_or_flag};

const FINISHED: u8 = 1;
const STREAMING: u8 = 2;

/// The distinct IDs of every step, ascending, with what §3 asks about each. Ascending IDs make an intersection a
/// merge, which ends at its first hit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    ends: Vec<u32>,
    ids: Vec<TextId>,
    flags: Vec<u8>,
    /// Prompt lengths, tokens; empty when no member of the log is streaming.
    prompts: Vec<Option<i64>>,
}

impl Members {
    /// The members of steps. `skip_malformed`: leave out IDs of a type that no ID has (`reduce.md` V1).
    pub(crate) fn of(epoch: &Epoch, steps: &[StepRows], skip_malformed: bool) -> Self {
        let scheduled = &epoch.log.scheduled.members;
        let finished = Finished::of(epoch, skip_malformed);
        let table = &scheduled.rows;
        let streams = |row: usize| table.resumable.flag(row) == Some(true);
        let any_streaming = (0..table.internal.text.len()).any(streams);
        let count = steps.iter().map(|step| scheduled.range(step.scheduled as usize).len()).sum();
        let mut members = Self {
            ends: Vec::with_capacity(steps.len()),
            ids: Vec::with_capacity(count),
            flags: Vec::with_capacity(count),
            prompts: Vec::with_capacity(if any_streaming { count } else { 0 }),
        };
        let mut entries: Vec<u64> = Vec::new();
        for step in steps {
            entries.clear();
            for row in scheduled.range(step.scheduled as usize) {
                if !(skip_malformed && is_malformed(epoch, &table.internal, row)) {
                    // Rows of one ID stay in their order.
                    entries.push(u64::from(table.internal.text[row]) << 32 | row as u64);
                }
            }
            entries.sort_unstable();
            let ended = step.completed.map_or(&[][..], |row| finished.of_row(row));
            let start = members.ids.len();
            for &entry in &entries {
                let (id, row) = ((entry >> 32) as TextId, entry as u32 as usize);
                if members.ids.len() == start || members.ids[members.ids.len() - 1] != id {
                    let is_finished = !ended.is_empty() && ended.binary_search(&id).is_ok();
                    members.ids.push(id);
                    members.flags.push(if is_finished { FINISHED } else { 0 });
                    if any_streaming {
                        members.prompts.push(None);
                    }
                }
                if any_streaming {
                    let at = members.ids.len() - 1;
                    members.flags[at] |= if streams(row) { STREAMING } else { 0 };
                    if let Some(prompt) = int_or_flag(table.prompt_tokens.cell(row), &epoch.strings) {
                        members.prompts[at] = Some(prompt);
                    }
                }
            }
            members.ends.push(members.ids.len() as u32);
        }
        members
    }

    /// The members of kept steps. Of a request that is listed twice in a step the larger prompt length counts.
    pub(crate) fn of_kept(mut listed: Vec<KeptMember>, steps: usize) -> Self {
        listed.sort_unstable_by_key(|member| (member.step, member.attempt, member.prompt_tokens));
        let any_streaming = listed.iter().any(|member| member.streaming);
        let mut members = Self::default();
        let mut listed = listed.into_iter().peekable();
        for step in 0..steps as u32 {
            let start = members.ids.len();
            while let Some(member) = listed.next_if(|member| member.step == step) {
                if members.ids[start..].last() != Some(&member.attempt) {
                    members.ids.push(member.attempt);
                    members.flags.push(0);
                    members.prompts.extend(any_streaming.then_some(None));
                }
                let at = members.ids.len() - 1;
                members.flags[at] |= if member.finished { FINISHED } else { 0 };
                members.flags[at] |= if member.streaming { STREAMING } else { 0 };
                if let (true, Some(prompt)) = (any_streaming, member.prompt_tokens) {
                    members.prompts[at] = Some(prompt);
                }
            }
            members.ends.push(members.ids.len() as u32);
        }
        members
    }

    pub(crate) fn range(&self, step: usize) -> Range<usize> {
        let start = if step == 0 { 0 } else { self.ends[step - 1] as usize };
        start..self.ends[step] as usize
    }

    pub(crate) fn ids(&self, step: usize) -> &[TextId] {
        &self.ids[self.range(step)]
    }

    /// The ID that stands at a place.
    pub(crate) fn id(&self, at: usize) -> TextId {
        self.ids[at]
    }

    /// W1.
    pub(crate) fn continuing(&self, p: usize, q: usize) -> impl Iterator<Item = TextId> + '_ {
        self.shared(p, q)
            .filter(|&(at_p, at_q)| self.flags[at_p] & FINISHED == 0 && !self.is_new_turn(at_p, at_q))
            .map(|(at_p, _)| self.ids[at_p])
    }

    /// W2: a streaming-input request whose prompt grew, or may have grown, since.
    fn is_new_turn(&self, at_p: usize, at_q: usize) -> bool {
        self.flags[at_p] & STREAMING != 0
            && match (self.prompts[at_p], self.prompts[at_q]) {
                (Some(before), Some(after)) => after > before,
                _ => true,
            }
    }

    /// W3.
    pub(crate) fn ready(&self, p: usize) -> impl Iterator<Item = TextId> + '_ {
        self.range(p).filter(|&at| self.flags[at] == 0).map(|at| self.ids[at])
    }

    /// Where the IDs of both steps stand, in the first and in the second.
    pub(crate) fn shared(&self, p: usize, q: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (in_p, in_q) = (self.range(p), self.range(q));
        let (mut at_p, mut at_q) = (in_p.start, in_q.start);
        std::iter::from_fn(move || {
            while at_p < in_p.end && at_q < in_q.end {
                match self.ids[at_p].cmp(&self.ids[at_q]) {
                    Ordering::Less => at_p = seek(&self.ids[..in_p.end], at_p, self.ids[at_q]),
                    Ordering::Greater => at_q = seek(&self.ids[..in_q.end], at_q, self.ids[at_p]),
                    Ordering::Equal => {
                        (at_p, at_q) = (at_p + 1, at_q + 1);
                        return Some((at_p - 1, at_q - 1));
                    }
                }
            }
            None
        })
    }
}

/// The first place from `at` on that does not come before `id`; `at` itself does. The steps double, so that a small
/// set meets a large one in little more than the small one's length.
fn seek(ids: &[TextId], mut at: usize, id: TextId) -> usize {
    let mut stride = 1;
    while at + stride < ids.len() && ids[at + stride] < id {
        at += stride;
        stride *= 2;
    }
    let end = (at + stride).min(ids.len());
    at + 1 + ids[at + 1..end].partition_point(|&other| other < id)
}

/// IDs that finished (S3), ascending, by row of `log.completed`.
struct Finished {
    ends: Vec<u32>,
    ids: Vec<TextId>,
}

impl Finished {
    fn of(epoch: &Epoch, skip_malformed: bool) -> Self {
        let completed = &epoch.log.completed.members;
        let table = &completed.rows;
        let mut finished = Self { ends: Vec::with_capacity(completed.len()), ids: Vec::new() };
        for record in 0..completed.len() {
            let start = finished.ids.len();
            for row in completed.range(record) {
                let has_reason = !matches!(table.finish_reason.cell(row), Cell::Absent | Cell::Null);
                let ended = has_reason || table.outcome.text(row) == Some(word::DISCARDED_FINISHED);
                if ended && !(skip_malformed && is_malformed(epoch, &table.internal, row)) {
                    finished.ids.push(table.internal.text[row]);
                }
            }
            sort_indices(&mut finished.ids[start..]);
            finished.ends.push(finished.ids.len() as u32);
        }
        finished
    }

    fn of_row(&self, row: u32) -> &[TextId] {
        let start = if row == 0 { 0 } else { self.ends[row as usize - 1] as usize };
        &self.ids[start..self.ends[row as usize] as usize]
    }
}

/// Whether an ID is neither string nor integer, nor missing or null (`reduce.md` V1).
pub(crate) fn is_malformed(epoch: &Epoch, names: &Names, row: usize) -> bool {
    names.other(row).is_some_and(|json| {
        let json = epoch.strings.get(json);
        !json.is_empty()
            && !matches!(Value::parse(json), Ok(Value::Null | Value::Number(Number::Int(_) | Number::Big(_))))
    })
}

/// Whether the log has any member whose ID is no string: only then can one be malformed.
pub(crate) fn may_be_malformed(epoch: &Epoch) -> bool {
    let of = |names: &Names| !names.other.is_empty();
    of(&epoch.log.scheduled.members.rows.internal) || of(&epoch.log.completed.members.rows.internal)
}

/// IDs the engine ended (C4), ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terminated(Vec<TextId>);

impl Terminated {
    /// The IDs of the `terminal` records; only those later than a completion, when one is given: monotonic stamps
    /// decide, wall stamps where a monotonic one is missing, and a terminal without stamps counts.
    pub(crate) fn of(window: &Window<'_>, after: Option<(Option<i64>, i64)>, skip_malformed: bool) -> Self {
        let epoch = window.epoch;
        let table = &epoch.log.terminal;
        let counts = |row: usize| {
            if skip_malformed && is_malformed(epoch, &table.internal, row) {
                return false;
            }
            let Some((done_mono, done_wall)) = after else { return true };
            match (table.at.mono.int(row), done_mono, table.at.wall.int(row)) {
                (Some(mono), Some(done_mono), _) => mono > done_mono,
                (_, _, Some(wall)) => wall > done_wall,
                _ => true,
            }
        };
        let mut ids: Vec<TextId> = window
            .rows(Kind::Terminal)
            .filter(|&row| counts(row))
            .map(|row| table.internal.text[row])
            .collect();
        sort_indices(&mut ids);
        Self(ids)
    }

    pub(crate) fn has(&self, id: TextId) -> bool {
        self.0.binary_search(&id).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeking_finds_the_first_that_is_not_before() {
        let ids: Vec<TextId> = (0..100).map(|at| at * 2).collect();
        for at in 0..100 {
            for id in ids[at] + 1..220 {
                let expected = ids.iter().position(|&other| other >= id).unwrap_or(100);
                assert_eq!(seek(&ids, at, id), expected, "from {at} to {id}");
            }
        }
    }
}
