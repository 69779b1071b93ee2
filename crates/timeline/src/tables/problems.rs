//! What was wrong with the files.

use crate::answers::ProblemRow;
use crate::model::Timeline;
use crate::tell::words::safe;

impl Timeline {
    /// At most `count` problems from `from` on, in reading order.
    pub fn problems(&self, from: u32, count: u32) -> Vec<ProblemRow> {
        let rows = self.epoch.problems.iter().skip(from as usize).take(count as usize);
        rows.map(|problem| ProblemRow {
            place: safe(&problem.place()),
            what: safe(&problem.what),
            instead: problem.kind.instead().to_owned(),
        })
        .collect()
    }
}
