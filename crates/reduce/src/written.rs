//! What records add to the facts of their run (`artifact.md` R5): the next import goes on from there.

use crate::facts::{KnownAttempt, RunFacts, RunRequest};
use crate::record::{Record, Text};

impl RunFacts {
    /// Takes note of a record that was written.
    pub fn add_written(&mut self, record: &Record<'_>) {
        let event_id = || {
            let mut id = Text::new();
            record.event_id(&mut id);
            id
        };
        match record {
            Record::ClockAlignment(_) => {
                self.existing_alignments.insert(event_id());
            }
            Record::Iteration(iteration) => {
                self.existing_iterations.insert(iteration.iteration_ref.into());
            }
            Record::Membership(_) => {}
            Record::Request(request) => {
                let run = request.run.map(|run| {
                    let named = RunRequest {
                        request_id: run.request_id.to_vec(),
                        x_request_id: run.x_request_id.to_vec(),
                        case_id: run.case_id.map(<[u8]>::to_vec),
                        phase: run.phase.map(<[u8]>::to_vec),
                    };
                    (named, run.external.to_vec())
                });
                let known = KnownAttempt {
                    ownership: Some(request.ownership),
                    run,
                    completion_index: request.completion_index,
                };
                self.existing_attempts.insert(request.attempt_ref.into(), known);
                if let Some(seq) = request.admission_seq {
                    let admission = (request.epoch.as_bytes().to_vec(), seq);
                    self.existing_admissions.insert(admission, request.attempt_ref.into());
                }
            }
            Record::Stage(_) => {
                self.existing_stages.insert(event_id());
            }
        }
    }
}
