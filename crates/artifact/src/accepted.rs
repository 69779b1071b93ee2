//! For which commands a file counts as an artifact (`artifact.md` §11).

use crate::read::read_tolerant;
use crate::row::Row;
use crate::schema::RecordType;

/// The commands that take a file for an artifact, if its lines are all in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// `analyze`: there is a row of type `infer.session` or `infer.request`, of any version.
    pub analyze: bool,
    /// `diagnose`: there is one of these, or one of type `infer.artifact`.
    pub diagnose: bool,
    /// `import-execution`: there is an identity record.
    pub import: bool,
}

/// What a file is an artifact to; of a file that is none, nothing.
pub fn accepted_by(bytes: &[u8]) -> Accepted {
    let mut accepted = Accepted::default();
    read_tolerant(bytes, |placed| {
        let (is_run, is_identity) = match placed.row {
            Row::Definition(_) => (false, false),
            Row::Client(row) => (
                matches!(&*row.event_type, b"infer.session" | b"infer.request"),
                &*row.event_type == b"infer.artifact",
            ),
            Row::Record(row) => (row.kind == RecordType::Request, row.kind == RecordType::Artifact),
        };
        accepted.analyze |= is_run;
        accepted.diagnose |= is_run || is_identity;
        accepted.import |= is_identity && matches!(placed.row, Row::Record(_));
    });
    accepted
}
