//! `stepscope summary`: what happened, for people.

use serde::Serialize;
use stepscope_timeline::Timeline;

use crate::reading::Reading;

/// What is told of a log.
#[derive(Serialize)]
pub(crate) struct Summary {
    epochs: Vec<Told>,
}

#[derive(Serialize)]
struct Told {
    epoch: String,
    host_boot: String,
    role: &'static str,
    state: &'static str,
    records: usize,
    /// Steps that were begun.
    steps: usize,
    memberships: usize,
    /// The same in words.
    text: String,
}

impl Summary {
    /// The summary of a reading.
    pub(crate) fn of(reading: Reading) -> Self {
        let told = reading.epochs.into_iter().map(|epoch| Told {
            epoch: epoch.name.text.clone(),
            host_boot: epoch.host_boot.clone(),
            role: epoch.name.role.name(),
            state: epoch.state.name(),
            records: epoch.log.seq.len(),
            steps: epoch.log.scheduled.seq.len(),
            memberships: epoch.log.scheduled.members.rows.internal.text.len(),
            text: Timeline::new(epoch).summary(),
        });
        Self { epochs: told.collect() }
    }

    /// A dozen lines for every epoch.
    pub(crate) fn text(&self) -> String {
        let told: Vec<String> = self.epochs.iter().map(|told| told.text.clone() + "\n").collect();
        told.join("\n")
    }
}
