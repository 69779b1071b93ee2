//! Keys and attempts (E4, E5).

use std::borrow::Cow;

use stepscope_epoch_log::TextId;

use super::{Attempt, Execution, Executions, NONE};
use crate::bind::Binding;
use crate::facts::{KnownAttempt, RefBuf};
use crate::record::{BoundVia, Ownership};

/// The n-th candidate key of an ID, from 1.
fn candidate(id: &[u8], n: u32) -> Cow<'_, [u8]> {
    if n <= 1 {
        return Cow::Borrowed(id);
    }
    Cow::Owned([id, b"#", n.to_string().as_bytes()].concat())
}

fn owned(key: Cow<'_, [u8]>) -> Option<Box<[u8]>> {
    match key {
        Cow::Borrowed(_) => None,
        Cow::Owned(key) => Some(key.into()),
    }
}

/// From which candidate on the next admission of an ID looks for a free key: candidates before it are taken or name
/// attempts that exist, under the run's own form and under the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextKey {
    run: u32,
    other: u32,
}

impl Default for NextKey {
    fn default() -> Self {
        Self { run: 1, other: 1 }
    }
}

impl Executions<'_> {
    fn new_execution(
        &self,
        internal: TextId,
        key: Cow<'_, [u8]>,
        binding: Binding,
        attempt: Attempt,
    ) -> Execution {
        Execution {
            internal,
            key: owned(key),
            attempt,
            binding,
            alias: NONE,
            admission: None,
            enqueued: NONE,
            terminal: NONE,
            place: 0,
            reused: false,
            gone: false,
            seen_final: false,
            in_pending: false,
            in_imported: false,
            withheld: false,
            prompt: None,
            cached: None,
            resumable: None,
            first_membership: NONE,
            last_membership: NONE,
            memberships: 0,
            min_final_seq: i64::MAX,
            finish: None,
        }
    }

    /// E4.
    fn attempt(&self, key: &[u8], ownership: Ownership) -> Attempt {
        if ownership == Ownership::Run || self.identity.raw_foreign_ids {
            return Attempt::Key;
        }
        match &self.identity.pseudonyms {
            Some(pseudonyms) => Attempt::Pseudonym(pseudonyms.of(key)),
            None => Attempt::Withheld,
        }
    }

    /// The request record of an attempt, when there is one.
    fn known(&self, key: &[u8], attempt: &Attempt) -> Option<&KnownAttempt> {
        match attempt {
            Attempt::Key => self.existing.get(key).copied(),
            Attempt::Pseudonym(id) => self.existing.get(&id[..]).copied(),
            Attempt::Recorded(recorded) => self.facts.existing_attempts.get(recorded),
            Attempt::Withheld => None,
        }
    }

    /// An execution whose admission these records do not have (E3, E5).
    pub(crate) fn continued(&mut self, internal: TextId) -> Execution {
        let strings = self.strings;
        let id = strings.get(internal);
        let binding = self.binder.bind(id, None, self.identity.randomization);
        let mut last = (candidate(id, 1), self.attempt(id, binding.ownership));
        let mut held = None;
        // Without any attempt of this producer the ID itself is the key.
        if !self.existing.is_empty() {
            for n in 1.. {
                let key = candidate(id, n);
                let attempt = self.attempt(&key, binding.ownership);
                let mut known = self.known(&key, &attempt).map(|known| (attempt, known.clone()));
                if known.is_none() && self.identity.corrected() {
                    known = self.known_otherwise(&key, binding.ownership);
                }
                let Some((attempt, known)) = known else { break };
                last = (key, attempt);
                held = Some(known);
            }
        }
        let (key, attempt) = last;
        let binding = self.keep_binding(binding, held);
        self.new_execution(internal, key, binding, attempt)
    }

    /// The attempt of a key under the other ownership's form (E10, E11).
    fn known_otherwise(&self, key: &[u8], ownership: Ownership) -> Option<(Attempt, KnownAttempt)> {
        let other = match ownership {
            Ownership::Run => Ownership::Foreign,
            Ownership::Foreign | Ownership::Unresolved => Ownership::Run,
        };
        let attempt = self.attempt(key, other);
        let known = self.known(key, &attempt)?.clone();
        Some((attempt, known))
    }

    /// Corrected, the ownership that the artifact holds for an attempt stays (E10, E11).
    fn keep_binding(&mut self, binding: Binding, held: Option<KnownAttempt>) -> Binding {
        let Some(held) = held.filter(|_| self.identity.corrected()) else { return binding };
        match (held.ownership, held.run) {
            (Some(Ownership::Run), Some((request, external))) => Binding {
                ownership: Ownership::Run,
                completion_index: held.completion_index,
                run: Some((self.binder.keep(&request), external.into())),
                ..binding
            },
            (Some(ownership @ (Ownership::Foreign | Ownership::Unresolved)), _) => {
                let via = if ownership == Ownership::Unresolved { BoundVia::None } else { binding.via };
                Binding { ownership, via, completion_index: None, run: None, ..binding }
            }
            _ => binding,
        }
    }

    /// An execution with an admission: row `alias`, at `seq` (E5).
    pub(super) fn admitted(
        &mut self,
        internal: TextId,
        (alias, seq): (u32, i64),
        external: Option<&[u8]>,
        next: &mut NextKey,
    ) -> Execution {
        let strings = self.strings;
        let id = strings.get(internal);
        let binding = self.binder.bind(id, external, self.identity.randomization);
        let recorded = self.admissions.get(&seq).copied();
        let mut execution = match recorded {
            Some(recorded) => {
                let attempt = Attempt::Recorded(Box::new(recorded.clone()));
                let held = self.known(id, &attempt).cloned();
                let binding = self.keep_binding(binding, held);
                let key = recorded_key(id, seq, recorded, binding.ownership);
                self.new_execution(internal, key, binding, attempt)
            }
            None => {
                let is_key = binding.ownership == Ownership::Run || self.identity.raw_foreign_ids;
                let first = if is_key { &mut next.run } else { &mut next.other };
                let (key, attempt) = loop {
                    let key = candidate(id, *first);
                    *first += 1;
                    if self.by_key.contains_key(&key[..]) {
                        continue;
                    }
                    let attempt = self.attempt(&key, binding.ownership);
                    if self.known(&key, &attempt).is_none() {
                        break (key, attempt);
                    }
                };
                self.new_execution(internal, key, binding, attempt)
            }
        };
        execution.alias = alias;
        execution
    }

    /// Corrected, an execution whose key is taken gets the next free one (E9).
    pub(super) fn rename(&self, execution: &mut Execution) {
        let strings = self.strings;
        let key = execution.key(strings).to_vec();
        for n in 2.. {
            let key = candidate(&key, n);
            let attempt = match &execution.attempt {
                recorded @ Attempt::Recorded(_) => recorded.clone(),
                _ => self.attempt(&key, execution.ownership()),
            };
            let is_known = !matches!(attempt, Attempt::Recorded(_)) && self.known(&key, &attempt).is_some();
            if !self.by_key.contains_key(&key[..]) && !is_known {
                execution.attempt = attempt;
                execution.key = owned(key);
                return;
            }
        }
    }
}

fn recorded_key<'a>(id: &'a [u8], seq: i64, recorded: &RefBuf, ownership: Ownership) -> Cow<'a, [u8]> {
    if ownership != Ownership::Run {
        Cow::Owned([id, b"@", seq.to_string().as_bytes()].concat())
    } else if recorded.id == id {
        Cow::Borrowed(id)
    } else {
        Cow::Owned(recorded.id.clone())
    }
}
