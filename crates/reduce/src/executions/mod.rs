//! Executions: the stays of internal IDs in the engine (`reduce.md` §6).

mod admissions;
mod by_id;
mod keys;

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use stepscope_epoch_log::{Epoch, Strings, TextId};

pub(crate) use admissions::{form, give_ends};

use crate::bind::{Binder, Binding};
use crate::facts::{KnownAttempt, RefBuf, RunFacts};
use crate::identity::Identity;
use crate::notes::{NoteKind, Notes};
use crate::pseudonym::Pseudonym;
use crate::record::{Ownership, Ref};
use by_id::ById;

/// Stands for no row, no step, no execution.
pub(crate) const NONE: u32 = u32::MAX;

/// The attempt an execution is written under (E4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// (producer, key)
    Key,
    /// (producer, pseudonym of the key)
    Pseudonym(Pseudonym),
    /// What an earlier import gave its admission.
    Recorded(Box<RefBuf>),
    /// Never written.
    Withheld,
}

/// One stay of an internal ID in the engine.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    pub(crate) internal: TextId,
    /// The key, when it is not the ID itself.
    key: Option<Box<[u8]>>,
    attempt: Attempt,
    pub(crate) binding: Binding,
    /// Row in `log.alias`.
    pub(crate) alias: u32,
    /// Admission time, monotonic ns; `None` is unknown (E1).
    pub(crate) admission: Option<i64>,
    /// Row in `log.enqueued` (E8).
    pub(crate) enqueued: u32,
    /// Row in `log.terminal` (E8).
    pub(crate) terminal: u32,
    /// Place among the executions (§14); of one that took another's, the other's.
    place: u32,
    /// E6.
    pub(crate) reused: bool,
    /// Another execution has its place (E9).
    gone: bool,
    /// A member of a final step that this import judged (K2).
    pub(crate) seen_final: bool,
    /// A member of a step that is not final yet.
    pub(crate) in_pending: bool,
    /// A member of a step that an earlier import wrote.
    pub(crate) in_imported: bool,
    /// A member of a kept step that got no membership (K10).
    pub(crate) withheld: bool,
    /// Prompt length, tokens (K8).
    pub(crate) prompt: Option<i64>,
    /// Tokens found computed at the first sighting (K8).
    pub(crate) cached: Option<i64>,
    /// Streaming-input request (K8).
    pub(crate) resumable: Option<bool>,
    /// First and last of its memberships, and how many.
    pub(crate) first_membership: u32,
    pub(crate) last_membership: u32,
    pub(crate) memberships: u32,
    /// Smallest final seq among its memberships' steps.
    pub(crate) min_final_seq: i64,
    /// The membership its finish stands on, and whether the step was running (§9).
    pub(crate) finish: Option<(u32, bool)>,
}

impl Execution {
    pub(crate) fn ownership(&self) -> Ownership {
        self.binding.ownership
    }

    pub(crate) fn key<'r>(&'r self, strings: &'r Strings) -> &'r [u8] {
        self.key.as_deref().unwrap_or_else(|| strings.get(self.internal))
    }

    /// P2; `None` when it is never written.
    pub(crate) fn attempt_ref<'r>(&'r self, producer_id: &'r [u8], strings: &'r Strings) -> Option<Ref<'r>> {
        match &self.attempt {
            Attempt::Key => Some(Ref { producer_id, id: self.key(strings) }),
            Attempt::Pseudonym(id) => Some(Ref { producer_id, id }),
            Attempt::Recorded(recorded) => Some((**recorded).as_ref()),
            Attempt::Withheld => None,
        }
    }
}

/// All executions of an epoch.
pub(crate) struct Executions<'a> {
    strings: &'a Strings,
    facts: &'a RunFacts,
    identity: &'a Identity,
    /// By `seq` of this epoch's admissions, what an earlier import gave them.
    admissions: FxHashMap<i64, &'a RefBuf>,
    pub(crate) binder: Binder<'a>,
    all: Vec<Execution>,
    /// By place.
    order: Vec<u32>,
    by_id: ById,
    by_key: FxHashMap<Cow<'a, [u8]>, u32>,
    /// Attempts with a request record under this epoch's producer.
    existing: FxHashMap<&'a [u8], &'a KnownAttempt>,
}

impl<'a> Executions<'a> {
    pub(crate) fn new(epoch: &'a Epoch, facts: &'a RunFacts, identity: &'a Identity) -> Self {
        let producer = identity.producer();
        Self {
            strings: &epoch.strings,
            facts,
            identity,
            admissions: facts
                .existing_admissions
                .iter()
                .filter(|((name, _), _)| *name == epoch.name.text.as_bytes())
                .map(|((_, seq), attempt)| (*seq, attempt))
                .collect(),
            binder: Binder::new(facts, identity.rules),
            all: Vec::new(),
            order: Vec::new(),
            by_id: ById::new(epoch.strings.len()),
            by_key: FxHashMap::default(),
            existing: facts
                .existing_attempts
                .iter()
                .filter(|(attempt, _)| attempt.producer_id == producer)
                .map(|(attempt, known)| (&attempt.id[..], known))
                .collect(),
        }
    }

    pub(crate) fn get(&self, at: u32) -> &Execution {
        &self.all[at as usize]
    }

    pub(crate) fn get_mut(&mut self, at: u32) -> &mut Execution {
        &mut self.all[at as usize]
    }

    /// In the order of creation, without those whose place another took.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = u32> + '_ {
        self.order.iter().copied()
    }

    /// The execution an ID means at a time (E7), when it has any.
    pub(crate) fn find(&self, internal: TextId, mono_ns: Option<i64>) -> Option<u32> {
        self.by_id.at(internal, mono_ns)
    }

    /// The execution an ID means at a time; of an ID without one, a continued one that is created (E7).
    pub(crate) fn find_or_create(
        &mut self,
        internal: TextId,
        mono_ns: Option<i64>,
        notes: &mut Notes,
    ) -> u32 {
        match self.find(internal, mono_ns) {
            Some(found) => found,
            None => {
                let execution = self.continued(internal);
                self.insert(execution, notes)
            }
        }
    }

    /// Marks members of pending steps. Executions are told apart by key (E9): one that took another's place is marked
    /// with it.
    pub(crate) fn mark_pending(&mut self, members: &[u32]) {
        for &member in members {
            let execution = &mut self.all[member as usize];
            execution.in_pending = true;
            if execution.gone
                && let Some(&other) = self.by_key.get(execution.key(self.strings))
            {
                self.all[other as usize].in_pending = true;
            }
        }
    }

    /// Whether an execution is a member of a pending step; one that is in no list is judged by its key.
    pub(crate) fn is_in_pending(&self, at: u32) -> bool {
        let execution = self.get(at);
        let by_key = || self.by_key.get(execution.key(self.strings)).map(|&other| self.get(other).in_pending);
        execution.in_pending || (execution.gone && !self.identity.corrected() && by_key().unwrap_or(false))
    }

    /// Whether a request record names the attempt already.
    pub(crate) fn is_existing(&self, execution: &Execution) -> bool {
        match &execution.attempt {
            Attempt::Key => self.existing.contains_key(execution.key(self.strings)),
            Attempt::Pseudonym(id) => self.existing.contains_key(&id[..]),
            Attempt::Recorded(recorded) => self.facts.existing_attempts.contains_key(recorded),
            Attempt::Withheld => false,
        }
    }

    /// I5, for one.
    pub(crate) fn withholds(&self, ownership: Ownership) -> bool {
        ownership != Ownership::Run && self.identity.withholding()
    }

    /// Adds one that is in no list and found by no ID.
    pub(crate) fn insert_unlisted(&mut self, execution: Execution) -> u32 {
        self.all.push(Execution { gone: true, ..execution });
        self.all.len() as u32 - 1
    }

    /// Adds one; when its key is taken, as E9 says.
    fn insert(&mut self, mut execution: Execution, notes: &mut Notes) -> u32 {
        let at = self.all.len() as u32;
        let taken = self.by_key.get(execution.key(self.strings)).copied();
        match taken {
            Some(other) if !self.identity.corrected() => {
                let before = &mut self.all[other as usize];
                before.gone = true;
                execution.place = before.place;
                let internal = before.internal;
                self.order[execution.place as usize] = at;
                self.by_id.remove(internal, other);
            }
            _ => {
                if taken.is_some() {
                    notes.add(NoteKind::KeyTaken, None);
                    self.rename(&mut execution);
                }
                execution.place = self.order.len() as u32;
                self.order.push(at);
            }
        }
        self.by_id.insert(execution.internal, execution.admission, execution.place, at);
        let key = match &execution.key {
            None => Cow::Borrowed(self.strings.get(execution.internal)),
            Some(key) => Cow::Owned(key.to_vec()),
        };
        self.by_key.insert(key, at);
        self.all.push(execution);
        at
    }

    /// Hands the executions over, and the order of those that count.
    pub(crate) fn into_parts(self) -> (Vec<Execution>, Vec<u32>, Vec<crate::RunRequest>) {
        (self.all, self.order, self.binder.into_requests())
    }
}
