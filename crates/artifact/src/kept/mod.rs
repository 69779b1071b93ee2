//! What an artifact kept of each engine's loop (`diagnose.md` part 2): the steps, who was in them, and what the imports
//! told of the log they came from.

mod engine;
mod epoch;
mod pauses;

use std::borrow::Cow;

use stepscope_reduce::record::Text;

use crate::IMPORT_SOURCE;
use crate::kept::engine::Engines;
use crate::read::{LineProblem, Placed, read_tolerant};
use crate::row::{ClientRow, RecordRow, Row};
use crate::schema::RecordType;

pub use engine::{KeptCounts, KeptEngine};
pub use epoch::{EpochFacts, LeftOut};

/// Everything of an artifact that concerns engine loops.
#[derive(Clone, Debug, Default)]
pub struct KeptRun {
    /// The run, as the identity record says; `None` without one.
    pub run_id: Option<Text>,
    /// The client's session, as the identity record says.
    pub session_id: Option<Text>,
    /// Distinct requests that the client sent with an ID.
    pub client_requests: u64,
    /// The engines, in the order in which the file first names them.
    pub engines: Vec<KeptEngine>,
    /// Lines that could not be used.
    pub problems: Vec<LineProblem>,
}

/// A file in which no row says that it is an artifact (`artifact.md` §11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no artifact: no row is of type infer.session, infer.request or infer.artifact")]
pub struct NotAnArtifact;

impl KeptRun {
    /// Reads an artifact as a diagnosis does: a line that cannot be used is passed over and named.
    ///
    /// # Errors
    /// [`NotAnArtifact`].
    pub fn read(bytes: &[u8]) -> Result<Self, NotAnArtifact> {
        let mut walk = Walk::default();
        let (_, problems) = read_tolerant(bytes, |placed| walk.row(placed));
        if !walk.is_artifact {
            return Err(NotAnArtifact);
        }
        let (run_id, session_id) = walk.identity.unzip();
        walk.client_requests.sort_unstable();
        walk.client_requests.dedup();
        Ok(Self {
            run_id,
            session_id,
            client_requests: walk.client_requests.len() as u64,
            engines: walk.engines.finish(),
            problems,
        })
    }
}

#[derive(Default)]
struct Walk {
    is_artifact: bool,
    identity: Option<(Text, Text)>,
    client_requests: Vec<Text>,
    engines: Engines,
}

impl Walk {
    fn row(&mut self, placed: &Placed<'_, '_>) {
        match placed.row {
            Row::Definition(_) => {}
            Row::Client(row) => self.client(row),
            Row::Record(row) => {
                let context = placed.contexts.get(row.context);
                if row.kind == RecordType::Artifact {
                    self.is_artifact = true;
                    self.identity.get_or_insert_with(|| (context.run_id.clone(), context.session_id.clone()));
                }
                self.record(row, &context.producer_id, context.source == IMPORT_SOURCE.as_bytes());
            }
        }
    }

    fn client(&mut self, row: &ClientRow<'_>) {
        let kind = &row.event_type[..];
        self.is_artifact |= matches!(kind, b"infer.session" | b"infer.request" | b"infer.artifact");
        if matches!(kind, b"infer.dispatch" | b"infer.request") {
            self.client_requests.extend(row.fields.text("x_request_id").map(Cow::into_owned));
        }
    }

    fn record(&mut self, row: &RecordRow<'_>, producer: &[u8], is_import: bool) {
        match row.kind {
            RecordType::Iteration => self.engines.iteration(row),
            RecordType::Membership => self.engines.membership(row),
            RecordType::Request => {
                self.is_artifact = true;
                if is_import {
                    self.engines.execution(row, producer);
                }
            }
            RecordType::Stage if is_import => self.engines.stage(row),
            RecordType::Capabilities
                if row.fields.text("component").as_deref() == Some(b"engine_adapter") =>
            {
                self.engines.import(&row.metadata().object("summary").object("execution"));
            }
            _ => {}
        }
    }
}
