//! Which final steps are kept, and who their members are (`reduce.md` §7).

use rustc_hash::FxHashSet;
use stepscope_epoch_log::json::Value;
use stepscope_epoch_log::{TextId, word};

use crate::executions::{Executions, NONE};
use crate::facts::{Rules, RunFacts};
use crate::identity::Identity;
use crate::notes::{NoteKind, Notes};
use crate::record::{Ownership, StepState};
use crate::resets::Resets;
use crate::rows::{Rows, is_set};
use crate::steps::{FinalStep, Steps};
use crate::windows::Windows;

/// A step that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptStep {
    pub(crate) step: FinalStep,
    pub(crate) update_failed: bool,
    /// Entries of its list of preempted requests.
    pub(crate) preempted: u32,
    /// Where its memberships end; they begin where those of the step before end.
    pub(crate) memberships_end: u32,
    /// Members by ownership.
    pub(crate) owned: [u32; 3],
    pub(crate) withheld: u32,
}

/// What is written of a member: its row among the members, among the outcomes (or [`NONE`]), its execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) member: u32,
    pub(crate) outcome: u32,
    pub(crate) execution: u32,
}

/// How many steps and members went which way (`reduce.md` §13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Kept steps that completed.
    pub complete: u64,
    /// Kept steps that never will.
    pub incomplete: u64,
    /// Steps that are not final yet.
    pub pending: u64,
    /// Final steps an earlier import wrote (K1).
    pub already_imported: u64,
    /// Steps of others only, kept because they lie in a window (K6).
    pub foreign_only_placed: u64,
    /// Steps of others only, dropped (K7).
    pub foreign_only_counted: u64,
    /// Steps of others only, dropped because those have no pseudonyms (K5).
    pub foreign_only_withheld: u64,
    /// Steps without members, dropped (K4).
    pub empty: u64,
    /// Kept steps whose output raised.
    pub update_failed: u64,
    /// `completed` records without a step (S2).
    pub completed_without_scheduled: u64,
    /// Members of kept steps without a membership (K10).
    pub withheld_memberships: u64,
    /// Executions without memberships for that reason.
    pub withheld_executions: u64,
}

/// Kept steps and their memberships.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) steps: Vec<KeptStep>,
    pub(crate) members: Vec<Member>,
    /// By membership, the next one of its execution.
    pub(crate) next_of_execution: Vec<u32>,
    pub(crate) counts: Counts,
}

/// What judging a step needs.
pub(crate) struct Judge<'j, 'a> {
    pub(crate) rows: &'j Rows<'a>,
    pub(crate) identity: &'j Identity,
    pub(crate) resets: &'j Resets,
    pub(crate) executions: &'j mut Executions<'a>,
    pub(crate) notes: &'j mut Notes,
    existing: FxHashSet<&'a [u8]>,
    referenced: FxHashSet<&'a [u8]>,
    /// `None` when the client's clock is another one.
    windows: Option<Windows>,
    /// By ID, the outcome listed last, and in which step.
    outcomes: Vec<(u32, u32)>,
    /// Rows among the members, and executions, of the step at hand.
    members: Vec<(u32, u32)>,
    kept: Kept,
}

impl<'j, 'a> Judge<'j, 'a> {
    pub(crate) fn new(
        rows: &'j Rows<'a>,
        facts: &'a RunFacts,
        identity: &'j Identity,
        resets: &'j Resets,
        executions: &'j mut Executions<'a>,
        notes: &'j mut Notes,
    ) -> Self {
        let own = |refs: &'a FxHashSet<crate::RefBuf>| -> FxHashSet<&'a [u8]> {
            let own = refs.iter().filter(|other| other.producer_id == identity.producer());
            own.map(|own| &own.id[..]).collect()
        };
        let same_clock = facts.client_clock_domain.as_ref() == Some(&identity.wall_domain);
        Self {
            existing: own(&facts.existing_iterations),
            referenced: own(&facts.referenced_iterations),
            windows: same_clock.then(|| Windows::new(&facts.windows)),
            outcomes: vec![(NONE, NONE); rows.epoch.strings.len()],
            members: Vec::new(),
            kept: Kept::default(),
            rows,
            identity,
            resets,
            executions,
            notes,
        }
    }

    /// Judges all final steps, in order, and marks the members of the pending ones.
    pub(crate) fn judge(mut self, steps: &Steps) -> (Kept, FxHashSet<&'a [u8]>) {
        let kept: Vec<(FinalStep, [u32; 3])> =
            steps.final_steps.iter().filter_map(|step| Some((*step, self.step(*step)?))).collect();
        for (step, owned) in kept {
            self.keep(step, owned);
        }
        let scheduled = &self.rows.epoch.log.scheduled;
        let mut pending = Vec::new();
        for &row in &steps.pending {
            let start = scheduled.start.mono.int(row as usize);
            for member in scheduled.members.range(row as usize) {
                if self.rows.members.is_good(member) {
                    let id = scheduled.members.rows.internal.text[member];
                    pending.push(self.executions.find_or_create(id, start, self.notes));
                }
            }
        }
        self.executions.mark_pending(&pending);
        self.kept.counts.pending = steps.pending.len() as u64;
        self.kept.counts.completed_without_scheduled = steps.completed_without_scheduled;
        let executions = self.executions.in_order().filter(|&at| self.executions.get(at).withheld);
        self.kept.counts.withheld_executions = executions.count() as u64;
        (self.kept, self.existing)
    }

    /// K1–K7: the step's members by ownership, when it is kept.
    fn step(&mut self, step: FinalStep) -> Option<[u32; 3]> {
        let log = &self.rows.epoch.log;
        let strings = &self.rows.epoch.strings;
        let row = step.scheduled as usize;
        let name = strings.get(log.scheduled.iteration.text[row]);
        let is_imported = self.existing.contains(name);
        if is_imported {
            self.kept.counts.already_imported += 1;
            if !self.identity.corrected() {
                return None;
            }
        }
        self.find_members(row);
        if is_imported {
            // H5, F5: the corrected rules remember who took part.
            for &(_, at) in &self.members {
                self.executions.get_mut(at).in_imported = true;
            }
            return None;
        }
        let mut owned = [0; 3];
        for &(_, at) in &self.members {
            let execution = self.executions.get_mut(at);
            execution.seen_final = true;
            owned[execution.ownership() as usize] += 1;
        }
        if !self.is_kept(&step, name, &owned) {
            return None;
        }
        if name.is_empty() {
            self.notes.add(NoteKind::EmptyStepName, Some(log.scheduled.seq[row]));
            return None;
        }
        Some(owned)
    }

    /// K2, into `self.members`.
    fn find_members(&mut self, row: usize) {
        let log = &self.rows.epoch.log;
        let scheduled = &log.scheduled;
        let start = scheduled.start.mono.int(row);
        self.members.clear();
        for member in scheduled.members.range(row) {
            if self.rows.members.is_good(member) {
                let id = scheduled.members.rows.internal.text[member];
                let at = self.executions.find_or_create(id, start, self.notes);
                self.members.push((member as u32, at));
            }
        }
        if self.identity.corrected() {
            self.drop_repeated_members(row);
        }
    }

    /// Corrected, a member listed twice counts once.
    fn drop_repeated_members(&mut self, row: usize) {
        let scheduled = &self.rows.epoch.log.scheduled;
        let id_of = |member: u32| scheduled.members.rows.internal.text[member as usize];
        let mut ids: Vec<TextId> = self.members.iter().map(|&(member, _)| id_of(member)).collect();
        ids.sort_unstable();
        if ids.windows(2).all(|pair| pair[0] != pair[1]) {
            return;
        }
        let mut seen = FxHashSet::default();
        let before = self.members.len();
        self.members.retain(|&(member, _)| seen.insert(id_of(member)));
        for _ in self.members.len()..before {
            self.notes.add(NoteKind::DuplicateMember, Some(scheduled.seq[row]));
        }
    }

    /// K3–K7.
    fn is_kept(&mut self, step: &FinalStep, name: &[u8], owned: &[u32; 3]) -> bool {
        if self.referenced.contains(name) || owned[Ownership::Run as usize] > 0 {
            return true;
        }
        if self.preempted_a_run_request(step.scheduled as usize) {
            return true;
        }
        if self.members.is_empty() {
            self.kept.counts.empty += 1;
        } else if self.identity.withholding() {
            self.kept.counts.foreign_only_withheld += 1;
        } else if self.lies_in_a_window(step) {
            self.kept.counts.foreign_only_placed += 1;
            return true;
        } else {
            self.kept.counts.foreign_only_counted += 1;
        }
        false
    }

    fn preempted_a_run_request(&mut self, row: usize) -> bool {
        let scheduled = &self.rows.epoch.log.scheduled;
        let start = scheduled.start.mono.int(row);
        scheduled.preempted.range(row).any(|entry| {
            let id = scheduled.preempted.rows.text[entry];
            self.rows.preempted.is_good(entry)
                && !self.resets.made(row as u32, id)
                && match self.executions.find(id, start) {
                    Some(at) => self.executions.get(at).ownership() == Ownership::Run,
                    None => self.executions.continued(id).ownership() == Ownership::Run,
                }
        })
    }

    /// K6.
    fn lies_in_a_window(&self, step: &FinalStep) -> bool {
        let Some(windows) = &self.windows else { return false };
        let log = &self.rows.epoch.log;
        let row = step.scheduled as usize;
        let completed = match step.completed {
            NONE => None,
            completed => log.completed.at.wall.int(completed as usize),
        };
        let end = completed.or_else(|| log.scheduled.end.wall.int(row));
        match (log.scheduled.start.wall.int(row), end) {
            (Some(start), Some(end)) => windows.hold(start, end),
            _ => false,
        }
    }

    /// K8–K10.
    fn keep(&mut self, step: FinalStep, owned: [u32; 3]) {
        let log = &self.rows.epoch.log;
        let strings = &self.rows.epoch.strings;
        let row = step.scheduled as usize;
        let seq = log.scheduled.seq[row];
        let table = &log.scheduled.members.rows;
        let step_number = self.kept.steps.len() as u32;
        // Once more: an execution that was created since may have taken another's place (E9).
        self.find_members(row);
        if step.completed != NONE {
            let outcomes = &log.completed.members;
            for outcome in outcomes.range(step.completed as usize) {
                let id = outcomes.rows.internal.text[outcome];
                self.outcomes[id as usize] = (step_number, outcome as u32);
            }
        }
        let mut withheld = 0;
        for at in 0..self.members.len() {
            let (member, execution_at) = self.members[at];
            let member_row = member as usize;
            let withholds = self.executions.withholds(self.executions.get(execution_at).ownership());
            let place = self.kept.members.len() as u32;
            let attempt = self.executions.get(execution_at).attempt_ref(self.identity.producer(), strings);
            let is_nameless = attempt.is_some_and(|attempt| attempt.id.is_empty());
            let execution = self.executions.get_mut(execution_at);
            if execution.prompt.is_none() && table.sighting.text(member_row) == Some(word::FIRST) {
                let prompt = table.prompt_tokens.int(member_row);
                if prompt.is_some_and(|prompt| prompt < 0) {
                    self.notes.add(NoteKind::NegativeCount, Some(seq));
                }
                execution.prompt = prompt.filter(|&prompt| prompt >= 0);
                execution.resumable = Some(is_set(table.resumable.cell(member_row), strings));
                execution.cached = table.cached_at_admission.int(member_row);
            }
            if withholds {
                execution.withheld = true;
                withheld += 1;
                continue;
            }
            if is_nameless {
                self.notes.add(NoteKind::EmptyRequestId, Some(seq));
                continue;
            }
            match self.kept.next_of_execution.get_mut(execution.last_membership as usize) {
                Some(next) => *next = place,
                None => execution.first_membership = place,
            }
            execution.last_membership = place;
            execution.memberships += 1;
            execution.min_final_seq = execution.min_final_seq.min(step.final_seq);
            let outcome = match self.outcomes[table.internal.text[member_row] as usize] {
                (of_step, outcome) if of_step == step_number => outcome,
                _ => NONE,
            };
            self.kept.next_of_execution.push(NONE);
            self.kept.members.push(Member { member, outcome, execution: execution_at });
        }
        let counts = &mut self.kept.counts;
        counts.withheld_memberships += u64::from(withheld);
        match step.state {
            StepState::Complete => counts.complete += 1,
            StepState::Incomplete(_) => counts.incomplete += 1,
        }
        let update_failed = step.completed != NONE
            && is_set(log.completed.update_failed.cell(step.completed as usize), strings);
        counts.update_failed += u64::from(update_failed);
        let preempted = self.preempted_count(row);
        self.kept.steps.push(KeptStep {
            step,
            update_failed,
            preempted,
            memberships_end: self.kept.members.len() as u32,
            owned,
            withheld,
        });
    }

    /// Entries of a step's list of preempted requests; of what is no list, the reference counts characters or names.
    fn preempted_count(&mut self, row: usize) -> u32 {
        let epoch = self.rows.epoch;
        let preempted = &epoch.log.scheduled.preempted;
        let Some(json) = preempted.other(row) else { return preempted.range(row).len() as u32 };
        if self.identity.rules == Rules::Corrected {
            self.notes.add(NoteKind::PreemptedNotAList, Some(epoch.log.scheduled.seq[row]));
            return 0;
        }
        match Value::parse(epoch.strings.get(json)) {
            // Every code point is one character, also an unpaired surrogate.
            Ok(Value::String(text)) => text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32,
            Ok(Value::Object(fields)) => fields.len() as u32,
            _ => 0,
        }
    }
}
