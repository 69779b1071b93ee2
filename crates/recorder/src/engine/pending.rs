//! Steps that were scheduled and whose outputs have not been processed yet (`record.md` §3).

use std::collections::VecDeque;
use std::ops::Range;

use hashbrown::HashTable;

use super::known::hash;

/// Steps remembered at most (M1).
pub(super) const MAX_PENDING: usize = 64;

/// A member as it was scheduled, and what is learnt of it when its output is processed.
#[derive(Debug)]
pub(super) struct PendingMember {
    pub(super) hash: u64,
    pub(super) id: Range<usize>,
    pub(super) scheduled: i64,
    pub(super) computed_before: i64,
    pub(super) drafts: i64,
    pub(super) snapshot: Option<Snapshot>,
    pub(super) output: Option<ListedOutput>,
}

/// The state of a member before its output is processed (§7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub(super) exists: bool,
    pub(super) finished: bool,
    pub(super) stale: bool,
    pub(super) drop_stale: bool,
    pub(super) sampled: i64,
}

/// What the update result lists for a member; the finish reason is a place in the step's text.
#[derive(Debug, Clone)]
pub(super) struct ListedOutput {
    pub(super) new_tokens: i64,
    pub(super) finish_reason: Option<Range<usize>>,
}

/// One step. Its buffers go round with the steps that follow.
#[derive(Debug, Default)]
pub(super) struct PendingStep {
    iteration: u64,
    text: String,
    pub(super) members: Vec<PendingMember>,
    /// Places in `members` by id.
    by_id: HashTable<usize>,
}

impl PendingStep {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Keeps a text for as long as the step.
    pub(super) fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    /// Adds a member whose id was kept at `id`. One that is there already takes the new values and keeps its place
    /// (M2).
    pub(super) fn insert(&mut self, member: PendingMember) {
        let hash = member.hash;
        if let Some(place) = self.place(hash, &self.text[member.id.clone()]) {
            self.members[place] = member;
            return;
        }
        let members = &mut self.members;
        let place = members.len();
        members.push(member);
        self.by_id.insert_unique(hash, place, |&place| members[place].hash);
    }

    /// The member of this id.
    #[inline]
    pub(super) fn member(&mut self, id: &str) -> Option<&mut PendingMember> {
        let place = self.place(hash(id), id)?;
        self.members.get_mut(place)
    }

    #[inline]
    fn place(&self, hash: u64, id: &str) -> Option<usize> {
        let is_it = |&place: &usize| {
            let member = &self.members[place];
            member.hash == hash && &self.text[member.id.clone()] == id
        };
        self.by_id.find(hash, is_it).copied()
    }

    fn clear(&mut self) {
        self.text.clear();
        self.members.clear();
        self.by_id.clear();
    }
}

/// The pending steps, oldest first.
#[derive(Debug, Default)]
pub(super) struct PendingSteps {
    steps: VecDeque<PendingStep>,
    spare: Vec<PendingStep>,
}

impl PendingSteps {
    /// An empty step to be filled and [`add`](Self::add)ed.
    pub(super) fn blank(&mut self, iteration: u64) -> PendingStep {
        let mut step = self.spare.pop().unwrap_or_default();
        step.iteration = iteration;
        step
    }

    /// Adds the newest step and forgets the oldest beyond [`MAX_PENDING`].
    pub(super) fn add(&mut self, step: PendingStep) -> &PendingStep {
        self.steps.push_back(step);
        while self.steps.len() > MAX_PENDING {
            if let Some(forgotten) = self.steps.pop_front() {
                self.recycle(forgotten);
            }
        }
        &self.steps[self.steps.len() - 1]
    }

    /// The step that an iteration names; any other text than its plain decimal number names none.
    pub(super) fn get(&mut self, iteration: &str) -> Option<&mut PendingStep> {
        let place = self.place(iteration)?;
        self.steps.get_mut(place)
    }

    /// Takes a step out.
    pub(super) fn take(&mut self, iteration: &str) -> Option<PendingStep> {
        let place = self.place(iteration)?;
        self.steps.remove(place)
    }

    /// Gives a step's buffers to the steps that follow.
    pub(super) fn recycle(&mut self, mut step: PendingStep) {
        step.clear();
        if self.spare.len() < MAX_PENDING {
            self.spare.push(step);
        }
    }

    fn place(&self, iteration: &str) -> Option<usize> {
        self.steps.iter().position(|step| itoa::Buffer::new().format(step.iteration) == iteration)
    }
}
