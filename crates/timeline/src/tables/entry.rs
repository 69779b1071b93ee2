//! The epoch's line of the list.

use crate::answers::EpochEntry;
use crate::model::Timeline;
use crate::tell::words::safe;

impl Timeline {
    /// The epoch's line of the list; `index` is the caller's number for it.
    pub fn entry(&self, index: u32) -> EpochEntry {
        let epoch = &self.epoch;
        let host = epoch.hello.as_ref().and_then(|hello| hello.host.as_deref()).unwrap_or(&epoch.host_boot);
        EpochEntry {
            index,
            epoch: safe(&epoch.name.text),
            host: safe(host),
            role: epoch.name.role.name(),
            pid: epoch.name.pid.clone(),
            start_wall_ms: self.clock.origin_wall_ms(),
            span_ns: self.clock.end() as f64,
            state: epoch.state.name(),
            state_reason: epoch.state.reason(),
            state_text: self.state_text(),
            records: epoch.log.seq.len() as u32,
            steps: self.steps.len() as u32,
            bytes: epoch.bytes as f64,
            problems: epoch.problems.len() as u32,
            stalls_over_limit: self.stalls.over_limit().0 as u32,
            refused: self.refused(),
        }
    }
}
