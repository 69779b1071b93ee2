//! What the reducer is told about the run (`reduce.md` §2.2, §2.3); `artifact.md` §9 says where it comes from. All
//! texts are WTF-8.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::record::{Ownership, Ref, Text};

/// Names an entity; owned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefBuf {
    /// Who names it.
    pub producer_id: Text,
    /// Its name there.
    pub id: Text,
}

impl RefBuf {
    /// Borrows it.
    pub fn as_ref(&self) -> Ref<'_> {
        Ref { producer_id: &self.producer_id, id: &self.id }
    }
}

impl From<Ref<'_>> for RefBuf {
    fn from(reference: Ref<'_>) -> Self {
        Self { producer_id: reference.producer_id.to_vec(), id: reference.id.to_vec() }
    }
}

/// A request the client of the run sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunRequest {
    /// The client's own ID; an entry without one is passed over (`artifact.md` R1).
    pub request_id: Text,
    /// The ID sent to the server.
    pub x_request_id: Text,
    /// Its case.
    pub case_id: Option<Text>,
    /// Its phase.
    pub phase: Option<Text>,
}

/// A span of the client's wall clock, ns, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Start.
    pub start_ns: i64,
    /// End.
    pub end_ns: i64,
}

/// What is known of an attempt that a request record already names. The corrected rules keep it (E10, E11).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownAttempt {
    /// `metadata.ownership`.
    pub ownership: Option<Ownership>,
    /// For the run's own: the request, and `metadata.external`.
    pub run: Option<(RunRequest, Text)>,
    /// `metadata.completion_index`.
    pub completion_index: Option<i64>,
}

/// Facts of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// The run; also keys pseudonyms.
    pub run_id: Text,
    /// The client's session.
    pub session_id: Text,
    /// Domain of the client's wall clock, which the windows are on.
    pub client_clock_domain: Option<Text>,
    /// By `x_request_id`.
    pub requests: FxHashMap<Text, RunRequest>,
    /// Times the client asks about.
    pub windows: Vec<Window>,
    /// Steps that device activity points at.
    pub referenced_iterations: FxHashSet<RefBuf>,
    /// Steps already written.
    pub existing_iterations: FxHashSet<RefBuf>,
    /// Attempts with a request record.
    pub existing_attempts: FxHashMap<RefBuf, KnownAttempt>,
    /// Event ids of alignments.
    pub existing_alignments: FxHashSet<Text>,
    /// Event ids of stages an execution import wrote.
    pub existing_stages: FxHashSet<Text>,
    /// By epoch name and `seq` of the admission: the attempt it was given.
    pub existing_admissions: FxHashMap<(Text, i64), RefBuf>,
}

/// Which results are wanted where a rule names a weakness of the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// As the reference does, value for value.
    #[default]
    Reference,
    /// With the correction each such rule describes.
    Corrected,
}

/// How to reduce.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Write other clients' IDs as they are.
    pub raw_foreign_ids: bool,
    /// Which rule set.
    pub rules: Rules,
    /// Version of the importing tool, for the contexts.
    pub source_version: Text,
}
