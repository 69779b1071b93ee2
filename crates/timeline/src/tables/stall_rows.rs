//! The list of stalls.

use stepscope_diagnose::{Attribution, BaselineKind, LATE_NS, Locus, bucket_in_words};

use crate::answers::StallRow;
use crate::model::{Listed, Timeline, What};

impl Timeline {
    /// The list of stalls over their limit, the worst first; warm-up after, late heartbeats last.
    pub fn stall_rows(&self) -> Vec<StallRow> {
        self.stalls.list.iter().enumerate().map(|(index, listed)| self.stall_row(index, listed)).collect()
    }

    pub(crate) fn stall_row(&self, index: usize, listed: &Listed) -> StallRow {
        let row = StallRow {
            index: index as u32,
            t0: listed.t0 as f64,
            t1: listed.t1 as f64,
            locus: Locus::BetweenSteps,
            attribution: Attribution::Host,
            duration_ns: listed.duration as f64,
            limit_ns: LATE_NS as f64,
            ratio: listed.duration as f64 / LATE_NS as f64,
            baseline: BaselineKind::Floor,
            baseline_ns: None,
            bucket: bucket_in_words(0),
            covered: self.known.whole.covers(listed.t0, listed.t1),
            overlapped: false,
            ongoing: false,
            warm_up: false,
            ready: 0,
            late_heartbeat: true,
        };
        match &listed.what {
            What::LateHeartbeat(_) => row,
            What::Stall { judged, ready, .. } => StallRow {
                locus: judged.stall.locus,
                attribution: judged.stall.attribution(),
                limit_ns: judged.limit.limit_ns,
                ratio: judged.ratio(),
                baseline: judged.limit.kind,
                baseline_ns: judged.limit.baseline.map(|median| median.value()),
                bucket: bucket_in_words(judged.stall.bucket),
                covered: judged.covered_by.is_some(),
                overlapped: judged.stall.overlapped,
                ongoing: judged.stall.ongoing,
                warm_up: judged.warm_up,
                ready: ready.len() as u32,
                late_heartbeat: false,
                ..row
            },
        }
    }
}
