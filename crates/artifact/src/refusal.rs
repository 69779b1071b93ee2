//! Why an import does not happen (`artifact.md` §12). Every file then stays as it was.

use crate::context::IdTaken;
use crate::read::LineProblem;

/// A refusal. Its text names what has to be looked at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A line of the artifact cannot be used (§11).
    #[error("the artifact cannot be read: {0}")]
    Line(LineProblem),
    /// The artifact says of no run that it is its own.
    #[error("the artifact has no infer.artifact record, so no run to import into")]
    NoIdentity,
    /// The log holds no epoch.
    #[error("the log holds no epoch directory")]
    NoEpoch,
    /// An earlier import wrote other clients' IDs in another form (§10 step 4).
    #[error(
        "epoch {epoch}: other clients' request IDs were recorded as {recorded} before and would now be {present}; \
         one request would get two identities"
    )]
    Scheme {
        /// The epoch's name.
        epoch: String,
        /// What the artifact holds.
        recorded: String,
        /// What this import would write.
        present: &'static str,
    },
    /// A row of another session (§10 step 6).
    #[error("line {}: session {session} is not the artifact's", line + 1)]
    OtherSession {
        /// Number of the line, from 0.
        line: usize,
        /// What it says.
        session: String,
    },
    /// A record of another run (§10 step 6, G1).
    #[error("line {}: run {run} is not the artifact's", line + 1)]
    OtherRun {
        /// Number of the line, from 0.
        line: usize,
        /// What it says.
        run: String,
    },
    /// Two records of one event differ (G2).
    #[error("conflicting event identity: {event_id} is recorded twice with different content")]
    ConflictingEvents {
        /// The event's id.
        event_id: String,
    },
    /// Two records of one entity differ in more than their event id (G3).
    #[error("conflicting entity identity: {first} and {second} describe one {kind} differently")]
    ConflictingEntities {
        /// Type of the records.
        kind: &'static str,
        /// Event id of the first.
        first: String,
        /// Event id of the second.
        second: String,
    },
    /// The run envelope does not fit (§13).
    #[error("the run envelope {0}")]
    Envelope(String),
    /// The id for a new context names another one (C7).
    #[error(transparent)]
    ContextId(#[from] IdTaken),
}

impl Refusal {
    /// The exit code of a command that is refused: all of these are errors of its input. (stormlog 0.4.3 exits with
    /// 1 for a line that cannot be used, against its own contract.)
    pub fn exit_code(&self) -> u8 {
        5
    }
}
