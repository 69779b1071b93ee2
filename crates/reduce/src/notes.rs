//! What the reducer could not take as it stood, and where the corrected rules leave the reference.

use std::collections::BTreeMap;

/// What a note says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A negative time counts as not known (`reduce.md` §15).
    NegativeTime,
    /// A negative count of tokens counts as not known (§15).
    NegativeCount,
    /// The goodbye is stamped before the hello: the alignment's validity stays open (§15).
    GoodbyeBeforeHello,
    /// A step without a name is left out (§15).
    EmptyStepName,
    /// A request without an ID has no membership (§15).
    EmptyRequestId,
    /// `hello.config` is no object and counts as empty (§13).
    ConfigNotObject,
    /// Corrected: an ID that is neither text nor integer is left out (V1).
    MalformedId,
    /// Corrected: a member listed twice counts once (§7).
    DuplicateMember,
    /// Corrected: two stays with one key are kept apart (E9).
    KeyTaken,
    /// Corrected: a step's list of preempted requests that is no list counts as empty (§10.3).
    PreemptedNotAList,
    /// Corrected: a finish that waits for a step holds the mark (F4).
    FinishHeld,
    /// Corrected: a finish whose step an earlier import wrote does not count as unattached (F5).
    FinishAlreadyAttached,
    /// Corrected: a request that ended without a step does not hold the mark (H4).
    EndedWithoutStep,
    /// Corrected: a request whose steps earlier imports wrote does not hold the mark (H5).
    StepsAlreadyImported,
}

impl NoteKind {
    /// In words, after a count.
    pub fn words(self) -> &'static str {
        match self {
            Self::NegativeTime => "negative times count as not known",
            Self::NegativeCount => "negative token counts count as not known",
            Self::GoodbyeBeforeHello => {
                "goodbye stamped before the hello: the clock alignment's validity stays open"
            }
            Self::EmptyStepName => "steps without a name are left out",
            Self::EmptyRequestId => "members without an ID are left out",
            Self::ConfigNotObject => "engine configuration that is no object counts as empty",
            Self::MalformedId => "IDs that are neither text nor integer are left out",
            Self::DuplicateMember => "members listed twice in a step count once",
            Self::KeyTaken => "stays that share a key are kept apart",
            Self::PreemptedNotAList => "lists of preempted requests that are no lists count as empty",
            Self::FinishHeld => "finishes wait for a step and hold the mark; the reference loses them",
            Self::FinishAlreadyAttached => {
                "finishes of steps imported earlier; the reference counts them as unattached"
            }
            Self::EndedWithoutStep => {
                "requests that ended without a step; the reference's mark waits for them"
            }
            Self::StepsAlreadyImported => {
                "requests whose steps were imported earlier; the reference's mark waits for them"
            }
        }
    }
}

/// How often something was noted, and where first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// What.
    pub kind: NoteKind,
    /// How often.
    pub count: u64,
    /// `seq` of the first record concerned, when it is one.
    pub first_seq: Option<i64>,
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.count, self.kind.words())?;
        match self.first_seq {
            Some(seq) => write!(f, " (first at seq {seq})"),
            None => Ok(()),
        }
    }
}

/// Notes of one epoch, one a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notes(BTreeMap<NoteKind, (u64, Option<i64>)>);

impl Notes {
    pub(crate) fn add(&mut self, kind: NoteKind, seq: Option<i64>) {
        let (count, first) = self.0.entry(kind).or_insert((0, seq));
        *count += 1;
        *first = match (*first, seq) {
            (Some(first), Some(seq)) => Some(first.min(seq)),
            (first, seq) => first.or(seq),
        };
    }

    pub(crate) fn into_list(self) -> Vec<Note> {
        self.0.into_iter().map(|(kind, (count, first_seq))| Note { kind, count, first_seq }).collect()
    }
}
